# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator, call-overload"
"""Which terms do several results hold, and how alike do these make every two of them?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part

ALONE = -1  # instead of a term: only one result holds it
MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads numbers over the high bits (Knuth, vol. 3, 6.4)


@unchecked_kernel
def find_shared(
    names: NDArray[np.int64] | NDArray[np.uint32],
    starts: NDArray[np.int64],
    slots: NDArray[np.int64],
    terms: NDArray[np.int64],
    own: NDArray[np.int64],
    results: NDArray[np.int64],
) -> int:
    """Numbers the terms that several results hold, in the order in which they first come; how many there are.

    `slots` holds `ALONE`; their number is a power of two, larger than that of the names. `own` gets the names
    of the terms, `results` how many results hold each.
    """
    mask = np.uint64(len(slots) - 1)
    last = np.empty(len(names), np.int64)
    met = 0
    for result in range(len(starts) // 2):
        for at in range(starts[2 * result], starts[2 * result + 2]):
            mixed = np.uint64(names[at]) * MIX
            slot = (mixed >> np.uint64(32)) & mask
            while slots[slot] != ALONE and own[slots[slot]] != names[at]:
                slot = (slot + np.uint64(1)) & mask
            if slots[slot] == ALONE:
                slots[slot] = met
                own[met], results[met], last[met] = names[at], 1, result
                met += 1
            term = slots[slot]
            if last[term] != result:
                last[term] = result
                results[term] += 1
            terms[at] = term
    count = 0
    for term in range(met):
        last[term] = ALONE
        if results[term] > 1:
            last[term] = count
            own[count], results[count] = own[term], results[term]
            count += 1
    for at in range(len(names)):
        terms[at] = last[terms[at]]
    return count


@unchecked_part
def list_holders(
    terms: NDArray[np.int64],
    starts: NDArray[np.int64],
    weights: NDArray[np.int64],
    title: int,
    ends: NDArray[np.int64],
    holders: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Lists for each term that weighs something who holds it, and how often.

    ends[t] is where the list of term t begins; it goes on to its end. `counts` holds ALONE.
    """
    for result in range(len(starts) // 2):
        for at in range(starts[2 * result], starts[2 * result + 2]):
            term = terms[at]
            if term == ALONE or weights[term] == 0:
                continue
            end = ends[term]
            if counts[end] == ALONE:
                holders[end], counts[end] = result, 0
            elif holders[end] != result:
                end += 1
                ends[term] = end
                holders[end], counts[end] = result, 0
            counts[end] += title if at < starts[2 * result + 1] else 1


@unchecked_kernel
def compare(
    terms: NDArray[np.int64],
    starts: NDArray[np.int64],
    results: NDArray[np.int64],
    weights: NDArray[np.int64],
    logs: NDArray[np.int64],
    title: int,
    one: int,
    between: NDArray[np.int64],
) -> None:
    """Fills the cosines of every two results, in `one`ths; `between` holds zeros."""
    n, total = len(between), np.int64(0)
    ends = np.empty(len(weights), np.int64)
    for term in range(len(weights)):
        ends[term] = total
        total += results[term]
    holders, counts = np.empty(total, np.int64), np.full(total, ALONE)
    list_holders(terms, starts, weights, title, ends, holders, counts)
    begin = 0
    for term in range(len(weights)):
        end = begin + results[term]
        if weights[term] > 0:
            for i in range(begin, end):
                counts[i] = logs[min(counts[i], len(logs) - 1)] * weights[term]
                for j in range(begin, i + 1):
                    between[holders[i], holders[j]] += counts[i] * counts[j]
        begin = end
    norms = np.empty(n, np.float64)
    for a in range(n):
        norms[a] = math.sqrt(float(between[a, a]))
    for a in range(n):
        for b in range(a + 1):
            cosine = 0.0
            if between[a, b] > 0:
                cosine = float(between[a, b]) / (norms[a] * norms[b])
            between[a, b] = np.int64(np.rint(cosine * one))
            between[b, a] = between[a, b]
