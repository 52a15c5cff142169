"""Which pages of a site stand below its home page?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gossamer.index.fields import Field
from gossamer.index.snapshot import SegmentView
from gossamer.model import Hit, Sitelink, Url
from gossamer.results.folding import folded
from gossamer.results.sitelinks import chosen
from gossamer.search.candidates import Numbers
from gossamer.search.filters import hosts_below
from gossamer.search.searcher import Searcher

CONSIDERED = 24  # pages of the host, the best by their links
MOST_PAGES = 20_000  # of a host in a segment that are compared

_Page = tuple[
    float, int, int, SegmentView, int
]  # its rank and length of address, both to be least; where it is


def sitelinks(home: Hit, searchers: Sequence[Searcher], fold: float) -> tuple[Sitelink, ...]:
    """The best pages of the first hit's host by their links, each with a short title."""
    host = Url.parsed(home.url).authority
    found = sorted(_pages(host, searchers), key=lambda page: page[:3])[:CONSIDERED]
    sketches = [view.segment.columns.sketches[doc] for *_, view, doc in found]
    copies = folded(np.array(sketches), fold) if fold and sketches else {}
    kept = [page for place, page in enumerate(found) if place not in copies]
    stored = [view.segment.stored.document(doc) for *_, view, doc in kept]
    shown = [
        one for one in stored if one.url != home.url and "?" not in one.url and one.language == home.language
    ]
    links = chosen(home.title, [one.title for one in shown])
    return tuple(Sitelink(title, shown[place].url) for place, title in links)


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
