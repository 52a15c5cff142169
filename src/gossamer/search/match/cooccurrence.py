# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Count the documents that hold two words.

As in a query, each word is analysed in every language, and both must match in the same language.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.cursor import END, frequency_of, next_common, read_positions
from gossamer.index.postings import Postings
from gossamer.index.segment import EVERY, SegmentView
from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.query.conditions import TermVariants, mark_of
from gossamer.search.match.phrases import Docs, follow, holds_any, keep_whole

# Kernels: count word pairs
# -------------------------
#
# The rarer term of a pair leads, and both cursors skip documents without the other term. Positions are
# read only in documents that hold both terms.


@unchecked_part
def _stand_side_by_side(
    postings: Postings,
    one: int,
    other: int,
    lengths: NDArray[np.uint32],
    doc: int,
    starts: NDArray[np.int64],
    others: NDArray[np.int64],
) -> bool:
    """Return whether a position of `other` directly follows one of `one`, in the same field."""
    end = read_positions(postings, one, starts, 0)
    other_end = read_positions(postings, other, others, 0)
    end = follow(starts, 0, end, others, other_end, 1)
    return keep_whole(lengths, doc, -1, 2, starts, 0, end) > 0


@unchecked_kernel
def count_pairs(
    pairs: NDArray[np.int64],
    postings: Postings,
    lengths: NDArray[np.uint32],
    alive: NDArray[np.bool_],
    counted_for: NDArray[np.int64],
    longest: int,
    side_by_side: bool,
    counts: NDArray[np.int64],
    docs: NDArray[np.int64],
) -> None:
    """Add to counts[i] the number of documents that hold both terms of each pair (i, one term, the other).

    The documents are written to `docs`, unless it is empty: pair by pair, in ascending order. An empty
    `alive` means that no document is deleted. `counted_for` is empty or has -1 for each document. If it is
    not empty, no document counts twice for pairs with the same i, which must be adjacent.
    """
    room = longest if side_by_side else 0
    starts, others = np.empty(room, np.int64), np.empty(room, np.int64)
    terms, cursors = np.empty(2, np.int64), np.empty(4, np.int64)
    found = 0
    for row in range(len(pairs)):
        place, one, other = pairs[row, 0], pairs[row, 1], pairs[row, 2]
        first = 0 if frequency_of(postings, one) <= frequency_of(postings, other) else 1
        terms[first], terms[1 - first] = one, other
        cursors[:] = 0
        doc = next_common(postings, terms, 0, cursors)
        while doc < END:
            if (
                (len(alive) == 0 or alive[doc])
                and (len(counted_for) == 0 or counted_for[doc] != place)
                and (
                    not side_by_side
                    or _stand_side_by_side(postings, cursors[2 * first + 1], cursors[3 - 2 * first], lengths,
                                           doc, starts, others)
                )
            ):  # fmt: skip
                if len(counted_for):
                    counted_for[doc] = place
                counts[place] += 1
                if len(docs):
                    docs[found] = doc
                    found += 1
            doc = next_common(postings, terms, doc + 1, cursors)


NOT_MIXED = NOWHERE = np.empty(0, np.int64)
Pair = tuple[TermVariants, TermVariants]  # the terms of two words
TermPair = tuple[int, str, str]  # the number of a pair, and a term of each word in the same language


@dataclass(frozen=True, slots=True)
class WordForms:
    """The terms of a word, with its other forms: two adjacent parts, and compounds that contain it."""

    word: TermVariants
    parts: Pair | None = None
    longer: TermVariants = ()

    @property
    def is_plain(self) -> bool:
        """Whether the word has no other forms."""
        return self.parts is None and not self.longer

    def documents(self, view: SegmentView) -> Docs:
        """Return the documents that hold the word, in ascending order."""
        found = map(view.segment.postings.documents, self._numbers(view))
        rows = [side_by_side_in(view, self.parts)] if self.parts else []
        return np.unique(np.concatenate([NOWHERE, *found, *rows]))

    def held_by(self, view: SegmentView, docs: Docs) -> NDArray[np.bool_]:
        """Return which documents hold the word."""
        if self.parts:
            return np.isin(docs, self.documents(view), assume_unique=True)
        return holds_any(view.segment.postings, self._numbers(view), docs)

    def _numbers(self, view: SegmentView) -> list[int]:
        """Return the numbers of its terms in a segment."""
        return [number for number in view.segment.look_up(self.word + self.longer).numbers if number >= 0]


def counted_as_written(views: Iterable[SegmentView], one: WordForms, other: WordForms) -> int:
    """Return the number of live documents that hold two words in any of their forms.

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
    """Return for each pair the number of live documents with both words; if `side_by_side`, adjacent."""
    counts = np.zeros(len(pairs), np.int64)
    terms, several = _terms(pairs)
    for view in views:
        _count(view, terms, several, side_by_side, counts)
    return counts.tolist()


def side_by_side_in(view: SegmentView, pair: Pair) -> Docs:
    """Return the live documents in which the second word directly follows the first."""
    # Each document is found once for all terms of a word, so the frequency of the rarer word is a limit.
    most = min(sum(view.segment.look_up(word).frequencies) for word in pair)
    docs, counts = np.empty(most, np.int64), np.zeros(1, np.int64)
    if most:
        _count(view, *_terms([pair]), True, counts, docs)
    return np.sort(docs[: counts[0]])


def _terms(pairs: Sequence[Pair]) -> tuple[list[TermPair], bool]:
    """Return the pairs of terms of each pair, and whether a word has several terms in one language."""
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
    # A page may hold several terms of one word and, with passages, the words in several languages.
    is_mixed = len(known) > 1 and (several or len(segment.columns.passage_names))
    count_pairs(
        np.array(known, np.int64),
        segment.postings,
        segment.columns.lengths,
        view.alive() if len(view.deleted) else EVERY,
        np.full(segment.documents, -1) if is_mixed else NOT_MIXED,
        segment.longest if side_by_side else 0,
        side_by_side,
        counts,
        docs,
    )
