"""The JSON API: search, status, health."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse, Response

from gossamer.results.show import as_dict
from gossamer.serve.paging import DEEPEST
from gossamer.serve.schema import ErrorAnswer, SearchAnswer
from gossamer.serve.searchable import Searchable

MOST_AT_ONCE = 100  # results

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
        return router

    def search(
        self,
        q: Annotated[str, Query(description='What to look for: words, "phrases", -exclusions, site:host.')],
        k: Annotated[int, Query(ge=1, le=MOST_AT_ONCE, description="How many results.")] = 10,
        offset: Annotated[int, Query(ge=0, lt=DEEPEST, description="How many results to skip.")] = 0,
        scheme: Annotated[str | None, Query(description="The weighting scheme.")] = None,
        algorithm: Annotated[str | None, Query(description="The retrieval algorithm.")] = None,
        explain: Annotated[bool, Query(description="Whether to say how each score came about.")] = False,
    ) -> Response:
        """The best pages for a query."""
        within = min(k, DEEPEST - offset)
        return JSONResponse(as_dict(self._engine.search(q, within, offset, scheme, algorithm, explain)))

    def status(self) -> dict[str, Any]:
        """What is there, how far, how fresh; where it lies is nobody's business."""
        known = self._engine.status().as_dict()
        return {name: value for name, value in known.items() if name != "directory"}

    def health(self) -> dict[str, str]:
        """Whether the server answers at all."""
        return {"status": "ok"}
