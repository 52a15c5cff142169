"""Whose pages may read the API in a visitor's browser? (CORS)

Only what the owner names, only the answers for programs, and never with a visitor's cookies.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from gossamer.model import BadSetting
from gossamer.serve.problems import is_for_programs
from gossamer.serve.root import below_root

ANY = "*"
_ORIGIN = re.compile(r"https?://[^\s/?#@]+")


class Shared:
    """The application, its API open to pages of these origins."""

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        self._app = app
        self._shared = CORSMiddleware(app, allow_origins=checked(origins), allow_methods=["GET", "HEAD"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        shares = scope["type"] == "http" and _is_shared(below_root(scope))
        await (self._shared if shares else self._app)(scope, receive, send)


def _is_shared(path: str) -> bool:
    """What the owner alone may see is nobody else's to read."""
    return is_for_programs(path) and not path.startswith("/owner")


def checked(origins: Sequence[str]) -> list[str]:
    """The origins, as browsers name them.

    >>> checked(["https://Example.org/"])
    ['https://example.org']
    """
    plain = [origin.rstrip("/").lower() for origin in origins]
    for origin in plain:
        if origin != ANY and not _ORIGIN.fullmatch(origin):
            raise BadSetting(
                f"[serve] cors: {origin!r} is no origin; write https://example.org, or * for all"
            )
    return plain
