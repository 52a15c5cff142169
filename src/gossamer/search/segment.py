"""One query on one segment: which way to the best documents is the quickest that gives them all?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gossamer.index.snapshot import SegmentView
from gossamer.search.blockmax import HEAVY, Crew, blockmax_by
from gossamer.search.condition import all_of
from gossamer.search.conjunction import ANYWHERE, Rows, conjunction, count_common
from gossamer.search.impacts import Impacts
from gossamer.search.plan import Plan
from gossamer.search.restrict import Restriction
from gossamer.search.schemes import Scheme
from gossamer.search.static import Factors
from gossamer.search.task import Floor, Ranking, Task, as_weights, empty_ranking, merged
from gossamer.search.topk import ALGORITHMS, by_factor, count_matches, with_unranked

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
