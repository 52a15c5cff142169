"""Where is the application mounted? A static file's mount changes what the request says of that."""

from __future__ import annotations

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

_KEY = "gossamer.root"


class Rooted:
    """Notes the root of the whole application before any route is entered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[_KEY] = scope.get("root_path", "")
        await self._app(scope, receive, send)


def root_of(request: Request) -> str:
    """What stands before every address of ours; empty, or without a slash at its end."""
    root: str = request.scope.get(_KEY, request.scope.get("root_path", ""))
    return root.rstrip("/")


def below_root(scope: Scope) -> str:
    """The path as the routes name it."""
    root: str = scope.get(_KEY, scope.get("root_path", ""))
    path: str = scope["path"]
    return path.removeprefix(root.rstrip("/"))
