"""A site that a visitor would like to be found here: the owner decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gossamer.model import BadUrl
from gossamer.serve.desk import LONGEST_URL, Desk
from gossamer.serve.owner.owned import Submitted
from gossamer.serve.public_form import PublicForm
from gossamer.serve.templating import Templates
from gossamer.web.url import repair


class Submitting(PublicForm):
    """The form for a site."""

    name = "submit_site"
    path = "/submit"
    purpose = "site"

    def __init__(self, submissions: Submitted, desk: Desk, templates: Templates) -> None:
        super().__init__(desk, templates)
        self._submissions = submissions

    def _mistake(self, form: Mapping[str, str]) -> str:
        url = _address(form)
        try:
            fits = len(url) <= LONGEST_URL and repair(url)[0].scheme in ("http", "https")
        except BadUrl:
            fits = False
        return "" if fits else "submit_bad_url"

    def _add(self, form: Mapping[str, str]) -> bool:
        return self._submissions.add(_address(form))

    def _shown(self, typed: Mapping[str, str]) -> Mapping[str, Any]:
        return {"longest_url": LONGEST_URL}


def _address(form: Mapping[str, str]) -> str:
    return form.get("url", "").strip()
