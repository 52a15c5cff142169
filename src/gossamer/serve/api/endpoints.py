"""JSON endpoints: search, suggest, page, links, status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gossamer.answer.as_dict import as_dict
from gossamer.serve.api.openapi import add_endpoint
from gossamer.serve.i18n import BY_LANGUAGE
from gossamer.serve.location import VisitorLocation
from gossamer.serve.middleware import MEDIA_TYPE, Metrics
from gossamer.serve.request import SEARCH, Count, Offset, links_to_others, options, read
from gossamer.serve.search_queue import SearchQueue
from gossamer.serve.searchable import PageCount, SearchEngine

if TYPE_CHECKING:
    from gossamer.graph.reader import GraphLink

Address = Annotated[str, Query(description="URL of the page; its scheme may be left out.")]
WithText = Annotated[bool, Query(description="Whether to include the text of the page.")]
Begun = Annotated[str, Query(description="The beginning of a query.")]


FOR_BROWSERS = "application/x-suggestions+json"
SUGGESTIONS = 8  # default number
DEGREES = ("in_degree", "out_degree", "unvouched_in_degree", "unvouched_out_degree")
_FRESH = {"Cache-Control": "private, max-age=60"}  # no new request when the user deletes a letter


class Api:
    """Handlers of the API. They run on threads, because searching releases the GIL."""

    def __init__(
        self, engine: SearchEngine, metrics: Metrics, location: VisitorLocation, search_queue: SearchQueue
    ) -> None:
        self._engine = engine
        self._metrics = metrics
        self._location = location
        self._search_queue = search_queue
        self._page_count = PageCount(engine)

    def routes(self) -> APIRouter:
        router = APIRouter()
        add_endpoint(
            router, "/api/search", self._search_queue.taking(self.search), 400, 422, parameters=SEARCH
        )
        add_endpoint(router, "/api/status", self.status)
        add_endpoint(router, "/healthz", self.health)
        add_endpoint(router, "/metrics", self.numbers, response_class=Response)
        add_endpoint(router, "/api/suggest", self.suggest, 422)
        add_endpoint(router, "/suggest", self.for_browsers, 422, response_class=Response)
        unknown = (400, 404, 422)
        add_endpoint(router, "/api/page", self.page, *unknown)
        add_endpoint(router, "/api/similar", self._search_queue.taking(self.similar), *unknown)
        add_endpoint(router, "/api/links", self.links, *unknown, 409)
        return router

    def search(self, request: Request) -> Response:
        """The best results for a query."""
        given = read(SEARCH, request)
        country = self._location.country(request, given["country"])
        found = self._engine.search(given["q"], options=options(given, request, country))
        others = links_to_others(request, given["offset"], given["k"], found.total - found.folded)
        return JSONResponse(as_dict(found) | others, headers=BY_LANGUAGE)

    def status(self) -> dict[str, Any]:
        """Size, state and age of the collection, but not its folder."""
        known = self._engine.status().as_dict()
        return {name: value for name, value in known.items() if name != "directory"}

    def health(self) -> dict[str, str]:
        """Whether the server is running."""
        return {"status": "ok"}

    def numbers(self) -> Response:
        """Metrics since the server started, for Prometheus."""
        return Response(self._metrics.text(self._page_count()), media_type=MEDIA_TYPE)

    def suggest(self, q: Begun = "", k: Count = SUGGESTIONS) -> Response:
        """Completions of a query."""
        found = self._engine.suggest(q, k, wait=False)
        return JSONResponse({"query": q, "suggestions": found}, headers=_FRESH)

    def for_browsers(self, q: Begun = "", k: Count = SUGGESTIONS) -> Response:
        """Completions of a query in the format of OpenSearch."""
        found = self._engine.suggest(q, k, wait=False)
        return JSONResponse([q, found], headers=_FRESH, media_type=FOR_BROWSERS)

    def page(self, url: Address, text: WithText = True) -> Response:
        """What the collection knows about a page."""
        told = self._engine.page(url).as_dict()
        return JSONResponse(told if text else {**told, "text": ""})

    def similar(self, request: Request, url: Address, k: Count = 10, offset: Offset = 0) -> Response:
        """Pages with content similar to a page's."""
        found = self._engine.similar(url, k, offset)
        others = links_to_others(request, offset, k, found.total - found.folded)
        return JSONResponse({**as_dict(found), **others})

    def links(self, request: Request, url: Address, k: Count = 10, offset: Offset = 0) -> Response:
        """Links to a page and from it, by PageRank."""
        found = self._engine.links(url, k, offset)
        degrees = {name: getattr(found, name) for name in DEGREES}
        return JSONResponse(
            {
                "url": found.page.url or found.typed,
                "title": found.page.title,
                **degrees,
                "in_links": _links(found.in_links),
                "out_links": _links(found.out_links),
                "unvouched_in": _links(found.unvouched_in),
                "unvouched_out": _links(found.unvouched_out),
                "standings": found.as_dict()["standings"],
                **links_to_others(request, offset, k, max(degrees.values())),
            }
        )


def _links(links: Iterable[GraphLink]) -> list[dict[str, Any]]:
    return [
        {
            "url": link.page.url or None,
            "fingerprint": f"{link.page.fingerprint:016x}",
            "title": link.page.title,
            "rank": link.rank,
            "texts": list(link.texts),
        }
        for link in links
    ]
