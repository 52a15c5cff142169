"""Base of an owner page: GET shows, POST acts.

GET shows a page and changes nothing. Each change is a POST to the page's own URL, with the name of the action
in the field `do`. The response redirects to the page, so that a reload does not repeat the action. The page
reports each action once, because the report may be outdated later.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gossamer.model import GossamerError
from gossamer.serve.form_data import Form
from gossamer.serve.i18n import Translation
from gossamer.serve.owner_pages.sessions import OwnerSessions, OwnerToken, Session
from gossamer.serve.rendering import Templates, page_routes
from gossamer.serve.searchable import CollectionState

if TYPE_CHECKING:
    from gossamer.collection.site_rules import SiteRules
    from gossamer.crawl.control import CrawlController
    from gossamer.engine import Engine
    from gossamer.graph.structure.report import GraphReport
    from gossamer.owner.health import Health
    from gossamer.owner.query_log import QueryLog
    from gossamer.owner.visitor_messages import Reports, Submissions


# What an owner page may see and change
# -------------------------------------


@dataclass(frozen=True, slots=True)
class OwnerState:
    """Everything that the owner's pages and the forms for visitors need."""

    token: OwnerToken
    crawl: CrawlController
    sites: SiteRules
    reports: Reports
    submissions: Submissions
    queries: QueryLog | None  # None if queries are not counted
    status: Callable[[], CollectionState]
    health: Callable[[], Health]
    examine: Callable[[], GraphReport]


def owned(engine: Engine) -> OwnerState:
    """Return the state of an engine's collection for its owner."""
    return OwnerState(
        OwnerToken(engine.directory),
        engine.steering,
        engine.sites,
        engine.reports,
        engine.submissions,
        engine.query_log if engine.config.serve.query_log else None,
        engine.status,
        engine.health,
        engine.graph_report,
    )


COOKIE = "gossamer-owner"
FIELD = "owner"  # form field with a value that only the pages of a session know
LOG_IN = "/owner/log-in"

# These pages are not stored in caches, and their forms may send their origin.
PRIVATE = {"Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Robots-Tag": "noindex"}
Action = Callable[[Mapping[str, str]], str]  # takes a form; returns the phrase that reports it, or ""


class OwnerPage(Protocol):
    """One page. Its name is also the name of its template, and a part of the names of its phrases."""

    name: str
    path: str
    actions: Mapping[str, Action]

    def shown(self, translation: Translation) -> Mapping[str, Any]:
        """Return the values for the template."""
        ...


class OwnerPages:
    """All pages that require the token."""

    def __init__(self, sessions: OwnerSessions, templates: Templates, rooms: list[OwnerPage]) -> None:
        self._sessions = sessions
        self._templates = templates
        self._rooms = rooms
        self._untold: set[tuple[str, str, str]] = set()  # (session, page, action) not yet reported

    def routes(self) -> APIRouter:
        return page_routes(
            {room.path: self._showing(room) for room in self._rooms},
            {room.path: self._doing(room) for room in self._rooms if room.actions},
        )

    def _showing(self, room: OwnerPage) -> Callable[[Request], Response]:
        def show(request: Request, done: str = "") -> Response:
            session = session_of(request, self._sessions)
            if session is None:
                return redirected(request, self._templates, LOG_IN)
            deed = (session.name, room.path, done)
            is_new = request.method == "GET" and deed in self._untold
            if is_new:
                self._untold.discard(deed)
            return self._page(request, room, session, done=done if is_new else "")

        return show

    def _doing(self, room: OwnerPage) -> Callable[[Request, Form], Response]:
        def do(request: Request, form: Form) -> Response:
            session = session_of(request, self._sessions)
            if session is None:
                return redirected(request, self._templates, LOG_IN)
            action = room.actions.get(form.get("do", ""))
            if not is_of(session, form) or action is None:
                raise HTTPException(403, "this form was not made by a page of this session")
            try:
                done = action(form)
            except GossamerError as error:
                return self._page(request, room, session, 409, wrong=str(error), typed=form)
            if done:
                self._untold.add((session.name, room.path, done))
            return redirected(request, self._templates, room.path, done=done)

        return do

    def _page(
        self,
        request: Request,
        room: OwnerPage,
        session: Session,
        status: int = 200,
        *,
        done: str = "",
        wrong: str = "",
        typed: Mapping[str, str] | None = None,
    ) -> Response:
        answer = self._templates.answer(
            request,
            f"owner/{room.name}.html",
            status=status,
            query="",
            rooms=self._rooms,
            here=room,
            field=session.field,
            done=done,
            wrong=wrong,
            typed=typed or {},
            **room.shown(self._templates.translation(request)),
        )
        return private(answer)


def session_of(request: Request, sessions: OwnerSessions) -> Session | None:
    """Return the session of a request, or None."""
    return sessions.known(request.cookies.get(COOKIE, ""))


def is_of(session: Session, form: Mapping[str, str]) -> bool:
    """Return whether a page of this session made the form."""
    return hmac.compare_digest(session.field.encode(), form.get(FIELD, "").encode("utf-8", "surrogatepass"))


def redirected(request: Request, templates: Templates, path: str, **values: str) -> Response:
    """Redirect to another page of this server, in the same language."""
    return private(RedirectResponse(templates.site(request).elsewhere(path, **values), 303))


def private(answer: Response) -> Response:
    """Add the headers of an owner's page to the response."""
    answer.headers.update(PRIVATE)
    return answer
