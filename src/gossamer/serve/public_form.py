"""A form of the public: anybody may fill it in, with a proof of work, and the owner reads what was sent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gossamer.serve.desk import Desk, fresh
from gossamer.serve.forms import Form
from gossamer.serve.templating import Templates


class PublicForm(ABC):
    """Shown by GET, taken in by POST; then the browser is sent on, so that a reload sends nothing again."""

    name: str  # of the phrase that is its heading
    path: str  # its address; the template is named like it
    purpose: str  # what the proof of work is for

    def __init__(self, desk: Desk, templates: Templates) -> None:
        self._desk = desk
        self._templates = templates

    def routes(self) -> APIRouter:
        router = APIRouter(include_in_schema=False)
        router.add_api_route(self.path, self.form, methods=["GET", "HEAD"])
        router.add_api_route(self.path, self.send, methods=["POST"])
        return router

    def form(self, request: Request, sent: bool = False) -> Response:
        return self._page(request, {}, sent=sent)

    def send(self, request: Request, form: Form) -> Response:
        wrong = self._mistake(form) or self._desk.refusal(request, form, self.purpose)
        if not wrong and not self._add(form):
            wrong = "sent_no_room"
        if wrong:
            return self._page(request, form, 422, wrong=wrong)
        return RedirectResponse(self._templates.site(request).elsewhere(self.path, sent="true"), 303)

    @abstractmethod
    def _mistake(self, form: Mapping[str, str]) -> str:
        """The phrase that says what is wrong with what was filled in; "" where nothing is."""

    @abstractmethod
    def _add(self, form: Mapping[str, str]) -> bool:
        """Keeps it for the owner; whether there was room."""

    @abstractmethod
    def _shown(self, typed: Mapping[str, str]) -> Mapping[str, Any]:
        """What its template needs besides what every form needs."""

    def _page(
        self,
        request: Request,
        typed: Mapping[str, str],
        status: int = 200,
        *,
        sent: bool = False,
        wrong: str = "",
    ) -> Response:
        answer = self._templates.answer(
            request,
            f"{self.path.removeprefix('/')}.html",
            status=status,
            name=self.name,
            path=self.path,
            query=typed.get("q", ""),
            sent=sent,
            wrong=wrong,
            typed=typed,
            task=self._desk.task(self.purpose),
            **self._shown(typed),
        )
        return fresh(answer)
