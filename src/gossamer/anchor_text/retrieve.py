# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""Candidates found by anchor text alone.

The first phase of a search finds pages by their own words. Pages whose anchor text has words of the query
become candidates too. The best of them are chosen by

    sum over words t of  idf(t) * w tf(t, d) / (k1 + w tf(t, d))

times the owner's factor for the site. tf is that of `anchor_text.score`, w is the weight of anchor text.
If the query demands a text (a phrase, a field, words joined by operators), the page itself must have it, and
anchor text only adds to its score. An unfetched page may have it in its anchor text instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from gossamer.anchor_text.score import AnchorFrequencies, AnchorIndex, Floats, Pages
from gossamer.index.cursor import lower_bound, seek
from gossamer.index.postings import RANGE_BITS, RANGE_SIZE, Postings
from gossamer.index.segment import Segment
from gossamer.kernels.kernel import prefetch, unchecked_kernel, unchecked_part
from gossamer.model import UNFETCHED, Site
from gossamer.query.conditions import (
    All,
    Condition,
    Either,
    Except,
    InAnchorText,
    NearTerms,
    Plan,
    TermSequence,
)
from gossamer.search.candidates import NOBODY, Candidates, best_first, best_of, joined
from gossamer.search.match.filters import hosts_below
from gossamer.search.searcher import Searcher

# Kernels: anchor-text candidates
# -------------------------------

ROW_BITS = 32  # the low bits of a key: the row of a page, below the number of its document
ROW = (1 << 32) - 1
AS_QUICK = 40  # postings that can be marked in the time of one binary search
AHEAD = 8  # how many pages ahead entries are prefetched, because they are far apart in memory


@unchecked_kernel
def worth_of(
    frequencies: NDArray[np.float64],
    share: float,
    weights: NDArray[np.float64],
    k1: float,
    worth: NDArray[np.float64],
) -> None:
    """Fill in what anchor text adds to the score of each page; see the formula of this module."""
    for row in range(np.uint64(len(frequencies))):
        total = 0.0
        for word in range(np.uint64(len(weights))):
            weighted = share * frequencies[row, word]
            total += weights[word] * weighted / (k1 + weighted)
        worth[row] = total


@unchecked_kernel
def find_pages(
    pages: NDArray[np.uint64],
    fingerprints: NDArray[np.uint64],
    docs: NDArray[np.int64],
    begins: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    keys: NDArray[np.int64],
) -> int:
    """Fill in a key for each page that the segment has; return their number.

    `fingerprints` are ascending, docs[i] is the document with fingerprints[i], begins[h] is the first place
    whose leading bits are h. An empty `allowed` allows every document.
    """
    found, every = 0, len(allowed) == 0
    shift = np.uint64(64)
    while len(begins) - 1 > 1 << (np.uint64(64) - shift):
        shift -= np.uint64(1)
    for row in range(len(pages)):
        if row + AHEAD < len(pages) and shift < np.uint64(64):
            ahead = np.uint64(begins[pages[row + AHEAD] >> shift])
            prefetch(fingerprints, ahead)
            prefetch(docs, ahead)
        head = np.uint64(0)
        if shift < np.uint64(64):
            head = pages[row] >> shift
        place = lower_bound(fingerprints, begins[head], begins[head + np.uint64(1)], pages[row])
        if place == len(fingerprints) or fingerprints[place] != pages[row]:
            continue
        if every or allowed[docs[place]]:
            keys[found] = (docs[place] << ROW_BITS) | row
            found += 1
    return found


