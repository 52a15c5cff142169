"""How often do links say the words of a query, of which pages? No host says a word more than once.

    tf(t, d) = sum over hosts h of  max over texts x of h that lead to d with t of  1 / (1 - b + b |x| / 3)

|x| is the number of words of a text, 3 that of an ordinary one, b is 1/2. So what a site repeats in the menu
of every page, or says in ten ways, counts as if it was said once, in its shortest form; only other hosts add
to it. As the frequency of a field, tf enters BM25F with a weight of its own (`index.weighting`), and is
saturated together with the words of the page. References: Robertson, Zaragoza, Taylor, "Simple BM25
extension to multiple weighted fields", CIKM 2004; Eiron, McCurley, "Analysis of anchor text for web search",
SIGIR 2003.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import Field
from gossamer.index.snapshot import SegmentView, Snapshot
from gossamer.search.condition import Reading

SLOPE = 0.5
ORDINARY = 3.0  # words
STEPS = 256.0  # shares are multiples of 1 / STEPS: so sums are exact, in whichever order they are made

Pages = NDArray[np.uint64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Said:
    """What links to the pages of one partition say of the words of a query."""

    pages: Pages  # fingerprints, rising
    frequencies: Floats  # pages x words

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

    @classmethod
    def of_all(cls, parts: Sequence[Said]) -> AllSaid:
        counts = np.array([np.count_nonzero(part.frequencies, axis=0) for part in parts])
        return cls(tuple(parts), tuple(counts.sum(axis=0).tolist()))

    def of(self, partition: int, pages: Pages) -> Floats:
        """The frequencies of these pages of a partition."""
        return self.parts[partition].of(pages) if self.parts else np.zeros((len(pages), 1))


NOTHING = AllSaid()


class Voices:
    """The texts of links of one partition, as something that is said by hosts."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def say(self, words: Sequence[Reading]) -> Said:
        """How often each word is said, of all pages of which any is."""
        columns = [self._of_word(terms) for terms in words]
        pages = _distinct(np.concatenate([own for own, _ in columns] or [np.empty(0, np.uint64)]))
        frequencies = np.zeros((len(pages), len(words)))
        for word, (own, found) in enumerate(columns):
            frequencies[np.searchsorted(pages, own), word] = found
        return Said(pages, frequencies)

    def _of_word(self, terms: Reading) -> tuple[Pages, Floats]:
        parts = [self._texts(number, view, terms) for number, view in enumerate(self._snapshot.views)]
        found = [part for part in parts if len(part[0])]
        if not found:
            return np.empty(0, np.uint64), np.empty(0)
        pages, hosts, shares = (np.concatenate(column) for column in zip(*found, strict=True))
        if len(found) > 1:
            order = np.lexsort((hosts, pages))
            pages, hosts, shares = pages[order], hosts[order], shares[order]
        begins = _begins((pages[1:] != pages[:-1]) | (hosts[1:] != hosts[:-1]))
        once, of = np.maximum.reduceat(shares, begins), pages[begins]
        begins = _begins(of[1:] != of[:-1])
        return of[begins], np.add.reduceat(once, begins)

    def _texts(
        self, number: int, view: SegmentView, terms: Reading
    ) -> tuple[Pages, NDArray[np.int64], Floats]:
        """The texts that hold a word: the page of each, who says it, and what it counts."""
        segment, columns = view.segment, view.segment.columns
        known = [place for place in segment.look_up(tuple(terms)).numbers if place >= 0]
        if len(known) == 1:
            docs = segment.postings.documents(known[0])
        else:
            lists = [segment.postings.documents(place) for place in known]
            docs = np.sort(np.concatenate([np.empty(0, np.int64), *lists]))
        lengths = columns.lengths[docs, Field.BODY]
        shares = np.rint(STEPS / (1 - SLOPE + SLOPE * lengths / ORDINARY)) / STEPS
        return columns.fingerprints[docs], self._host_numbers[number][columns.host_ids[docs]], shares

    @cached_property
    def _host_numbers(self) -> list[NDArray[np.int64]]:
        """Of each segment, the numbers of its hosts among the hosts of all."""
        lists = [view.segment.columns.hosts() or [""] for view in self._snapshot.views]
        numbers = {name: place for place, name in enumerate(sorted(set().union(*lists)))}
        return [np.array([numbers[name] for name in names]) for names in lists]


def _distinct(pages: Pages) -> Pages:
    rising = np.sort(pages)  # `np.unique` hashes, and takes longer
    return rising[_begins(rising[1:] != rising[:-1])] if len(rising) else rising


def _begins(changes: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where each stretch begins."""
    return np.flatnonzero(np.append(True, changes))
