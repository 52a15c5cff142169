"""Sitelinks below a home page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.answer.diversify import near_duplicates_of
from gossamer.index.bm25f import Field
from gossamer.index.segment import SegmentView
from gossamer.model import Hit, Sitelink, Url
from gossamer.search.candidates import Numbers
from gossamer.search.match.filters import hosts_below
from gossamer.search.searcher import Searcher
from gossamer.text.shingles import SKETCH_BYTES
from gossamer.text.words import shortened

# Short titles of sitelinks
# -------------------------

MOST = 6
LONGEST = 40  # characters
OFTEN = 0.5  # the least share of titles that have the site's name
ENOUGH = 2  # and the least number of them
_BETWEEN = re.compile(r"\s+[-–—|·»]\s+|\s*\|\s*|: ")
_Part = tuple[int, int, str]  # start and end of a part of a title, and its text in small letters


def short_titles(home: str, titles: Sequence[str]) -> list[str]:
    """Remove the site's name from titles: parts that many titles share, or that the home page's title has.

    >>> short_titles("Wildcats", ["Jaguar - Wildcats", "Puma - Wildcats", "About - Wildcats"])
    ['Jaguar', 'Puma', 'About']
    """
    lines = [" ".join(title.split()) for title in titles]
    counts = Counter(part for line in lines for part in _part_texts(line))
    shared = {part for part, count in counts.items() if count >= max(ENOUGH, OFTEN * len(titles))}
    known = shared | _part_texts(home)
    return [_short(line, known) for line in lines]


def chosen(home: str, titles: Sequence[str], most: int = MOST) -> Iterator[tuple[int, str]]:
    """Choose titles for links; yield their places and short forms, without empty ones and duplicates."""
    seen = _part_texts(home)
    for place, title in enumerate(short_titles(home, titles)):
        if most and title and title.casefold() not in seen:
            seen.add(title.casefold())
            most -= 1
            yield place, title


def _parts(title: str) -> list[_Part]:
    borders = [0, *(place for sign in _BETWEEN.finditer(title) for place in sign.span()), len(title)]
    parts = [
        (begin, end, title[begin:end].strip().casefold())
        for begin, end in zip(borders[::2], borders[1::2], strict=True)
    ]
    return [part for part in parts if part[2]]


def _part_texts(title: str) -> set[str]:
    return {text for _, _, text in _parts(" ".join(title.split()))}


def _short(title: str, known: set[str]) -> str:
    """Cut known parts off both ends of a title; between the first and last other part it stays as it is."""
    own = [part for part in _parts(title) if part[2] not in known]
    return shortened(title[own[0][0] : own[-1][1]].strip(), LONGEST) if own else ""


CONSIDERED = 24  # pages of the host with the highest link rank, from which sitelinks are chosen
MOST_PAGES = 20_000  # pages of the host that are compared in each segment

# A sort key (negative rank, length of the address, fingerprint), segment and document of a page.
_Page = tuple[float, int, int, SegmentView, int]


def sitelinks(home: Hit, searchers: Sequence[Searcher], fold: float) -> tuple[Sitelink, ...]:
    """Choose the pages with the highest link rank on the home page's host, each with a short title."""
    host = Url.parsed(home.url).authority
    found = sorted(_pages(host, searchers), key=lambda page: page[:3])[:CONSIDERED]
    copies = near_duplicates_of(_sketches(found), fold) if fold else {}
    kept = [page for place, page in enumerate(found) if place not in copies]
    stored = [view.segment.stored.document(doc) for *_, view, doc in kept]
    shown = [
        one for one in stored if one.url != home.url and "?" not in one.url and one.language == home.language
    ]
    links = chosen(home.title, [one.title for one in shown])
    return tuple(Sitelink(title, shown[place].url) for place, title in links)


def _sketches(pages: Sequence[_Page]) -> NDArray[np.uint8]:
    """The sketches of pages, one per row; zeros for a page without a sketch."""
    sketches = np.zeros((len(pages), SKETCH_BYTES), np.uint8)
    for row, (*_, view, doc) in enumerate(pages):
        known = view.segment.columns.sketches
        sketches[row, : known.shape[1]] = known[doc]
    return sketches


def _pages(host: str, searchers: Sequence[Searcher]) -> Iterator[_Page]:
    for searcher in searchers:
        for number, view in enumerate(searcher.snapshot.views):
            columns = view.segment.columns
            for own in np.flatnonzero(hosts_below(columns.host_names, host)).tolist():
                if view.segment.host(own) == host:
                    docs = np.flatnonzero(columns.host_ids == own)[:MOST_PAGES]
                    yield from _best(searcher, number, view, docs[~np.isin(docs, view.deleted)])


def _best(searcher: Searcher, number: int, view: SegmentView, docs: Numbers) -> Iterator[_Page]:
    columns = view.segment.columns
    ranks = searcher.static_factors(number, docs)
    lengths = columns.lengths[docs, Field.URL]
    for row in np.lexsort((columns.fingerprints[docs], lengths, -ranks))[:CONSIDERED].tolist():
        doc = int(docs[row])
        yield -float(ranks[row]), int(lengths[row]), int(columns.fingerprints[doc]), view, doc
