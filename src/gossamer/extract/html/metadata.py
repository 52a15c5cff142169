"""Metadata in the head: title, author, dates, language, canonical URL, feeds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from gossamer.extract import http_headers
from gossamer.extract.html import head
from gossamer.extract.html.link_targets import Resolver
from gossamer.extract.html.scan import Scan, ScannedText, collapse
from gossamer.model import Url
from gossamer.text.language_codes import canonical_code, language_tag
from gossamer.web.dates import first_believable

LONGEST = 1_000  # characters of a title or description that are kept
AT_ONCE = 10.0  # seconds: a refresh after a longer delay is not a redirect; news pages reload themselves
_REFRESH = re.compile(r"\s*+(\d*+)[\d.]*+\s*+[;,]\s*(?:url\s*=\s*)?(['\"]?)(.*)", re.IGNORECASE | re.DOTALL)

# Broken JSON is common in pages, so single values are read by regular expressions.
_LD_PUBLISHED = re.compile(r'"datePublished"\s*:\s*"([^"\\]{4,40})"')
_LD_NAMED = r'(?P<object>\{[^{}]*?"name"\s*+:\s*+)?"(?P<name>[^"\\]{2,100})"'
_LD_AUTHOR = re.compile(rf'"author"\s*+:\s*+(?P<list>\[?+)\s*+{_LD_NAMED}')
_LD_NEXT = re.compile(rf"\s*+,\s*+{_LD_NAMED}")  # next author of a list

# The rest of an author object after the name; values may be lists or objects.
_LD_REST = re.compile(r"(?>[^{}\[\]]++|\{[^{}]*+\}|\[[^\[\]]*+\])*+\}")
_DATES = ("date", "dc.date", "dc.date.issued", "dcterms.date", "dcterms.created", "pubdate", "publishdate")
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "parsely-author", "citation_author")
_METAS = (
    *("og:title", "description", "og:description", "content-language", "og:locale", "refresh", "robots"),
    *("article:published_time", "datepublished", *_DATES, *_AUTHORS),
)
_TITLE, _BASE, _LANG, _XML_LANG, _TIME, _CANONICAL, _ALTERNATE, _FEED, _SCRIPT = head.HEAD
_DATED = frozenset({"article:published_time", "datepublished", *_DATES, _SCRIPT, _TIME})


class Metadata(NamedTuple):
    """Metadata of a page; fields are empty if the head does not have them."""

    title: str  # of <title>, else the first h1, else og:title
    description: str
    author: str
    language: str
    published: float | None
    base: Url  # links are resolved against it
    canonical: Url | None
    alternates: tuple[tuple[str, Url], ...]
    feeds: tuple[Url, ...]
    refresh: Url | None  # target of a refresh that is a redirect
    later: Url | None  # target of a refresh with a longer delay
    robots: http_headers.Robots


class _Values(dict[int | str, list[ScannedText]]):
    """Values in document order, by kind, or by name for <meta>."""

    def first(self, kind: int) -> str:
        """Return the first value, even if it is empty, or ""."""
        return self[kind][0].value if kind in self else ""

    def all(self, kind: int | str) -> list[str]:
        return [said.value for said in self[kind]] if kind in self else []

    def meta(self, *names: str) -> str:
        """Return the first value that is not blank; earlier names take precedence."""
        for name in names:
            for said in self.get(name, ()):
                if said.value and not said.value.isspace():
                    return said.value
        return ""


@lru_cache(maxsize=8)
def meta_names(agent: str) -> tuple[str, ...]:
    """Return the names of <meta> elements to read, including the name of the crawler."""
    return tuple(dict.fromkeys((*_METAS, agent.lower())))


def read_metadata(scan: Scan, url: Url, fetched_at: float, agent: str, resolver: Resolver) -> Metadata:
    """Read <title>, <meta>, <link>, <base>, <html lang> and the dates."""
    values = _values(scan, meta_names(agent))
    base = (resolver.target(url, values.first(_BASE)) or url) if _BASE in values else url
    refresh, later = _refresh(values.meta("refresh"), base, url, resolver)
    return Metadata(
        title=next(filter(None, map(_shortened, values.all(_TITLE))), "")
        or scan.first_heading
        or _shortened(values.meta("og:title")),
        description=_shortened(values.meta("description", "og:description")),
        author=_author(values),
        language=_language(values),
        published=None if values.keys().isdisjoint(_DATED) else first_believable(_dates(values), fetched_at),
        base=base,
        canonical=_target(values.first(_CANONICAL), base, resolver),
        alternates=tuple(_alternates(values.get(_ALTERNATE, []), url, base, resolver)),
        feeds=tuple(_feeds(values.all(_FEED), base, resolver)),
        refresh=refresh,
        later=later,
        robots=http_headers.from_meta([*values.all("robots"), *values.all(agent.lower())]),
    )


def _values(scan: Scan, metas: tuple[str, ...]) -> _Values:
    values = _Values()
    for said in scan.said:
        key = metas[said.kind - head.METAS - 1] if said.kind > head.METAS else said.kind
        values.setdefault(key, []).append(said)
    return values


def _shortened(text: str) -> str:
    return collapse(text[:LONGEST]) if text else ""


def _language(values: _Values) -> str:
    if code := canonical_code(values.first(_LANG)):
        return code
    declared = (values.first(_XML_LANG), values.meta("content-language"), values.meta("og:locale"))
    return next((code for code in map(canonical_code, declared) if code), "")


def _author(values: _Values) -> str:
    """Return the authors in <meta>, else those in structured data. URLs are not names."""
    for name in _AUTHORS:
        if name in values and (told := _joined(values.all(name))):
            return told
    scripts = (_joined(_ld_authors(script)) for script in values.all(_SCRIPT))
    return next(filter(None, scripts), "")


def _joined(names: Iterable[str]) -> str:
    shortened = map(_shortened, names)
    return ", ".join(dict.fromkeys(name for name in shortened if name and "://" not in name))[:LONGEST]


def _ld_authors(script: str) -> Iterator[str]:
    """Yield the first author in a script, or all authors if they are a list.

    The script is untrusted, so no part of it is read twice: after a name, the rest of its object is skipped,
    and the next author must follow there.
    """
    match = _LD_AUTHOR.search(script)
    is_list = match is not None and bool(match["list"])
    while match:
        yield match["name"]
        rest = _LD_REST.match(script, match.end()) if is_list and match["object"] else match
        match = _LD_NEXT.match(script, rest.end()) if is_list and rest else None


def _dates(values: _Values) -> list[str]:
    """Return the stated dates, the most reliable first. A <time> may belong to a comment or an event."""
    matches = (_LD_PUBLISHED.search(script) for script in values.all(_SCRIPT))
    return [
        values.meta("article:published_time"),
        next((match[1] for match in matches if match), ""),
        values.meta("datepublished"),
        values.meta(*_DATES),
        values.first(_TIME),
    ]


def _target(address: str, base: Url, resolver: Resolver) -> Url | None:
    address = address.strip()
    return resolver.target(base, address) if address else None


def _alternates(
    said: list[ScannedText], url: Url, base: Url, resolver: Resolver
) -> Iterator[tuple[str, Url]]:
    for _, language, address in said:
        tag = language_tag(language)
        target = _target(address, base, resolver)
        if tag and target is not None and target.fingerprint != url.fingerprint:
            yield tag, target


def _feeds(addresses: list[str], base: Url, resolver: Resolver) -> Iterator[Url]:
    targets = (_target(address, base, resolver) for address in addresses)
    yield from {target.text: target for target in targets if target is not None}.values()


def _refresh(content: str, base: Url, url: Url, resolver: Resolver) -> tuple[Url | None, Url | None]:
    """Return the target of a refresh as (target, None) if it is a redirect, as (None, target) if it waits."""
    match = _REFRESH.match(content) if content else None
    if match is None:
        return None, None
    delay, quote, rest = match.groups()
    target = _target(rest.partition(quote)[0] if quote else rest, base, resolver)
    if target == url:
        return None, None
    return (target, None) if float(delay or 0) <= AT_ONCE else (None, target)
