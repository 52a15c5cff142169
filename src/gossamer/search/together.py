"""How many documents hold two words, or hold them side by side? Counted in the postings, nothing is planned.

As in a query, a word is read in each language, and both must be read in the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.index.snapshot import SegmentView
from gossamer.kernel import kernels_are_loaded
from gossamer.search.condition import All, Condition, Reading, Row
from gossamer.search.restrict import Restriction
from gossamer.search.together_kernel import count_pairs

EVERY = np.empty(0, np.bool_)  # the mask that rules nothing out
NOT_MIXED = np.empty(0, np.int64)

Pair = tuple[Reading, Reading]  # the readings of two words, in the same languages


def counted(views: Iterable[SegmentView], pairs: Sequence[Pair], side_by_side: bool) -> list[int]:
    """Of each pair, how many living documents hold both words; side by side: the second behind the first."""
    counts = np.zeros(len(pairs), np.int64)
    for view in views:
        if kernels_are_loaded():
            _count(view, pairs, side_by_side, counts)
        else:
            counts += [_counted_without_kernel(view, pair, side_by_side) for pair in pairs]
    found: list[int] = counts.tolist()
    return found


def _count(view: SegmentView, pairs: Sequence[Pair], side_by_side: bool, counts: NDArray[np.int64]) -> None:
    segment = view.segment
    terms = tuple(dict.fromkeys(term for pair in pairs for reading in pair for term in reading))
    number = dict(zip(terms, segment.look_up(terms).numbers, strict=True))
    known = [
        (place, number[one], number[other])
        for place, pair in enumerate(pairs)
        for one, other in zip(*pair, strict=True)
        if number[one] >= 0 and number[other] >= 0
    ]
    if not known:
        return
    postings = segment.postings
    # A page with passages may hold the words in several languages.
    is_mixed = len(known) > 1 and len(segment.columns.passage_names)
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
    )


def _counted_without_kernel(view: SegmentView, pair: Pair, side_by_side: bool) -> int:
    wanted: Condition = Row(pair) if side_by_side else All(tuple([Row((word,)) for word in pair]))
    return int(np.count_nonzero(Restriction(view).allowed(wanted)))
