"""What is known of the pages that a segment will have, besides their words? It is kept as they come.

A list or an array a column: an object a page would be looked at by every collection of garbage.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.index.columns import Columns, coded, file_type, host_key, joined_names
from gossamer.model import Page
from gossamer.text.shingles import SKETCH_BYTES

SHORTEST = 40  # words: shorter texts resemble one another


class Rows:
    """Pages in, columns out."""

    def __init__(self) -> None:
        self._hosts: list[str] = []
        self._urls: list[str] = []
        self._languages: list[str] = []
        self._of_passages: set[str] = set()
        self._types: list[str] = []
        self._fingerprints = array("Q")
        self._fetched_at = array("d")
        self._published = array("d")
        self._sketches: list[bytes] = []

    def __len__(self) -> int:
        return len(self._urls)

    def extend(self, pages: Sequence[Page], languages: Sequence[str]) -> None:
        urls = [page.url for page in pages]
        self._hosts += [url.authority for url in urls]
        self._urls += [url.text for url in urls]
        self._languages += languages
        self._of_passages.update(one.language for page in pages for one in page.passages)
        self._types += [file_type(page.media_type, page.url.path) for page in pages]
        self._fingerprints.extend([url.fingerprint for url in urls])
        self._fetched_at.extend([page.fetched_at for page in pages])
        self._published.extend([np.nan if page.published is None else page.published for page in pages])
        self._sketches += [page.sketch if page.words >= SHORTEST else b"" for page in pages]

    def join(self, others: Rows) -> None:
        """Takes over what others hold: nothing is computed here that could fail halfway."""
        self._hosts += others._hosts
        self._urls += others._urls
        self._languages += others._languages
        self._of_passages |= others._of_passages
        self._types += others._types
        self._fingerprints += others._fingerprints
        self._fetched_at += others._fetched_at
        self._published += others._published
        self._sketches += others._sketches

    def order(self) -> NDArray[np.int64]:
        """The documents by host and URL: what is alike stands together."""
        by_url = np.array(sorted(range(len(self)), key=self._urls.__getitem__), np.int64)
        ranks = {host: rank for rank, host in enumerate(sorted(set(self._hosts), key=host_key))}
        own = np.fromiter(map(ranks.__getitem__, self._hosts), np.int64, len(self))
        order: NDArray[np.int64] = by_url[np.argsort(own[by_url], kind="stable")]
        return order

    def columns(self, order: NDArray[np.int64], lengths: NDArray[np.uint32]) -> Columns:
        """The columns in this order; `lengths` is in it already."""
        host_ids, host_names = coded(self._hosts)
        language_ids, language_names = coded(self._languages)
        type_ids, type_names = coded(self._types)
        return Columns(
            fingerprints=np.array(self._fingerprints, np.uint64)[order],
            fetched_at=np.array(self._fetched_at, np.float64)[order],
            published=np.array(self._published, np.float64)[order],
            lengths=lengths,
            sketches=self._sketch_table()[order],
            host_ids=host_ids[order],
            language_ids=language_ids[order],
            type_ids=type_ids[order],
            host_names=host_names,
            language_names=language_names,
            type_names=type_names,
            passage_names=joined_names(sorted(self._of_passages)),
        )

    def _sketch_table(self) -> NDArray[np.uint8]:
        """A row a page; without columns where no page has a sketch."""
        if not any(self._sketches):
            return np.empty((len(self), 0), np.uint8)
        rows = b"".join([sketch.ljust(SKETCH_BYTES, b"\0") for sketch in self._sketches])
        return np.frombuffer(rows, np.uint8).reshape(-1, SKETCH_BYTES)
