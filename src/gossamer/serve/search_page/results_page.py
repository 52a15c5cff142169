"""Start page, results page, OpenSearch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from gossamer.answer.gazetteer import country_names
from gossamer.model import MAX_RESULTS, BadQuery, Cluster, Query, ResultPage
from gossamer.query.rewrite import easier
from gossamer.query.syntax import parse
from gossamer.serve.location import ANYWHERE, VisitorLocation
from gossamer.serve.middleware import base_of, root_of
from gossamer.serve.rendering import Templates, link_of, page_routes
from gossamer.serve.request import PAGE, PageRequest, offset_of, options, paging, read
from gossamer.serve.search_page.filter_menus import chips, menus, narrowed, only_from
from gossamer.serve.search_page.result_list import hit_views
from gossamer.serve.search_queue import SearchQueue
from gossamer.serve.searchable import PageCount, SearchEngine

# Route without framework overhead
# --------------------------------
#
# FastAPI's machinery (dependencies, exit stacks, included routers) takes as long as rendering half
# a page.

Handler = Callable[[Request], Awaitable[Response]]


class SearchRoute(Route):
    """A route for GET and HEAD whose handler parses the request itself."""

    def __init__(self, path: str, handler: Handler) -> None:
        super().__init__(path, handler, methods=["GET", "HEAD"], include_in_schema=False)
        self.app = self._answer

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, found = super().matches(scope)
        if match is not Match.NONE:
            found["route"] = self  # for the metrics
        return match, found

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the handler. Its exceptions are handled by the application around this route."""
        response = await self.endpoint(Request(scope, receive))
        await response(scope, receive, send)


@dataclass(eq=False)
class ResultPages:
    """Handlers of /, /search, /you, /opensearch.xml and /robots.txt.

    They are plain functions and run on threads, because searching releases the GIL. `routes` registers all
    except /search, which bypasses FastAPI (`search_route`).
    """

    _engine: SearchEngine
    _templates: Templates
    _location: VisitorLocation
    _search_queue: SearchQueue
    _reports: bool = False  # whether visitors can report results

    def __post_init__(self) -> None:
        self._page_count = PageCount(self._engine)

    def routes(self) -> APIRouter:
        pages = {"/": self.start, "/you": self.you}
        return page_routes({**pages, "/opensearch.xml": self.opensearch, "/robots.txt": self.robots})

    def search_route(self) -> SearchRoute:
        """The route of /search, which gets most requests."""
        return SearchRoute("/search", self._search_queue.taking(self.search))

    def start(self, request: Request) -> Response:
        return self._templates.answer(request, "start.html", query="", documents=self._page_count())

    def search(self, request: Request) -> Response:
        given = read(PAGE, request)
        site, text, within = self._templates.site(request), given.pop("q"), given.pop("within")
        if given["country"] == ANYWHERE:
            given["country"] = ""
        page_request = PageRequest(site.root, text, ui=site.ui, **given)
        if within.strip():
            return RedirectResponse(page_request.about(narrowed(within, text)), 303)
        if not text.strip():
            return RedirectResponse(page_request.elsewhere("/"), 303)
        country = self._location.country(request, page_request.country)
        given |= {"topic": page_request.topic or None, "offset": offset_of(page_request.page)}
        given |= {"clusters": True, "facets": True}
        found = self._engine.search(text, options=options(given, request, country))
        return self._results(request, page_request, site, found)

    def _results(
        self, request: Request, page_request: PageRequest, site: PageRequest, found: ResultPage
    ) -> Response:
        if page_request.cluster:
            page_request = replace(page_request, cluster=_called(page_request.cluster, found.clusters))
        translation, query = self._templates.translation(request), _read(page_request.query)
        hits = hit_views(
            found.hits, page_request, translation, searched=found.searched, reports=self._reports
        )
        return self._templates.results(
            request,
            translation,
            site,
            page_request.query,
            page_request.as_json(found.offset),
            asked=page_request,
            found=found,
            hits=hits,
            sitelinks=[(one.title, link) for one in found.sitelinks if (link := link_of(one.url))],
            paging=paging(page_request.page, found.total - found.folded),
            deepest=MAX_RESULTS,
            easier=[] if found.total or found.answers else easier(query),
            answers=[(one, link_of(one.link)) for one in found.answers],
            chips=chips(query, page_request, translation),
            menus=menus(query, found.facets, page_request, translation),
            only_here=only_from(query, found.country, page_request),
        )

    def you(self, request: Request) -> Response:
        """Show the profile that the browser stores. This server does not see it here."""
        return self._templates.answer(
            request, "you.html", query="", topics=self._engine.topics(), countries=_countries()
        )

    def opensearch(self, request: Request) -> Response:
        kind = "application/opensearchdescription+xml"
        return self._templates.answer(request, "opensearch.xml", kind, base=base_of(request))

    def robots(self, request: Request) -> Response:
        """Crawlers may fetch the start page, but not results and cached pages."""
        root = root_of(request)
        closed = ("/search", "/cache", "/api/", *(("/report",) if self._reports else ()))
        lines = ("User-agent: *", f"Allow: {root}/", *(f"Disallow: {root}{path}" for path in closed), "")
        return Response("\n".join(lines), media_type="text/plain")


def _countries() -> list[tuple[str, str]]:
    """Return codes and English names of countries, by name. The browser translates the names if it can."""
    return sorted(((code.lower(), name) for code, name in country_names().items()), key=itemgetter(1))


def _called(label: str, clusters: Sequence[Cluster]) -> str:
    """Return the label of a group as the results write it; "" if there is no such group."""
    return next((one.label for one in clusters if one.is_called(label)), "")


def _read(text: str) -> Query:
    """Parse the query of the results; a query with an error has no clauses."""
    try:
        return parse(text)
    except BadQuery:
        return Query(text, ())
