"""Which pages do links put forward, whatever the pages themselves say?

The first phase finds pages by their own words. Those of which links say words of the query are candidates
too: the best of them by

    sum over words t of  idf(t) * w tf(t, d) / (k1 + w tf(t, d))

with tf as in `said`; w is the weight of what links say; times what the owner makes of their sites. Where the
query asks for a text (a phrase, a field, words joined by operators), a page must hold that itself, and links
only add to its score; a page that was not fetched answers by what links say of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import Segment
from gossamer.kernel import kernels_are_loaded
from gossamer.model import UNFETCHED
from gossamer.search.anchors import AnchorIndex
from gossamer.search.candidates import NOBODY, Candidates, best_first, best_of, joined
from gossamer.search.hits import hits
from gossamer.search.linked_kernel import ROW, ROW_BITS, find_pages, find_silent
from gossamer.search.plan import Plan
from gossamer.search.said import Floats, Pages, Said
from gossamer.search.searcher import Searcher
from gossamer.search.unfetched import answering

LEVELS = 1_000_000  # of a score of 1: candidates have whole numbers

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Terms = Sequence[int]  # numbers of a segment
# What it is worth, which of the pages, segments, documents, whether alone.
Part = tuple[Floats, Numbers, Numbers, Numbers, Mask]


@dataclass(frozen=True, slots=True)
class Linked:
    """Documents that links put forward, in any order."""

    candidates: Candidates
    alone: Mask  # whether nothing but links speaks for each of them

    @classmethod
    def joined(cls, parts: Sequence[Linked]) -> Linked:
        """Those of all partitions."""
        if len(parts) == 1:
            return parts[0]
        alone = [np.empty(0, np.bool_), *(part.alone for part in parts)]
        return cls(joined([part.candidates for part in parts]), np.concatenate(alone))

    @property
    def more(self) -> int:
        """For how many nothing but links speaks."""
        return int(np.count_nonzero(self.alone))

    def beside(self, known: Candidates, k: int) -> Candidates:
        """Those of the best k that are not known, in any order."""
        own = self.candidates
        return own.taken(best_of(own.scores, own.pages, k)).without(known)

    def last(self, known: Candidates, k: int) -> Candidates:
        """Those of the best k that are not known and for which nothing but links speaks, best first."""
        best = best_first(self.candidates.scores, self.candidates.pages, k)
        return self.candidates.taken(best[self.alone[best]]).without(known)


NOTHING_LINKED = Linked(NOBODY, np.empty(0, np.bool_))


def linked(
    searcher: Searcher, anchors: AnchorIndex, plan: Plan, said: Said, worth: Floats, unfetched: bool
) -> Linked:
    """What links put forward in one partition; `worth` is what they add to the score of each page."""
    parts = [_of_segment(searcher, number, plan, said, worth) for number in _numbers(searcher)]
    if unfetched and len(anchors.unfetched.fingerprints):
        parts.append(_unfetched(searcher, anchors, plan, said.pages, worth))
    if len(parts) == 1:
        values, rows, segments, docs, alone = parts[0]
    else:
        columns = zip(_nowhere(), *parts, strict=True)
        values, rows, segments, docs, alone = (np.concatenate(column) for column in columns)
    scores, partitions = np.rint(values * LEVELS).astype(np.int64), np.full(len(rows), searcher.partition)
    return Linked(Candidates(scores, said.pages[rows], partitions, segments, docs), alone)


def _numbers(searcher: Searcher) -> range:
    return range(len(searcher.snapshot.views))


def _nowhere() -> Part:
    none = np.empty(0, np.int64)
    return np.empty(0), none, none, none, np.empty(0, np.bool_)


def _of_segment(searcher: Searcher, number: int, plan: Plan, said: Said, worth: Floats) -> Part:
    """The pages that a segment has and the conditions allow; none where these ask for text: it is found."""
    if plan.decided:
        return _nowhere()
    segment, allowed = searcher.snapshot.views[number].segment, searcher.mask(number, plan)
    terms = [term for term in segment.look_up(plan.terms).numbers if term >= 0]
    find = _found_compiled if kernels_are_loaded() else _found
    rows, docs, alone = find(segment, said, allowed, terms)
    return searcher.by_site(number, docs, worth[rows]), rows, np.full(len(rows), number), docs, alone


def _found(segment: Segment, said: Said, allowed: Mask, terms: Terms) -> tuple[Numbers, Numbers, Mask]:
    """Which of the pages a segment has, as which rising documents, and whether each holds no term."""
    places = segment.places(said.pages)
    rows = np.flatnonzero(places >= 0)
    rows = rows[np.argsort(places[rows])]
    rows = rows[allowed[places[rows]]] if len(allowed) else rows
    docs = places[rows]
    alone = np.ones(len(rows), np.bool_)
    for term in terms:
        alone[hits(segment.postings, term, docs).rows] = False
    return rows, docs, alone


def _found_compiled(
    segment: Segment, said: Said, allowed: Mask, terms: Terms
) -> tuple[Numbers, Numbers, Mask]:
    """The same; one number holds a document and its row, as these are sorted in the least time."""
    keys, postings = np.empty(len(said.pages), np.int64), segment.postings
    keys = keys[: find_pages(said.pages, *segment.by_fingerprint, segment.heads, allowed, keys)]
    keys.sort()
    rows, docs, alone = keys & ROW, keys >> ROW_BITS, np.empty(len(keys), np.bool_)
    find_silent(
        docs,
        np.array(terms, np.int64),
        postings.term_entries,
        postings.entry_ranges,
        postings.entry_postings,
        postings.posting_docs,
        alone,
    )
    return rows, docs, alone


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
