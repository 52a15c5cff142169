"""What must something be able to do to ask servers for us?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from gossamer.model import FetchResult, Url


class Transport(Protocol):
    """The real web, or one in memory."""

    async def get(self, url: Url, headers: Mapping[str, str], max_bytes: int) -> FetchResult:
        """Asks once, without following redirects. Failures of the outside world are values in the result.

        The body is decoded and has at most `max_bytes`, and much less when nobody could read it as text;
        `truncated` says that there was more.
        """

    async def post(
        self, url: Url, headers: Mapping[str, str], form: Mapping[str, str], max_bytes: int
    ) -> FetchResult:
        """Sends a form that was filled in, once and only once; what comes back is as for `get`."""

    def prefetch(self, hosts: Iterable[str]) -> None:
        """Hosts that will be asked soon: whatever can be prepared is, without waiting and without errors."""

    async def look_up(self, host: str) -> None:
        """Waits until the address of a host is known, or that it has none."""

    def address_of(self, host: str) -> str | None:
        """The address at which a host was last found, without waiting; None when it is not known."""

    def has_robots(self, scheme: str) -> bool:
        """Whether hosts that are asked by this scheme have a robots.txt."""

    async def close(self) -> None:
        """Lets go of connections. Nothing may be asked afterwards."""
