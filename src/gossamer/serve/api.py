"""The JSON API: search, status, health."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from gossamer.model import SearchRequest
from gossamer.results.show import as_dict
from gossamer.serve.languages import BY_LANGUAGE, accepted
from gossamer.serve.paging import DEEPEST
from gossamer.serve.parameters import (
    AcceptLanguage,
    Algorithm,
    Asked,
    Count,
    Everything,
    Explain,
    Facets,
    Languages,
    Newest,
    Offset,
    RankName,
    Scheme,
    TopicName,
)
from gossamer.serve.schema import ErrorAnswer, SearchAnswer
from gossamer.serve.searchable import Searchable

_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorAnswer, "description": "The query cannot be read."},
    422: {"model": ErrorAnswer, "description": "A parameter is missing, or has a wrong value."},
}


class Api:
    """Handlers are plain functions: they run on threads, and searching releases the GIL."""

    def __init__(self, engine: Searchable) -> None:
        self._engine = engine

    def routes(self) -> APIRouter:
        router = APIRouter()
        router.add_api_route("/api/search", self.search, response_model=SearchAnswer, responses=_ERRORS)
        router.add_api_route("/api/status", self.status)
        router.add_api_route("/healthz", self.health)
        # On routes of their own: one route with both methods would stand in /openapi.json twice.
        for path, handler in (
            ("/api/search", self.search),
            ("/api/status", self.status),
            ("/healthz", self.health),
        ):
            router.add_api_route(path, handler, methods=["HEAD"], include_in_schema=False)
        return router

    def search(
        self,
        q: Asked,
        k: Count = 10,
        offset: Offset = 0,
        scheme: Scheme = None,
        algorithm: Algorithm = None,
        explain: Explain = False,
        everything: Everything = False,
        newest: Newest = False,
        facets: Facets = False,
        languages: Languages = "",
        rank: RankName = None,
        topic: TopicName = None,
        accept_language: AcceptLanguage = "",
    ) -> Response:
        """The best pages for a query."""
        request = SearchRequest(
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
            newest_first=newest,
            facets=facets,
        )
        return JSONResponse(as_dict(self._engine.answer(request)), headers=BY_LANGUAGE)

    def status(self) -> dict[str, Any]:
        """What is there, how far, how fresh; where it lies is nobody's business."""
        known = self._engine.status().as_dict()
        return {name: value for name, value in known.items() if name != "directory"}

    def health(self) -> dict[str, str]:
        """Whether the server answers at all."""
        return {"status": "ok"}
