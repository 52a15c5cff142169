"""Jinja templates, escaping, display of URLs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

from fastapi import APIRouter
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import escape
from starlette.requests import Request
from starlette.responses import Response

from gossamer.answer.gazetteer import country_names
from gossamer.model import Url
from gossamer.model.notebook import date_of
from gossamer.query.syntax import LONGEST
from gossamer.serve.i18n import BY_LANGUAGE, Translation, accepted, chosen, translations
from gossamer.serve.location import NOWHERE
from gossamer.serve.middleware import root_of
from gossamer.serve.request import PageRequest

# Display form of a URL
# ---------------------

LONGEST_CRUMB = 40  # characters
MOST_CRUMBS = 3  # after the host
_PLAIN = re.compile(r"https?://([A-Za-z0-9.:-]+)((?:/[A-Za-z0-9._~/-]*)?)")


def link_of(url: str) -> str | None:
    """Return a URL as the target of a link; None unless it is http or https (it may be `javascript:`)."""
    return url if url.lower().startswith(("http://", "https://")) else None


def crumbs(url: str) -> tuple[str, ...]:
    """Return host and path of a URL as readable parts.

    >>> crumbs("https://example.org/guide/caf%C3%A9/index.html")
    ('example.org', 'guide', 'café', 'index.html')
    """
    if plain := _PLAIN.fullmatch(url):  # nothing to decode, and no misleading characters
        host, path = plain.groups()
        return _trail(host, [step for step in path.split("/") if step])
    try:
        parts = urlsplit(url)
    except ValueError:
        return (_shortened(url),)
    if not parts.netloc:
        return (_shortened(url),)
    # Without the user name: http://bank.example@evil.example/ is a page of evil.example.
    host = parts.netloc.rpartition("@")[2]
    steps = [_readable(step) for step in parts.path.split("/") if step]
    if parts.query:
        steps.append("?" + _readable(parts.query))
    return _trail(host, steps)


def _trail(host: str, steps: list[str]) -> tuple[str, ...]:
    if len(steps) > MOST_CRUMBS:
        steps = [steps[0], "…", *steps[-MOST_CRUMBS + 2 :]]
    return (host, *map(_shortened, steps))


def _readable(escaped: str) -> str:
    """Decode percent escapes, unless that yields control or direction characters."""
    try:
        plain = unquote(escaped, errors="strict")
    except UnicodeDecodeError:
        return escaped
    return plain if plain.isprintable() else escaped


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_CRUMB else text[: LONGEST_CRUMB - 1].rstrip() + "…"


# HTML escaping
# -------------

_needs = re.compile("[&<>\"']").search


def escaped(text: str) -> str:
    """Escape a text for HTML. Markup stays as it is.

    >>> escaped("cats"), escaped('<b title="cats & dogs">'), escaped(escape("<b>"))
    ('cats', '&lt;b title=&#34;cats &amp; dogs&#34;&gt;', '&lt;b&gt;')
    """
    return str(escape(text)) if _needs(text) else text


HERE = Path(__file__).parent
STATIC = HERE / "static"
REMEMBERED = 64  # sites (mount path, language, country) whose frames are cached
_GAP = "\0"  # marks a gap in a cached frame


def environment() -> Environment:
    """Make the template environment. The logo is part of the page, so that it takes the text's colour."""
    made = Environment(
        loader=FileSystemLoader([HERE / "templates", STATIC]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    form: Any = made.get_template("form.html").module
    made.globals |= {"glass": form.glass(), "longest": LONGEST}
    made.filters |= {
        "country_name": lambda code: country_names().get(code, code),
        "crumbs": crumbs,
        "day": date_of,
        "host": lambda url: Url.parsed(url).host if link_of(url) else "",
        "link": link_of,
    }
    return made


class Templates:
    """Render responses from templates."""

    def __init__(self, *, submissions: bool = False) -> None:
        """`submissions`: whether pages link to the form for submitting a site."""
        self._environment = environment()
        self._translations = translations()
        languages = [(code, one.name) for code, one in self._translations.items()]
        self._environment.globals |= {"submissions": submissions, "page_languages": languages}
        self._frames = lru_cache(REMEMBERED)(self._frame)
        self._sites = lru_cache(REMEMBERED)(PageRequest)

    def translation(self, request: Request) -> Translation:
        """Return the page language for a request."""
        preferred = accepted(request.headers.get("accept-language", ""))
        return chosen(self._translations, request.query_params.get("ui", ""), preferred)

    def site(self, request: Request) -> PageRequest:
        """Return the request from which all links of the page are made; it keeps language and country."""
        named = request.query_params.get("ui", "")
        country = request.query_params.get("country", "")
        return self._sites(
            root_of(request),
            "",
            ui=named if named in self._translations else "",
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
            ui=self.translation(request),
            this_page=_address_before_language(request),
            site=self.site(request),
            **values,
        )
        return Response(text, status, BY_LANGUAGE, media_type)

    def results(
        self, request: Request, ui: Translation, site: PageRequest, query: str, as_json: str, **values: object
    ) -> Response:
        """Render a page of results into a frame that is cached by language.

        Rendering the frame for each page would take 4% of the time of a page, including its search.
        """
        found = self._found.render(root=site.root, ui=ui, site=site, query=query, **values)
        title = escaped(query)
        skip_to = "results" if values["hits"] else "main"
        addresses = [escaped(_address_before_language(request))] * len(self._translations)
        gaps = (title, skip_to, title, found, escaped(as_json), *addresses, "")
        frame = self._frames(ui.language, site)
        text = "".join([part for both in zip(frame, gaps, strict=True) for part in both])
        return Response(text, 200, BY_LANGUAGE, "text/html")

    def _frame(self, language: str, site: PageRequest) -> list[str]:
        """Return the parts of the results page between its gaps."""
        template, ui = self._environment.get_template("results.html"), self._translations[language]
        return template.render(root=site.root, ui=ui, this_page=_GAP, site=site, gap=_GAP).split(_GAP)

    @cached_property
    def _found(self) -> Template:
        return self._environment.get_template("found.html")


def page_routes(
    shown: Mapping[str, Callable[..., Any]], sent: Mapping[str, Callable[..., Any]] | None = None
) -> APIRouter:
    """Return routes for pages: GET and HEAD for handlers in `shown`, POST for those in `sent`."""
    router = APIRouter(include_in_schema=False)
    for path, handler in shown.items():
        router.add_api_route(path, handler, methods=["GET", "HEAD"])
    for path, handler in (sent or {}).items():
        router.add_api_route(path, handler, methods=["POST"])
    return router


def _address_before_language(request: Request) -> str:
    """Return the URL of this page, up to the value of the parameter for the language."""
    given = [(name, value) for name, value in request.query_params.multi_items() if name != "ui"]
    path = root_of(request) + _path(request).removeprefix(root_of(request))
    return f"{path}?{urlencode(given)}&ui=" if given else f"{path}?ui="


def _path(request: Request) -> str:
    """Return the path of the page. A path of plain words needs no encoding, which takes time."""
    path: str = request.scope["path"]
    return path if path.isascii() and path.replace("/", "").isalnum() else request.url.path
