"""Start page, results page, OpenSearch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from operator import itemgetter

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from gossamer.answer.gazetteer import country_names
from gossamer.model import BadQuery, Cluster, Query, ResultPage, SearchRequest
from gossamer.query.rewrite import easier
from gossamer.query.syntax import parse
from gossamer.serve.i18n import Speech, accepted
from gossamer.serve.location import ANYWHERE, Whereabouts
from gossamer.serve.middleware import root_of
from gossamer.serve.rendering import Templates, link_of
from gossamer.serve.request import DEEPEST, PER_PAGE, Asked, OfThePage, offset_of, paging, shortened
from gossamer.serve.search_page.filter_menus import chips, groups, menus, narrowed, narrowing, only_from
from gossamer.serve.search_page.result_list import ShownHit, listed, shown_all
from gossamer.serve.search_queue import Turns
from gossamer.serve.searchable import PageCount, Searchable

# Route without framework overhead
# --------------------------------
#
# Its machinery (dependencies, a stack of what to close, included routers) takes as long as writing
# half a page.

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


class Pages:
    """Handlers are plain functions: they run on threads, and searching releases the GIL."""

    def __init__(
        self,
        engine: Searchable,
        templates: Templates,
        whereabouts: Whereabouts,
        turns: Turns,
        *,
        reports: bool = False,
    ) -> None:
        """`reports` says whether visitors can report results."""
        self._engine = engine
        self._whereabouts = whereabouts
        self._turns = turns
        self._reports = reports
        self._templates = templates
        self._page_count = PageCount(engine)

    def routes(self) -> APIRouter:
        router = APIRouter(include_in_schema=False)
        for path, handler in (
            ("/", self.start),
            ("/you", self.you),
            ("/opensearch.xml", self.opensearch),
            ("/robots.txt", self.robots),
        ):
            router.add_api_route(path, handler, methods=["GET", "HEAD"])
        return router

    def searching(self) -> PlainRoute:
        """The results, for which most requests ask."""
        return PlainRoute("/search", self._turns.taking(self.search))

    def start(self, request: Request) -> Response:
        return self._templates.answer(request, "start.html", query="", documents=self._page_count())

    def search(self, request: Request) -> Response:
        given = OfThePage.read(request.query_params)
        site = self._templates.site(request)
        asked = Asked(
            site.root,
            given.q,
            ui=site.ui,
            page=given.page,
            everything=given.everything,
            newest=given.newest,
            explain=given.explain,
            correct=given.correct,
            cluster=given.cluster,
            topic=given.topic,
            country="" if given.country == ANYWHERE else given.country,
            languages=given.languages,
            context=shortened(given.context),
            prefer=shortened(given.prefer),
            prefer_topic=given.prefer_topic,
        )
        if given.within.strip():
            return RedirectResponse(asked.about(narrowed(given.within, given.q)), 303)
        if not given.q.strip():
            return RedirectResponse(asked.elsewhere("/"), 303)
        return self._results(request, asked, site)

    def _results(self, request: Request, asked: Asked, site: Asked) -> Response:
        preferred = accepted(asked.languages or request.headers.get("accept-language", ""))
        where = self._whereabouts.country(request, asked.country)
        found = self._engine.answer(_request(asked, preferred, where))
        if asked.cluster:
            asked = replace(asked, cluster=_called(asked.cluster, found.clusters))
        speech, query = self._templates.speech(request), _read(asked.query)
        hits = shown_all(found.hits, asked, speech, searched=found.searched, reports=self._reports)
        return self._templates.results(
            request,
            speech,
            site,
            asked.query,
            asked.as_json(found.offset),
            asked=asked,
            found=found,
            hits=hits,
            listed=listed(hits, speech, self._below(found, asked, speech)),
            paging=paging(asked.page, found.total - found.folded),
            deepest=DEEPEST,
            easier=[] if found.total or found.answers else easier(query),
            answers=[(one, link_of(one.link)) for one in found.answers],
            narrowing=narrowing(
                speech,
                asked,
                chips(query, asked, speech),
                menus(query, found.facets, asked, speech),
                found=found.total > 0,
            ),
            groups=groups(speech, asked, found.clusters) if found.clusters else "",
            only_here=only_from(query, found.country, asked),
        )

    def _below(self, found: ResultPage, asked: Asked, speech: Speech) -> Callable[[ShownHit], str]:
        """What stands below a hit; below the first one also where else its site leads."""
        sitelinks = [(one.title, link) for one in found.sitelinks if (link := link_of(one.url))]

        def below(hit: ShownHit) -> str:
            if not hit.has_more and not (sitelinks and hit.rank == 1):
                return ""
            return self._templates.below(speech, asked, hit, sitelinks if hit.rank == 1 else ())

        return below

    def you(self, request: Request) -> Response:
        """What the browser keeps of a person; this server sees nothing of it here."""
        return self._templates.answer(
            request, "you.html", query="", topics=self._engine.topics(), countries=_countries()
        )

    def opensearch(self, request: Request) -> Response:
        base = str(request.base_url).rstrip("/")
        return self._templates.answer(
            request, "opensearch.xml", "application/opensearchdescription+xml", base=base
        )

    def robots(self, request: Request) -> Response:
        """Other crawlers may know this page; its results and copies are not pages of the web."""
        root = root_of(request)
        closed = ("/search", "/cache", "/api/", *(("/report",) if self._reports else ()))
        lines = ("User-agent: *", f"Allow: {root}/", *(f"Disallow: {root}{path}" for path in closed), "")
        return Response("\n".join(lines), media_type="text/plain")


def _countries() -> list[tuple[str, str]]:
    """Codes and English names, by name; the browser says them in the language of the page, where it can."""
    return sorted(((code.lower(), name) for code, name in country_names().items()), key=itemgetter(1))


def _called(label: str, clusters: Sequence[Cluster]) -> str:
    """A group as the answer calls it; "" where all results are shown because there is no such group."""
    return next((one.label for one in clusters if one.is_called(label)), "")


def _read(text: str) -> Query:
    """The query that was answered: one that cannot be read was answered at once, and has no parts."""
    try:
        return parse(text)
    except BadQuery:
        return Query(text, ())


def _request(asked: Asked, languages: tuple[str, ...], country: str | None) -> SearchRequest:
    return SearchRequest(
        asked.query,
        PER_PAGE,
        offset_of(asked.page),
        topic=asked.topic or None,
        languages=languages,
        explain=asked.explain,
        everything=asked.everything,
        newest_first=asked.newest,
        clusters=True,
        cluster=asked.cluster,
        correct=asked.correct,
        facets=True,
        country=country,
        context=asked.context,
        sites=asked.prefer,
        preferred_topic=asked.prefer_topic,
    )
