"""Which pages do links put forward, whatever the pages themselves say?

The first phase finds pages by their own words. Those of which links say words of the query are candidates
too: the best of them by

    sum over words t of  idf(t) * w tf(t, d) / (k1 + w tf(t, d))

with tf as in `said`; w is the weight of what links say; times what the owner makes of their sites. Where the
query asks for a text (a phrase, a field, words joined by operators), a page must hold that itself, and links
only add to its score; a page that was not fetched answers by what links say of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.model import UNFETCHED
from gossamer.search.anchors import AnchorIndex
from gossamer.search.candidates import Candidates, best_first
from gossamer.search.hits import hits
from gossamer.search.plan import Plan
from gossamer.search.said import Floats, Pages
from gossamer.search.searcher import Searcher
from gossamer.search.unfetched import answering

LEVELS = 1_000_000  # of a score of 1: candidates have whole numbers

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]
# What it is worth, which of the pages, segments, documents, whether alone.
Part = tuple[Floats, Numbers, Numbers, Numbers, Mask]


@dataclass(frozen=True, slots=True)
class Linked:
    """Documents that links put forward, in any order."""

    scores: Numbers
    pages: Pages
    segments: Numbers
    docs: Numbers
    alone: Mask  # whether nothing but links speaks for it

    @property
    def more(self) -> int:
        """For how many nothing but links speaks."""
        return int(np.count_nonzero(self.alone))

    def best(self, partition: int, k: int) -> tuple[Candidates, Mask]:
        """The best k, ties by fingerprint, and whether nothing but links speaks for each of them."""
        best = best_first(self.scores, self.pages, k)
        where = np.full(len(best), partition), self.segments[best], self.docs[best]
        return Candidates(self.scores[best], self.pages[best], *where), self.alone[best]


def linked(
    searcher: Searcher, anchors: AnchorIndex, plan: Plan, pages: Pages, worth: Floats, unfetched: bool
) -> Linked:
    """What links put forward in one partition; `worth` is what they add to the score of each page."""
    parts = [_nowhere()]
    parts += [_of_segment(searcher, number, plan, pages, worth) for number in _numbers(searcher)]
    if unfetched:
        parts.append(_unfetched(searcher, anchors, plan, pages, worth))
    values, rows, segments, docs, alone = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Linked(np.rint(values * LEVELS).astype(np.int64), pages[rows], segments, docs, alone)


def _numbers(searcher: Searcher) -> range:
    return range(len(searcher.snapshot.views))


def _nowhere() -> Part:
    none = np.empty(0, np.int64)
    return np.empty(0), none, none, none, np.empty(0, np.bool_)


def _of_segment(searcher: Searcher, number: int, plan: Plan, pages: Pages, worth: Floats) -> Part:
    """The pages that a segment has and the conditions allow; none where these ask for text: it is found."""
    if plan.decided:
        return _nowhere()
    segment = searcher.snapshot.views[number].segment
    places = segment.places(pages)
    rows = np.flatnonzero(places >= 0)
    rows = rows[np.argsort(places[rows])]
    rows = rows[searcher.allowed(number, plan, places[rows])]
    docs = places[rows]
    alone = np.ones(len(rows), np.bool_)
    for term in segment.look_up(plan.terms).numbers:
        if term >= 0 and len(docs):
            alone[hits(segment.postings, term, docs).rows] = False
    return searcher.by_site(number, docs, worth[rows]), rows, np.full(len(rows), number), docs, alone


def _unfetched(searcher: Searcher, anchors: AnchorIndex, plan: Plan, pages: Pages, worth: Floats) -> Part:
    """The pages that nobody has fetched, nor forbidden."""
    places = anchors.unfetched.rows(pages)
    rows = np.flatnonzero(places >= 0)
    for view in searcher.snapshot.views:  # one may have been fetched since
        rows = rows[view.segment.places(pages[rows]) < 0]
    rows = rows[answering(anchors, places[rows], plan.condition)]
    if searcher.has_site_rules:
        rows = rows[searcher.site_factors(UNFETCHED, places[rows]) > 0]
    values = searcher.by_site(UNFETCHED, places[rows], worth[rows])
    return values, rows, np.full(len(rows), UNFETCHED), places[rows], np.ones(len(rows), np.bool_)
