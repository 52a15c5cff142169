# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Choice of retrieval algorithm for a query on a segment."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.bm25f import IMPACT_LEVELS, idf
from gossamer.index.dictionary import find_terms, keys_of
from gossamer.index.segment import Segment, SegmentView
from gossamer.kernels import compiled, unchecked_kernel, unchecked_part
from gossamer.query.conditions import Plan, Together, all_of
from gossamer.search.link_rank import Factors
from gossamer.search.match.restriction import Restriction
from gossamer.search.retrieve.blockmax import HEAVY, Crew, blockmax, blockmax_by, blockmax_kernel
from gossamer.search.retrieve.conjunction import (
    ANY_PLACE,
    ANYWHERE,
    Rows,
    conjunction,
    conjunction_kernel,
    count_common,
)
from gossamer.search.retrieve.textbook import champion, exhaustive, maxscore, threshold
from gossamer.search.retrieve.top_k import (
    NARROW,
    Algorithm,
    Floor,
    Ranking,
    Task,
    as_weights,
    best_first,
    empty_ranking,
    merged,
)
from gossamer.search.retrieve.top_k import count_matches as count_kernel
from gossamer.search.weighting import Impacts, Scheme, depth_for

# Kernels: one-call path
# ----------------------
#
# Terms are looked up, weighed by how many documents hold them, and searched for, as `find_terms`,
# `idf` and the algorithms do one after the other elsewhere.


@unchecked_part
def weigh(
    numbers: NDArray[np.int64],
    frequencies: NDArray[np.int64],
    emphasis: NDArray[np.float64],
    documents: int,
    unit: int,
    weights: NDArray[np.uint32],
) -> int:
    """Moves the terms that are known to the front and weighs them; how many there are."""
    known = 0
    for i in range(len(numbers)):
        if numbers[i] >= 0:
            idf = math.log(1 + (documents - frequencies[i] + 0.5) / (frequencies[i] + 0.5))
            numbers[known] = numbers[i]
            weights[known] = max(1, np.int64(np.rint(unit * (idf * emphasis[i]))))
            known += 1
    return known


@unchecked_kernel
def any_alone(
    keys: NDArray[np.uint8],
    count: int,
    emphasis: NDArray[np.float64],
    unit: int,
    depth: int,
    heads: NDArray[np.uint64],
    starts: NDArray[np.int64],
    data: NDArray[np.uint8],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_highest: NDArray[Any],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    term_rows: NDArray[np.int32],
    block_highest: NDArray[Any],
    block_ends: NDArray[np.uint16],
    impacts_at: NDArray[Any],
    fingerprints: NDArray[np.uint64],
    allowed: NDArray[np.bool_],
    factors: NDArray[np.uint16],
    highest_factors: NDArray[np.uint16],
    block_factors: NDArray[np.uint16],
    lowest_factor: int,
    top_scores: NDArray[np.int64],
    top_fingerprints: NDArray[np.uint64],
    top_docs: NDArray[np.int64],
) -> int:
    """Fills the last three arrays with the best documents that hold any of the terms; returns how many."""
    numbers, frequencies = np.empty(count, np.int64), np.empty(count, np.int64)
    weights, floor = np.empty(count, np.uint32), np.zeros(1, np.uint64)
    find_terms(heads, starts, data, keys, term_entries, entry_postings, numbers, frequencies)
    known = weigh(numbers, frequencies, emphasis, len(fingerprints), unit, weights)
    if known == 0:
        return 0
    return blockmax_kernel(numbers[:known], weights[:known], term_entries, entry_ranges, entry_highest,
                    entry_postings, posting_docs, posting_impacts, term_rows, block_highest, block_ends,
                    impacts_at, depth, fingerprints, allowed, factors, highest_factors, block_factors,
                    lowest_factor, floor, 0, len(highest_factors), top_scores, top_fingerprints,
                    top_docs)  # fmt: skip


