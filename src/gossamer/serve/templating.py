"""How do values become pages? Jinja2, everything escaped, nothing undefined."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import Response

from gossamer.query.parse import LONGEST
from gossamer.results.answers.countries import country_names
from gossamer.serve.asked import Asked
from gossamer.serve.languages import BY_LANGUAGE, PAGE_LANGUAGE, accepted
from gossamer.serve.root import root_of
from gossamer.serve.speech import Speech, chosen, speeches
from gossamer.serve.whereabouts import NOWHERE

HERE = Path(__file__).parent
STATIC = HERE / "static"


def environment() -> Environment:
    """The templates; the logo is drawn into the page, so that it takes the colour of the text."""
    made = Environment(
        loader=FileSystemLoader([HERE / "templates", STATIC]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["country_name"] = lambda code: country_names().get(code, code)
    return made


class Templates:
    """Renders answers; `root` is where the application is mounted, before every address on a page."""

    def __init__(self, *, submissions: bool = False) -> None:
        """`submissions` says whether pages lead to the form for a site."""
        self._environment = environment()
        self._environment.globals["submissions"] = submissions
        self._speeches = speeches()

    @property
    def said(self) -> Set[str]:
        """The names of all phrases."""
        return self._speeches[PAGE_LANGUAGE].phrases.keys()

    def speech(self, request: Request) -> Speech:
        """The language in which this person is answered."""
        preferred = accepted(request.headers.get("accept-language", ""))
        return chosen(self._speeches, request.query_params.get("ui", ""), preferred)

    def site(self, request: Request) -> Asked:
        """Where all addresses on the page lead to; language and country go along where they were named."""
        named = request.query_params.get("ui", "")
        country = request.query_params.get("country", "")
        return Asked(
            root_of(request),
            "",
            ui=named if named in self._speeches else "",
            country=country if country == NOWHERE else "",
        )

    def answer(
        self,
        request: Request,
        template: str,
        media_type: str = "text/html",
        *,
        status: int = 200,
        **values: object,
    ) -> Response:
        text = self._environment.get_template(template).render(
            root=root_of(request),
            longest=LONGEST,
            ui=self.speech(request),
            tongues=self._tongues(request),
            site=self.site(request),
            **values,
        )
        return Response(text, status, BY_LANGUAGE, media_type)

    def _tongues(self, request: Request) -> list[tuple[Speech, str]]:
        """This page in every language: the same address, with that named."""
        given = [(name, value) for name, value in request.query_params.multi_items() if name != "ui"]
        path = root_of(request) + request.url.path.removeprefix(root_of(request))
        start = f"{path}?{urlencode(given)}&ui=" if given else f"{path}?ui="
        return [(one, start + one.language) for one in self._speeches.values()]
