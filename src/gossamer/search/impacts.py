"""A weighting scheme's view of one segment: how strongly each posting counts, and what follows from it.

What only some algorithms need is made when it is first asked for and kept as long as the segment is open.
"""

from __future__ import annotations

from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import Postings
from gossamer.search.blocks import Blocks

_Array = NDArray[Any]
Arrays = tuple[
    _Array, _Array, _Array, _Array, _Array, _Array, _Array, _Array, _Array, _Array
]  # fmt: skip

KEPT_LISTS = 1000  # terms whose postings in falling order are remembered


class Impacts:
    """`levels` has an integer for every posting, `highest` for every entry; 8 bits or 16."""

    def __init__(self, postings: Postings, levels: NDArray[Any], highest: NDArray[Any]) -> None:
        self.levels = levels
        self.highest = highest
        self._postings = postings
        self.falling = lru_cache(KEPT_LISTS)(partial(_falling, postings, levels))

    @classmethod
    def of(cls, postings: Postings, levels: NDArray[Any]) -> Impacts:
        highest = np.empty(0, levels.dtype)
        if len(levels):
            highest = np.maximum.reduceat(levels, postings.entry_postings[:-1].astype(np.int64))
        return cls(postings, levels, highest)

    @cached_property
    def blocks(self) -> Blocks:
        return Blocks.of(self._postings, self.levels)

    @cached_property
    def arrays(self) -> Arrays:
        """What the kernels that go by blocks take, in their order."""
        postings, blocks = self._postings, self.blocks
        return (
            postings.term_entries,
            postings.entry_ranges,
            self.highest,
            postings.entry_postings,
            postings.posting_docs,
            self.levels,
            blocks.term_rows,
            blocks.highest,
            blocks.ends,
            blocks.impacts_at,
        )

    def of_term(self, term: int) -> NDArray[Any]:
        """The impacts of a term's postings, in the order of its documents."""
        return self._postings.levels(term, self.levels)

    def at(self, term: int, docs: NDArray[np.int64]) -> NDArray[np.int64]:
        """How strongly these documents hold the term; 0 where they do not."""
        own, levels = self._postings.documents(term), self.of_term(term)
        places = np.minimum(np.searchsorted(own, docs), len(own) - 1)
        return np.where(own[places] == docs, levels[places], 0).astype(np.int64)


def _falling(
    postings: Postings, levels: NDArray[Any], term: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A term's documents and their impacts, the strongest first; equals in the order of documents."""
    own = postings.levels(term, levels).astype(np.int64)
    order = np.argsort(-own, kind="stable")
    return postings.documents(term)[order], own[order]
