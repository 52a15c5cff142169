"""How do values become pages? Jinja2, everything escaped, nothing undefined."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import Response

from gossamer.query.parse import LONGEST
from gossamer.serve.root import root_of
from gossamer.serve.wording import counted, said_day, took

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
    )
    made.filters.update(counted=counted, took=took, said_day=said_day)
    return made


class Templates:
    """Renders answers; `root` is where the application is mounted, before every address on a page."""

    def __init__(self) -> None:
        self._environment = environment()

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
            root=root_of(request), longest=LONGEST, **values
        )
        return Response(text, status, media_type=media_type)
