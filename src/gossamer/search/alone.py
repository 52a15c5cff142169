"""Words, words joined by AND, or one phrase, where one segment is the whole collection: the shortest way.

What is said in several steps elsewhere, so that many segments and partitions agree, is one call of compiled
code here: between the steps Python would take as long as the search. The answers are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary import keys_of
from gossamer.index.segment import Segment
from gossamer.index.weighting import IMPACT_LEVELS, idf
from gossamer.kernel import compiled
from gossamer.search.alone_kernel import all_alone, any_alone
from gossamer.search.blocks import depth_for
from gossamer.search.conjunction import ANY_PLACE
from gossamer.search.impacts import Impacts
from gossamer.search.plan import Plan, Together
from gossamer.search.schemes import Scheme
from gossamer.search.static import Factors
from gossamer.search.task import NARROW, Ranking, empty_ranking

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
