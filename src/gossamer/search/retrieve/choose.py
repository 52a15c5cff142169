# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Choose and run the retrieval algorithm for a query on a segment."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gossamer.index.bm25f import IMPACT_LEVELS, idf
from gossamer.index.dictionary import find_terms, keys_of
from gossamer.index.postings import Postings
from gossamer.index.segment import Segment, SegmentView
from gossamer.kernels.kernel import Kernel, unchecked_kernel, unchecked_part
from gossamer.model import BadSetting
from gossamer.query.conditions import Plan, all_of
from gossamer.search.link_rank import LinkRankFactors
from gossamer.search.match.restriction import DocumentMask, mark_documents
from gossamer.search.retrieve.blockmax import HEAVY, ThreadPool, blockmax, blockmax_by, blockmax_kernel
from gossamer.search.retrieve.conjunction import (
    ANY_PLACE,
    ANYWHERE,
    WordRows,
    conjunction,
    conjunction_kernel,
)
from gossamer.search.retrieve.textbook import champion, exhaustive, maxscore, threshold
from gossamer.search.retrieve.top_k import (
    NARROW,
    Algorithm,
    Documents,
    Ranking,
    RetrievalTask,
    ScoreThreshold,
    as_weights,
    concatenated,
    empty_ranking,
    first_of,
    merged,
)
from gossamer.search.weighting import ImpactBlocks, Impacts, WeightingScheme, depth_for

# Kernels: one-call path
# ----------------------
#
# One kernel looks up the terms, computes their weights and searches. Elsewhere, `find_terms`, `idf` and the
# algorithms do this in separate steps.


@unchecked_part
def weigh(
    numbers: NDArray[np.int64],
    frequencies: NDArray[np.int64],
    emphasis: NDArray[np.float64],
    documents: int,
    unit: int,
    weights: NDArray[np.uint32],
) -> int:
    """Move the known terms to the front and compute their weights; return their number."""
    known = 0
    for i in range(len(numbers)):
        if numbers[i] >= 0:
            idf = math.log(1 + (documents - frequencies[i] + 0.5) / (frequencies[i] + 0.5))
            numbers[known] = numbers[i]
            weights[known] = max(1, np.int64(np.rint(unit * (idf * emphasis[i]))))
            known += 1
    return known


Arrays = tuple[Any, ...]


@unchecked_kernel
def search_alone(
    keys: NDArray[np.uint8],
    emphasis: NDArray[np.float64],
    unit: int,
    every: bool,
    phrase: NDArray[np.int64],
    depth: int,
    words: Arrays,
    postings: Arrays,
    blocks: Arrays,
    pages: Arrays,
    factors: Arrays,
    lengths: NDArray[np.uint32],
    longest: int,
    top: Ranking,
) -> int:
    """Fill `top` with the best documents that hold any of the terms, or every one; return their number.

    The number of terms is the length of `emphasis`. `phrase` holds adjacent terms, or is empty. `words` is
    heads, starts and data of the dictionary. The other tuples become named tuples inside the kernel, because
    Numba takes 3 of 50 microseconds to recognise named tuples as arguments.
    """
    lists = ImpactBlocks(Postings(*postings), *blocks)
    documents = Documents(pages[0], pages[1], LinkRankFactors(*factors))
    count = len(emphasis)
    numbers, frequencies = np.empty(count, np.int64), np.empty(count, np.int64)
    weights, floor = np.empty(count, np.uint32), np.zeros(1, np.uint64)
    heads, starts, data = words
    entries, ends = lists.postings.term_entries, lists.postings.entry_postings
    find_terms(heads, starts, data, keys, entries, ends, numbers, frequencies)
    known = weigh(numbers, frequencies, emphasis, len(documents.fingerprints), unit, weights)
    if every and known == count:
        rows = WordRows(phrase, lengths, longest)
        return conjunction_kernel(numbers, weights, lists, documents, floor, rows, top)
    if every or known == 0:
        return 0
    ranges = len(documents.factors.highest)
    return blockmax_kernel(numbers[:known], weights[:known], lists, documents, floor, depth, 0, ranges, top)


# One-call path for one-segment collections
# -----------------------------------------
#
# For several segments or partitions, a search needs several steps. For a single segment, all of it is one
# call of compiled code with the same results. The best ten of 150,000 short texts then take 50
# microseconds instead of 84.

MOST_TERMS = NARROW // (IMPACT_LEVELS << 15)  # whose sums fit in 32 bits; no weight exceeds 15 bits
ALIKE = np.ones(MOST_TERMS)  # emphasis of words with equal weight