@unchecked_part
def tick(
    begin: int, end: int, posting_docs: NDArray[np.uint16], docs: NDArray[np.int64], first: int, last: int,
    ticks: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Mark the documents of a range that have postings: at least those in docs[first:last]."""
    if end - begin <= AS_QUICK * (last - first):
        for posting in range(np.uint64(begin), np.uint64(end)):
            ticks[posting_docs[posting]] = True
        return
    for i in range(first, last):
        within = docs[i] & (RANGE_SIZE - 1)
        begin = seek(posting_docs, begin, end, within)
        if begin < end and posting_docs[begin] == within:
            ticks[within] = True


@unchecked_kernel
def find_silent(
    docs: NDArray[np.int64], terms: NDArray[np.int64], postings: Postings, silent: NDArray[np.bool_]
) -> int:
    """Fill in which documents (ascending) have none of the terms; return their number.

    The documents with a term are marked range by range, in an array that fits into the L1 cache. This is
    faster than to look up each document in the postings.
    """
    term_entries, entry_ranges = postings.term_entries, postings.entry_ranges
    entry_postings, posting_docs = postings.entry_postings, postings.posting_docs
    ticks = np.empty(RANGE_SIZE, np.bool_)
    entries = np.empty(len(terms), np.int64)
    for t in range(len(terms)):
        entries[t] = term_entries[terms[t]]
    first, count = 0, 0
    while first < len(docs):
        number = docs[first] >> RANGE_BITS
        last = first + 1
        while last < len(docs) and docs[last] >> RANGE_BITS == number:
            last += 1
        ticks[:] = False
        for t in range(len(terms)):
            end = np.int64(term_entries[terms[t] + 1])
            entry = seek(entry_ranges, entries[t], end, number)
            entries[t] = entry
            if entry < end and entry_ranges[entry] == number:
                begin, behind = np.int64(entry_postings[entry]), np.int64(entry_postings[entry + 1])
                tick(begin, behind, posting_docs, docs, first, last, ticks)
        for i in range(first, last):
            silent[i] = not ticks[docs[i] & (RANGE_SIZE - 1)]
            count += silent[i]
        first = last
    return count


# Unfetched pages that match a query
# ----------------------------------
#
# Words are looked up in the anchor text of the page. Conditions on a part of the page, its type, language
# or date do not hold, because these are unknown.

Mask = NDArray[np.bool_]


def matching_unfetched(anchors: AnchorIndex, rows: NDArray[np.int64], condition: Condition | None) -> Mask:
    """Which of these rows of `anchors.unfetched` satisfy a condition."""
    if condition is None:
        return np.ones(len(rows), np.bool_)
    match condition:
        case All(parts):
            return reduce(np.logical_and, [matching_unfetched(anchors, rows, part) for part in parts])
        case Either(parts):
            return reduce(np.logical_or, [matching_unfetched(anchors, rows, part) for part in parts])
        case Except(part):
            return ~matching_unfetched(anchors, rows, part)
        case Site(host):
            return hosts_below(anchors.unfetched.host_names, host)[anchors.unfetched.host_ids[rows]]
        case InAnchorText() | NearTerms() | TermSequence(field=None):
            return np.isin(anchors.unfetched.fingerprints[rows], anchors(condition))
    return np.zeros(len(rows), np.bool_)


LEVELS = 1_000_000  # for a score of 1: the scores of candidates are whole numbers
Numbers = NDArray[np.int64]
Terms = Sequence[int]  # numbers of a segment

# Scores, rows of the pages, segments, documents, and whether anchor text alone finds each of them.
Part = tuple[Floats, Numbers, Numbers, Numbers, Mask]


@dataclass(frozen=True, slots=True)
class AnchorCandidates:
    """Documents found by anchor text, in any order."""

    candidates: Candidates
    alone: Mask  # whether the document has no word of the query itself

    @classmethod
    def joined(cls, parts: Sequence[AnchorCandidates]) -> AnchorCandidates:
        """Join the candidates of all partitions."""
        if len(parts) == 1:
            return parts[0]
        alone = [np.empty(0, np.bool_), *(part.alone for part in parts)]
        return cls(joined([part.candidates for part in parts]), np.concatenate(alone))

    @property
    def more(self) -> int:
        """How many candidates are found by anchor text alone."""
        return int(np.count_nonzero(self.alone))

    def beside(self, known: Candidates, k: int) -> Candidates:
        """The candidates among the best k, without those in `known`, in any order."""
        own = self.candidates
        return own.taken(best_of(own.scores, own.pages, k)).without(known)

    def last(self, known: Candidates, k: int) -> Candidates:
        """The candidates found only by anchor text, among the best k and not in `known`; best first."""
        best = best_first(self.candidates.scores, self.candidates.pages, k)
        return self.candidates.taken(best[self.alone[best]]).without(known)


NOTHING_LINKED = AnchorCandidates(NOBODY, np.empty(0, np.bool_))


def anchor_candidates(
    searcher: Searcher,
    anchors: AnchorIndex,
    plan: Plan,
    frequencies: AnchorFrequencies,
    worth: Floats,
    unfetched: bool,
) -> AnchorCandidates:
    """The candidates of one partition; `worth` is what anchor text adds to the score of each page."""
    segments = range(len(searcher.snapshot.views))
    parts = [_of_segment(searcher, number, plan, frequencies.pages, worth) for number in segments]
    if unfetched and len(anchors.unfetched.fingerprints):
        parts.append(_unfetched(searcher, anchors, plan, frequencies.pages, worth))
    if len(parts) == 1:
        values, rows, homes, docs, alone = parts[0]
    else:
        columns = zip(_nowhere(), *parts, strict=True)
        values, rows, homes, docs, alone = (np.concatenate(column) for column in columns)
    scores, partitions = np.rint(values * LEVELS).astype(np.int64), np.full(len(rows), searcher.partition)
    return AnchorCandidates(Candidates(scores, frequencies.pages[rows], partitions, homes, docs), alone)


def _nowhere() -> Part:
    none = np.empty(0, np.int64)
    return np.empty(0), none, none, none, np.empty(0, np.bool_)


def _of_segment(searcher: Searcher, number: int, plan: Plan, pages: Pages, worth: Floats) -> Part:
    """The pages that the segment has and that the conditions allow."""
    if plan.decided:  # the condition alone decides, and the first phase finds all that matches
        return _nowhere()
    segment, allowed = searcher.snapshot.views[number].segment, searcher.mask(number, plan)
    terms = [term for term in segment.look_up(plan.terms).numbers if term >= 0]
    rows, docs, alone = found_in(segment, pages, allowed, terms)
    return searcher.by_site(number, docs, worth[rows]), rows, np.full(len(rows), number), docs, alone


def found_in(segment: Segment, pages: Pages, allowed: Mask, terms: Terms) -> tuple[Numbers, Numbers, Mask]:
    """Look up pages in a segment: their rows, their documents (ascending), and which have none of the terms.

    Document and row are packed into one number, because this sorts fastest.
    """
    keys = np.empty(len(pages), np.int64)
    keys = keys[: find_pages(pages, *segment.by_fingerprint, segment.heads, allowed, keys)]
    keys.sort()
    rows, docs, alone = keys & ROW, keys >> ROW_BITS, np.empty(len(keys), np.bool_)
    find_silent(docs, np.array(terms, np.int64), segment.postings, alone)
    return rows, docs, alone


def _unfetched(searcher: Searcher, anchors: AnchorIndex, plan: Plan, pages: Pages, worth: Floats) -> Part:
    """The unfetched pages that satisfy the query and that the owner does not block."""
    places = anchors.unfetched.rows(pages)
    rows = np.flatnonzero(places >= 0)
    for view in searcher.snapshot.views:  # a page may have been fetched since
        rows = rows[view.segment.places(pages[rows]) < 0]
    rows = rows[matching_unfetched(anchors, places[rows], plan.condition)]
    if searcher.has_site_rules:
        rows = rows[searcher.site_factors(UNFETCHED, places[rows]) > 0]
    values = searcher.by_site(UNFETCHED, places[rows], worth[rows])
    return values, rows, np.full(len(rows), UNFETCHED), places[rows], np.ones(len(rows), np.bool_)
