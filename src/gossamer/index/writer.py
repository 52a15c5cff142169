"""Collects pages in memory until they become a segment.

A page waits until there are enough to be read in one go: between two pages a crawl does so much else that
tables and code are in no cache any more, and a page that is read alone takes twice the time. What was read is
one stream of word numbers, from which terms, documents and positions follow by array arithmetic.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from gossamer.index.columns import Columns, coded
from gossamer.index.fields import FIELDS, field_texts
from gossamer.index.invert_kernel import renumber
from gossamer.index.postings import invert
from gossamer.index.segment import SegmentContent
from gossamer.index.stored import StoredDocument, compressor
from gossamer.index.vocabulary import Vocabulary
from gossamer.index.weighting import Weighting
from gossamer.model import Page
from gossamer.text.analysis import analyser

BYTES_A_TOKEN = 20  # the peak while a segment is built: the stream, positions, postings
BYTES_A_CHARACTER = 4  # of a page that waits: what its words and its compressed text will take
READ_AT_ONCE = 1 << 18  # characters
SMALLEST_PAGE = 1 << 10  # characters: what a page without text counts


class SegmentWriter:
    """Pages in, the content of a segment out."""

    def __init__(self, default_language: str) -> None:
        self._default_language = default_language
        self._compressor = compressor()
        self._start()

    def _start(self) -> None:
        self._waiting: list[Page] = []
        self._waiting_characters = 0
        self._vocabulary = Vocabulary()
        self._stream = np.empty(0, np.uint32)  # with room at its end
        self._tokens = 0
        self._lengths: list[NDArray[np.uint32]] = []
        self._pages: list[tuple[str, int, float, float, str, str]] = []
        self._packed: list[bytes] = []
        self._packed_bytes = 0

    def __len__(self) -> int:
        return len(self._packed) + len(self._waiting)

    @property
    def memory(self) -> int:
        """About how many bytes it will take to write what is collected."""
        read = self._tokens * BYTES_A_TOKEN + self._packed_bytes + self._vocabulary.memory
        return read + self._waiting_characters * BYTES_A_CHARACTER

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
            self._keep(page, language)
        self._waiting.clear()
        self._waiting_characters = 0

    def _append(self, numbers: NDArray[np.uint32]) -> None:
        end = self._tokens + len(numbers)
        if end > len(self._stream):
            # Memory of this size is moved by the system without being copied.
            self._stream.resize(max(end, len(self._stream) * 5 // 4), refcheck=False)
        self._stream[self._tokens : end] = numbers
        self._tokens = end

    def _keep(self, page: Page, language: str) -> None:
        published = np.nan if page.published is None else page.published
        self._pages.append(
            (page.url.authority, page.url.fingerprint, page.fetched_at, published, language, page.url.text)
        )
        shown = StoredDocument(
            page.url.text, page.title, page.description, page.text, language, page.media_type
        )
        self._packed.append(shown.packed(self._compressor))
        self._packed_bytes += len(self._packed[-1])

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
        order = sorted(range(len(self)), key=self._sort_key)
        trie, term_of_word = self._vocabulary.terms()
        counts = np.zeros(len(term_of_word), np.int64)
        renumber(self._stream[: self._tokens], term_of_word, counts)
        lengths = self._length_rows()
        sizes = lengths.sum(axis=1, dtype=np.int64)
        begins = np.cumsum(sizes) - sizes
        lengths = lengths[order]
        content = SegmentContent(
            trie=trie,
            forms=self._vocabulary.forms(term_of_word, counts, len(trie)),
            postings=invert(self._stream, len(trie), begins[order], lengths, weighting),
            columns=self._columns(order, lengths),
            packed=[self._packed[i] for i in order],
        )
        self._start()
        return content

    def _sort_key(self, i: int) -> tuple[list[str], str]:
        page = self._pages[i]
        return (page[0].split(".")[::-1], page[5])

    def _columns(self, order: list[int], lengths: NDArray[np.uint32]) -> Columns:
        pages = [self._pages[i] for i in order]
        host_ids, host_names = coded([page[0] for page in pages])
        language_ids, language_names = coded([page[4] for page in pages])
        return Columns(
            fingerprints=np.array([page[1] for page in pages], dtype=np.uint64),
            fetched_at=np.array([page[2] for page in pages], dtype=np.float64),
            published=np.array([page[3] for page in pages], dtype=np.float64),
            lengths=lengths,
            host_ids=host_ids,
            language_ids=language_ids,
            host_names=host_names,
            language_names=language_names,
        )
