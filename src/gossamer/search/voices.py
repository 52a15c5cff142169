"""The texts of links, as something that is said by hosts: the formula of `said`, over an index of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import FIELDS, Field
from gossamer.index.snapshot import SegmentView, Snapshot
from gossamer.kernel import kernels_are_loaded
from gossamer.search.condition import Reading
from gossamer.search.hits import hits
from gossamer.search.said import Floats, Pages, Said
from gossamer.search.said_kernel import ORDINARY, SLOPE, STEPS, say_of, sum_shares, texts_with

Texts = tuple[NDArray[np.int64], NDArray[np.int64], Floats]  # of which page, by which host, what they count


class Voices:
    """The texts of links of one partition, as something that is said by hosts."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    @property
    def speak(self) -> bool:
        """Whether there is any text."""
        return bool(self.snapshot.views)

    def say(self, words: Sequence[Reading]) -> Said:
        """How often each word is said, of all pages of which any is."""
        if kernels_are_loaded():
            return self._say_compiled(words)
        return self._say_plain(words)

    def _say_compiled(self, words: Sequence[Reading]) -> Said:
        """The same in one pass over the texts of each segment."""
        views = self.snapshot.views
        if len(views) == 1:
            pages, _, frequencies, holders = _segment_says(views[0], words, False)
            return Said(pages, frequencies, tuple(holders.tolist()))
        nobody = np.empty(0, np.uint64), np.empty(0, np.int64), np.empty((0, len(words)))
        parts = [nobody]
        for view, numbers in zip(views, self._host_numbers, strict=True):
            pages, hosts, frequencies, _ = _segment_says(view, words, True)
            parts.append((pages, numbers[hosts], frequencies))
        pages, speakers, said = (np.concatenate(column) for column in zip(*parts, strict=True))
        if not len(pages):
            return Said(pages, said)
        order = np.lexsort((speakers, pages))
        return Said(*_by_host(pages[order], speakers[order], said[order]))

    def _say_plain(self, words: Sequence[Reading]) -> Said:
        columns = [self._of_word(terms) for terms in words]
        pages = _distinct(np.concatenate([own for own, _ in columns] or [np.empty(0, np.uint64)]))
        frequencies = np.zeros((len(pages), len(words)))
        for word, (own, found) in enumerate(columns):
            frequencies[np.searchsorted(pages, own), word] = found
        return Said(pages, frequencies)

    def _of_word(self, terms: Reading) -> tuple[Pages, Floats]:
        parts = [self._texts(number, view, terms) for number, view in enumerate(self.snapshot.views)]
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
        if not self.snapshot.views:
            return frequencies
        rising = np.argsort(pages)
        if kernels_are_loaded() and len(self.snapshot.views) == 1:
            _segment_says_of(self.snapshot.views[0], pages, rising, words, weight, frequencies)
            return frequencies
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
        for number, view in enumerate(self.snapshot.views):
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
        lists = [view.segment.columns.hosts() or [""] for view in self.snapshot.views]
        numbers = {name: place for place, name in enumerate(sorted(set().union(*lists)))}
        return [np.array([numbers[name] for name in names]) for names in lists]


def _segment_says(
    view: SegmentView, words: Sequence[Reading], by_host: bool
) -> tuple[Pages, NDArray[np.uint32], Floats, NDArray[np.int64]]:
    """What the texts of one segment say: pages, hosts by their numbers there, what counts, holders."""
    segment, columns, postings = view.segment, view.segment.columns, view.segment.postings
    terms = [(term, word) for word, own in enumerate(words) for term in own]
    found = segment.look_up(tuple([term for term, _ in terms]))
    known = [(place, word) for place, (_, word) in zip(found.numbers, terms, strict=True) if place >= 0]
    keys = np.empty(sum(found.frequencies), np.uint64)
    texts_with(
        np.array([place for place, _ in known], np.int64),
        np.array([word for _, word in known], np.int64),
        postings.term_entries,
        postings.entry_ranges,
        postings.entry_postings,
        postings.posting_docs,
        keys,
    )
    keys.sort()
    pages, hosts = np.empty(len(keys), np.uint64), np.empty(len(keys), np.uint32)
    frequencies, holders = np.empty((len(keys), len(words))), np.zeros(len(words), np.int64)
    lengths = columns.lengths.reshape(-1), np.uint64(FIELDS), np.uint64(Field.BODY)
    places = columns.fingerprints, columns.host_ids, *lengths
    size = sum_shares(keys, *places, by_host, pages, hosts, frequencies, holders)
    return pages[:size], hosts[:size], frequencies[:size], holders


def _segment_says_of(
    view: SegmentView,
    pages: Pages,
    rising: NDArray[np.int64],
    words: Sequence[Reading],
    weight: float,
    frequencies: Floats,
) -> None:
    """Fills in what the texts of one segment say of these pages; pages[rising] rise."""
    segment, columns, postings = view.segment, view.segment.columns, view.segment.postings
    terms = [(term, word) for word, own in enumerate(words) for term in own]
    say_of(
        pages,
        rising,
        np.array(segment.look_up(tuple([term for term, _ in terms])).numbers, np.int64),
        np.array([word for _, word in terms], np.int64),
        postings.term_entries,
        postings.entry_ranges,
        postings.entry_postings,
        postings.posting_docs,
        columns.fingerprints,
        columns.host_ids,
        columns.lengths,
        int(Field.BODY),
        weight,
        frequencies,
    )


def _shares(lengths: NDArray[np.uint32]) -> Floats:
    """What a word counts in texts of these lengths."""
    shares: Floats = np.rint(STEPS / (1 - SLOPE + SLOPE * lengths / ORDINARY)) / STEPS
    return shares


def _by_host(pages: NDArray[Any], hosts: NDArray[np.int64], shares: Floats) -> tuple[NDArray[Any], Floats]:
    """The sum of each page, of each host the most; the columns rise by page and host."""
    begins = _begins((pages[1:] != pages[:-1]) | (hosts[1:] != hosts[:-1]))
    once, of = np.maximum.reduceat(shares, begins, axis=0), pages[begins]
    begins = _begins(of[1:] != of[:-1])
    return of[begins], np.add.reduceat(once, begins, axis=0)


def _distinct(pages: Pages) -> Pages:
    rising = np.sort(pages)  # `np.unique` hashes, and takes longer
    return rising[_begins(rising[1:] != rising[:-1])] if len(rising) else rising


def _begins(changes: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where each stretch begins."""
    return np.flatnonzero(np.append(True, changes))
