"""Collects pages in memory until they become a segment.

Words are numbered in the order in which they first appear here; the token stream is one array of word numbers
a page, from which terms, documents and positions follow by array arithmetic. What the words of a run of bytes
are is remembered by the whole process (`text.runs`), because a crawl makes many segments of one vocabulary.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from gossamer.index.columns import Columns, coded
from gossamer.index.dictionary import numbered
from gossamer.index.fields import FIELDS, field_texts
from gossamer.index.invert_kernel import count_words, renumber
from gossamer.index.postings import invert
from gossamer.index.segment import SegmentContent
from gossamer.index.stored import LEVEL, StoredDocument, stored_from
from gossamer.index.weighting import Weighting
from gossamer.model import Page
from gossamer.text.analysis import analyser
from gossamer.text.runs import shared_runs
from gossamer.text.runs_kernel import number_anew

BYTES_A_TOKEN = 20  # the peak while a segment is built: the stream twice, positions, postings
BYTES_A_WORD = 250  # in the trie while it is built, and in tables


class _WordNumbers:
    """Numbers the distinct words of all languages in the order in which they appear."""

    def __init__(self) -> None:
        self._runs = shared_runs()
        self._begun_with = self._runs.memory
        self._places: dict[str, NDArray[np.uint32]] = {}  # by language, then by number in the runs
        self._new: list[tuple[str, NDArray[np.uint32]]] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def memory(self) -> int:
        """What the process remembers more than before counts too, as this may be what it grows by."""
        places = sum(array.nbytes for array in self._places.values())
        return BYTES_A_WORD * len(self) + places + max(0, self._runs.memory - self._begun_with)

    def stream(self, texts: tuple[str, ...], language: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The words of all texts one after the other, as numbers, and how many each text has."""
        numbers, counts = self._runs.number(texts)
        new = number_anew(numbers, self._places_in(language), self._count)
        if len(new):
            self._new.append((language, new))
            self._count += len(new)
        return numbers, counts

    def _places_in(self, language: str) -> NDArray[np.uint32]:
        places = self._places.get(language, np.empty(0, np.uint32))
        if len(places) < len(self._runs.words):
            grown = np.zeros(len(self._runs.words) * 5 // 4, np.uint32)
            grown[: len(places)] = places
            places = self._places[language] = grown
        return places

    def words(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Of every word by number: itself and its term, as numbers in the runs."""
        words = np.concatenate([np.empty(0, np.uint32), *(new for _, new in self._new)])
        terms = np.empty(len(words), np.int64)
        languages = np.repeat([language for language, _ in self._new], [len(new) for _, new in self._new])
        for language in self._places:
            spoken = languages == language
            terms[spoken] = self._runs.terms.of(words[spoken], language)
        return words, terms

    def word_texts(self, words: NDArray[np.uint32]) -> list[str]:
        return [self._runs.words[number] for number in words.tolist()]

    def term_texts(self, terms: NDArray[np.int64]) -> list[str]:
        return [self._runs.terms.texts[number] for number in terms.tolist()]


class SegmentWriter:
    """Pages in, the content of a segment out."""

    def __init__(self, default_language: str) -> None:
        self._default_language = default_language
        self._numbers = _WordNumbers()
        self._streams: list[NDArray[np.uint32]] = []  # one a page
        self._tokens = 0
        self._lengths = array("I")
        self._pages: list[tuple[str, int, float, float, str, str]] = []
        self._packed: list[bytes] = []
        self._packed_bytes = 0
        self._compressor = zstandard.ZstdCompressor(LEVEL)

    def __len__(self) -> int:
        return len(self._packed)

    @property
    def memory(self) -> int:
        """About how many bytes it will take to write what is collected."""
        return self._tokens * BYTES_A_TOKEN + self._packed_bytes + self._numbers.memory

    def add(self, page: Page) -> None:
        language = page.language or self._default_language
        stream, lengths = self._numbers.stream(field_texts(page), analyser(language).language)
        self._streams.append(stream)
        self._tokens += len(stream)
        self._lengths.extend(lengths.tolist())
        self._keep(page, language)

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
        totals: NDArray[np.int64] = self._length_rows().sum(axis=0, dtype=np.int64)
        return totals

    def _length_rows(self) -> NDArray[np.uint32]:
        return np.array(self._lengths, dtype=np.uint32).reshape(-1, FIELDS)

    def content(self, weighting: Weighting) -> SegmentContent:
        """Everything a segment consists of, documents in the order of their hosts and URLs."""
        order = sorted(range(len(self)), key=self._sort_key)
        lengths = np.ascontiguousarray(self._length_rows()[order])
        stream = np.concatenate([np.empty(0, np.uint32), *(self._streams[i] for i in order)])
        term_of_word, trie, forms = self._terms(stream)
        renumber(stream, term_of_word)
        return SegmentContent(
            trie=trie,
            forms=forms,
            postings=invert(stream, len(trie), lengths, weighting),
            columns=self._columns(order, lengths),
            stored=stored_from(self._packed[i] for i in order),
        )

    def _sort_key(self, i: int) -> tuple[list[str], str]:
        page = self._pages[i]
        return (page[0].split(".")[::-1], page[5])

    def _terms(self, stream: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], Any, list[str]]:
        """The term number of every word number, the trie, and each term's most frequent written form."""
        words, terms = self._numbers.words()
        distinct, place_of_word = np.unique(terms, return_inverse=True)
        trie, numbers = numbered(self._numbers.term_texts(distinct))
        term_of_word = numbers[place_of_word]
        counts = np.zeros(len(words), np.int64)
        count_words(stream, counts)
        rarest_first = np.argsort(counts, kind="stable")
        most_frequent = np.zeros(len(trie), np.uint32)
        most_frequent[term_of_word[rarest_first]] = words[rarest_first]  # of several the last one stays
        return term_of_word, trie, self._numbers.word_texts(most_frequent)

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
