"""`conjunction`: the best of the documents that hold all terms of a task. Exact."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernels_are_loaded
from gossamer.search.conjunction_kernel import conjunction as conjunction_kernel
from gossamer.search.count_kernel import count_common as count_kernel
from gossamer.search.task import Ranking, Task, best_first, empty_ranking

FEW_POSTINGS = 1_000_000  # intersected in less time than it takes to load a kernel


ANY_PLACE = np.empty(0, np.int64)  # the row of terms that may stand anywhere
NO_LENGTHS = np.empty((0, 0), np.uint32)


@dataclass(frozen=True, slots=True)
class Rows:
    """Words that must stand one behind the other, as places among a task's terms; lengths of documents."""

    row: NDArray[np.int64] = field(default_factory=lambda: ANY_PLACE)
    lengths: NDArray[np.uint32] = field(default_factory=lambda: NO_LENGTHS)  # documents x fields
    longest: int = 0


ANYWHERE = Rows()


def conjunction(task: Task, k: int, rows: Rows = ANYWHERE) -> Ranking:
    """The best k documents; the task has a term or more, and every word of the query is among them.

    Rows are looked for in compiled code only.
    """
    small = not kernels_are_loaded() and sum(_frequencies(task)) <= FEW_POSTINGS
    if small and not len(rows.row):
        return conjunction_without_kernel(task, k)
    floor = task.floor_for(k)
    k = min(k, len(task.fingerprints))
    scores, fingerprints, docs = empty_ranking(k)
    if not k:
        return scores, fingerprints, docs
    found = conjunction_kernel(
        task.terms,
        task.weights,
        *task.impacts.arrays[:-1],
        task.fingerprints,
        task.allowed,
        task.factors.of_document,
        task.factors.highest,
        rows.row,
        task.postings.position_blocks,
        task.postings.positions,
        rows.lengths,
        rows.longest,
        floor,
        scores,
        fingerprints,
        docs,
    )
    return scores[:found], fingerprints[:found], docs[:found]


def conjunction_without_kernel(task: Task, k: int) -> Ranking:
    """The same, in plain NumPy."""
    docs = common_documents(task)
    sums = np.zeros(len(docs), np.int64)
    for term, weight in zip(task.terms.tolist(), task.weights.tolist(), strict=True):
        sums += weight * task.impacts.at(term, docs)
    scores = sums * task.factors.of_document[docs].astype(np.int64)
    return best_first(scores, task.fingerprints[docs], docs, k)


def common_documents(task: Task) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The allowed documents that hold all terms, rising."""
    lists = sorted((task.postings.documents(term) for term in task.terms.tolist()), key=len)
    docs = lists[0]
    for other in lists[1:]:
        places = np.minimum(np.searchsorted(other, docs), len(other) - 1)
        docs = docs[other[places] == docs]
    return docs[task.allowed[docs]] if len(task.allowed) else docs


def count_common(task: Task) -> int:
    """How many allowed documents hold all terms."""
    if not kernels_are_loaded() and sum(_frequencies(task)) <= FEW_POSTINGS:
        return len(common_documents(task))
    postings = task.postings
    rarest_first = sorted(task.terms.tolist(), key=postings.frequency)
    return count_kernel(
        np.array(rarest_first, np.int64),
        postings.term_entries,
        postings.entry_ranges,
        postings.entry_postings,
        postings.posting_docs,
        len(task.factors.highest),
        task.allowed,
    )


def _frequencies(task: Task) -> list[int]:
    return [task.postings.frequency(term) for term in task.terms.tolist()]
