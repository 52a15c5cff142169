"""Apply the owner's extraction rules: CSS or XPath per site."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gossamer.extract.html.metadata import LONGEST
from gossamer.extract.html.scan import Scan, collapse, scan_html
from gossamer.extract.settings import ExtractionRule, compiled
from gossamer.model import Page
from gossamer.text.shingles import content_sketch
from gossamer.web.dates import first_believable

_MOMENTS = ("datetime", "content")  # attributes in which elements say a date for machines


def apply_rule(page: Page, html: bytes, rule: ExtractionRule) -> Page:
    """The page as the rule has it; `html` is the document in UTF-8. Links stay those of the whole page."""
    tree = _tree(html)
    if tree is None:
        return page
    if rule.remove:
        _drop(_elements(tree, rule.remove))
    title = _first(tree, rule.title) or page.title
    authors = ", ".join(dict.fromkeys(_texts(tree, rule.author))) if rule.author else ""
    published = first_believable([_moment(tree, rule.date)], page.fetched_at)
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
    """Main text, what stands out in it, and surroundings, as far as the rule says something of them."""
    chosen = _outermost(_elements(tree, rule.content)) if rule.content else []
    if not chosen:
        if not rule.remove:
            return {}
        rest = scan_html(_written(tree), ())
        return _main(rest) | {"text": rest.text, "surroundings": rest.surroundings}
    scan = scan_html(b"<main>" + b"\n".join(map(_written, chosen)) + b"</main>", ())
    _drop(chosen)
    rest = scan_html(_written(tree), ())
    return _main(scan) | {
        "text": "\n".join(filter(None, (scan.text, scan.surroundings))),
        "surroundings": "\n".join(filter(None, (rest.text, rest.surroundings))),
    }


def _main(scan: Scan) -> dict[str, Any]:
    """What stands out in the main text."""
    return {"headings": scan.headings, "emphasised": scan.emphasised}


def _found(tree: Any, expression: str) -> list[Any]:
    """Elements, attributes or texts; an expression may also give one string or number."""
    if not expression:
        return []
    found = compiled(expression)(tree)
    return found if isinstance(found, list) else [str(found)]


def _elements(tree: Any, expression: str) -> list[Any]:
    return [one for one in _found(tree, expression) if hasattr(one, "itertext") and isinstance(one.tag, str)]


def _outermost(elements: list[Any]) -> list[Any]:
    """Without those that stand within another."""
    chosen = set(elements)
    return [one for one in elements if chosen.isdisjoint(one.iterancestors())]


def _drop(elements: list[Any]) -> None:
    for element in _outermost(elements):
        if element.getparent() is not None:
            element.drop_tree()


def _written(element: Any) -> bytes:
    from lxml import etree

    return bytes(etree.tostring(element, encoding="utf-8", method="html", with_tail=False))


def _texts(tree: Any, expression: str) -> list[str]:
    texts = (one if isinstance(one, str) else "".join(one.itertext()) for one in _found(tree, expression))
    return [words for words in map(collapse, texts) if words]


def _first(tree: Any, expression: str) -> str:
    return next(iter(_texts(tree, expression)), "")[:LONGEST]


def _moment(tree: Any, expression: str) -> str:
    """The date of the first match: as it is written for machines, else as people read it."""
    for one in _found(tree, expression):
        if not isinstance(one, str) and (stated := next(filter(None, map(one.get, _MOMENTS)), "")):
            return str(stated)
    return _first(tree, expression)
