"""What is known of one page: /api/page, /api/similar, /api/links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gossamer.results.show import as_dict
from gossamer.serve import examples
from gossamer.serve.described import responses
from gossamer.serve.paging import links_to_others
from gossamer.serve.parameters import Address, Count, Offset, WithText
from gossamer.serve.schema import LinksAnswer, PageAnswer, SearchAnswer
from gossamer.serve.searchable import Searchable
from gossamer.serve.turns import Turns

if TYPE_CHECKING:
    from gossamer.engine.graph import GraphLink


class Known:
    """Handlers are plain functions: they run on threads."""

    def __init__(self, engine: Searchable, turns: Turns) -> None:
        self._engine = engine
        self._turns = turns

    def routes(self) -> APIRouter:
        router, similar = APIRouter(), self._turns.taking(self.similar)
        unknown = (400, 404, 422)
        told = responses(examples.PAGE, *unknown)
        router.add_api_route("/api/page", self.page, response_model=PageAnswer, responses=told)
        told = responses(examples.SIMILAR, *unknown)
        router.add_api_route("/api/similar", similar, response_model=SearchAnswer, responses=told)
        told = responses(examples.LINKS, *unknown, 409)
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
