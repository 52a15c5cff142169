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
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import Field
from gossamer.index.snapshot import SegmentView, Snapshot
from gossamer.search.condition import Reading
from gossamer.search.hits import hits

SLOPE = 0.5
ORDINARY = 3.0  # words
STEPS = 256.0  # shares are multiples of 1 / STEPS: so sums are exact, in whichever order they are made

Pages = NDArray[np.uint64]
Floats = NDArray[np.float64]
Texts = tuple[NDArray[np.int64], NDArray[np.int64], Floats]  # of which page, by which host, what they count
Near = Callable[[Pages], Floats]  # frequencies of pages, as they are added


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
    nearby: tuple[Near, ...] = ()  # by partition, what stands near the links; none where it does not count

    @classmethod
    def of_all(cls, parts: Sequence[Said], nearby: Sequence[Near] = ()) -> AllSaid:
        counts = np.array([np.count_nonzero(part.frequencies, axis=0) for part in parts])
        return cls(tuple(parts), tuple(counts.sum(axis=0).tolist()), tuple(nearby))

    def of(self, partition: int, pages: Pages) -> Floats:
        """The frequencies of these pages of a partition."""
        if not self.parts:
            return np.zeros((len(pages), 1))
        said, near = self.apart(partition, pages)
        return said + near

    def apart(self, partition: int, pages: Pages) -> tuple[Floats, Floats]:
        """What the links say, and what stands near them."""
        said = self.parts[partition].of(pages)
        return said, self.nearby[partition](pages) if self.nearby else np.zeros(said.shape)


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
        return _by_host(pages, hosts, shares)

    def of(self, pages: Pages, words: Sequence[Reading], weight: float) -> Floats:
        """How often each word is said of these pages, times a weight; only their texts are read."""
        frequencies = np.zeros((len(pages), len(words)))
        rising = np.argsort(pages)
        for word, found in enumerate(self._of_pages(pages[rising], words)):
            if found:
                rows, hosts, shares = (np.concatenate(column) for column in zip(*found, strict=True))
                order = np.lexsort((hosts, rows))
                own, sums = _by_host(rows[order], hosts[order], shares[order])
                frequencies[rising[own], word] = np.rint(STEPS * weight * sums) / STEPS
        return frequencies

    def _of_pages(self, pages: Pages, words: Sequence[Reading]) -> list[list[Texts]]:
        """Of each word, the texts that hold it of these pages, which rise; by segment, if there are any."""
        found: list[list[Texts]] = [[] for _ in words]
        for number, view in enumerate(self._snapshot.views):
            segment, columns = view.segment, view.segment.columns
            first = np.searchsorted(columns.fingerprints, pages)
            counts = np.searchsorted(columns.fingerprints, pages, "right") - first
            rows = np.repeat(np.arange(len(pages)), counts)
            if not len(rows):
                continue
            docs = np.arange(len(rows)) + np.repeat(first - np.cumsum(counts) + counts, counts)
            for own, terms in zip(found, words, strict=True):
                known = [place for place in segment.look_up(tuple(terms)).numbers if place >= 0]
                held = np.concatenate(
                    [np.empty(0, np.int64), *(hits(segment.postings, place, docs).rows for place in known)]
                )
                if len(held):
                    hosts = self._host_numbers[number][columns.host_ids[docs[held]]]
                    own.append((rows[held], hosts, _shares(columns.lengths[docs[held], Field.BODY])))
        return found

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
        shares = _shares(columns.lengths[docs, Field.BODY])
        return columns.fingerprints[docs], self._host_numbers[number][columns.host_ids[docs]], shares

    @cached_property
    def _host_numbers(self) -> list[NDArray[np.int64]]:
        """Of each segment, the numbers of its hosts among the hosts of all."""
        lists = [view.segment.columns.hosts() or [""] for view in self._snapshot.views]
        numbers = {name: place for place, name in enumerate(sorted(set().union(*lists)))}
        return [np.array([numbers[name] for name in names]) for names in lists]


def _shares(lengths: NDArray[np.uint32]) -> Floats:
    """What a word counts in texts of these lengths."""
    shares: Floats = np.rint(STEPS / (1 - SLOPE + SLOPE * lengths / ORDINARY)) / STEPS
    return shares


def _by_host(pages: NDArray[Any], hosts: NDArray[np.int64], shares: Floats) -> tuple[NDArray[Any], Floats]:
    """The sum of each page, of each host the most; the columns rise by page and host."""
    begins = _begins((pages[1:] != pages[:-1]) | (hosts[1:] != hosts[:-1]))
    once, of = np.maximum.reduceat(shares, begins), pages[begins]
    begins = _begins(of[1:] != of[:-1])
    return of[begins], np.add.reduceat(once, begins)


def _distinct(pages: Pages) -> Pages:
    rising = np.sort(pages)  # `np.unique` hashes, and takes longer
    return rising[_begins(rising[1:] != rising[:-1])] if len(rising) else rising


def _begins(changes: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where each stretch begins."""
    return np.flatnonzero(np.append(True, changes))
