"""One state of the index to search in: it stays as it is while commits and merges go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import Segment
from gossamer.index.weighting import Weighting
from gossamer.model import TermStats


@dataclass(frozen=True, slots=True)
class SegmentView:
    """A segment with the documents that were deleted from it."""

    segment: Segment
    deleted: NDArray[np.uint32]

    def alive(self) -> NDArray[np.bool_]:
        mask = np.ones(self.segment.documents, dtype=np.bool_)
        mask[self.deleted] = False
        return mask


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All segments of one generation."""

    generation: int
    views: tuple[SegmentView, ...] = ()
    weighting: Weighting | None = None  # frozen for the collection; None while it is empty

    @property
    def documents(self) -> int:
        """Documents that can be found."""
        return sum(view.segment.documents - len(view.deleted) for view in self.views)

    @property
    def indexed(self) -> int:
        """With those that were deleted, until they merge."""
        return sum(view.segment.documents for view in self.views)

    def term_stats(self, terms: Iterable[str]) -> TermStats:
        """How many documents there are, and how many hold each term; deleted ones count until they merge."""
        wanted = tuple(dict.fromkeys(terms))
        found = [view.segment.look_up(wanted).frequencies for view in self.views]
        if len(found) == 1:
            return TermStats(self.views[0].segment.documents, dict(zip(wanted, found[0], strict=True)))
        summed = [sum(own) for own in zip(*found, strict=True)] or [0] * len(wanted)
        return TermStats(self.indexed, dict(zip(wanted, summed, strict=True)))

    def frequencies(self, lines: bytes, count: int) -> NDArray[np.int64]:
        """The same of so many terms, one a line: for many at once."""
        held = np.zeros(count, np.int64)
        for view in self.views:
            held += view.segment.frequencies(lines, count)
        return held

    def languages(self) -> list[str]:
        """Of pages and passages."""
        columns = [view.segment.columns for view in self.views]
        return sorted({name for own in columns for name in [*own.languages(), *own.passage_languages()]})

    def spoken(self) -> Counter[str]:
        """How many documents there are in each language; deleted ones count until they merge."""
        total = Counter[str]()
        for view in self.views:
            total.update(view.segment.spoken)
        return total