@unchecked_kernel
def all_alone(
    keys: NDArray[np.uint8],
    count: int,
    emphasis: NDArray[np.float64],
    unit: int,
    phrase: NDArray[np.int64],
    heads: NDArray[np.uint64],
    starts: NDArray[np.int64],
    data: NDArray[np.uint8],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_highest: NDArray[Any],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    term_rows: NDArray[np.int32],
    block_highest: NDArray[Any],
    block_ends: NDArray[np.uint16],
    fingerprints: NDArray[np.uint64],
    allowed: NDArray[np.bool_],
    factors: NDArray[np.uint16],
    highest_factors: NDArray[np.uint16],
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    longest: int,
    top_scores: NDArray[np.int64],
    top_fingerprints: NDArray[np.uint64],
    top_docs: NDArray[np.int64],
) -> int:
    """The same for documents that hold all of the terms, and hold them in a row where `phrase` says how."""
    numbers, frequencies = np.empty(count, np.int64), np.empty(count, np.int64)
    weights, floor = np.empty(count, np.uint32), np.zeros(1, np.uint64)
    find_terms(heads, starts, data, keys, term_entries, entry_postings, numbers, frequencies)
    if weigh(numbers, frequencies, emphasis, len(fingerprints), unit, weights) < count:
        return 0
    return conjunction_kernel(numbers, weights, term_entries, entry_ranges, entry_highest, entry_postings,
                       posting_docs, posting_impacts, term_rows, block_highest, block_ends, fingerprints,
                       allowed, factors, highest_factors, phrase, position_blocks, positions, lengths,
                       longest, floor, top_scores, top_fingerprints, top_docs)  # fmt: skip


# One-call path for one-segment collections
# -----------------------------------------
#
# What is said in several steps elsewhere, so that many segments and partitions agree, is one call of
# compiled code here: between the steps Python would take as long as the search. The answers are the
# same.

Arguments = tuple[Any, ...]
Search = Callable[..., int]
MOST_TERMS = NARROW // (IMPACT_LEVELS << 15)  # whose sums fit 32 bits; no weight takes more than 15
ALIKE = np.ones(MOST_TERMS)  # the emphasis of words that all count alike


class Alone:
    """A segment as a scheme sees it, without any other beside it."""

    def __init__(
        self, segment: Segment, impacts: Impacts, factors: Factors, allowed: NDArray[np.bool_], scheme: Scheme
    ) -> None:
        blocks, columns, postings = segment.dictionary.blocks, segment.columns, segment.postings
        terms = (blocks.heads, blocks.starts, blocks.data)
        documents = (columns.fingerprints, allowed, factors.of_document, factors.highest)
        places = (postings.position_blocks, postings.positions, columns.lengths, segment.longest)
        self._any: Arguments = (*terms, *impacts.arrays, *documents, factors.of_block, factors.lowest)
        self._all: Arguments = (*terms, *impacts.arrays[:-1], *documents, *places)
        self._search_any: Search = compiled(any_alone)
        self._search_all: Search = compiled(all_alone)
        self._documents = segment.documents
        self._all_are_allowed = not len(allowed)
        self._unit = scheme.weight_unit
        self._emphatic = scheme.emphatic

    def ranking(self, plan: Plan, k: int) -> Ranking:
        """The best k documents of a plan that `can_be_alone`."""
        scores, fingerprints, docs = top = empty_ranking(min(k, self._documents))
        asked = keys_of(plan.terms), len(plan.terms), self._emphasis(plan), self._unit
        if plan.together:
            found = self._search_all(*asked, _row(plan.together, plan.terms), *self._all, *top)
        else:
            depth = depth_for(k) if self._all_are_allowed else -1
            found = self._search_any(*asked, depth, *self._any, *top)
        return top if found == len(scores) else (scores[:found], fingerprints[:found], docs[:found])

    def _emphasis(self, plan: Plan) -> NDArray[np.float64]:
        return np.array(plan.emphasis) if plan.emphasis and self._emphatic else ALIKE


def can_be_alone(plan: Plan, scheme: Scheme) -> bool:
    """Whether nothing is asked but words, any or all of them, each of them one term, all in full."""
    one_term_each = 0 < len(plan.terms) == len(plan.words) == sum(map(len, plan.words)) <= MOST_TERMS
    together = plan.together
    return (
        one_term_each
        and not plan.shares
        and (plan.condition is None or (together is not None and len(together.languages) == 1))
        and scheme.weight is idf
        and plan.leaning.leaves(plan.terms)
    )


def _row(together: Together, terms: tuple[str, ...]) -> NDArray[np.int64]:
    """Where the words of a phrase stand among the terms; nothing where they need not stand in a row."""
    if not together.in_a_row:
        return ANY_PLACE
    return np.array([terms.index(term) for term in together.languages[0]], np.int64)


# Algorithms by name; count matches
# ---------------------------------

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
    return count_kernel(
        task.terms,
        postings.term_entries,
        postings.entry_ranges,
        postings.entry_postings,
        postings.posting_docs,
        len(task.factors.highest),
        task.allowed,
    )


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


EVERY = np.empty(0, np.bool_)  # the mask that rules nothing out


