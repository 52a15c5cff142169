"""What do pages load besides themselves? Scripts and pictures as they are, and one stylesheet made of many.

The stylesheet is written in files by what they style, and joined when the application is made: a page asks
for it once, and the browser asks again only whether it is still the same.
"""

from __future__ import annotations

from hashlib import sha256

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

from gossamer.serve.templating import HERE, STATIC

STYLESHEET = "style.css"
STYLES = HERE / "styles"
# The order is that of the cascade: of two rules for the same thing the later one counts.
ORDER = (
    "palette",
    "ground",
    "masthead",
    "boxes",
    "menus",
    "start",
    "results",
    "hits",
    "narrowing",
    "answers",
    "sheets",
    "owner",
    "charts",
    "copy",
    "problems",
    "paging",
    "you",
    "screens",
)


def stylesheet() -> str:
    """All files of the stylesheet, as one."""
    return "\n".join((STYLES / f"{name}.css").read_text(encoding="utf-8") for name in ORDER)


class Static(StaticFiles):
    """Everything below /static."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC)
        self._style = stylesheet().encode()
        self._tag = f'"{sha256(self._style).hexdigest()[:32]}"'

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path != STYLESHEET or scope["method"] not in ("GET", "HEAD"):
            return await super().get_response(path, scope)
        answer = Response(self._style, media_type="text/css", headers={"ETag": self._tag})
        if self.is_not_modified(answer.headers, Headers(scope=scope)):
            return NotModifiedResponse(answer.headers)
        return answer
