"""What must something be able to do to ask servers for us?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from gossamer.model import FetchResult, Url


class Transport(Protocol):
    """The real web, or one in memory."""

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Asks once, without following redirects. Failures of the outside world are values in the result.

        The body is decoded and has at most `max_bytes`, and much less when nobody could read it as text;
        `truncated` says that there was more.
        """

    async def close(self) -> None:
        """Lets go of connections. Nothing may be asked afterwards."""
