"""Apply the owner's extraction rules: CSS or XPath expressions per site."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gossamer.extract.html.metadata import LONGEST
from gossamer.extract.html.scan import Scan, collapse, scan_html
from gossamer.extract.settings import ExtractionRule, compiled
from gossamer.model import Page
from gossamer.text.shingles import content_sketch
from gossamer.web.dates import first_believable

_DATE_ATTRIBUTES = ("datetime", "content")  # machine-readable dates


def apply_rule(page: Page, html: bytes, rule: ExtractionRule) -> Page:
    """Return the page with the fields that the rule finds. `html` is the document in UTF-8.

    Links are not changed: they stay those of the whole page.
    """
    tree = _tree(html)
    if tree is None:
        return page
    _drop(_elements(tree, rule.remove))
    title = _first(tree, rule.title) or page.title
    authors = ", ".join(dict.fromkeys(_texts(tree, rule.author)))
    published = first_believable([_date(tree, rule.date)], page.fetched_at)
    page = replace(
        page,
        title=title,
        author=authors[:LONGEST] or page.author,
        published=page.published if published is None else published,
        **_content(tree, rule),
    )
    content = content_sketch(page.title, page.text)
    return replace(page, digest=content.digest, sketch=content.sketch, words=content.words)


def _tree(html: bytes) -> Any:
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    try:
        return document_fromstring(html, parser=HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError):
        return None


def _content(tree: Any, rule: ExtractionRule) -> dict[str, Any]:
    """Return the fields of the page that hold its content; empty if the rule selects and removes nothing."""
    chosen = _outermost(_elements(tree, rule.content))
    if not chosen and not rule.remove:
        return {}
    content = b"\n".join(map(_serialized, chosen))
    _drop(chosen)
    rest = scan_html(_serialized(tree), ())
    if not chosen:
        return _marks(rest) | {"text": rest.text, "surroundings": rest.surroundings}
    scan = scan_html(b"<main>" + content + b"</main>", ())
    return _marks(scan) | {
        "text": "\n".join(filter(None, (scan.text, scan.surroundings))),
        "surroundings": "\n".join(filter(None, (rest.text, rest.surroundings))),
    }


def _marks(scan: Scan) -> dict[str, Any]:
    return {"headings": scan.headings, "emphasised": scan.emphasised}


def _found(tree: Any, expression: str) -> list[Any]:
    """Return the elements, attributes or strings that an expression selects.

    An empty expression selects nothing. In XPath, an expression can also compute one string or number.
    """
    if not expression:
        return []
    found = compiled(expression)(tree)
    return found if isinstance(found, list) else [str(found)]


def _elements(tree: Any, expression: str) -> list[Any]:
    return [one for one in _found(tree, expression) if hasattr(one, "itertext") and isinstance(one.tag, str)]


def _outermost(elements: list[Any]) -> list[Any]:
    """Drop the elements that are inside another one of the list."""
    chosen = set(elements)
    return [one for one in elements if chosen.isdisjoint(one.iterancestors())]


def _drop(elements: list[Any]) -> None:
    for element in _outermost(elements):
        if element.getparent() is not None:
            element.drop_tree()


def _serialized(element: Any) -> bytes:
    from lxml import etree

    return bytes(etree.tostring(element, encoding="utf-8", method="html", with_tail=False))


def _texts(tree: Any, expression: str) -> list[str]:
    texts = (one if isinstance(one, str) else "".join(one.itertext()) for one in _found(tree, expression))
    return [words for words in map(collapse, texts) if words]


def _first(tree: Any, expression: str) -> str:
    return next(iter(_texts(tree, expression)), "")[:LONGEST]


def _date(tree: Any, expression: str) -> str:
    """Return the first machine-readable date of the matches, else the text of the first match."""
    for one in _found(tree, expression):
        if not isinstance(one, str) and (stated := next(filter(None, map(one.get, _DATE_ATTRIBUTES)), "")):
            return str(stated)
    return _first(tree, expression)