@dataclass  # not frozen: one is made for every query, and freezing takes three times as long
class SegmentSearch:
    """A plan, the weights of its terms, and what a searcher knows of one segment."""

    view: SegmentView
    plan: Plan
    weights: dict[str, int]
    scheme: Scheme
    impacts: Impacts
    factors: Factors
    alive: NDArray[np.bool_]
    restriction: Restriction
    floor: Floor
    crew: Crew | None = None

    def ranking(self, algorithm: str, k: int) -> Ranking:
        """The best k documents."""
        if not self.plan.ranks:
            return by_factor(self._task, k)
        if (conjunctions := self._conjunctions_for(algorithm)) is not None:
            return _best([conjunction(task, k, rows) for task, rows in conjunctions], k)
        found = self._retrieved(algorithm, k)
        return with_unranked(self._task, k, found) if self.plan.matches_without_words else found

    def _retrieved(self, algorithm: str, k: int) -> Ranking:
        if algorithm == "blockmax" and self.crew and self._is_heavy:
            return blockmax_by(self.crew, self._task, k)
        return ALGORITHMS[algorithm](self._task, k)

    @property
    def _is_heavy(self) -> bool:
        """Whether the terms have so many postings that waking threads takes less time than it saves."""
        return sum(self.view.segment.look_up(self.plan.terms).frequencies) >= HEAVY

    def count(self, algorithm: str) -> int:
        """How many documents match."""
        conjunctions = self._conjunctions_for(algorithm)
        if conjunctions is not None and self.plan.together and not self.plan.together.in_a_row:
            return sum(count_common(task) for task, _ in conjunctions)
        task = self._task
        if not self.plan.decided:
            return count_matches(task)
        return int(np.count_nonzero(task.allowed)) if len(task.allowed) else len(task.fingerprints)

    def matching(self) -> NDArray[np.int64]:
        """Every document that matches: as many as are counted."""
        task = self._task
        found = task.allowed if len(task.allowed) else np.ones(len(task.fingerprints), np.bool_)
        if not self.plan.decided:
            holds = np.zeros(len(task.fingerprints), np.bool_)
            for term in task.terms.tolist():
                holds[task.postings.documents(term)] = True
            found = holds & found
        return np.flatnonzero(found)

    @cached_property
    def _task(self) -> Task:
        needed = all_of([self.plan.condition, self.plan.wished])
        mask = self.restriction.allowed(needed) if needed is not None else self.alive
        return self._task_of(self.plan.terms, mask)

    def _task_of(self, terms: Sequence[str], mask: NDArray[np.bool_]) -> Task:
        """For these terms of the plan, as far as the segment knows them."""
        segment, weights = self.view.segment, self.weights
        numbers = segment.look_up(self.plan.terms).numbers
        if terms is not self.plan.terms:
            places = dict(zip(self.plan.terms, numbers, strict=True))
            numbers = [places[term] for term in terms]
        if -1 in numbers:
            terms = [term for term, number in zip(terms, numbers, strict=True) if number >= 0]
            numbers = [number for number in numbers if number >= 0]
        return Task(
            np.array(numbers, np.int64),
            as_weights([weights[term] for term in terms], self.scheme.levels),
            segment.postings,
            self.impacts,
            segment.columns.fingerprints,
            mask,
            self.factors,
            self.floor,
        )

    def _conjunctions_for(self, algorithm: str) -> list[tuple[Task, Rows]] | None:
        """What to intersect, one task a language; None where that is not all that the query asks."""
        if algorithm != "blockmax" or not self.plan.together:
            return None
        # A page with passages may hold the words in one language, and some of them in another besides.
        mixed = len(self.plan.together.languages) > 1 and len(self.view.segment.columns.passage_names)
        return None if mixed else self._conjunctions

    @cached_property
    def _conjunctions(self) -> list[tuple[Task, Rows]]:
        together = self.plan.together
        assert together is not None
        found = [self._intersected(terms, together.in_a_row) for terms in together.languages]
        return [pair for pair in found if pair]

    @cached_property
    def _known(self) -> set[str]:
        """The terms of the plan that the segment has."""
        numbers = self.view.segment.look_up(self.plan.terms).numbers
        return {term for term, number in zip(self.plan.terms, numbers, strict=True) if number >= 0}

    def _intersected(self, terms: Sequence[str], in_a_row: bool) -> tuple[Task, Rows] | None:
        """The task of one language; None where the segment lacks one of its terms."""
        if not self._known.issuperset(terms):  # of many languages, hardly any has all of the words
            return None
        distinct = tuple(dict.fromkeys(terms))
        task = self._task_of(distinct, self.alive)
        if not in_a_row:
            return task, ANYWHERE
        row = np.array([distinct.index(term) for term in terms], np.int64)
        return task, Rows(row, self.view.segment.columns.lengths, self.view.segment.longest)


def _best(rankings: Sequence[Ranking], k: int) -> Ranking:
    """The best k of some rankings; there may be none."""
    return rankings[0] if len(rankings) == 1 else merged([empty_ranking(0), *rankings], k)
