"""Collects pages in memory until they become a segment.

Words are numbered as they come and stemmed once each; the token stream is one array of word numbers, from
which terms, documents and positions follow by array arithmetic.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.columns import Columns, coded
from gossamer.index.dictionary import numbered
from gossamer.index.fields import FIELDS, GAP, field_texts
from gossamer.index.postings import Occurrences, invert
from gossamer.index.segment import SegmentContent
from gossamer.index.stored import StoredDocument, stored_from
from gossamer.index.weighting import Weighting
from gossamer.model import Page
from gossamer.text.analysis import analyser
from gossamer.text.words import words

BYTES_A_TOKEN = 44  # the peak while a segment is built: stream, sort orders, sorted copies


class _WordNumbers(dict[str, int]):
    """Numbers the distinct words of one language in a numbering shared by all languages."""

    def __init__(self, shared: list[tuple[str, str]], language: str) -> None:
        super().__init__()
        self._shared = shared
        self._language = language

    def __missing__(self, word: str) -> int:
        number = len(self._shared)
        self._shared.append((word, analyser(self._language)[word]))
        self[word] = number
        return number


class SegmentWriter:
    """Pages in, the content of a segment out."""

    def __init__(self, default_language: str) -> None:
        self._default_language = default_language
        self._words: list[tuple[str, str]] = []  # (word, term) by word number
        self._numbers: dict[str, _WordNumbers] = {}
        self._stream = array("I")
        self._lengths = array("I")
        self._pages: list[tuple[str, int, float, float, str, str]] = []
        self._packed: list[bytes] = []
        self._packed_bytes = 0

    def __len__(self) -> int:
        return len(self._packed)

    @property
    def memory(self) -> int:
        """About how many bytes it will take to write what is collected."""
        return len(self._stream) * BYTES_A_TOKEN + self._packed_bytes + 500 * len(self._words)

    def add(self, page: Page) -> None:
        language = page.language or self._default_language
        numbers = self._numbers.get(language)
        if numbers is None:
            numbers = self._numbers[language] = _WordNumbers(self._words, language)
        for text in field_texts(page):
            found = [numbers[word] for word in words(text)]
            self._stream.extend(found)
            self._lengths.append(len(found))
        self._keep(page, language)

    def _keep(self, page: Page, language: str) -> None:
        published = np.nan if page.published is None else page.published
        self._pages.append(
            (page.url.authority, page.url.fingerprint, page.fetched_at, published, language, page.url.text)
        )
        shown = StoredDocument(
            page.url.text, page.title, page.description, page.text, language, page.media_type
        )
        self._packed.append(shown.packed())
        self._packed_bytes += len(self._packed[-1])

    def total_lengths(self) -> NDArray[np.int64]:
        """The words in each field over all pages, to freeze the pivots."""
        totals: NDArray[np.int64] = self._length_rows().sum(axis=0, dtype=np.int64)
        return totals

    def _length_rows(self) -> NDArray[np.uint32]:
        return np.array(self._lengths, dtype=np.uint32).reshape(-1, FIELDS)

    def content(self, weighting: Weighting) -> SegmentContent:
        """Everything a segment consists of, documents in the order of their hosts and URLs."""
        order = np.array(sorted(range(len(self)), key=self._sort_key), dtype=np.int64)
        lengths = np.ascontiguousarray(self._length_rows()[order])
        term_of_word, trie, forms = self._terms()
        occurrences = self._occurrences(order, term_of_word)
        return SegmentContent(
            trie=trie,
            forms=forms,
            postings=invert(occurrences, len(trie), lengths, weighting),
            columns=self._columns(order, lengths),
            stored=stored_from(self._packed[i] for i in order),
        )

    def _sort_key(self, i: int) -> tuple[list[str], str]:
        page = self._pages[i]
        return (page[0].split(".")[::-1], page[5])

    def _terms(self) -> tuple[NDArray[np.uint32], Any, list[str]]:
        """The term number of every word number, the trie, and each term's most frequent written form."""
        terms = sorted({term for _, term in self._words})
        trie, numbers = numbered(terms)
        number_of = dict(zip(terms, numbers.tolist(), strict=True))
        term_of_word = np.array([number_of[term] for _, term in self._words], dtype=np.uint32)
        counts = np.bincount(np.array(self._stream, dtype=np.uint32), minlength=len(self._words))
        forms = [""] * len(terms)
        for word_number in np.argsort(counts, kind="stable"):
            forms[term_of_word[word_number]] = self._words[word_number][0]
        return term_of_word, trie, forms

    def _occurrences(self, order: NDArray[np.int64], term_of_word: NDArray[np.uint32]) -> Occurrences:
        rows = self._length_rows().astype(np.int64)
        place = np.empty(len(order), np.uint32)
        place[order] = np.arange(len(order), dtype=np.uint32)
        field_starts = np.cumsum(rows + GAP, axis=1) - (rows + GAP)
        sizes = rows.ravel()
        stream_starts = np.cumsum(sizes) - sizes
        positions = np.arange(len(self._stream)) + np.repeat(field_starts.ravel() - stream_starts, sizes)
        return Occurrences(
            term_of_word[np.array(self._stream, dtype=np.uint32)]
            if len(term_of_word)
            else np.empty(0, np.uint32),
            np.repeat(place, rows.sum(axis=1)),
            positions.astype(np.uint32),
        )

    def _columns(self, order: NDArray[np.int64], lengths: NDArray[np.uint32]) -> Columns:
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
