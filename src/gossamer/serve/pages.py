"""The pages for people: start, results, and what browsers and crawlers ask before they come."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gossamer.model import SearchRequest
from gossamer.query.easier import easier
from gossamer.query.parse import parse
from gossamer.serve.counting import PageCount
from gossamer.serve.languages import BY_LANGUAGE, accepted
from gossamer.serve.paging import DEEPEST, PER_PAGE, offset_of, paging
from gossamer.serve.parameters import Everything, PageNumber
from gossamer.serve.root import root_of
from gossamer.serve.searchable import Searchable
from gossamer.serve.shown import shown
from gossamer.serve.templating import Templates


class Pages:
    """Handlers are plain functions: they run on threads, and searching releases the GIL."""

    def __init__(self, engine: Searchable, templates: Templates) -> None:
        self._engine = engine
        self._templates = templates
        self._page_count = PageCount(engine)

    def routes(self) -> APIRouter:
        router = APIRouter(include_in_schema=False)
        for path, handler in (
            ("/", self.start),
            ("/search", self.search),
            ("/opensearch.xml", self.opensearch),
            ("/robots.txt", self.robots),
        ):
            router.add_api_route(path, handler, methods=["GET", "HEAD"])
        return router

    def start(self, request: Request) -> Response:
        return self._templates.answer(request, "start.html", query="", documents=self._page_count())

    def search(
        self, request: Request, q: str = "", page: PageNumber = 1, everything: Everything = False
    ) -> Response:
        if not q.strip():
            return RedirectResponse(root_of(request) + "/", 303)
        preferred = accepted(request.headers.get("accept-language", ""))
        found = self._engine.answer(
            SearchRequest(q, PER_PAGE, offset_of(page), everything=everything, languages=preferred)
        )
        answer = self._templates.answer(
            request,
            "results.html",
            query=q,
            found=found,
            hits=[shown(hit) for hit in found.hits],
            paging=paging(page, found.total - found.folded),
            everything=everything,
            deepest=DEEPEST,
            easier=[] if found.total else easier(parse(q)),
        )
        answer.headers.update(BY_LANGUAGE)
        return answer

    def opensearch(self, request: Request) -> Response:
        base = str(request.base_url).rstrip("/")
        return self._templates.answer(
            request, "opensearch.xml", "application/opensearchdescription+xml", base=base
        )

    def robots(self, request: Request) -> Response:
        """Other crawlers may know this page; its results are not pages of the web."""
        root = root_of(request)
        lines = ("User-agent: *", f"Allow: {root}/", f"Disallow: {root}/search", f"Disallow: {root}/api/", "")
        return Response("\n".join(lines), media_type="text/plain")
