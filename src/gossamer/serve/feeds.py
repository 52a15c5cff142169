"""Results for other programs than browsers: as RSS, as Atom, as a table."""

from __future__ import annotations

import time

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from gossamer.model import ResultPage, SearchRequest
from gossamer.serve import examples
from gossamer.serve.described import responses
from gossamer.serve.feed_xml import Feed, atom, rss
from gossamer.serve.languages import BY_LANGUAGE, accepted
from gossamer.serve.paging import DEEPEST
from gossamer.serve.parameters import AcceptLanguage, Asked, Count, Newest, Offset
from gossamer.serve.searchable import Searchable
from gossamer.serve.table import as_csv
from gossamer.serve.turns import Turns

_TEXT = {"type": "string"}


class Feeds:
    """Handlers are plain functions: they run on threads, and searching releases the GIL."""

    def __init__(self, engine: Searchable, turns: Turns) -> None:
        self._engine = engine
        self._turns = turns

    def routes(self) -> APIRouter:
        router = APIRouter()
        for path, handler, kind, example in (
            ("/search.rss", self.rss, "application/rss+xml", examples.RSS),
            ("/search.atom", self.atom, "application/atom+xml", examples.ATOM),
            ("/search.csv", self.csv, "text/csv", examples.CSV),
        ):
            told = responses(example, 400, 422, kind=kind, schema=_TEXT)
            searching = self._turns.taking(handler)
            router.add_api_route(path, searching, response_class=Response, responses=told)
            router.add_api_route(path, searching, methods=["HEAD"], include_in_schema=False)
        return router

    def rss(
        self,
        request: Request,
        q: Asked,
        k: Count = 10,
        offset: Offset = 0,
        newest: Newest = False,
        accept_language: AcceptLanguage = "",
    ) -> Response:
        """The results as RSS."""
        found = self._found(q, k, offset, newest, accept_language)
        return _sent(rss(_feed(request, found, k, newest)), "application/rss+xml")

    def atom(
        self,
        request: Request,
        q: Asked,
        k: Count = 10,
        offset: Offset = 0,
        newest: Newest = False,
        accept_language: AcceptLanguage = "",
    ) -> Response:
        """The results as Atom."""
        found = self._found(q, k, offset, newest, accept_language)
        return _sent(atom(_feed(request, found, k, newest), time.time()), "application/atom+xml")

    def csv(
        self,
        q: Asked,
        k: Count = 100,
        offset: Offset = 0,
        newest: Newest = False,
        accept_language: AcceptLanguage = "",
    ) -> Response:
        """The results as a table of comma-separated values."""
        found = self._found(q, k, offset, newest, accept_language)
        answer = _sent(as_csv(found), "text/csv")
        answer.headers["Content-Disposition"] = 'attachment; filename="results.csv"'
        return answer

    def _found(self, q: str, k: int, offset: int, newest: bool, languages: str) -> ResultPage:
        """As it was typed: neither a feed nor a table could say that something else was answered."""
        return self._engine.answer(
            SearchRequest(
                q,
                min(k, DEEPEST - offset),
                offset,
                newest_first=newest,
                languages=accepted(languages),
                correct=False,
            )
        )


def _feed(request: Request, found: ResultPage, k: int, newest: bool) -> Feed:
    return Feed(found, str(request.base_url).rstrip("/"), str(request.url), k, newest)


def _sent(text: str, kind: str) -> Response:
    body = text.encode("utf-8", "replace")
    return Response(body, headers=BY_LANGUAGE, media_type=f"{kind}; charset=utf-8")
