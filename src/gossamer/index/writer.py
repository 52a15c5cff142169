"""Collects pages in memory until they become a segment.

A page waits until there are enough to be read in one go: between two pages a crawl does so much else that
tables and code are in no cache any more, and a page that is read alone takes twice the time. What was read is
one stream of word numbers, from which terms, documents and positions follow by array arithmetic.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import FIELDS, field_texts
from gossamer.index.mixed import cut, stretches
from gossamer.index.postings import invert
from gossamer.index.rows import Rows
from gossamer.index.segment import SegmentContent
from gossamer.index.stored_document import packed
from gossamer.index.stored_writer import PagesWriter, StoredWriter
from gossamer.index.stream import Stream
from gossamer.index.vocabulary import Vocabulary
from gossamer.index.weighting import Weighting
from gossamer.model import Page, Url
from gossamer.model.errors import BEYOND_ONE_PAGE, internal_error
from gossamer.text.scripts import likely_language

BYTES_A_TOKEN = 10  # the peak while a segment is built: the stream, positions, postings
BYTES_A_PAGE = 500  # besides its words
BYTES_A_CHARACTER = 4  # of a page that waits: what its words and its compressed text will take
READ_AT_ONCE = 1 << 20  # characters
SMALLEST_PAGE = 1 << 10  # characters: what a page without text counts


class SegmentWriter:
    """Pages in, the content of a segment out."""

    def __init__(self, default_language: str) -> None:
        self._default_language = default_language
        self.refused: dict[Url, str] = {}  # pages at which an error of ours came up, with the reason
        self._start()

    def _start(self, dictionary: bytes = b"") -> None:
        """`dictionary` is that by which texts were compressed before."""
        self._waiting: list[Page] = []
        self._waiting_characters = 0
        self._vocabulary = Vocabulary()
        self._stream = Stream()
        self._lengths: list[NDArray[np.uint32]] = []
        self._rows = Rows()
        self._stored = StoredWriter(partial(PagesWriter, dictionary=dictionary))

    def __len__(self) -> int:
        return len(self._rows) + len(self._waiting)

    @property
    def memory(self) -> int:
        """About how many bytes it will take to write what is collected."""
        read = len(self._stream) * BYTES_A_TOKEN + BYTES_A_PAGE * len(self._rows)
        waiting = self._waiting_characters * BYTES_A_CHARACTER
        return read + waiting + self._stored.memory + self._vocabulary.memory

    def add(self, page: Page) -> None:
        self._waiting.append(page)
        self._waiting_characters += SMALLEST_PAGE + len(page.text) + len(page.surroundings)
        if self._waiting_characters >= READ_AT_ONCE:
            self.settle()

    def settle(self) -> None:
        """Takes in the pages that wait. One at which an error comes up is refused, and the others come in."""
        pages, self._waiting, self._waiting_characters = self._waiting, [], 0
        try:
            self._read(pages)
        except BEYOND_ONE_PAGE:
            raise
        except Exception as error:
            if len(pages) == 1:
                self.refused[pages[0].url] = internal_error(error)
                return
            for page in pages:
                self._waiting = [page]
                self.settle()

    def _read(self, pages: list[Page]) -> None:
        """Takes in all of the pages, or none: what may fail comes first.

        Words are numbered last of that, because a word that no page holds would be a term without postings.
        """
        languages = [page.language or self._likely_language(page) for page in pages]
        kept = packed(pages, languages)
        rows = Rows()
        rows.extend(pages, languages)
        numbers, counts = self._words(pages, languages)
        self._rows.join(rows)
        self._stream.append(numbers)
        self._lengths.append(counts.reshape(-1, FIELDS))
        self._stored.extend(kept)

    def _likely_language(self, page: Page) -> str:
        """Of a page that has none; what stands around its text is looked at where it has no words."""
        texts = (page.title, page.text) if page.title or page.text else (page.surroundings,)
        return likely_language(texts, self._default_language)

    def _words(
        self, pages: list[Page], languages: list[str]
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The words of all fields, as numbers, and how many each field has."""
        texts = field_texts(pages)
        if not any(page.passages for page in pages):
            return self._vocabulary.read(texts, stretches(languages))
        pieces, stretched, begins = cut(pages, languages, texts)
        numbers, counts = self._vocabulary.read(pieces, stretched)
        return numbers, np.add.reduceat(counts, begins, dtype=np.uint32)

    def total_lengths(self) -> NDArray[np.int64]:
        """The words in each field over all pages, to freeze the pivots."""
        self.settle()
        totals: NDArray[np.int64] = self._length_rows().sum(axis=0, dtype=np.int64)
        return totals

    def _length_rows(self) -> NDArray[np.uint32]:
        return np.concatenate([np.empty((0, FIELDS), np.uint32), *self._lengths])

    def content(self, weighting: Weighting) -> SegmentContent:
        """Everything a segment consists of, documents in the order of their hosts and URLs.

        The writer is empty afterwards.
        """
        self.settle()
        order = self._rows.order()
        terms = self._vocabulary.terms()
        stream, counts = self._stream.drain(terms.of_word)
        lengths = self._length_rows()
        sizes = lengths.sum(axis=1, dtype=np.int64)
        begins = np.cumsum(sizes) - sizes
        lengths = lengths[order]
        content = SegmentContent(
            dictionary=self._vocabulary.dictionary(terms, counts),
            lexicon=self._vocabulary.lexicon(counts),
            postings=invert(stream, len(terms), begins[order], lengths, weighting),
            columns=self._rows.columns(order, lengths),
            stored=self._stored,
            slots=order.astype(np.uint32),
        )
        self._start(self._stored.dictionary)
        return content
