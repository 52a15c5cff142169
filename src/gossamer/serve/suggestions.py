"""How a query might go on, at every letter that is typed: for our page, and for browsers' search boxes."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from gossamer.serve import examples
from gossamer.serve.described import responses
from gossamer.serve.parameters import Begun, Count
from gossamer.serve.schema import SuggestAnswer
from gossamer.serve.searchable import Searchable

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
        told = responses(examples.SUGGEST, 422)
        router.add_api_route("/api/suggest", self.suggest, response_model=SuggestAnswer, responses=told)
        told = responses(examples.OPENSEARCH_SUGGEST, 422, kind=FOR_BROWSERS, schema=_PAIR)
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
