"""Which pages of a site stand below its home page?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import Field
from gossamer.index.snapshot import SegmentView
from gossamer.model import Hit, Sitelink, Url
from gossamer.results.folding import folded
from gossamer.results.sitelinks import chosen
from gossamer.search.candidates import Numbers
from gossamer.search.filters import hosts_below
from gossamer.search.searcher import Searcher
from gossamer.text.shingles import SKETCH_BYTES

CONSIDERED = 24  # pages of the host, the best by their links
MOST_PAGES = 20_000  # of a host in a segment that are compared

# What pages are ordered by (rank, length of address, fingerprint, each to be least), and where they are.
_Page = tuple[float, int, int, SegmentView, int]


def sitelinks(home: Hit, searchers: Sequence[Searcher], fold: float) -> tuple[Sitelink, ...]:
    """The best pages of the first hit's host by their links, each with a short title."""
    host = Url.parsed(home.url).authority
    found = sorted(_pages(host, searchers), key=lambda page: page[:3])[:CONSIDERED]
    copies = folded(_sketches(found), fold) if fold else {}
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
