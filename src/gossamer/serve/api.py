"""The JSON API: search, status, health; and the numbers that watchers want."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gossamer.model import SearchRequest
from gossamer.results.show import as_dict
from gossamer.serve import examples
from gossamer.serve.counting import PageCount
from gossamer.serve.described import DEFINED, responses
from gossamer.serve.languages import BY_LANGUAGE, accepted
from gossamer.serve.metrics import MEDIA_TYPE, Metrics
from gossamer.serve.paging import DEEPEST, links_to_others
from gossamer.serve.parameters import (
    AcceptLanguage,
    Algorithm,
    Asked,
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
    RankName,
    Scheme,
    TopicName,
    shortened,
)
from gossamer.serve.schema import SearchAnswer
from gossamer.serve.searchable import Searchable
from gossamer.serve.turns import Turns
from gossamer.serve.whereabouts import Whereabouts

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
        told = responses(examples.SEARCH, 400, 422)
        told[422] = told[422] | DEFINED
        router.add_api_route("/api/search", search, response_model=SearchAnswer, responses=told)
        router.add_api_route("/api/status", self.status, responses=responses(examples.STATUS))
        router.add_api_route("/healthz", self.health, responses=responses(examples.HEALTH))
        told = responses(examples.METRICS, kind="text/plain", schema=_NUMBERS)
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
        q: Asked,
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
