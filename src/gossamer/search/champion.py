"""`champion`: only documents that are among the strongest of some term are scored. Not exact.

A term's champion list holds the documents with its highest impacts. The answer is the best k of the union of
the query's lists, scored in full; a document that holds all terms, none of them very strongly, is missed. How
many of the exact best were found is said with the results (`phases.Search.recall`). Reference: Manning,
Raghavan, Schütze, "Introduction to Information Retrieval", 2008, section 7.1.3.
"""

from __future__ import annotations

import numpy as np

from gossamer.search.task import Ranking, Task, best_first

CHAMPIONS = 1000  # documents of a term


def champion(task: Task, k: int, champions: int = CHAMPIONS) -> Ranking:
    """The best k of the documents that are on a champion list."""
    lists = [task.impacts.falling(term)[0][:champions] for term in task.terms.tolist()]
    docs = np.unique(np.concatenate([np.empty(0, np.int64), *lists]))
    docs = docs[task.allowed[docs]] if len(task.allowed) else docs
    sums = np.zeros(len(docs), np.int64)
    for term, weight in zip(task.terms.tolist(), task.weights.tolist(), strict=True):
        sums += weight * task.impacts.at(term, docs)
    scores = sums * task.factors.of_document[docs].astype(np.int64)
    return best_first(scores, task.fingerprints[docs], docs, k)
