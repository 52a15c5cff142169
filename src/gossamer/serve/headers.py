"""What must a browser know so that nothing from a hostile page can run here?"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; "
        "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address holds the query; nobody else needs to know it
    "Cache-Control": "private, no-cache",  # may be kept, but must be asked again: an index changes
}

_RAW = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


def protect(headers: MutableHeaders) -> None:
    """Adds what is missing."""
    raw = headers.raw
    known = {name for name, _ in raw}
    raw.extend([one for one in _RAW if one[0] not in known])


class Protected:
    """The application with these headers on every answer, the static files' included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                protect(MutableHeaders(scope=message))
            await send(message)

        await self._app(scope, receive, send_protected if scope["type"] == "http" else send)