class SingleSegmentSearch:
    """Search by one scheme in the only segment of a collection."""

    def __init__(
        self, segment: Segment, impacts: Impacts, documents: Documents, scheme: WeightingScheme
    ) -> None:
        blocks = segment.dictionary.blocks
        lists = impacts.blocks
        self._segment = (
            (blocks.heads, blocks.starts, blocks.data),
            tuple(lists.postings),
            tuple(lists[1:]),
            tuple(documents[:2]),
            tuple(documents.factors),
            segment.columns.lengths,
            segment.longest,
        )
        self._search: Callable[..., Any] | None = None
        self._documents = documents
        self._unit = scheme.weight_unit
        self._emphatic = scheme.emphatic

    def ranking(self, plan: Plan, k: int) -> Ranking:
        """Return the best k documents of a plan that `can_be_alone`."""
        top = empty_ranking(min(k, len(self._documents.fingerprints)))
        emphasis = (
            np.array(plan.emphasis, np.float64)
            if plan.emphasis and self._emphatic
            else ALIKE[: len(plan.terms)]
        )
        together, phrase = plan.together, ANY_PLACE
        if together and together.in_a_row:
            phrase = phrase_row(together.languages[0], plan.terms)
        depth = -1 if len(self._documents.allowed) else depth_for(k)
        asked = keys_of(plan.terms), emphasis, self._unit, together is not None, phrase, depth
        search = self._search
        if search is None:  # compiled once, as the types of arguments never change
            search = self._search = cast(Kernel, search_alone).specialised(*asked, *self._segment, top)
        return first_of(top, search(*asked, *self._segment, top))


def can_be_alone(plan: Plan, scheme: WeightingScheme) -> bool:
    """Return whether a plan only requires any or all of its words, each with one term of full weight."""
    one_term_each = 0 < len(plan.terms) == len(plan.words) == sum(map(len, plan.words)) <= MOST_TERMS
    together = plan.together
    return (
        one_term_each
        and not plan.shares
        and (plan.condition is None or (together is not None and len(together.languages) == 1))
        and scheme.weight is idf
        and plan.leaning.leaves(plan.terms)
    )


def is_heavy(plan: Plan, segment: Segment) -> bool:
    """Return whether the terms of a plan have so many postings that several threads are faster."""
    return sum(segment.look_up(plan.terms).frequencies) >= HEAVY


def phrase_row(words: Sequence[str], terms: Sequence[str]) -> NDArray[np.int64]:
    """Return the place of each word of a phrase among the terms."""
    return np.array([terms.index(word) for word in words], np.int64)


# Algorithms by name
# ------------------

AUTO = "auto"  # `algorithm_named` chooses
ALGORITHMS: dict[str, Algorithm] = {
    "blockmax": blockmax,
    "maxscore": maxscore,
    "exhaustive": exhaustive,
    "threshold": threshold,
    "champion": champion,
}
EXACT = tuple(name for name in ALGORITHMS if name != "champion")


def algorithm_named(name: str) -> str:
    """Return the name of an algorithm; "auto" means blockmax. Raise BadSetting for an unknown name.

    `SegmentSearch.ranking` replaces blockmax by its variants for conjunctions and for several threads.
    """
    if name == AUTO:
        return "blockmax"
    if name not in ALGORITHMS:
        raise BadSetting(f"unknown algorithm {name!r}; choose from: {', '.join(ALGORITHMS)}, {AUTO}")
    return name


def by_factor(task: RetrievalTask, k: int) -> Ranking:
    """Return the best k allowed documents by static factors, for a query that only filters."""
    docs = task.living(np.arange(len(task.documents.fingerprints)))
    return task.best(docs, task.weighted(docs, np.ones(len(docs), np.int64)), k)


def with_unranked(task: RetrievalTask, k: int, ranking: Ranking) -> Ranking:
    """Append allowed documents that hold none of the terms, with score 0, up to k documents."""
    if len(ranking[2]) >= k:
        return ranking
    silent = task.documents.allowed.copy()
    silent[ranking[2]] = False
    docs = np.flatnonzero(silent)
    return concatenated([ranking, task.best(docs, np.zeros(len(docs), np.int64), k - len(ranking[2]))])


