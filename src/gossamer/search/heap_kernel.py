# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""The best k documents so far: a heap with the worst of them on top.

A document stands behind another with a higher score, or with the same score and a smaller fingerprint. This
order is total, so whoever offers the same documents gets the same best k, in whatever order they come.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_part

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)


@unchecked_part
def worse(score: int, fingerprint: int, other_score: int, other_fingerprint: int) -> bool:
    """Whether the first stands behind the other."""
    return score < other_score or (score == other_score and fingerprint > other_fingerprint)


@unchecked_part
def offer(
    scores: NDArray[np.int64],
    fingerprints: NDArray[np.uint64],
    docs: NDArray[np.int64],
    size: int,
    score: int,
    fingerprint: int,
    doc: int,
) -> int:
    """Puts a document into the heap if it belongs there; returns the heap's size, as uint64."""
    if size < np.uint64(len(scores)):
        _rise(scores, fingerprints, docs, size, score, fingerprint, doc)
        return size + ONE
    if worse(scores[ZERO], fingerprints[ZERO], score, fingerprint):
        _sink(scores, fingerprints, docs, size, score, fingerprint, doc)
    return size


@unchecked_part
def _rise(
    scores: NDArray[np.int64],
    fingerprints: NDArray[np.uint64],
    docs: NDArray[np.int64],
    place: int,
    score: int,
    fingerprint: int,
    doc: int,
) -> None:
    """Puts a document at a free place at the end, or as far above it as better ones stand."""
    while place > ZERO:
        parent = (place - ONE) >> ONE
        if not worse(score, fingerprint, scores[parent], fingerprints[parent]):
            break
        scores[place] = scores[parent]
        fingerprints[place] = fingerprints[parent]
        docs[place] = docs[parent]
        place = parent
    scores[place] = score
    fingerprints[place] = fingerprint
    docs[place] = doc


@unchecked_part
def _sink(
    scores: NDArray[np.int64],
    fingerprints: NDArray[np.uint64],
    docs: NDArray[np.int64],
    size: int,
    score: int,
    fingerprint: int,
    doc: int,
) -> None:
    """Puts a document in the place of the top, or as far below it as others are worse."""
    place = ZERO
    while True:
        child = TWO * place + ONE
        if child >= size:
            break
        other = child + ONE
        if other < size and worse(scores[other], fingerprints[other], scores[child], fingerprints[child]):
            child = other
        if not worse(scores[child], fingerprints[child], score, fingerprint):
            break
        scores[place] = scores[child]
        fingerprints[place] = fingerprints[child]
        docs[place] = docs[child]
        place = child
    scores[place] = score
    fingerprints[place] = fingerprint
    docs[place] = doc


@unchecked_part
def put_best_first(
    scores: NDArray[np.int64], fingerprints: NDArray[np.uint64], docs: NDArray[np.int64], size: int
) -> None:
    """Sorts the heap where it stands: the worst goes to the end, again and again."""
    while size > ONE:
        size -= ONE
        score, fingerprint, doc = scores[size], fingerprints[size], docs[size]
        scores[size] = scores[ZERO]
        fingerprints[size] = fingerprints[ZERO]
        docs[size] = docs[ZERO]
        _sink(scores, fingerprints, docs, size, score, fingerprint, doc)
