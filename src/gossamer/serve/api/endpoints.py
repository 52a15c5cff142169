"""JSON endpoints: search, suggest, page, links, status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gossamer.answer.as_dict import as_dict
from gossamer.model import SearchRequest
from gossamer.serve.api import openapi
from gossamer.serve.api.openapi import (
    DEFINED,
    LinksAnswer,
    PageAnswer,
    SearchAnswer,
    SuggestAnswer,
    responses,
)
from gossamer.serve.i18n import BY_LANGUAGE, accepted
from gossamer.serve.location import Whereabouts
from gossamer.serve.middleware import MEDIA_TYPE, Metrics
from gossamer.serve.request import (
    DEEPEST,
    AcceptLanguage,
    Address,
    Algorithm,
    Begun,
    ClusterLabel,
    Clusters,
    Context,
    Correct,
    Count,
    Country,
    Everything,
    Explain,
    Facets,
    Languages,
    Newest,
    Offset,
    Preferred,
    PreferredTopic,
    QueryText,
    RankName,
    Scheme,
    TopicName,
    WithText,
    links_to_others,
    shortened,
)
from gossamer.serve.search_queue import Turns
from gossamer.serve.searchable import PageCount, Searchable

if TYPE_CHECKING:
    from gossamer.graph.reader import GraphLink

_NUMBERS = {"type": "string"}
NONE_GIVEN: list[str] = []


class Api:
    """Handlers are plain functions: they run on threads, and searching releases the GIL."""

    def __init__(self, engine: Searchable, metrics: Metrics, whereabouts: Whereabouts, turns: Turns) -> None:
        self._engine = engine
        self._metrics = metrics
        self._whereabouts = whereabouts
        self._turns = turns
        self._page_count = PageCount(engine)

    def routes(self) -> APIRouter:
        router, search = APIRouter(), self._turns.taking(self.search)
        told = responses(openapi.SEARCH, 400, 422)
        told[422] = told[422] | DEFINED
        router.add_api_route("/api/search", search, response_model=SearchAnswer, responses=told)
        router.add_api_route("/api/status", self.status, responses=responses(openapi.STATUS))
        router.add_api_route("/healthz", self.health, responses=responses(openapi.HEALTH))
        told = responses(openapi.METRICS, kind="text/plain", schema=_NUMBERS)
        router.add_api_route("/metrics", self.numbers, response_class=Response, responses=told)
        # On routes of their own: one route with both methods would stand in /openapi.json twice.
        for path, handler in (
            ("/api/search", search),
            ("/api/status", self.status),
            ("/healthz", self.health),
            ("/metrics", self.numbers),
        ):
            router.add_api_route(path, handler, methods=["HEAD"], include_in_schema=False)
        return router

    def search(
        self,
        request: Request,
        q: QueryText,
        k: Count = 10,
        offset: Offset = 0,
        scheme: Scheme = None,
        algorithm: Algorithm = None,
        explain: Explain = False,
        everything: Everything = False,
        correct: Correct = True,
        newest: Newest = False,
        facets: Facets = False,
        languages: Languages = "",
        rank: RankName = None,
        topic: TopicName = None,
        clusters: Clusters = False,
        cluster: ClusterLabel = "",
        country: Country = "",
        context: Context = NONE_GIVEN,
        prefer: Preferred = NONE_GIVEN,
        prefer_topic: PreferredTopic = "",
        accept_language: AcceptLanguage = "",
    ) -> Response:
        """The best pages for a query."""
        asked = SearchRequest(
            q,
            min(k, DEEPEST - offset),
            offset,
            scheme=scheme,
            algorithm=algorithm,
            rank=rank,
            topic=topic,
            languages=accepted(languages or accept_language),
            explain=explain,
            everything=everything,
            clusters=clusters,
            cluster=cluster,
            correct=correct,
            newest_first=newest,
            facets=facets,
            country=self._whereabouts.country(request, country),
            context=shortened(context),
            sites=shortened(prefer),
            preferred_topic=prefer_topic,
        )
        found = self._engine.answer(asked)
        others = links_to_others(request, offset, k, found.total - found.folded)
        return JSONResponse(as_dict(found) | others, headers=BY_LANGUAGE)

    def status(self) -> dict[str, Any]:
        """What is there, how far, how fresh; where it lies is nobody's business."""
        known = self._engine.status().as_dict()
        return {name: value for name, value in known.items() if name != "directory"}

    def health(self) -> dict[str, str]:
        """Whether the server answers at all."""
        return {"status": "ok"}

    def numbers(self) -> Response:
        """What was asked and answered since the server began, for Prometheus."""
        return Response(self._metrics.text(self._page_count()), media_type=MEDIA_TYPE)


