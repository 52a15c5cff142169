"""A site that a visitor would like to be found here: the owner decides."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gossamer.model import BadUrl
from gossamer.serve.desk import LONGEST_URL, Desk, fresh
from gossamer.serve.forms import Form
from gossamer.serve.owner.owned import Submitted
from gossamer.serve.templating import Templates
from gossamer.web.url import repair

PATH = "/submit"
PURPOSE = "site"


class Submitting:
    """The form for a site."""

    def __init__(self, submissions: Submitted, desk: Desk, templates: Templates) -> None:
        self._submissions = submissions
        self._desk = desk
        self._templates = templates

    def routes(self) -> APIRouter:
        router = APIRouter(include_in_schema=False)
        router.add_api_route(PATH, self.form, methods=["GET", "HEAD"])
        router.add_api_route(PATH, self.send, methods=["POST"])
        return router

    def form(self, request: Request, sent: bool = False) -> Response:
        return self._form(request, sent=sent)

    def send(self, request: Request, form: Form) -> Response:
        url = form.get("url", "").strip()
        wrong = _mistake(url) or self._desk.refusal(request, form, PURPOSE)
        if not wrong and not self._submissions.add(url):
            wrong = "sent_no_room"
        if wrong:
            return self._form(request, 422, wrong=wrong, typed=form)
        return RedirectResponse(self._templates.site(request).elsewhere(PATH, sent="true"), 303)

    def _form(
        self,
        request: Request,
        status: int = 200,
        *,
        sent: bool = False,
        wrong: str = "",
        typed: Mapping[str, str] | None = None,
    ) -> Response:
        answer = self._templates.answer(
            request,
            "submit.html",
            status=status,
            name="submit_site",
            path=PATH,
            query="",
            sent=sent,
            wrong=wrong,
            typed=typed or {},
            task=self._desk.task(PURPOSE),
            longest_url=LONGEST_URL,
        )
        return fresh(answer)


def _mistake(url: str) -> str:
    """The phrase that says what is wrong with an address."""
    if len(url) > LONGEST_URL:
        return "submit_bad_url"
    try:
        address = repair(url)[0]
    except BadUrl:
        return "submit_bad_url"
    return "" if address.scheme in ("http", "https") else "submit_bad_url"
