"""Cached page: the stored copy of an indexed page.

Only pages that searches find have one. A page with `noarchive` has none.
"""

from __future__ import annotations

import re

import numpy as np

from gossamer.collection.partition import Partition
from gossamer.extract.http_headers import AGENT
from gossamer.extract.media_type import HTML_TYPES, media_type
from gossamer.index.stored_text import StoredDocument
from gossamer.model import CachedPage, FetchResult, Url
from gossamer.storage.warc import read_record
from gossamer.text.charset import decode
from gossamer.text.terms import analyser
from gossamer.text.words import written_forms

HEAD = 100_000  # characters of a page that are searched for <meta> tags
_META = re.compile(r"<meta\b", re.IGNORECASE)
_FOR_ROBOTS = re.compile(rf"\bname\s*+=\s*+[\"']?+(?:robots|{AGENT})\b", re.IGNORECASE)
_NO_COPY = re.compile(r"\b(?:noarchive|nocache)\b", re.IGNORECASE)


def cached(partition: Partition, url: Url, terms: frozenset[str]) -> CachedPage | None:
    """Return the stored copy of an indexed page, with the words that match these terms."""
    stored = _indexed(partition, url)
    answer = _answer(partition, url) if stored else None
    if stored is None or answer is None:
        return None
    kind = media_type(answer.header("content-type"), answer.body, url.path)
    html = decode(answer.body, answer.header("content-type")) if kind in HTML_TYPES else ""
    if _unwanted(answer, html):
        return None
    return CachedPage(
        stored.url,
        stored.title or stored.url,
        stored.language,
        stored.media_type,
        answer.fetched_at,
        stored.text,
        html,
        _words(stored, terms),
    )


def _indexed(partition: Partition, url: Url) -> StoredDocument | None:
    wanted = np.array([url.fingerprint], np.uint64)
    for view in partition.index.snapshot().views:
        place = int(view.segment.places(wanted)[0])
        if place >= 0 and view.alive()[place]:
            return view.segment.stored.document(place)
    return None


def _answer(partition: Partition, url: Url) -> FetchResult | None:
    row = partition.known(url.fingerprint)
    if row is None or row.address is None:
        return None
    where = row.address
    return read_record(str(partition.pages_folder / where.file), where.offset, where.length, url)


def _unwanted(answer: FetchResult, html: str) -> bool:
    """Whether `noarchive` is in a header or in the head of the page."""
    rules = [value for name, value in answer.headers if name.lower() == "x-robots-tag"]
    rules += robots_metas(html[:HEAD])
    return any(_NO_COPY.search(value) for value in rules)


def robots_metas(html: str) -> list[str]:
    """List the <meta> tags for robots, as they are written.

    The text is split at each ">" and each piece is searched once. So the time is linear even for hostile
    pages, such as one with many "<meta" and no ">".

    >>> robots_metas('<meta charset=utf-8><META content=noarchive name="robots"><meta name=robots')
    ['<META content=noarchive name="robots">']
    """
    found = []
    for piece in html.split(">")[:-1]:
        start = _META.search(piece)
        if start is not None and _FOR_ROBOTS.search(piece, start.end()):
            found.append(f"{piece[start.start() :]}>")
    return found


def _words(stored: StoredDocument, terms: frozenset[str]) -> frozenset[str]:
    """The words of a page that match the terms, as they are written."""
    if not terms:
        return frozenset()
    term_of = analyser(stored.language).terms
    forms = written_forms(f"{stored.title}\n{stored.text}")
    return frozenset(form for form in forms if not terms.isdisjoint(term_of(form)))
