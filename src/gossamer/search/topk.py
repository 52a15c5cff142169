"""The retrieval algorithms by name, on one segment: the best k documents, best first, ties by fingerprint."""

from __future__ import annotations

import numpy as np

from gossamer.kernel import kernels_are_loaded
from gossamer.search.blockmax import blockmax
from gossamer.search.champion import champion
from gossamer.search.count_kernel import count_matches as count_kernel
from gossamer.search.exhaustive import exhaustive
from gossamer.search.maxscore import maxscore
from gossamer.search.task import Algorithm, Ranking, Task, best_first
from gossamer.search.threshold import threshold

AUTO = "auto"  # whichever of the exact ones answers sooner

ALGORITHMS: dict[str, Algorithm] = {
    "blockmax": blockmax,
    "maxscore": maxscore,
    "exhaustive": exhaustive,
    "threshold": threshold,
    "champion": champion,
}
EXACT = tuple(name for name in ALGORITHMS if name != "champion")


def count_matches(task: Task) -> int:
    """How many allowed documents hold any of the terms."""
    postings = task.postings
    if len(task.terms) == 1 and not len(task.allowed):
        return postings.frequency(int(task.terms[0]))
    if kernels_are_loaded():
        return count_kernel(
            task.terms,
            postings.term_entries,
            postings.entry_ranges,
            postings.entry_postings,
            postings.posting_docs,
            len(task.factors.highest),
            task.allowed,
        )
    found = np.zeros(len(task.fingerprints), np.bool_)
    for term in task.terms.tolist():
        found[postings.documents(term)] = True
    return int(np.count_nonzero(found & task.allowed if len(task.allowed) else found))


def by_factor(task: Task, k: int) -> Ranking:
    """For a query that only restricts: the allowed documents by static rank alone."""
    docs = np.flatnonzero(task.allowed) if len(task.allowed) else np.arange(len(task.fingerprints))
    scores = task.factors.of_document[docs].astype(np.int64)
    return best_first(scores, task.fingerprints[docs], docs, k)


def with_unranked(task: Task, k: int, ranking: Ranking) -> Ranking:
    """Where documents match that hold none of the terms: they follow the others, with no score."""
    if len(ranking[2]) >= k:
        return ranking
    silent = task.allowed.copy()
    silent[ranking[2]] = False
    docs = np.flatnonzero(silent)
    rest = best_first(np.zeros(len(docs), np.int64), task.fingerprints[docs], docs, k - len(ranking[2]))
    scores, fingerprints, found = (np.concatenate(pair) for pair in zip(ranking, rest, strict=True))
    return scores, fingerprints, found
