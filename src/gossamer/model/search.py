"""What passes between partitions and the search over them; the query itself stands in `query`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TermStats:
    """The collection's side of a query: summed over partitions before any of them ranks."""

    documents: int
    frequencies: Mapping[str, int]  # term -> documents that hold it

    def __add__(self, other: TermStats) -> TermStats:
        summed = dict(self.frequencies)
        for term, count in other.frequencies.items():
            summed[term] = summed.get(term, 0) + count
        return TermStats(self.documents + other.documents, summed)


UNFETCHED = -1  # instead of a segment: the document is a page that only links speak of


@dataclass(frozen=True, slots=True, order=True)
class DocAddress:
    """Where a document stands; valid only as long as the snapshot it came from."""

    partition: int
    segment: int
    doc: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked document before anything is fetched for it."""

    score: int
    fingerprint: int
    address: DocAddress

    @property
    def sort_key(self) -> tuple[int, int]:
        """Best first; ties by fingerprint, so that any number of partitions agrees."""
        return (-self.score, self.fingerprint)
