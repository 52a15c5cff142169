"""`exhaustive`: every posting of every term, in plain NumPy.

The computation that the clever ones must agree with, and the quickest where loading compiled code would take
longer than the search.
"""

from __future__ import annotations

import numpy as np

from gossamer.search.task import Ranking, Task, best_first


def exhaustive(task: Task, k: int) -> Ranking:
    """The best k documents of the segment."""
    totals = np.zeros(len(task.fingerprints), np.int64)
    for term, weight in zip(task.terms.tolist(), task.weights.tolist(), strict=True):
        totals[task.postings.documents(term)] += weight * task.impacts.of_term(term).astype(np.int64)
    if len(task.allowed):
        totals[~task.allowed] = 0
    docs = np.flatnonzero(totals)
    scores = totals[docs] * task.factors.of_document[docs].astype(np.int64)
    if 0 < k < len(scores):
        # Only what reaches the k-th best score need be sorted: ties included, as fingerprints decide them.
        reaching = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
        docs, scores = docs[reaching], scores[reaching]
    return best_first(scores, task.fingerprints[docs], docs, k)
