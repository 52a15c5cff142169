"""Where in the postings do documents stand, and which positions do they have there?

`hits` and `conjunction` choose between compiled code and plain arrays; `positions` and `field_ends` are the
plain side of what `positional_kernel` reads by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import Field
from gossamer.index.positions import of_some
from gossamer.index.postings import Postings
from gossamer.kernel import kernels_are_loaded
from gossamer.search.positional_kernel import Coded, conjoin, locate

Docs = NDArray[np.int64]  # rising


@dataclass(frozen=True, slots=True)
class Hits:
    """The postings that terms have in some documents: of which document (its place in the list), in order."""

    rows: NDArray[np.int64]
    postings: NDArray[np.int64]

    def bounds(self, documents: int) -> NDArray[np.int64]:
        """Where the postings of each document begin, and where the last one's end."""
        if len(self.rows) == documents:  # each document has one, as each has any
            return np.arange(documents + 1)
        return np.searchsorted(self.rows, np.arange(documents + 1))


def coded(postings: Postings) -> Coded:
    """How positions stand on the disk, as `positional_kernel` reads them."""
    return postings.position_blocks, postings.positions


def conjunction(postings: Postings, terms: Sequence[int], with_hits: bool) -> tuple[Docs, list[Hits]]:
    """The documents that hold all of these terms, the rarest of which comes first; if wanted, where."""
    if not kernels_are_loaded():
        return _plain_conjunction(postings, terms, with_hits)
    most, columns = postings.frequency(terms[0]), len(terms) if with_hits else 0
    docs, found = np.empty(most, np.int64), np.empty((most, columns), np.int64)
    size = conjoin(
        np.array(terms, np.int64),
        postings.term_entries,
        postings.entry_ranges,
        postings.entry_postings,
        postings.posting_docs,
        docs,
        found,
    )
    rows = np.arange(size)
    return docs[:size], [Hits(rows, found[:size, j]) for j in range(columns)]


def _plain_conjunction(postings: Postings, terms: Sequence[int], with_hits: bool) -> tuple[Docs, list[Hits]]:
    docs = postings.documents(terms[0])
    for term in terms[1:]:
        docs = docs[hits(postings, term, docs).rows]
    return docs, [hits(postings, term, docs) for term in terms] if with_hits else []


def hits_of_slot(postings: Postings, numbers: Sequence[int], docs: Docs) -> Hits:
    """The postings of all terms of a slot in these documents."""
    found = [hits(postings, number, docs) for number in numbers]
    if len(found) == 1:
        return found[0]
    rows = np.concatenate([one.rows for one in found])
    order = np.argsort(rows, kind="stable")
    return Hits(rows[order], np.concatenate([one.postings for one in found])[order])


def hits(postings: Postings, number: int, docs: Docs) -> Hits:
    """The postings of a term in these documents."""
    if not kernels_are_loaded():
        return _plain_hits(postings, number, docs)
    first, last = int(postings.term_entries[number]), int(postings.term_entries[number + 1])
    most = min(len(docs), postings.frequency(number))
    rows, found = np.empty(most, np.int64), np.empty(most, np.int64)
    size = locate(
        docs, first, last, postings.entry_ranges, postings.entry_postings, postings.posting_docs, rows, found
    )
    return Hits(rows[:size], found[:size])


def _plain_hits(postings: Postings, number: int, docs: Docs) -> Hits:
    held = postings.documents(number)
    places = np.searchsorted(held, docs)
    rows = np.flatnonzero(np.append(held, -1)[places] == docs)
    return Hits(rows, postings.span(number)[0] + places[rows])


def positions(postings: Postings, found: Hits) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every position of these postings: of which document (its place in the list), and which."""
    places, read = of_some(postings.positions, postings.position_blocks, found.postings)
    return found.rows[places], read


def field_ends(lengths: NDArray[np.uint32], places: NDArray[np.int64], wanted: int) -> NDArray[np.int64]:
    """Where the field of each position ends; 0 when it is not the wanted one (-1: any with words in a row).

    `lengths` has a line for each position: those of the fields of its document.
    """
    borders = np.cumsum(lengths, axis=1, dtype=np.int64)
    field = (borders <= places[:, None]).sum(axis=1)
    ends = borders[np.arange(len(places)), field]
    is_meant = field != Field.EMPHASISED if wanted < 0 else field == wanted
    return np.where(is_meant, ends, 0)
