"""What does the head of an HTML document say about it?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from gossamer.extract import robots
from gossamer.extract.dates import first_believable
from gossamer.extract.walk import collapse
from gossamer.model import Url
from gossamer.web.url import canonical

LONGEST = 1_000  # characters of a title or description that are kept

_REFRESH = re.compile(r"\s*[\d.]*\s*[;,]\s*(?:url\s*=\s*)?(['\"]?)(.*)", re.IGNORECASE | re.DOTALL)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?![a-z])")
# Broken JSON is common in pages; the one value that is wanted can be read without parsing the rest.
_LD_PUBLISHED = re.compile(r'"datePublished"\s*:\s*"([^"\\]{4,40})"')

_KEYS = ("name", "property", "itemprop", "http-equiv")
_DATES = ("date", "dc.date", "dc.date.issued", "dcterms.date", "dcterms.created", "pubdate", "publishdate")


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the head says; empty where it says nothing."""

    title: str
    social_title: str  # og:title
    description: str
    language: str
    published: float | None
    base: Url  # against which links are resolved
    canonical: Url | None
    refresh: Url | None
    robots: robots.Robots


class _Metas(dict[str, list[str]]):
    """The contents of <meta> elements by lower-case name, in document order."""

    def first(self, *names: str) -> str:
        return next((content for name in names for content in self.get(name, ()) if content.strip()), "")


def read_metadata(tree: LexborHTMLParser, url: Url, fetched_at: float, agent: str) -> Metadata:
    """Reads <title>, <meta>, <link>, <base>, <html lang> and the dates."""
    metas = _metas(tree)
    base = canonical(_attribute(tree.css_first("base[href]"), "href"), url) or url
    return Metadata(
        title=_title(tree),
        social_title=collapse(metas.first("og:title")[:LONGEST]),
        description=collapse(metas.first("description", "og:description")[:LONGEST]),
        language=_language(tree, metas),
        published=first_believable(_dates(tree, metas), fetched_at),
        base=base,
        canonical=_canonical(tree, base),
        refresh=_refresh(metas.first("refresh"), base, url),
        robots=robots.from_meta([*metas.get("robots", ()), *metas.get(agent.lower(), ())]),
    )


def primary_language(tag: str) -> str:
    """The primary subtag in lower case, or "" when the tag names no language.

    >>> primary_language("pt-BR"), primary_language(" EN_us"), primary_language("english")
    ('pt', 'en', '')
    """
    match = _LANGUAGE.match(tag.strip().lower())
    return match[0] if match else ""


def _metas(tree: LexborHTMLParser) -> _Metas:
    metas = _Metas()
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        for key in _KEYS:
            if name := attributes.get(key):
                metas.setdefault(name.strip().lower(), []).append(attributes["content"] or "")
    return metas


def _title(tree: LexborHTMLParser) -> str:
    titles = (collapse(node.text()[:LONGEST]) for node in tree.css("title") if not _is_drawn(node))
    return next((title for title in titles if title), "")


def _is_drawn(title: LexborNode) -> bool:
    """Pictures in SVG have titles too."""
    parent = title.parent
    return parent is None or parent.tag not in {"head", "body"}


def _language(tree: LexborHTMLParser, metas: _Metas) -> str:
    html = tree.css_first("html")
    declared = (
        _attribute(html, "lang"),
        _attribute(html, "xml:lang"),
        metas.first("content-language"),
        metas.first("og:locale"),
    )
    return next((code for code in map(primary_language, declared) if code), "")


def _dates(tree: LexborHTMLParser, metas: _Metas) -> list[str]:
    """Most reliable first: a <time> may as well be that of a comment or of an event."""
    scripts = (node.text() for node in tree.css('script[type="application/ld+json" i]'))
    matches = (_LD_PUBLISHED.search(script) for script in scripts)
    return [
        metas.first("article:published_time"),
        next((match[1] for match in matches if match), ""),
        metas.first("datepublished"),
        metas.first(*_DATES),
        _attribute(tree.css_first("time[datetime]"), "datetime"),
    ]


def _canonical(tree: LexborHTMLParser, base: Url) -> Url | None:
    href = _attribute(tree.css_first('link[rel~="canonical" i][href]'), "href")
    return canonical(href, base) if href.strip() else None


def _refresh(content: str, base: Url, url: Url) -> Url | None:
    match = _REFRESH.match(content)
    if match is None:
        return None
    quote, rest = match.groups()
    address = rest.partition(quote)[0] if quote else rest
    target = canonical(address.strip(), base) if address.strip() else None
    return None if target == url else target


def _attribute(node: LexborNode | None, name: str) -> str:
    return (node.attributes.get(name) or "") if node is not None else ""
