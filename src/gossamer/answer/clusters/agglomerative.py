# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator, call-overload"
"""Cosine similarity and agglomerative clustering.

At first every result is a group of its own. Then the two most similar groups are joined, again and again,
until no two groups are similar enough. The linkage defines the similarity of two groups:

    single     max   over a in A, b in B of  s(a, b)
    average    mean  over a in A, b in B of  s(a, b)

Single linkage joins groups that share a chain of neighbours, average linkage joins groups that are similar
as a whole. s is the cosine of the vectors of two results, as a whole number in units of 1/`ONE`. Sums of
whole numbers are the same in any order, so groups are the same on every machine. Ties go to the groups with
the better results.

References: Lance, Williams, "A general theory of classificatory sorting strategies", Computer Journal 9,
1967; Manning, Raghavan, Schütze, "Introduction to information retrieval", 2008, chapter 17.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import unchecked_kernel, unchecked_part

# Kernels: agglomerative clustering
# ---------------------------------
#
# Every group remembers its most similar group, and searches for another only when that one has changed.
# So n results take about n² steps of work instead of n³.

ONE = 1 << 20  # a cosine of 1
NOTHING = -1  # no similarity: of a group to itself, or to a group that was joined to another


class Groups(NamedTuple):
    """Groups while they are joined, each by the number of its best result."""

    between: NDArray[np.int64]  # average linkage: sums over pairs of results; single linkage: maxima
    values: NDArray[np.float64]  # the similarity of every two groups
    sizes: NDArray[np.int64]
    alive: NDArray[np.int64]  # the groups that are left, ascending
    nearest: NDArray[np.int64]  # the most similar group of each group
    best: NDArray[np.float64]  # and their similarity


@unchecked_part
def look_around(groups: Groups, count: int, group: int) -> None:
    """Find the most similar group of a group; the first of several."""
    near, most = np.int64(NOTHING), float(NOTHING)
    for i in range(count):
        other = groups.alive[i]
        if groups.values[group, other] > most:
            near, most = other, groups.values[group, other]
    groups.nearest[group], groups.best[group] = near, most


@unchecked_part
def join(groups: Groups, count: int, average: bool, kept: int, taken: int) -> None:
    """Join the group `taken` to the group `kept`."""
    between, values, sizes = groups.between, groups.values, groups.sizes
    sizes[kept] += sizes[taken]
    for i in range(count):
        other = groups.alive[i]
        if other == kept:
            continue
        if average:
            between[kept, other] += between[taken, other]
            values[kept, other] = between[kept, other] / (sizes[kept] * sizes[other])
        else:
            between[kept, other] = max(between[kept, other], between[taken, other])
            values[kept, other] = between[kept, other]
        between[other, kept], values[other, kept] = between[kept, other], values[kept, other]


@unchecked_part
def without(alive: NDArray[np.int64], count: int, taken: int) -> int:
    """Remove a group from those that are left; return how many are left."""
    place = 0
    while alive[place] != taken:
        place += 1
    for i in range(place, count - 1):
        alive[i] = alive[i + 1]
    return count - 1


@unchecked_kernel
def link(between: NDArray[np.int64], average: bool, least: float) -> NDArray[np.int64]:
    """Join groups until no two have a cosine of `least`; return the two groups of each step.

    A group has the number of its best result. `between` are the cosines of results in units of 1/`ONE`, a
    symmetric matrix; it is overwritten.
    """
    n = count = len(between)
    for result in range(n):
        between[result, result] = NOTHING
    alive, nearest, best = np.arange(n), np.empty(n, np.int64), np.empty(n, np.float64)
    groups = Groups(between, between.astype(np.float64), np.ones(n, np.int64), alive, nearest, best)
    pairs = np.empty((n, 2), np.int64)
    for group in range(n):
        look_around(groups, n, group)
    for step in range(n - 1):
        kept = alive[0]
        for i in range(1, count):
            if best[alive[i]] > best[kept]:
                kept = alive[i]
        taken = nearest[kept]
        if taken == NOTHING or not best[kept] >= least * ONE:
            return pairs[:step]
        pairs[step, 0], pairs[step, 1] = kept, taken
        count = without(alive, count, taken)
        join(groups, count, average, kept, taken)
        look_around(groups, count, kept)
        for i in range(count):
            other = alive[i]
            value = groups.values[other, kept]
            if other == kept:
                continue
            if nearest[other] == taken or nearest[other] == kept:
                look_around(groups, count, other)
            elif value > best[other] or (value == best[other] and kept < nearest[other]):
                nearest[other], best[other] = kept, value
    return pairs[: max(n - 1, 0)]


Group = tuple[int, ...]  # places of results, the best first

# The least similarity of two groups that are joined: chosen on the demo web and on 48 words of an
# encyclopaedia (benchmarks/clusters.py). Lower values match large subjects better, but lose rare senses.
LINKAGES = {"average": 0.1, "single": 0.3}


# Cosine similarity of results
# ----------------------------
#
# A result is a vector with a component for each term that at least two results have:
#
#     x(t, d) = (1 + ln tf(t, d)) * idf(t)        s(a, b) = x(a) . x(b) / (|x(a)| |x(b)|)
#
# tf counts a word of the title as `TITLE` words. Terms of the query, function words and terms that most
# results have do not distinguish results: their weight is 0. All numbers are whole, so that the order
# of sums does not matter. Reference: Salton, Buckley, "Term-weighting approaches in automatic text
# retrieval", Information Processing & Management 24, 1988.

TITLE = 3  # words of the text that count as much as one of the title
MOST_SHARE = 0.7  # of the results: a term that more of them have has no weight
IDF_ONE = 1 << 10  # an idf of 1

# 1 + ln tf as whole numbers; higher frequencies count as the last one.
LOGS = np.array([0, *(round(64 * (1 + math.log(tf))) for tf in range(1, 256))], np.int64)
ALONE = -1  # the number of terms that only one result has
MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads numbers over the high bits (Knuth, vol. 3, 6.4)
Numbers = NDArray[np.int64]


class Shared(NamedTuple):
    """The words of results, as numbers of the terms that at least two results have.

    The title of result r is words starts[2 r] to starts[2 r + 1], its text is words starts[2 r + 1] to
    starts[2 r + 2], each without the last.
    """

    terms: Numbers  # the term of each word, numbered from 0 in the order of the words, or ALONE
    starts: Numbers
    names: Numbers  # the name of each term: its number outside of this module
    results: Numbers  # how many results have each term

    @property
    def size(self) -> int:
        """The number of results."""
        return len(self.starts) // 2


@unchecked_kernel
def shared(names: Numbers | NDArray[np.uint32], starts: Numbers) -> Shared:
    """Number the terms that several results have, in the order of the words.

    `names` has the term of each word.
    """
    many, size = len(names), 1
    while size <= many:
        size *= 2
    slots, mask = np.full(size, ALONE), np.uint64(size - 1)
    terms, own, results = np.empty(many, np.int64), np.empty(many, np.int64), np.empty(many, np.int64)
    last = np.empty(many, np.int64)
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
    for at in range(many):
        terms[at] = last[terms[at]]
    return Shared(terms, starts, own[:count].copy(), results[:count].copy())


@unchecked_part
def list_holders(words: Shared, weights: Numbers, ends: Numbers, holders: Numbers, counts: Numbers) -> None:
    """List the results that have each term with a weight, and how often they have it.

    `ends` has the start of each term's list; it is advanced to the last entry. `counts` holds ALONE at first.
    """
    starts = words.starts
    for result in range(len(starts) // 2):
        for at in range(starts[2 * result], starts[2 * result + 2]):
            term = words.terms[at]
            if term == ALONE or weights[term] == 0:
                continue
            end = ends[term]
            if counts[end] == ALONE:
                holders[end], counts[end] = result, 0
            elif holders[end] != result:
                end += 1
                ends[term] = end
                holders[end], counts[end] = result, 0
            counts[end] += TITLE if at < starts[2 * result + 1] else 1


@unchecked_kernel
def compare(words: Shared, weights: Numbers) -> Numbers:
    """Compute the cosine of every two results, in units of 1/`ONE`."""
    n, total = len(words.starts) // 2, np.int64(0)
    between, ends = np.zeros((n, n), np.int64), np.empty(len(weights), np.int64)
    for term in range(len(weights)):
        ends[term] = total
        total += words.results[term]
    holders, counts = np.empty(total, np.int64), np.full(total, ALONE)
    list_holders(words, weights, ends, holders, counts)
    begin = 0
    for term in range(len(weights)):
        end = begin + words.results[term]
        if weights[term] > 0:
            for i in range(begin, end):
                counts[i] = LOGS[min(counts[i], len(LOGS) - 1)] * weights[term]
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
            between[a, b] = np.int64(np.rint(cosine * ONE))
            between[b, a] = between[a, b]
    return between
