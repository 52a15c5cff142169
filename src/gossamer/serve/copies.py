"""The stored copy of a page: a banner of ours, and below it the copy in a frame that it cannot leave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from gossamer.model import BadQuery, CachedPage
from gossamer.serve.address import crumbs, link_of
from gossamer.serve.copying import SANDBOX, copied, marked_words
from gossamer.serve.headers import HEADERS
from gossamer.serve.searchable import Searchable
from gossamer.serve.templating import Templates
from gossamer.serve.wording import day

_CSP = "Content-Security-Policy"
# Only this page holds a frame, and only of ours.
_FRAMING = {_CSP: f"{HEADERS[_CSP]}; frame-src 'self'"}
MOST_NAMED = 12  # words of the query that the banner names

Address = Annotated[str, Query(max_length=10_000)]


class Copies:
    """Two answers for one page: the banner with its frame, and what the frame shows."""

    def __init__(self, engine: Searchable, templates: Templates) -> None:
        self._engine = engine
        self._templates = templates

    def routes(self) -> APIRouter:
        router = APIRouter(include_in_schema=False)
        for path, handler in (("/cache", self.banner), ("/cache/copy", self.copy)):
            router.add_api_route(path, handler, methods=["GET", "HEAD"])
        return router

    def banner(self, request: Request, url: Address, q: str = "") -> Response:
        page = self._page(url, q)
        if page is None:
            return self._templates.answer(request, "no_copy.html", status=404, query=q)
        answer = self._templates.answer(
            request,
            "copy.html",
            query=q,
            page=page,
            fetched=day(page.fetched_at),
            words=_named(marked_words(page)),
            crumbs=crumbs(page.url),
            link=link_of(page.url),
            copy=self._templates.site(request).elsewhere("/cache/copy", url=url, q=q),
        )
        answer.headers.update(_FRAMING)
        return answer

    def copy(self, request: Request, url: Address, q: str = "") -> Response:
        page = self._page(url, q)
        if page is None:
            return self._templates.answer(request, "no_copy.html", status=404, query=q)
        return HTMLResponse(copied(page), headers={_CSP: SANDBOX})

    def _page(self, url: str, query: str) -> CachedPage | None:
        """With the words of the query; a query that cannot be read marks none."""
        try:
            return self._engine.cached(url, query)
        except BadQuery:
            return self._engine.cached(url)


def _named(words: Iterable[str]) -> list[str]:
    """Words for the banner, in whichever capitals each once.

    >>> _named({"panthers", "Black", "black"})
    ['black', 'panthers']
    """
    once = {word.lower(): word for word in sorted(words)}  # small letters come last
    return [once[name] for name in sorted(once)][:MOST_NAMED]
