"""How often do links say the words of a query, of which pages? No host says a word more than once.

    tf(t, d) = sum over hosts h of  max over texts x of h that lead to d with t of  1 / (1 - b + b |x| / 3)

|x| is the number of words of a text, 3 that of an ordinary one, b is 1/2. So what a site repeats in the menu
of every page, or says in ten ways, counts as if it was said once, in its shortest form; only other hosts add
to it. As the frequency of a field, tf enters BM25F with a weight of its own (`index.weighting`), and is
saturated together with the words of the page. References: Robertson, Zaragoza, Taylor, "Simple BM25
extension to multiple weighted fields", CIKM 2004; Eiron, McCurley, "Analysis of anchor text for web search",
SIGIR 2003.

The words near links are counted by the same formula over their own texts, and added with a share of the
weight. They only add to what pages are found by otherwise: so they are read for the pages that get full
scores, and for no others. Reference: Chakrabarti et al., "Automatic resource compilation by analyzing
hyperlink structure and associated text", WWW 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernels_are_loaded
from gossamer.search.second_kernel import add_said

Pages = NDArray[np.uint64]
Floats = NDArray[np.float64]
Near = Callable[[Pages], Floats]  # frequencies of pages, as they are added


@dataclass(frozen=True, slots=True)
class Said:
    """What links to the pages of one partition say of the words of a query."""

    pages: Pages  # fingerprints, rising
    frequencies: Floats  # pages x words
    counted: tuple[int, ...] | None = None  # of how many pages each word is said, where that is known

    @property
    def holders(self) -> tuple[int, ...]:
        """Of how many pages each word is said."""
        if self.counted is None:
            return tuple(np.count_nonzero(self.frequencies, axis=0).tolist())
        return self.counted

    def of(self, pages: Pages) -> Floats:
        """The frequencies of these pages, 0 where nothing is said."""
        if not len(self.pages):
            return np.zeros((len(pages), self.frequencies.shape[1]))
        near = np.searchsorted(self.pages, pages).clip(max=len(self.pages) - 1)
        found: Floats = np.where((self.pages[near] == pages)[:, None], self.frequencies[near], 0.0)
        return found


@dataclass(frozen=True, slots=True)
class AllSaid:
    """The same over all partitions; without any where texts of links do not count."""

    parts: tuple[Said, ...] = ()  # by partition
    holders: tuple[int, ...] = ()  # of how many pages each word is said
    nearby: tuple[Near, ...] = ()  # by partition, what stands near the links; none where it does not count

    @classmethod
    def of_all(cls, parts: Sequence[Said], nearby: Sequence[Near] = ()) -> AllSaid:
        holders = [sum(own) for own in zip(*(part.holders for part in parts), strict=True)]
        return cls(tuple(parts), tuple(holders), tuple(nearby))

    def of(self, partition: int, pages: Pages) -> Floats:
        """The frequencies of these pages of a partition."""
        if not self.parts:
            return np.zeros((len(pages), 1))
        said = self.parts[partition].of(pages)
        return said + self.nearby[partition](pages) if self.nearby else said

    def add(self, partition: int, pages: Pages, share: float, frequencies: Floats) -> None:
        """Adds to the frequencies of pages a share of what is said of them."""
        if self.nearby or not kernels_are_loaded():
            frequencies += share * self.of(partition, pages)
        elif self.parts:
            own = self.parts[partition]
            add_said(pages, own.pages, own.frequencies, share, frequencies)

    def apart(self, partition: int, pages: Pages) -> tuple[Floats, Floats]:
        """What the links say, and what stands near them."""
        said = self.parts[partition].of(pages)
        return said, self.nearby[partition](pages) if self.nearby else np.zeros(said.shape)


NOTHING = AllSaid()
