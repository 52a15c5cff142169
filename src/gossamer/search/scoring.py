"""Full scores of the candidates of a segment in one compiled call: the same as `Refining.parts`, sooner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gossamer.index.weighting import Weighting
from gossamer.kernel import kernels_are_loaded
from gossamer.model import UNFETCHED
from gossamer.search.candidates import Candidates, Numbers, Part
from gossamer.search.refining import Refining
from gossamer.search.said import Said
from gossamer.search.searcher import Searcher
from gossamer.search.second import ADDED_APART
from gossamer.search.second_kernel import score
from gossamer.search.static import NEUTRAL

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of candidates before anything of one counts for another, a row each."""

    sums: Floats
    factors: Floats  # what multiplies them
    words: Floats  # what each word adds

    @classmethod
    def of(
        cls, refining: Refining, searchers: Sequence[Searcher], candidates: Candidates, parts: Sequence[Part]
    ) -> Scores:
        """Those of candidates of any partitions; `parts` tells where they stand."""
        size, words = len(candidates), len(refining.plan.words)
        found = cls(np.empty(size), np.empty(size), np.zeros((size, words)))
        distances = np.full((size, max(0, words - 1)), np.inf)
        for partition, segment, rows in parts:
            searcher, docs = searchers[partition], candidates.docs[rows]
            if _is_simple(refining, segment):
                order = np.argsort(docs)
                order = order if isinstance(rows, slice) else rows[order]
                found._fill(refining, searcher, segment, candidates, order, distances)
            else:
                own = refining.parts(searcher, segment, candidates.pages[rows], docs)
                found.sums[rows], found.factors[rows], found.words[rows] = own.sum, own.factor, own.words
        return found

    def _fill(
        self,
        refining: Refining,
        searcher: Searcher,
        number: int,
        candidates: Candidates,
        order: Numbers,
        distances: Floats,
    ) -> None:
        """Fills the rows of candidates that stand in one segment; docs[order] rise."""
        segment, weighting = searcher.snapshot.views[number].segment, searcher.snapshot.weighting
        assert weighting is not None, "documents were found in an index without a weighting"
        postings, asked, settings = segment.postings, refining.asked, refining.settings
        numbers = segment.look_up(refining.plan.terms).numbers
        said = (
            refining.said.parts[searcher.partition] if refining.said.parts else _nothing(self.words.shape[1])
        )
        score(
            candidates.docs,
            order,
            candidates.pages,
            np.array([numbers[place] for place in asked.places], np.int64),
            asked.word_of,
            asked.counts,
            postings.term_entries,
            postings.entry_ranges,
            postings.entry_postings,
            postings.posting_docs,
            postings.position_blocks,
            postings.positions,
            segment.columns.lengths,
            _as_array(weighting),
            said.pages,
            said.frequencies,
            self._near(refining, searcher.partition, candidates.pages, order),
            settings.anchors,
            refining.shared,
            refining.weights,
            weighting.k1,
            settings.proximity,
            searcher.static_levels(number),
            float(NEUTRAL),
            distances,
            self.words,
            self.sums,
            self.factors,
        )
        for factor in refining.further_factors(searcher, number, candidates.docs, order):
            self.factors[order] *= factor

    def _near(self, refining: Refining, partition: int, pages: NDArray[np.uint64], rows: Numbers) -> Floats:
        """What stands near links to the pages of these rows; no row at all where that does not count."""
        if not refining.said.nearby:
            return _nothing(self.words.shape[1]).frequencies
        near = np.empty(self.words.shape)
        near[rows] = refining.said.nearby[partition](pages[rows])
        return near


def _is_simple(refining: Refining, segment: int) -> bool:
    """Whether the compiled formula has all that counts."""
    plan = refining.plan
    return kernels_are_loaded() and segment != UNFETCHED and not plan.rows and len(plan.words) < ADDED_APART


@lru_cache(ADDED_APART)
def _nothing(words: int) -> Said:
    """What links say where none count."""
    return Said(np.empty(0, np.uint64), np.empty((0, words)))


@lru_cache(16)
def _as_array(weighting: Weighting) -> Floats:
    return np.array([weighting.weights, weighting.slopes, weighting.pivots])
