"""Assemble the web application; serve static files."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Match
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from gossamer import __version__
from gossamer.config import ServeSettings
from gossamer.model import BadQuery, GossamerError
from gossamer.query.rewrite import mended
from gossamer.serve.api.endpoints import Api
from gossamer.serve.api.feeds import Feeds
from gossamer.serve.api.openapi import DescribedApi
from gossamer.serve.cached_page import CachedPages
from gossamer.serve.error_responses import Problem, is_for_programs, pointed, problem_of
from gossamer.serve.location import VisitorLocation
from gossamer.serve.middleware import (
    CrossOrigin,
    Hosts,
    Metrics,
    MetricsMiddleware,
    RequestLimits,
    RootPath,
    SecurityHeaders,
    below_root,
    checked_hosts,
    checked_origins,
    checked_proxies,
    protect,
)
from gossamer.serve.owner_pages.base import OwnerState
from gossamer.serve.owner_pages.routes import owner_routes
from gossamer.serve.public_forms import FormGuard, ProofOfWork, ReportForm, SubmitForm
from gossamer.serve.rendering import HERE, STATIC, Templates
from gossamer.serve.search_page.results_page import ResultPages
from gossamer.serve.search_queue import SearchQueue
from gossamer.serve.searchable import SearchEngine

# Static files and joined stylesheet
# ----------------------------------
#
# The stylesheet is split into files by what they style. They are joined when the application
# starts, so that a page needs one request. Later requests only check the ETag.

STYLESHEET = "style.css"
STYLES = HERE / "styles"


def stylesheet() -> str:
    """Join the files of the stylesheet, in the order of the imports in style.css."""
    names = re.findall(r'@import "(.+)";', (STYLES / STYLESHEET).read_text(encoding="utf-8"))
    return "\n".join((STYLES / name).read_text(encoding="utf-8") for name in names)


class StaticAssets(StaticFiles):
    """All files below /static."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC)
        self._style = stylesheet().encode()
        self._tag = f'"{sha256(self._style).hexdigest()[:32]}"'

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path != STYLESHEET or scope["method"] not in ("GET", "HEAD"):
            return await super().get_response(path, scope)
        answer = Response(self._style, media_type="text/css", headers={"ETag": self._tag})
        if self.is_not_modified(answer.headers, Headers(scope=scope)):
            return NotModifiedResponse(answer.headers)
        return answer


_LOG = logging.getLogger(__name__)


def create_app(
    engine: SearchEngine, settings: ServeSettings | None = None, owned: OwnerState | None = None
) -> FastAPI:
    """Make the application over an engine. The caller closes the engine.

    Without `owned`, there are no owner's pages and no forms for visitors. With it, the settings decide. If
    the application is mounted in another one, `settings.hosts` must list the host names of that one, or "*"
    if it checks the header Host itself.
    """
    settings = settings or ServeSettings()
    if owned is None:  # nobody would read what visitors send
        settings = replace(settings, owner=False, submissions=False, reports=False)
    templates = Templates(submissions=settings.submissions)
    failures = ErrorHandler(templates)
    metrics = Metrics()
    location = VisitorLocation(settings)
    search_queue = SearchQueue(settings.timeout)
    # The interactive documentation would load scripts from other sites. /openapi.json stays.
    app = DescribedApi(
        title="Gossamer",
        summary="Search over a collection of pages.",
        version=__version__,
        docs_url=None,
        redoc_url=None,
    )
    pages = ResultPages(engine, templates, location, search_queue, settings.reports)
    app.router.routes.append(pages.search_route())
    parts = (
        pages,
        CachedPages(engine, templates),
        Api(engine, metrics, location, search_queue),
        Feeds(engine, search_queue),
    )
    for part in parts:
        app.include_router(part.routes())
    if owned is not None:
        for router in _owner_routers(owned, settings, templates):
            app.include_router(router)
    app.mount("/static", StaticAssets(), name="static")
    _add_middleware(app, settings, failures, metrics)
    for kind in (GossamerError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, failures.answer)
    return app


def _owner_routers(owned: OwnerState, settings: ServeSettings, templates: Templates) -> Iterator[APIRouter]:
    """Yield the routes of the owner's pages and of the forms for visitors."""
    guard = FormGuard(ProofOfWork())
    if settings.owner:
        owned.token.ensure()
        yield from owner_routes(owned, settings, templates)
    if settings.submissions:
        yield SubmitForm(owned.submissions, guard, templates).routes()
    if settings.reports:
        yield ReportForm(owned.reports, guard, templates).routes()


def _add_middleware(app: FastAPI, settings: ServeSettings, failures: ErrorHandler, metrics: Metrics) -> None:
    """Add the middleware. The middleware that is added last runs first.

    `Hosts` must check a request before any other middleware answers it. What runs before `Hosts` only counts
    requests and adds headers.
    """
    if settings.cors:
        app.add_middleware(CrossOrigin, origins=checked_origins(settings.cors))
    app.add_middleware(RequestLimits, settings=settings, answer=failures.respond)
    app.add_middleware(Hosts, hosts=checked_hosts(settings.hosts), answer=failures.respond)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(MetricsMiddleware, metrics=metrics)
    app.add_middleware(RootPath)
    if proxies := checked_proxies(settings.trusted_proxies):
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=proxies)


def _methods(request: Request) -> set[str]:
    """Return the methods of all routes that match the request. A mount of files supports GET and HEAD."""
    found = [
        route for route in _flat(request.app.routes) if route.matches(request.scope)[0] is not Match.NONE
    ]
    return {method for route in found for method in getattr(route, "methods", ())} or {"GET", "HEAD"}


def _flat(routes: Iterable[Any]) -> Iterator[BaseRoute]:
    """Yield all routes, including those of included routers."""
    for route in routes:
        included = getattr(route, "original_router", None)
        yield from _flat(included.routes) if included is not None else (route,)


class ErrorHandler:
    """Turn errors into responses: JSON for programs, a page for people."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def answer(self, request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        if problem.status == 405:  # one route knows only its own methods
            problem = replace(problem, headers={"Allow": ", ".join(sorted(_methods(request)))})
        if problem.status >= 500 and isinstance(error, GossamerError):  # the server itself logs all others
            _LOG.error("%s", error)
        return self.respond(request, problem, error)

    def respond(self, request: Request, problem: Problem, error: Exception | None = None) -> Response:
        """Return the problem as JSON or as a page, depending on the path."""
        response: Response
        if is_for_programs(below_root(request.scope)):
            response = JSONResponse(problem.as_dict(), problem.status)
        else:
            response = self._page(request, problem, error)
        response.headers.update(problem.headers)
        protect(response.headers)  # responses to unexpected exceptions bypass `SecurityHeaders`
        return response

    def _page(self, request: Request, problem: Problem, error: Exception | None) -> Response:
        unread = error if isinstance(error, BadQuery) else None
        # The page for an unknown host has neither search box nor links: they would lead to this host.
        return self._templates.answer(
            request,
            "unknown_host.html" if problem.remedy else "problem.html",
            status=problem.status,
            query=request.query_params.get("q", ""),
            code=problem.code,
            message=unread.why if unread else problem.message,
            pointed=pointed(unread.query, unread.position) if unread else None,
            mended=mended(unread.query) if unread else "",
            remedy=problem.remedy,
        )
