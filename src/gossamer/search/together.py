"""How many documents hold two words, or hold them side by side? Counted in the postings, nothing is planned.

As in a query, a word is read in each language, and both must be read in the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.snapshot import SegmentView
from gossamer.kernel import kernels_are_loaded
from gossamer.search.condition import All, Condition, Reading, Row
from gossamer.search.hits import Docs, hits
from gossamer.search.plan import mark_of
from gossamer.search.restrict import Restriction
from gossamer.search.together_kernel import count_pairs

EVERY = np.empty(0, np.bool_)  # the mask that rules nothing out
NOT_MIXED = NOWHERE = np.empty(0, np.int64)

Pair = tuple[Reading, Reading]  # the terms of two words
TermPair = tuple[int, str, str]  # which pair, and a term of each word, both of one language


@dataclass(frozen=True, slots=True)
class Written:
    """A word in each language, and what else may stand for it: its two parts in a row, compounds with it."""

    word: Reading
    parts: Pair | None = None
    longer: Reading = ()

    @property
    def is_plain(self) -> bool:
        return self.parts is None and not self.longer

    def documents(self, view: SegmentView) -> Docs:
        """The documents that hold it, rising."""
        terms = self.word + self.longer
        known = [number for number in view.segment.look_up(terms).numbers if number >= 0]
        found = [view.segment.postings.documents(number) for number in known]
        rows = [side_by_side_in(view, self.parts)] if self.parts else []
        return np.unique(np.concatenate([NOWHERE, *found, *rows]))

    def held_by(self, view: SegmentView, docs: Docs) -> NDArray[np.bool_]:
        """Which of these documents hold it."""
        if self.parts:
            return np.isin(docs, self.documents(view), assume_unique=True)
        mask = np.zeros(len(docs), np.bool_)
        for number in view.segment.look_up(self.word + self.longer).numbers:
            if number >= 0:
                mask[hits(view.segment.postings, number, docs).rows] = True
        return mask


def counted_as_written(views: Iterable[SegmentView], one: Written, other: Written) -> int:
    """How many living documents hold both of two words, however they are written.

    No page may have passages in other languages.
    """
    first, second = sorted((one, other), key=lambda word: word.is_plain)
    total = 0
    for view in views:
        docs = first.documents(view)
        docs = docs[second.held_by(view, docs)]
        total += len(docs) - int(np.isin(docs, view.deleted).sum()) if len(docs) else 0
    return total


def counted(views: Sequence[SegmentView], pairs: Sequence[Pair], side_by_side: bool) -> list[int]:
    """Of each pair, how many living documents hold both words; side by side: the second behind the first."""
    if not kernels_are_loaded():
        return [sum(_counted_without_kernel(view, pair, side_by_side) for view in views) for pair in pairs]
    counts = np.zeros(len(pairs), np.int64)
    terms, several = _terms(pairs)
    for view in views:
        _count(view, terms, several, side_by_side, counts)
    found: list[int] = counts.tolist()
    return found


def side_by_side_in(view: SegmentView, pair: Pair) -> Docs:
    """The living documents that hold the second word right behind the first."""
    if not kernels_are_loaded():
        return np.flatnonzero(Restriction(view).allowed(Row(pair)))
    # Each document is found once for all terms of a word, and the rarer word has as many as its terms do.
    most = min(sum(view.segment.look_up(word).frequencies) for word in pair)
    docs, counts = np.empty(most, np.int64), np.zeros(1, np.int64)
    if most:
        _count(view, *_terms([pair]), True, counts, docs)
    return np.sort(docs[: counts[0]])


def _terms(pairs: Sequence[Pair]) -> tuple[list[TermPair], bool]:
    """Which terms make each pair; whether a word has several terms in one language."""
    by_mark = [[(mark_of(one), one) for one in word] for pair in pairs for word in pair]
    several = any(len({mark for mark, _ in word}) < len(word) for word in by_mark)
    found = [
        (place, one, other)
        for place in range(len(pairs))
        for mark, one in by_mark[2 * place]
        for same, other in by_mark[2 * place + 1]
        if mark == same
    ]
    return found, several


def _count(
    view: SegmentView,
    pairs: Sequence[TermPair],
    several: bool,
    side_by_side: bool,
    counts: NDArray[np.int64],
    docs: Docs = NOWHERE,
) -> None:
    segment = view.segment
    terms = tuple(dict.fromkeys(term for pair in pairs for term in pair[1:]))
    number = dict(zip(terms, segment.look_up(terms).numbers, strict=True))
    known = [
        (place, number[one], number[other])
        for place, one, other in pairs
        if number[one] >= 0 and number[other] >= 0
    ]
    if not known:
        return
    postings = segment.postings
    # A page with passages may hold the words in several languages, any page several terms of one word.
    is_mixed = len(known) > 1 and (several or len(segment.columns.passage_names))
    count_pairs(
        np.array(known, np.int64),
        postings.term_entries,
        postings.entry_ranges,
        postings.entry_postings,
        postings.posting_docs,
        postings.position_blocks,
        postings.positions,
        segment.columns.lengths,
        view.alive() if len(view.deleted) else EVERY,
        np.full(segment.documents, -1) if is_mixed else NOT_MIXED,
        segment.longest if side_by_side else 0,
        side_by_side,
        counts,
        docs,
    )


def _counted_without_kernel(view: SegmentView, pair: Pair, side_by_side: bool) -> int:
    wanted: Condition = Row(pair) if side_by_side else All(tuple([Row((word,)) for word in pair]))
    return int(np.count_nonzero(Restriction(view).allowed(wanted)))
