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
OFTEN = 0.5  # the share of titles from which on a part of them is the site's name
ENOUGH = 2  # titles that tell this
_BETWEEN = re.compile(r"\s+[-–—|·»]\s+|\s*\|\s*|: ")
_Part = tuple[int, int, str]  # where a part of a title begins and ends, and what it says, case aside


def short_titles(home: str, titles: Sequence[str]) -> list[str]:
    """Titles without the site's name, which is what most of them share, or a part of the home page's.

    >>> short_titles("Wildcats", ["Jaguar - Wildcats", "Puma - Wildcats", "About - Wildcats"])
    ['Jaguar', 'Puma', 'About']
    """
    lines = [" ".join(title.split()) for title in titles]
    counts = Counter(part for line in lines for part in _said(line))
    shared = {part for part, count in counts.items() if count >= max(ENOUGH, OFTEN * len(titles))}
    known = shared | _said(home)
    return [_short(line, known) for line in lines]


def chosen(home: str, titles: Sequence[str], most: int = MOST) -> Iterator[tuple[int, str]]:
    """The places of titles that are worth a link, with their short forms; none is empty or comes twice."""
    seen = _said(home)
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


def _said(title: str) -> set[str]:
    return {said for _, _, said in _parts(" ".join(title.split()))}


def _short(title: str, known: set[str]) -> str:
    """The title as it is written, from its first part to its last that is not the site's name."""
    own = [part for part in _parts(title) if part[2] not in known]
    return shortened(title[own[0][0] : own[-1][1]].strip(), LONGEST) if own else ""


CONSIDERED = 24  # pages of the host, the best by their links
MOST_PAGES = 20_000  # of a host in a segment that are compared

# What pages are ordered by (rank, length of address, fingerprint, each to be least), and where they are.
_Page = tuple[float, int, int, SegmentView, int]


def sitelinks(home: Hit, searchers: Sequence[Searcher], fold: float) -> tuple[Sitelink, ...]:
    """The best pages of the first hit's host by their links, each with a short title."""
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
    """A row a page; zeros where there is none."""
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
    order = np.lexsort((columns.fingerprints[docs], lengths, -ranks))[:CONSIDERED]
    for row in order.tolist():
        doc = int(docs[row])
        yield -float(ranks[row]), int(lengths[row]), int(columns.fingerprints[doc]), view, doc
