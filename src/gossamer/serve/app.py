"""Puts the search page and the API together into one application."""

from __future__ import annotations

import logging

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from gossamer import __version__
from gossamer.model import BadQuery, GossamerError
from gossamer.serve.api import Api
from gossamer.serve.copies import Copies
from gossamer.serve.headers import Protected, protect
from gossamer.serve.pages import Pages
from gossamer.serve.pointing import pointed
from gossamer.serve.problems import Problem, problem_of
from gossamer.serve.root import Rooted, root_of
from gossamer.serve.searchable import Searchable
from gossamer.serve.templating import STATIC, Templates

_LOG = logging.getLogger(__name__)


def create_app(engine: Searchable) -> FastAPI:
    """The application over an engine, which stays the caller's to close."""
    templates = Templates()
    # The interactive documentation would load scripts from elsewhere; /openapi.json stays.
    app = FastAPI(
        title="Gossamer",
        summary="Search over a collection of pages.",
        version=__version__,
        docs_url=None,
        redoc_url=None,
    )
    app.include_router(Pages(engine, templates).routes())
    app.include_router(Copies(engine, templates).routes())
    app.include_router(Api(engine).routes())
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(Protected)
    app.add_middleware(Rooted)
    failures = Failures(templates)
    for kind in (GossamerError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, failures.answer)
    return app


class Failures:
    """Answers what went wrong: as JSON below /api, as a page elsewhere."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def answer(self, request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        if problem.status >= 500 and isinstance(error, GossamerError):  # the server itself logs all others
            _LOG.error("%s", error)
        path = request.url.path.removeprefix(root_of(request))
        response: Response
        if path.startswith("/api/"):
            response = JSONResponse(problem.as_dict(), problem.status)
        else:
            response = self._page(request, problem, error)
        response.headers.update(problem.headers)
        protect(response.headers)  # an unforeseen exception is answered outside of `Protected`
        return response

    def _page(self, request: Request, problem: Problem, error: Exception) -> Response:
        unread = error if isinstance(error, BadQuery) else None
        return self._templates.answer(
            request,
            "problem.html",
            status=problem.status,
            query=request.query_params.get("q", ""),
            code=problem.code,
            message=unread.why if unread else problem.message,
            pointed=pointed(unread.query, unread.position) if unread else None,
        )
