"""`maxscore`: accumulates only the terms that can carry a document into the best k. Exact."""

from __future__ import annotations

from gossamer.search.maxscore_kernel import maxscore as maxscore_kernel
from gossamer.search.task import Ranking, Task, empty_ranking


def maxscore(task: Task, k: int) -> Ranking:
    """The best k documents of the segment; needs nothing but the postings."""
    floor = task.floor_for(k)
    k = min(k, len(task.fingerprints))
    scores, fingerprints, docs = empty_ranking(k)
    if not k or not len(task.terms):
        return scores[:0], fingerprints[:0], docs[:0]
    found = maxscore_kernel(
        task.terms,
        task.weights,
        task.postings.term_entries,
        task.postings.entry_ranges,
        task.impacts.highest,
        task.postings.entry_postings,
        task.postings.posting_docs,
        task.impacts.levels,
        task.fingerprints,
        task.allowed,
        task.factors.of_document,
        task.factors.highest,
        floor,
        scores,
        fingerprints,
        docs,
    )
    return scores[:found], fingerprints[:found], docs[:found]