@dataclass  # not frozen: every query makes one, and a frozen one takes three times as long
class SegmentSearch:
    """Search of one segment by a plan."""

    view: SegmentView
    plan: Plan
    weights: dict[str, int]
    scheme: WeightingScheme
    impacts: Impacts
    factors: LinkRankFactors
    alive: NDArray[np.bool_]
    restriction: DocumentMask
    floor: ScoreThreshold
    crew: ThreadPool | None = None

    def ranking(self, algorithm: str, k: int) -> Ranking:
        """Return the best k documents."""
        if not self.plan.ranks:
            return by_factor(self._task, k)
        if (conjunctions := self._conjunctions_for(algorithm)) is not None:
            return merged([conjunction(task, k, rows) for task, rows in conjunctions], k)
        found = self._retrieved(algorithm, k)
        return with_unranked(self._task, k, found) if self.plan.matches_without_words else found

    def _retrieved(self, algorithm: str, k: int) -> Ranking:
        if algorithm == "blockmax" and self.crew and is_heavy(self.plan, self.view.segment):
            return blockmax_by(self.crew, self._task, k)
        return ALGORITHMS[algorithm](self._task, k)

    def count(self, algorithm: str) -> int:
        """Return the number of matching documents."""
        conjunctions = self._conjunctions_for(algorithm)
        if conjunctions is not None and self.plan.together and not self.plan.together.in_a_row:
            return sum(task.count(every=True) for task, _ in conjunctions)
        if not self.plan.decided:
            return self._task.count()
        allowed = self._task.documents.allowed
        return int(np.count_nonzero(allowed)) if len(allowed) else self.view.segment.documents

    def matching(self) -> NDArray[np.int64]:
        """Return all matching documents: as many as `count` returns."""
        task = self._task
        found = np.ones(len(task.documents.fingerprints), np.bool_)
        if not self.plan.decided:
            found[:] = False
            mark_documents(task.terms, task.impacts.postings, found)
        return task.living(np.flatnonzero(found))

    @cached_property
    def _task(self) -> RetrievalTask:
        needed = all_of([self.plan.condition, self.plan.wished])
        mask = self.restriction.allowed(needed) if needed is not None else self.alive
        return self._task_of(self.plan.terms, mask)

    def _task_of(self, terms: Sequence[str], mask: NDArray[np.bool_]) -> RetrievalTask:
        """Return the task for those of some terms that the segment holds."""
        segment, weights = self.view.segment, self.weights
        numbers = segment.look_up(self.plan.terms).numbers
        if terms is not self.plan.terms:
            places = dict(zip(self.plan.terms, numbers, strict=True))
            numbers = [places[term] for term in terms]
        if -1 in numbers:
            terms = [term for term, number in zip(terms, numbers, strict=True) if number >= 0]
            numbers = [number for number in numbers if number >= 0]
        return RetrievalTask(
            np.array(numbers, np.int64),
            as_weights([weights[term] for term in terms], self.scheme.levels),
            self.impacts,
            Documents(segment.columns.fingerprints, mask, self.factors),
            self.floor,
        )

    def _conjunctions_for(self, algorithm: str) -> list[tuple[RetrievalTask, WordRows]] | None:
        """Return the conjunctions to search for, one per language.

        Return None if the query is no plain conjunction.
        """
        if algorithm != "blockmax" or not self.plan.together:
            return None
        # A page with passages may match in one language and hold some of the words in another one, too.
        mixed = len(self.plan.together.languages) > 1 and len(self.view.segment.columns.passage_names)
        return None if mixed else self._conjunctions

    @cached_property
    def _conjunctions(self) -> list[tuple[RetrievalTask, WordRows]]:
        """The tasks of all languages in which the segment holds all of the words."""
        together = self.plan.together
        assert together is not None
        found = [self._intersected(terms, together.in_a_row) for terms in together.languages]
        return [pair for pair in found if pair]

    @cached_property
    def _known(self) -> set[str]:
        """The terms of the plan that the segment holds."""
        numbers = self.view.segment.look_up(self.plan.terms).numbers
        return {term for term, number in zip(self.plan.terms, numbers, strict=True) if number >= 0}

    def _intersected(self, terms: Sequence[str], in_a_row: bool) -> tuple[RetrievalTask, WordRows] | None:
        """Return the task of one language; None if the segment lacks one of its terms."""
        if not self._known.issuperset(terms):  # few languages have all of the words
            return None
        distinct = tuple(dict.fromkeys(terms))
        task = self._task_of(distinct, self.alive)
        if not in_a_row:
            return task, ANYWHERE
        segment = self.view.segment
        return task, WordRows(phrase_row(terms, distinct), segment.columns.lengths, segment.longest)
