"""How is an address answered that most requests name? Without what the framework would do for its parameters.

Its machinery (dependencies, a stack of what to close, included routers) takes as long as writing half a page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

Handler = Callable[[Request], Awaitable[Response]]


class PlainRoute(Route):
    """An address for GET and HEAD, whose handler reads the request itself."""

    def __init__(self, path: str, handler: Handler) -> None:
        super().__init__(path, _Answered(handler), methods=["GET", "HEAD"], include_in_schema=False)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, found = super().matches(scope)
        if match is not Match.NONE:
            found["route"] = self  # by which answers are counted
        return match, found


class _Answered:
    """The handler as an application; what it raises is answered further out."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._handler(Request(scope, receive))
        await response(scope, receive, send)
