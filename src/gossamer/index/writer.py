"""Collects pages in memory until they become a segment.

A page waits until there are enough to be read in one go: between two pages a crawl does so much else that
tables and code are in no cache any more, and a page that is read alone takes twice the time. What was read is
one stream of word numbers, from which terms, documents and positions follow by array arithmetic.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from gossamer.index.columns import Columns, coded, file_type, host_key
from gossamer.index.fields import FIELDS, field_texts
from gossamer.index.invert_kernel import renumber
from gossamer.index.postings import invert
from gossamer.index.segment import SegmentContent
from gossamer.index.stored import StoredWriter, packed
from gossamer.index.vocabulary import Vocabulary
from gossamer.index.weighting import Weighting
from gossamer.model import Page
from gossamer.text.analysis import analyser

BYTES_A_TOKEN = 10  # the peak while a segment is built: the stream, positions, postings
BYTES_A_PAGE = 500  # besides its words
BYTES_A_CHARACTER = 4  # of a page that waits: what its words and its compressed text will take
READ_AT_ONCE = 1 << 18  # characters
SMALLEST_PAGE = 1 << 10  # characters: what a page without text counts

# What is kept of a page: host, URL, fingerprint, time of fetch, date, language, kind of file.
Row = tuple[str, str, int, float, float, str, str]


class SegmentWriter:
    """Pages in, the content of a segment out."""

    def __init__(self, default_language: str) -> None:
        self._default_language = default_language
        self._start()

    def _start(self) -> None:
        self._waiting: list[Page] = []
        self._waiting_characters = 0
        self._vocabulary = Vocabulary()
        self._stream = np.empty(0, np.uint32)  # with room at its end
        self._tokens = 0
        self._lengths: list[NDArray[np.uint32]] = []
        self._rows: list[Row] = []
        self._stored = StoredWriter()

    def __len__(self) -> int:
        return len(self._rows) + len(self._waiting)

    @property
    def memory(self) -> int:
        """About how many bytes it will take to write what is collected."""
        read = self._tokens * BYTES_A_TOKEN + BYTES_A_PAGE * len(self._rows)
        waiting = self._waiting_characters * BYTES_A_CHARACTER
        return read + waiting + self._stored.memory + self._vocabulary.memory

    def add(self, page: Page) -> None:
        self._waiting.append(page)
        self._waiting_characters += SMALLEST_PAGE + len(page.text) + len(page.surroundings)
        if self._waiting_characters >= READ_AT_ONCE:
            self._read()

    def _read(self) -> None:
        """Takes in the pages that wait."""
        languages = [page.language or self._default_language for page in self._waiting]
        texts = [text for page in self._waiting for text in field_texts(page)]
        stemmed = groupby(analyser(language).language for language in languages)
        stretches = [(language, FIELDS * len(list(group))) for language, group in stemmed]
        numbers, counts = self._vocabulary.read(texts, stretches)
        self._append(numbers)
        self._lengths.append(counts.reshape(-1, FIELDS))
        for page, language in zip(self._waiting, languages, strict=True):
            self._rows.append(_row(page, language))
            self._stored.add(packed(page, language))
        self._waiting.clear()
        self._waiting_characters = 0

    def _append(self, numbers: NDArray[np.uint32]) -> None:
        end = self._tokens + len(numbers)
        if end > len(self._stream):
            # Memory of this size is moved by the system without being copied.
            self._stream.resize(max(end, len(self._stream) * 5 // 4), refcheck=False)
        self._stream[self._tokens : end] = numbers
        self._tokens = end

    def total_lengths(self) -> NDArray[np.int64]:
        """The words in each field over all pages, to freeze the pivots."""
        self._read()
        totals: NDArray[np.int64] = self._length_rows().sum(axis=0, dtype=np.int64)
        return totals

    def _length_rows(self) -> NDArray[np.uint32]:
        return np.concatenate([np.empty((0, FIELDS), np.uint32), *self._lengths])

    def content(self, weighting: Weighting) -> SegmentContent:
        """Everything a segment consists of, documents in the order of their hosts and URLs.

        The writer is empty afterwards.
        """
        self._read()
        order = self._order()
        terms = self._vocabulary.terms()
        counts = np.zeros(len(terms.of_word), np.int64)
        renumber(self._stream[: self._tokens], terms.of_word, counts)
        lengths = self._length_rows()
        sizes = lengths.sum(axis=1, dtype=np.int64)
        begins = np.cumsum(sizes) - sizes
        lengths = lengths[order]
        content = SegmentContent(
            dictionary=self._vocabulary.dictionary(terms, counts),
            postings=invert(self._stream, len(terms), begins[order], lengths, weighting),
            columns=_columns([self._rows[i] for i in order.tolist()], lengths),
            stored=self._stored,
            slots=order.astype(np.uint32),
        )
        self._start()
        return content

    def _order(self) -> NDArray[np.int64]:
        """The documents by host and URL: what is alike stands together."""
        keys = {host: host_key(host) for host in map(itemgetter(0), self._rows)}
        places = [(keys[row[0]], row[1]) for row in self._rows]
        return np.array(sorted(range(len(places)), key=places.__getitem__), np.int64)


def _row(page: Page, language: str) -> Row:
    url = page.url
    published = np.nan if page.published is None else page.published
    kind = file_type(page.media_type, url.path)
    return (url.authority, url.text, url.fingerprint, page.fetched_at, published, language, kind)


def _columns(rows: list[Row], lengths: NDArray[np.uint32]) -> Columns:
    hosts, _, fingerprints, fetched_at, published, languages, types = (
        zip(*rows, strict=True) if rows else [()] * 7
    )
    host_ids, host_names = coded(hosts)
    language_ids, language_names = coded(languages)
    type_ids, type_names = coded(types)
    return Columns(
        fingerprints=np.array(fingerprints, dtype=np.uint64),
        fetched_at=np.array(fetched_at, dtype=np.float64),
        published=np.array(published, dtype=np.float64),
        lengths=lengths,
        host_ids=host_ids,
        language_ids=language_ids,
        type_ids=type_ids,
        host_names=host_names,
        language_names=language_names,
        type_names=type_names,
    )
