# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""Candidates as columns: sort, join, select."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import unchecked_kernel
from gossamer.model import Candidate, DocAddress


@unchecked_kernel
def find_new(pages: NDArray[np.uint64], known: NDArray[np.uint64], rows: NDArray[np.int64]) -> int:
    """Fill in the rows of pages that are not among the known ones; return their number.

    Fingerprints are effectively random, so their last bits serve as a hash.
    """
    slots = np.uint64(4)
    while slots < np.uint64(2 * len(known)):
        slots += slots
    last = slots - np.uint64(1)
    table = np.zeros(slots, np.int64)  # rows of the known ones, from 1
    for row in range(len(known)):
        slot = known[row] & last
        while table[slot] > 0:
            slot = (slot + np.uint64(1)) & last
        table[slot] = row + 1
    found = 0
    for row in range(len(pages)):
        slot = pages[row] & last
        while table[slot] > 0 and known[table[slot] - 1] != pages[row]:
            slot = (slot + np.uint64(1)) & last
        if table[slot] == 0:
            rows[found] = row
            found += 1
    return found


SEGMENT_BITS = 32  # in a number of partition and segment
Numbers = NDArray[np.int64]
Rows = slice | Numbers  # a selection of candidates
Part = tuple[int, int, Rows]  # a partition, a segment, and its candidates


@dataclass(slots=True, eq=False)  # not frozen, because that is slow; but never changed
class Candidates(Sequence[Candidate]):
    """Candidates of any partitions, as columns. Indexing returns a row as a `Candidate`."""

    scores: Numbers  # of the first phase
    pages: NDArray[np.uint64]  # fingerprints
    partitions: Numbers
    segments: Numbers
    docs: Numbers
    home: tuple[int, int] | None = None  # the partition and segment of all candidates, if known

    def __len__(self) -> int:
        return len(self.pages)

    @overload
    def __getitem__(self, place: int) -> Candidate: ...
    @overload
    def __getitem__(self, place: slice) -> Candidates: ...
    def __getitem__(self, place: int | slice) -> Candidate | Candidates:
        if isinstance(place, slice):
            return self.taken(place)
        address = DocAddress(int(self.partitions[place]), int(self.segments[place]), int(self.docs[place]))
        return Candidate(int(self.scores[place]), int(self.pages[place]), address)

    def __iter__(self) -> Iterator[Candidate]:
        return map(self.__getitem__, range(len(self)))

    def taken(self, rows: Rows | NDArray[np.bool_]) -> Candidates:
        """Return some of the candidates, in the order of `rows`."""
        if isinstance(rows, slice):
            if rows.indices(len(self)) == (0, len(self), 1):
                return self
        elif rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        return Candidates(
            self.scores[rows],
            self.pages[rows],
            self.partitions[rows],
            self.segments[rows],
            self.docs[rows],
            self.home,
        )

    def by_segment(self) -> list[Part]:
        """Group the candidates by partition and segment."""
        if not len(self):
            return []
        if self.home:
            return [(*self.home, slice(None))]
        first = int(self.partitions[0]), int(self.segments[0])
        if (self.segments == first[1]).all() and (self.partitions == first[0]).all():
            return [(*first, slice(None))]
        homes = (self.partitions << SEGMENT_BITS) + self.segments
        order = np.argsort(homes, kind="stable")
        ordered = homes[order]
        borders = (np.flatnonzero(ordered[1:] != ordered[:-1]) + 1).tolist()
        found: list[Part] = []
        for begin, end in zip([0, *borders], [*borders, len(order)], strict=True):
            rows = order[begin:end]
            found.append((int(self.partitions[rows[0]]), int(self.segments[rows[0]]), rows))
        return found

    def best(self, k: int) -> Candidates:
        """Return the best k by score, ties by fingerprint: the same for any number of partitions."""
        return self.taken(best_first(self.scores, self.pages, k))

    def without(self, known: Candidates) -> Candidates:
        """Return the candidates whose pages are not among `known`."""
        if not len(self) or not len(known):
            return self
        rows = np.empty(len(self), np.int64)
        return self.taken(rows[: find_new(self.pages, known.pages, rows)])

    @property
    def columns(self) -> list[NDArray[Any]]:
        """The columns in the order of the constructor."""
        return [self.scores, self.pages, self.partitions, self.segments, self.docs]


_NONE = np.empty(0, np.int64)


def best_first(scores: NDArray[Any], pages: NDArray[np.uint64], k: int) -> Numbers:
    """Return the rows of the best k, best first, ties by fingerprint."""
    if not 0 < k < len(scores):
        return np.lexsort((pages, -scores))[:k]
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    rows = np.flatnonzero(scores >= least)
    return rows[np.lexsort((pages[rows], -scores[rows]))[:k]]


NOBODY = Candidates(_NONE, _NONE.view(np.uint64), _NONE, _NONE, _NONE)


def joined(parts: Sequence[Candidates]) -> Candidates:
    """Concatenate candidates."""
    full = [part for part in parts if len(part)]
    if len(full) < 2:
        return full[0] if full else NOBODY
    columns = zip(*(part.columns for part in full), strict=True)
    scores, pages, partitions, segments, docs = map(np.concatenate, columns)
    return Candidates(scores, pages, partitions, segments, docs)


def best_of(scores: NDArray[Any], pages: NDArray[np.uint64], k: int) -> Rows:
    """Return the same rows as `best_first`, in any order, which is faster."""
    if len(scores) <= k:
        return slice(None)
    if k <= 0:
        return slice(0)
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    above, equal = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
    first = np.argsort(pages[equal])[: k - len(above)] if len(above) + len(equal) > k else slice(None)
    return np.concatenate([above, equal[first]])
