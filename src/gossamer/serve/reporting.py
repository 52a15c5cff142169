"""A result that a visitor complains of: the owner decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gossamer.engine.reports import LONGEST_NOTE, LONGEST_QUERY, REASONS
from gossamer.model import UsageError
from gossamer.serve.address import crumbs, link_of
from gossamer.serve.desk import LONGEST_URL, Desk
from gossamer.serve.owner.owned import Reported
from gossamer.serve.public_form import PublicForm
from gossamer.serve.templating import Templates

Address = Annotated[str, Query(max_length=LONGEST_URL)]


class Reporting(PublicForm):
    """The form for a result. Reasons come from a fixed list, and nothing is kept of who reports."""

    name = "report"
    path = "/report"
    purpose = "report"

    def __init__(self, reports: Reported, desk: Desk, templates: Templates) -> None:
        super().__init__(desk, templates)
        self._reports = reports

    def form(self, request: Request, sent: bool = False, url: Address = "", q: str = "") -> Response:
        if not sent and not link_of(url):
            return RedirectResponse(self._templates.site(request).elsewhere("/"), 303)
        return self._page(request, {"url": url, "q": q}, sent=sent)

    def _mistake(self, form: Mapping[str, str]) -> str:
        url = form.get("url", "")
        if not link_of(url) or len(url) > LONGEST_URL:
            raise UsageError("a report names the address of a result")
        return "" if form.get("reason") in REASONS else "report_no_reason"

    def _add(self, form: Mapping[str, str]) -> bool:
        note, query = form.get("note", "")[:LONGEST_NOTE], form.get("q", "")[:LONGEST_QUERY]
        return self._reports.add(form["url"], form["reason"], query, note)

    def _shown(self, typed: Mapping[str, str]) -> Mapping[str, Any]:
        url = typed.get("url", "")
        return {"url": url, "crumbs": crumbs(url), "reasons": REASONS, "longest_note": LONGEST_NOTE}
