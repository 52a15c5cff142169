"""A result that a visitor complains of: the owner decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gossamer.engine.reports import LONGEST_NOTE, LONGEST_QUERY, REASONS
from gossamer.model import UsageError
from gossamer.serve.address import crumbs, link_of
from gossamer.serve.desk import LONGEST_URL, Desk, fresh
from gossamer.serve.forms import Form
from gossamer.serve.owner.owned import Reported
from gossamer.serve.templating import Templates

PATH = "/report"
PURPOSE = "report"

Address = Annotated[str, Query(max_length=LONGEST_URL)]


class Reporting:
    """The form for a result. Reasons come from a fixed list, and nothing is kept of who reports."""

    def __init__(self, reports: Reported, desk: Desk, templates: Templates) -> None:
        self._reports = reports
        self._desk = desk
        self._templates = templates

    def routes(self) -> APIRouter:
        router = APIRouter(include_in_schema=False)
        router.add_api_route(PATH, self.form, methods=["GET", "HEAD"])
        router.add_api_route(PATH, self.send, methods=["POST"])
        return router

    def form(self, request: Request, url: Address = "", q: str = "", sent: bool = False) -> Response:
        if not sent and not link_of(url):
            return RedirectResponse(self._templates.site(request).elsewhere("/"), 303)
        return self._form(request, {"url": url, "q": q}, sent=sent)

    def send(self, request: Request, form: Form) -> Response:
        wrong = _mistake(form) or self._desk.refusal(request, form, PURPOSE)
        if not wrong and not self._add(form):
            wrong = "sent_no_room"
        if wrong:
            return self._form(request, form, 422, wrong=wrong)
        return RedirectResponse(self._templates.site(request).elsewhere(PATH, sent="true"), 303)

    def _add(self, form: Mapping[str, str]) -> bool:
        note, query = form.get("note", "")[:LONGEST_NOTE], form.get("q", "")[:LONGEST_QUERY]
        return self._reports.add(form["url"], form["reason"], query, note)

    def _form(
        self,
        request: Request,
        typed: Mapping[str, str],
        status: int = 200,
        *,
        sent: bool = False,
        wrong: str = "",
    ) -> Response:
        url = typed.get("url", "")
        answer = self._templates.answer(
            request,
            "report.html",
            status=status,
            name="report",
            path=PATH,
            query=typed.get("q", ""),
            url=url,
            crumbs=crumbs(url),
            reasons=REASONS,
            sent=sent,
            wrong=wrong,
            typed=typed,
            task=self._desk.task(PURPOSE),
            longest_note=LONGEST_NOTE,
        )
        return fresh(answer)


def _mistake(form: Mapping[str, str]) -> str:
    """The phrase that says what is wrong with a report."""
    url = form.get("url", "")
    if not link_of(url) or len(url) > LONGEST_URL:
        raise UsageError("a report names the address of a result")
    return "" if form.get("reason") in REASONS else "report_no_reason"
