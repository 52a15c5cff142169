"""Login page of the owner.

The response to a wrong token is delayed, and each address has a rate limit. The token cannot be guessed in
any case, but attempts must not keep the server busy.
"""

from __future__ import annotations

from asyncio import sleep

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from gossamer.serve.form_data import Form
from gossamer.serve.middleware import RateLimiter, root_of, visitor_of
from gossamer.serve.owner_pages.base import COOKIE, LOG_IN, is_of, private, redirected, session_of
from gossamer.serve.owner_pages.sessions import LASTS, OwnerSessions, OwnerToken
from gossamer.serve.rendering import Templates, page_routes

LOG_OUT = "/owner/log-out"
TRIES = 10  # attempts that an address may make in a burst
RATE = 0.1  # attempts per second after that
LATE = 1.0  # seconds by which the response to a wrong token is delayed
MOST_LATE = 50  # responses that are delayed at the same time; further ones are not delayed


class LoginPage:
    """Login and logout."""

    def __init__(self, token: OwnerToken, sessions: OwnerSessions, templates: Templates) -> None:
        self._token = token
        self._sessions = sessions
        self._templates = templates
        self._waiting = 0
        self._tries = RateLimiter(RATE, TRIES)

    def routes(self) -> APIRouter:
        return page_routes({LOG_IN: self.form}, {LOG_IN: self.log_in, LOG_OUT: self.log_out})

    async def form(self, request: Request) -> Response:
        if session_of(request, self._sessions):
            return redirected(request, self._templates, "/owner")
        return self._form(request)

    async def log_in(self, request: Request, form: Form) -> Response:
        address = request.client.host if request.client else ""
        if self._tries.wait(visitor_of(address) or address or "nobody"):
            return self._form(request, 429, "log_in_later")
        cookie = self._sessions.begin() if self._token.is_it(form.get("token", "")) else None
        if cookie is None:
            await self._hold_back()
            return self._form(request, 403, "log_in_wrong")
        answer = redirected(request, self._templates, "/owner")
        answer.set_cookie(
            COOKIE,
            cookie,
            max_age=LASTS,
            path=_cookie_path(request),
            secure=_is_encrypted(request),
            httponly=True,
            samesite="strict",
        )
        return answer

    async def log_out(self, request: Request, form: Form) -> Response:
        session = session_of(request, self._sessions)
        if session is not None:
            if not is_of(session, form):
                raise HTTPException(403, "this form was not made by a page of this session")
            self._sessions.end(session)
        answer = redirected(request, self._templates, "/")
        answer.delete_cookie(COOKIE, path=_cookie_path(request), httponly=True, samesite="strict")
        return answer

    async def _hold_back(self) -> None:
        if self._waiting >= MOST_LATE:
            return
        self._waiting += 1
        try:
            await sleep(LATE)
        finally:
            self._waiting -= 1

    def _form(self, request: Request, status: int = 200, wrong: str = "") -> Response:
        return private(
            self._templates.answer(request, "owner/log_in.html", status=status, query="", wrong=wrong)
        )


def _cookie_path(request: Request) -> str:
    return f"{root_of(request)}/owner"


def _is_encrypted(request: Request) -> bool:
    """Return whether the browser used https. A proxy may not report it, but the browser does."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")