# Page, similar, links endpoints
# ------------------------------


class Known:
    """Handlers are plain functions: they run on threads."""

    def __init__(self, engine: Searchable, turns: Turns) -> None:
        self._engine = engine
        self._turns = turns

    def routes(self) -> APIRouter:
        router, similar = APIRouter(), self._turns.taking(self.similar)
        unknown = (400, 404, 422)
        told = responses(openapi.PAGE, *unknown)
        router.add_api_route("/api/page", self.page, response_model=PageAnswer, responses=told)
        told = responses(openapi.SIMILAR, *unknown)
        router.add_api_route("/api/similar", similar, response_model=SearchAnswer, responses=told)
        told = responses(openapi.LINKS, *unknown, 409)
        router.add_api_route("/api/links", self.links, response_model=LinksAnswer, responses=told)
        for path, handler in (
            ("/api/page", self.page),
            ("/api/similar", similar),
            ("/api/links", self.links),
        ):
            router.add_api_route(path, handler, methods=["HEAD"], include_in_schema=False)
        return router

    def page(self, url: Address, text: WithText = True) -> Response:
        """What is known of a page."""
        told = self._engine.page(url).as_dict()
        return JSONResponse(told if text else {**told, "text": ""})

    def similar(self, request: Request, url: Address, k: Count = 10, offset: Offset = 0) -> Response:
        """The pages most like a page, by its strongest words."""
        found = self._engine.similar(url, k, offset)
        others = links_to_others(request, offset, k, found.total - found.folded)
        return JSONResponse({**as_dict(found), **others})

    def links(self, request: Request, url: Address, k: Count = 10, offset: Offset = 0) -> Response:
        """Who links to a page, and where it links to; the highest PageRank first."""
        found = self._engine.links(url, k, offset)
        degrees = {
            "in_degree": found.in_degree,
            "out_degree": found.out_degree,
            "unvouched_in_degree": found.unvouched_in_degree,
            "unvouched_out_degree": found.unvouched_out_degree,
        }
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


# Completion endpoints
# --------------------

FOR_BROWSERS = "application/x-suggestions+json"
SUGGESTIONS = 8  # where nothing else is asked for
_FRESH = {"Cache-Control": "private, max-age=60"}  # who takes a letter back need not ask again
_PAIR = {
    "type": "array",
    "items": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
}


class Suggestions:
    """Both forms of the same; until phrases are gathered there are none."""

    def __init__(self, engine: Searchable) -> None:
        self._engine = engine

    def routes(self) -> APIRouter:
        router = APIRouter()
        told = responses(openapi.SUGGEST, 422)
        router.add_api_route("/api/suggest", self.suggest, response_model=SuggestAnswer, responses=told)
        told = responses(openapi.OPENSEARCH_SUGGEST, 422, kind=FOR_BROWSERS, schema=_PAIR)
        router.add_api_route("/suggest", self.for_browsers, response_class=Response, responses=told)
        for path, handler in (("/api/suggest", self.suggest), ("/suggest", self.for_browsers)):
            router.add_api_route(path, handler, methods=["HEAD"], include_in_schema=False)
        return router

    def suggest(self, q: Begun = "", k: Count = SUGGESTIONS) -> Response:
        """How a query that begins so might go on."""
        found = self._engine.suggest(q, k, wait=False)
        return JSONResponse({"query": q, "suggestions": found}, headers=_FRESH)

    def for_browsers(self, q: Begun = "", k: Count = SUGGESTIONS) -> Response:
        """The same in the form of OpenSearch."""
        found = self._engine.suggest(q, k, wait=False)
        return JSONResponse([q, found], headers=_FRESH, media_type=FOR_BROWSERS)
