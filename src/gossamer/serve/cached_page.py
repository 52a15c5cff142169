"""Cached pages: a sanitised copy in a sandbox."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from html import escape, unescape
from typing import Annotated

import nh3
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from gossamer.model import BadQuery, CachedPage
from gossamer.model.notebook import date_of
from gossamer.serve.middleware import HEADERS
from gossamer.serve.rendering import Templates, crumbs, link_of, page_routes
from gossamer.serve.searchable import SearchEngine
from gossamer.text.words import is_word

# Sanitise a stranger's page
# --------------------------
#
# Elements and attributes that are not on the lists below are removed: scripts, forms, frames, event
# handlers. In addition, the copy is sandboxed by its Content-Security-Policy: it has an origin of
# its own, runs no scripts, loads nothing (not even images) and cannot send requests to this server.

SANDBOX = (
    # A link in the copy opens a new page outside of the sandbox, which has no access to this one.
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
MOST_WORDS = 100  # word forms that are highlighted
LONGEST = 2_000_000  # characters of a page that are shown
_TAGS = set(nh3.ALLOWED_TAGS) | {"style", "main", "section", "address", "big", "font", "tfoot", "dir"}
_DROPPED = {"iframe", "noembed", "noframes", "object", "script", "template", "title"}
_DROPPED |= {"button", "math", "select", "svg", "textarea", "xmp"}
_STYLING = ("align", "bgcolor", "class", "color", "height", "style", "valign", "width")
_ATTRIBUTES = {
    "*": {"dir", "id", "lang", "title", *_STYLING},
    "a": {"href", "name"},
    "img": {"alt"},  # shown instead of the image
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start", "type", "reversed"},
    "font": {"face", "size"},
    "time": {"datetime"},
    "details": {"open"},
}
_MARKUP = re.compile(r'(<style\b.*?</style>|<(?:[^<>"]|"[^"]*")*>|&\w+;|&#\w+;)', re.DOTALL)
_PICTURE = re.compile(r"<img\b")
_INSTEAD = re.compile(r'\salt="([^"]*)"')
_MARKED = re.compile("<mark>([^<]*)</mark>")
_PAGE = (
    '<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta name="robots" content="noindex, nofollow">\n'
    "<title>{title}</title>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
)
_TEXT = '<div dir="auto" style="max-width: 45em; white-space: pre-wrap; overflow-wrap: anywhere">{}</div>'


def copied(page: CachedPage) -> str:
    """Return the copy as a whole HTML page with highlighted words. Other documents are shown as text."""
    if page.html:
        body = _marked_html(cleaned(page.html[:LONGEST], page.url), page.words)
    else:
        body = _TEXT.format(_marked(page.text[:LONGEST], page.words, escape))
    return _PAGE.format(language=escape(page.language), title=escape(page.title), body=body)


def marked_words(page: CachedPage) -> set[str]:
    """Return the words that are highlighted in the copy; others are in the title or in removed parts."""
    if not page.words:
        return set()
    return {unescape(word) for word in _MARKED.findall(copied(page))} & page.words


def cleaned(html: str, base: str) -> str:
    """Sanitise HTML. Links lead to the same pages as before, in new windows."""
    kept = nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_DROPPED,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        url_relative=("rewrite_with_base", base),
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return _MARKUP.sub(_in_words, kept)


def _in_words(markup: re.Match[str]) -> str:
    """Replace an image with its alt text, because browsers would show it as broken. Keep other markup.

    Images may be adjacent without spaces between them, so the text gets a space on both sides.
    """
    if not _PICTURE.match(markup[0]):
        return markup[0]
    told = _INSTEAD.search(markup[0])
    return f" {escape(unescape(told[1]))} " if told and told[1].strip() else ""


def _marked_html(html: str, words: Collection[str]) -> str:
    """Highlight words in the text of sanitised HTML, whose attributes are always quoted."""
    if not words:
        return html
    pieces = _MARKUP.split(html)  # text and markup take turns
    pieces[::2] = [_marked(text, words, str) for text in pieces[::2]]
    return "".join(pieces)


def _marked(text: str, words: Collection[str], write: Callable[[str], str]) -> str:
    """Highlight words in text. `write` converts text to HTML."""
    pieces: list[str] = []
    reached = 0
    for match in _any_of(frozenset(words)).finditer(text) if words else ():
        start, end = match.span()
        if is_word(text, start, match[0]):
            pieces += [write(text[reached:start]), f"<mark>{write(match[0])}</mark>"]
            reached = end
    return "".join(pieces) + write(text[reached:])


@lru_cache(maxsize=16)
def _any_of(words: frozenset[str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=lambda word: (-len(word), word))[:MOST_WORDS]
    return re.compile("|".join(map(re.escape, longest_first)))


_CSP = "Content-Security-Policy"

# Only this page has a frame, and only for the copy.
_FRAMING = {_CSP: f"{HEADERS[_CSP]}; frame-src 'self'"}
MOST_NAMED = 12  # words of the query that the banner lists
Address = Annotated[str, Query(max_length=10_000)]


class CachedPages:
    """Handlers of /cache (a banner and a frame) and of /cache/copy (the content of the frame)."""

    def __init__(self, engine: SearchEngine, templates: Templates) -> None:
        self._engine = engine
        self._templates = templates

    def routes(self) -> APIRouter:
        return page_routes({"/cache": self.banner, "/cache/copy": self.copy})

    def banner(self, request: Request, url: Address, q: str = "") -> Response:
        page = self._page(url, q)
        if page is None:
            return self._templates.answer(request, "no_copy.html", status=404, query=q)
        answer = self._templates.answer(
            request,
            "copy.html",
            query=q,
            page=page,
            fetched=date_of(page.fetched_at),
            words=_named(marked_words(page)),
            crumbs=crumbs(page.url),
            link=link_of(page.url),
            copy=self._templates.site(request).elsewhere("/cache/copy", url=url, q=q),
        )
        answer.headers.update(_FRAMING)
        return answer

    def copy(self, request: Request, url: Address, q: str = "") -> Response:
        page = self._page(url, q)
        if page is None:
            return self._templates.answer(request, "no_copy.html", status=404, query=q)
        return HTMLResponse(copied(page), headers={_CSP: SANDBOX})

    def _page(self, url: str, query: str) -> CachedPage | None:
        """Return the cached page with the words of the query, or without words if the query has an error."""
        try:
            return self._engine.cached(url, query)
        except BadQuery:
            return self._engine.cached(url)


def _named(words: Iterable[str]) -> list[str]:
    """Return words for the banner, each once regardless of case.

    >>> _named({"panthers", "Black", "black"})
    ['black', 'panthers']
    """
    once = {word.lower(): word for word in sorted(words)}  # small letters come last
    return [once[name] for name in sorted(once)][:MOST_NAMED]
