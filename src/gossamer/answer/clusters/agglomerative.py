# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator, call-overload"
"""Cosine similarity and agglomerative clustering.

Agglomerative clustering: at first every result is a group of its own; then, again and again, the two groups
that are most alike become one, until no two are alike enough. The linkage says how alike two groups are:

    single     max   over a in A, b in B of  s(a, b)
    average    mean  over a in A, b in B of  s(a, b)

Single linkage joins what a chain of neighbours joins, average linkage what is alike as a whole. s is the
cosine of two results' vectors, as a whole number of `ONE`ths: sums of whole numbers are the same in any
order, so groups are the same wherever they are made. Ties go to the groups with the better results.

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
# Every group remembers the one that is most like it, so that a step looks at all pairs only where
# that one changed: about n² steps of work for n results instead of n³.

ONE = 1 << 20  # a cosine of 1
NOTHING = -1  # instead of a likeness: of a group to itself, or to one that is no more


class Groups(NamedTuple):
    """Groups while they are joined, each by the number of its best result."""

    between: NDArray[np.int64]  # for average linkage sums over pairs of results, for single the highest
    values: NDArray[np.float64]  # how alike every two groups are
    sizes: NDArray[np.int64]
    alive: NDArray[np.int64]  # the groups that are left, rising
    nearest: NDArray[np.int64]  # of each group the one that is most like it
    best: NDArray[np.float64]  # and how alike they are


@unchecked_part
def look_around(groups: Groups, count: int, group: int) -> None:
    """Finds the first of those that are most like a group."""
    near, most = np.int64(NOTHING), float(NOTHING)
    for i in range(count):
        other = groups.alive[i]
        if groups.values[group, other] > most:
            near, most = other, groups.values[group, other]
    groups.nearest[group], groups.best[group] = near, most


@unchecked_part
def join(groups: Groups, count: int, average: bool, kept: int, taken: int) -> None:
    """Makes one group of two: the first of them holds both, the other is no more."""
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
    """Takes a group out of those that are left; how many there are then."""
    place = 0
    while alive[place] != taken:
        place += 1
    for i in range(place, count - 1):
        alive[i] = alive[i + 1]
    return count - 1


@unchecked_kernel
def link(between: NDArray[np.int64], average: bool, least: float) -> NDArray[np.int64]:
    """Join groups until no two have a cosine of `least`; return the two groups of each step.

    A group is named by its best result, and so is what two groups become. `between` is symmetric, the cosines
    of results in `ONE`ths; it is used up.
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

# How alike two groups must be to become one: chosen on the demo web and on 48 words of an encyclopaedia
# (benchmarks/clusters.py). With a bit less, groups agree better with large subjects and lose rare senses.
LINKAGES = {"average": 0.1, "single": 0.3}


# Cosine similarity of results
# ----------------------------
#
# A result is a vector with a component for each term that at least one other result holds too:
#
#     x(t, d) = (1 + ln tf(t, d)) * idf(t)        s(a, b) = x(a) . x(b) / (|x(a)| |x(b)|)
#
# tf counts a word of the title as `TITLE` words. Terms of the query tell results apart as little as
# function words do, and as terms that most results hold: they weigh nothing. Everything is a whole
# number, so that results do not depend on the order of sums. Reference: Salton, Buckley, "Term-
# weighting approaches in automatic text retrieval", Information Processing & Management 24, 1988.

TITLE = 3  # words of the text that one of the title counts for
MOST_SHARE = 0.7  # of the results: what more of them hold tells nothing
IDF_ONE = 1 << 10  # an idf of 1

# 1 + ln tf as whole numbers; what comes more often counts as the last.
LOGS = np.array([0, *(round(64 * (1 + math.log(tf))) for tf in range(1, 256))], np.int64)
ALONE = -1  # instead of a term: only one result holds it
MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads numbers over the high bits (Knuth, vol. 3, 6.4)
Numbers = NDArray[np.int64]


class Shared(NamedTuple):
    """The words of results, as numbers of terms that at least two of them hold.

    Result r has the words of its title from starts[2 r] to before starts[2 r + 1], and behind them those of
    its text until starts[2 r + 2].
    """

    # Of each word its term, from 0 in the order in which they first come; ALONE where no other holds it.
    terms: Numbers
    starts: Numbers
    names: Numbers  # of each term: what it is called outside
    results: Numbers  # of each term: how many results hold it

    @property
    def size(self) -> int:
        """How many results there are."""
        return len(self.starts) // 2


@unchecked_kernel
def shared(names: Numbers | NDArray[np.uint32], starts: Numbers) -> Shared:
    """Number the terms that several results hold, in the order in which they first come.

    `names` names each word of the results by its term.
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
    """Lists for each term that weighs something who holds it, and how often.

    ends[t] is where the list of term t begins; it goes on to its end. `counts` holds ALONE.
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
    """Compute the cosines of every two results, in `ONE`ths."""
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
