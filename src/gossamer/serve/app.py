"""Puts the search page and the API together into one application."""

from __future__ import annotations

import logging

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from gossamer import __version__
from gossamer.engine.serve_settings import ServeSettings
from gossamer.model import BadQuery, GossamerError
from gossamer.serve.api import Api
from gossamer.serve.copies import Copies
from gossamer.serve.feeds import Feeds
from gossamer.serve.headers import Protected, protect
from gossamer.serve.known import Known
from gossamer.serve.limits import Limited
from gossamer.serve.metrics import Measured, Metrics
from gossamer.serve.origins import Shared
from gossamer.serve.pages import Pages
from gossamer.serve.pointing import pointed
from gossamer.serve.problems import Problem, is_for_programs, problem_of
from gossamer.serve.proxies import checked_proxies
from gossamer.serve.root import Rooted, below_root
from gossamer.serve.searchable import Searchable
from gossamer.serve.suggestions import Suggestions
from gossamer.serve.templating import STATIC, Templates
from gossamer.serve.whereabouts import Whereabouts

_LOG = logging.getLogger(__name__)


def create_app(engine: Searchable, settings: ServeSettings | None = None) -> FastAPI:
    """The application over an engine, which stays the caller's to close."""
    templates = Templates()
    failures = Failures(templates)
    metrics = Metrics()
    settings = settings or ServeSettings()
    whereabouts = Whereabouts(settings)
    # The interactive documentation would load scripts from elsewhere; /openapi.json stays.
    app = FastAPI(
        title="Gossamer",
        summary="Search over a collection of pages.",
        version=__version__,
        docs_url=None,
        redoc_url=None,
    )
    app.include_router(Pages(engine, templates, whereabouts).routes())
    parts = (
        Copies(engine, templates),
        Api(engine, metrics, whereabouts),
        Suggestions(engine),
        Known(engine),
        Feeds(engine),
    )
    for part in parts:
        app.include_router(part.routes())
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _guard(app, settings, failures, metrics)
    for kind in (GossamerError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, failures.answer)
    return app


def _guard(app: FastAPI, settings: ServeSettings, failures: Failures, metrics: Metrics) -> None:
    """What stands between the network and the routes; what is added last is asked first."""
    if settings.cors:
        app.add_middleware(Shared, origins=settings.cors)
    app.add_middleware(Limited, settings=settings, answer=failures.told)
    app.add_middleware(Protected)
    app.add_middleware(Measured, metrics=metrics)
    app.add_middleware(Rooted)
    if proxies := checked_proxies(settings.trusted_proxies):
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=proxies)


class Failures:
    """Answers what went wrong: as JSON where programs ask, as a page elsewhere."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def answer(self, request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        if problem.status >= 500 and isinstance(error, GossamerError):  # the server itself logs all others
            _LOG.error("%s", error)
        return self.told(request, problem, error)

    def told(self, request: Request, problem: Problem, error: Exception | None = None) -> Response:
        """The problem in the form that whoever asks can read."""
        response: Response
        if is_for_programs(below_root(request.scope)):
            response = JSONResponse(problem.as_dict(), problem.status)
        else:
            response = self._page(request, problem, error)
        response.headers.update(problem.headers)
        protect(response.headers)  # an unforeseen exception is answered outside of `Protected`
        return response

    def _page(self, request: Request, problem: Problem, error: Exception | None) -> Response:
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
