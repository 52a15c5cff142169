# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""Collect pages in memory into a new segment.

Pages are tokenised in batches. Between two pages a crawl does so much else that tables and code leave the
processor's cache, so a page alone takes twice the time. Tokenising yields one stream of word numbers, from
which array operations compute terms, documents and positions.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from gossamer.index.bm25f import FIELDS, Field, Weighting, field_texts
from gossamer.index.dictionary import Dictionary, Lexicon, dictionary_of, lexicon_of
from gossamer.index.postings import invert, renumber
from gossamer.index.segment import Columns, SegmentContent, coded, file_type, host_key, joined_names
from gossamer.index.stored_text import PagesWriter, StoredWriter, packed
from gossamer.kernels.kernel import kernel
from gossamer.model import Page, Url
from gossamer.model.errors import BEYOND_ONE_PAGE, internal_error
from gossamer.text.language_id import likely_language
from gossamer.text.shingles import SKETCH_BYTES
from gossamer.text.terms import WORD_ONLY, analyser
from gossamer.text.tokenizer import number_anew, shared_runs

# Language of each passage for stemming
# -------------------------------------
#
# A passage in another language than its page is indexed in its own language, at its place. It is indexed
# again in the language of the page, after the surroundings. So a page holds all of its words in its own
# language, and conditions can be evaluated one language at a time.

Piece = tuple[str, str]  # the language for stemming, and the text
Stretch = tuple[str, int]  # a language, and the number of consecutive texts in it


def stretches(languages: Sequence[str]) -> list[Stretch]:
    """Return the stretches of fields with the same language for stemming, for pages in these languages."""
    stemmed_in = {language: analyser(language).language for language in set(languages)}
    return [(language, FIELDS * pages) for language, pages in _runs(map(stemmed_in.__getitem__, languages))]


def _runs(languages: Iterable[str]) -> list[Stretch]:
    """Return the runs of equal languages, with their lengths."""
    return [(language, len(list(run))) for language, run in groupby(languages)]


def cut(
    pages: Sequence[Page], languages: Sequence[str], texts: Sequence[str]
) -> tuple[list[str], list[Stretch], NDArray[np.int64]]:
    """Cut the fields of pages into pieces of one language.

    Return texts, stretches, and the first piece of each field.
    """
    pieces: list[Piece] = []
    begins: list[int] = []
    for place, text in enumerate(texts):
        page, field = pages[place // FIELDS], place % FIELDS
        begins.append(len(pieces))
        pieces += _pieces(page, analyser(languages[place // FIELDS]).language, field, text)
    return [text for _, text in pieces], _runs(language for language, _ in pieces), np.array(begins)


def _pieces(page: Page, language: str, field: int, text: str) -> Iterator[Piece]:
    if page.passages and field == Field.BODY:
        begin = 0
        for one in page.passages:
            yield language, text[begin : one.begin]
            yield analyser(one.language).language, text[one.begin : one.end]
            begin = one.end
        yield language, text[begin:]
    elif page.passages and field == Field.SURROUNDINGS:
        yield language, "\n".join([text, *(page.text[one.begin : one.end] for one in page.passages)])
    else:
        yield language, text


# Column values of pages waiting for a segment
# --------------------------------------------
#
# Each column is a list or an array. With one object per page, every garbage collection would visit all of
# them.

SHORTEST = 40  # words; the sketches of shorter texts are too similar to one another


class PageColumns:
    """Collect the columns of pages."""

    def __init__(self) -> None:
        self._hosts: list[str] = []
        self._urls: list[str] = []
        self._languages: list[str] = []
        self._of_passages: list[str] = []
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
        self._of_passages += {one.language for page in pages for one in page.passages}
        self._types += [file_type(page.media_type, page.url.path) for page in pages]
        self._fingerprints.extend([url.fingerprint for url in urls])
        self._fetched_at.extend([page.fetched_at for page in pages])
        self._published.extend([np.nan if page.published is None else page.published for page in pages])
        self._sketches += [page.sketch if page.words >= SHORTEST else b"" for page in pages]

    def join(self, others: PageColumns) -> None:
        """Append the rows of other columns. This computes nothing that could fail halfway."""
        for name, column in vars(self).items():
            column.extend(getattr(others, name))

    def order(self) -> NDArray[np.int64]:
        """Return the documents sorted by host and URL, so that similar ones are adjacent."""
        by_url = np.array(sorted(range(len(self)), key=self._urls.__getitem__), np.int64)
        ranks = {host: rank for rank, host in enumerate(sorted(set(self._hosts), key=host_key))}
        own = np.fromiter(map(ranks.__getitem__, self._hosts), np.int64, len(self))
        return by_url[np.argsort(own[by_url], kind="stable")]

    def columns(self, order: NDArray[np.int64], lengths: NDArray[np.uint32]) -> Columns:
        """Return the columns in this order; `lengths` must be in it already."""
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
            passage_names=joined_names(sorted(set(self._of_passages))),
        )

    def _sketch_table(self) -> NDArray[np.uint8]:
        """Return one row per page; no columns if no page has a sketch."""
        if not any(self._sketches):
            return np.empty((len(self), 0), np.uint8)
        rows = b"".join([sketch.ljust(SKETCH_BYTES, b"\0") for sketch in self._sketches])
        return np.frombuffer(rows, np.uint8).reshape(-1, SKETCH_BYTES)


# Growing stream of word numbers
# ------------------------------


# Words in a piece. The system provides so large an array page by page, and gets it back when it is freed.
PIECE = 1 << 24


class TermStream:
    """A growing stream of word numbers, in pieces, so that growing never copies."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._full: list[NDArray[np.uint32]] = []
        self._piece = np.empty(0, np.uint32)
        self._used = 0  # words in the piece
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, words: NDArray[np.uint32]) -> None:
        end = self._used + len(words)
        if end > len(self._piece):
            self._full.append(self._piece[: self._used])
            self._piece, self._used, end = np.empty(max(PIECE, len(words)), np.uint32), 0, len(words)
        self._piece[self._used : end] = words
        self._used = end
        self._count += len(words)

    def drain(self, term_of_word: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Empty the stream; return the terms of all words, and the number of occurrences of each word."""
        terms, counts = np.empty(len(self), np.uint32), np.zeros(len(term_of_word), np.int64)
        pieces = [*self._full, self._piece[: self._used]]
        self._start()
        begin = 0
        while pieces:
            words = pieces.pop(0)  # frees its memory before the next piece needs more
            renumber(words, term_of_word, counts, terms[begin : begin + len(words)])
            begin += len(words)
        return terms, counts


# Kernels: most frequent written form
# -----------------------------------

MARK, SPACE, LINE_FEED = 0x1F, ord(" "), ord("\n")
ONE = np.uint64(1)


@kernel
def most_frequent(
    term_of_word: NDArray[np.uint32], counts: NDArray[np.int64], terms: int
) -> NDArray[np.uint32]:
    """Return the most frequent word of each term; the last one if several are."""
    best = np.zeros(terms, np.uint32)
    highest = np.full(terms, -1, np.int64)
    for word in range(len(term_of_word)):
        term = term_of_word[word]
        if counts[word] >= highest[term]:
            highest[term] = counts[word]
            best[term] = word
    return best


@kernel
def write_forms(
    terms: NDArray[np.uint8],
    term_bounds: NDArray[np.int64],
    order: NDArray[np.uint32],
    words: NDArray[np.uint8],
    word_bounds: NDArray[np.int64],
    word_of_term: NDArray[np.uint32],
) -> NDArray[np.uint8]:
    """Return the word of each term, one per line; the line is empty if the word is the stem.

    A space before a word is a marker of the tokeniser and is left out.
    """
    size = len(order)
    for word in word_of_term:
        size += word_bounds[word + 1] - word_bounds[word]
    lines = np.empty(size, np.uint8)
    at = np.uint64(0)
    for number in range(len(order)):
        t, t_end = np.uint64(term_bounds[order[number]]), np.uint64(term_bounds[order[number] + 1])
        w = np.uint64(word_bounds[word_of_term[number]])
        end = np.uint64(word_bounds[word_of_term[number] + 1])
        if w < end and words[w] == SPACE:
            w += ONE
        begin = w
        while w < end and t < t_end and words[w] == terms[t]:
            w += ONE
            t += ONE
        if w < end or (t < t_end and terms[t] != MARK):
            for i in range(begin, end):
                lines[at] = words[i]
                at += ONE
        lines[at] = LINE_FEED
        at += ONE
    return lines[:at]


# Words and terms of a segment being written
# ------------------------------------------
#
# Words are numbered in the order of their first occurrence. The process caches how runs of bytes split
# into words (`text.tokenizer.shared_runs`), because a crawl makes many segments with one vocabulary.

BYTES_A_WORD = 80  # at the peak, while the dictionary is made


@dataclass(frozen=True, slots=True)
class SegmentTerms:
    """The sorted terms of a segment, as numbers of the process, and the place of the term of each word."""

    order: NDArray[np.uint32]
    of_word: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.order)


class SegmentVocabulary:
    """The distinct words of a segment, in all languages."""

    def __init__(self) -> None:
        self._runs = shared_runs()
        self._begun_with = self._runs.memory
        self._places: dict[str, NDArray[np.uint32]] = {}  # by language, then by number in `_runs`
        self._new: list[tuple[str, NDArray[np.uint32]]] = []
        self._terms: list[NDArray[np.uint32]] = []  # of the words in `_new`
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def memory(self) -> int:
        """Bytes in use.

        Growth of the process-wide cache counts, too, because this segment may be its cause.
        """
        places = sum(array.nbytes for array in self._places.values())
        return BYTES_A_WORD * len(self) + places + max(0, self._runs.memory - self._begun_with)

    def read(
        self, texts: Sequence[str], stretches: Sequence[tuple[str, int]]
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Tokenise texts; return the numbers of their words, and the number of words of each text.

        A stretch is a language and the number of texts in it. After an error, new words of these texts are
        forgotten: a word that no text holds would become a term without postings.
        """
        numbers, counts = self._runs.number(texts)
        known = len(self._new)
        ends = np.cumsum(counts, dtype=np.int64)
        begin, read = 0, 0
        for language, size in stretches:
            read += size
            end = int(ends[read - 1])
            self._number(numbers[begin:end], language)
            begin = end
        try:
            self._stem(known)
        except BaseException:
            self._forget(known)
            raise
        return numbers, counts

    def _stem(self, known: int) -> None:
        """Find the terms of new words.

        An error caused by a word occurs here, while the pages that hold the word can still be refused.
        """
        new = self._new[known:]
        words = np.concatenate([np.empty(0, np.uint32), *(words for _, words in new)])
        starts = np.cumsum([0, *(len(words) for _, words in new)])
        self._terms.append(self._runs.terms.of_each(words, starts, [language for language, _ in new]))

    def _forget(self, known: int) -> None:
        for language, words in self._new[known:]:
            self._places[language][words] = 0
            self._count -= len(words)
        del self._new[known:]

    def _number(self, numbers: NDArray[np.uint32], language: str) -> None:
        """Replace the numbers of words in `_runs` by their numbers in this vocabulary."""
        new = number_anew(numbers, self._places_in(language), self._count)
        if len(new):
            self._new.append((language, new))
            self._count += len(new)

    def _places_in(self, language: str) -> NDArray[np.uint32]:
        places = self._places.get(language, np.empty(0, np.uint32))
        if len(places) < len(self._runs):
            grown = np.zeros(len(self._runs) * 5 // 4, np.uint32)
            grown[: len(places)] = places
            places = self._places[language] = grown
        return places

    def terms(self) -> SegmentTerms:
        """Return the terms of all words."""
        terms = np.concatenate([np.empty(0, np.uint32), *self._terms])
        texts = self._runs.terms.texts
        place_of = np.zeros(len(texts), np.uint32)
        place_of[terms] = 1
        order = texts.in_order(np.flatnonzero(place_of).astype(np.uint32))
        place_of[order] = np.arange(len(order), dtype=np.uint32)
        return SegmentTerms(order, place_of[terms])

    def dictionary(self, terms: SegmentTerms, counts: NDArray[np.int64]) -> Dictionary:
        """Make the dictionary; `counts` is the number of occurrences of each word."""
        texts, runs = self._runs.terms.texts, self._runs.strings
        best = most_frequent(terms.of_word, counts, len(terms))
        words = self._words()[best] if len(terms) else best
        forms = write_forms(texts.arena, texts.bounds, terms.order, runs.arena, runs.bounds, words)
        return dictionary_of(texts.arena, texts.bounds, terms.order, forms.tobytes())

    def lexicon(self, counts: NDArray[np.int64]) -> Lexicon:
        """Make the lexicon of written words. A word that is read in several languages is one word here."""
        totals = np.bincount(self._words(), counts, len(self._runs))
        numbers = np.flatnonzero(totals)
        lines = self._runs.strings.lines(numbers.astype(np.uint32)).replace(WORD_ONLY.encode(), b"")
        return lexicon_of(lines, totals[numbers].astype(np.int64))

    def _words(self) -> NDArray[np.uint32]:
        """Return for each word its number in `_runs`."""
        return np.concatenate([np.empty(0, np.uint32), *(new for _, new in self._new)])


BYTES_A_TOKEN = 10  # at the peak, while a segment is built: stream, positions, postings
BYTES_A_PAGE = 500  # in addition to its words
BYTES_A_CHARACTER = 4  # of a waiting page: an estimate for its words and its compressed text
READ_AT_ONCE = 1 << 20  # characters that make a batch
SMALLEST_PAGE = 1 << 10  # characters that every page counts in addition to its text


class SegmentWriter:
    """Collect pages and make the content of a segment."""

    def __init__(self, default_language: str) -> None:
        self._default_language = default_language
        self.refused: dict[Url, str] = {}  # pages that caused an internal error, with its message
        self._start()

    def _start(self, dictionary: bytes = b"") -> None:
        """Begin a segment; `dictionary` is the compression dictionary of the last one."""
        self._waiting: list[Page] = []
        self._waiting_characters = 0
        self._vocabulary = SegmentVocabulary()
        self._stream = TermStream()
        self._lengths: list[NDArray[np.uint32]] = []
        self._rows = PageColumns()
        self._stored = StoredWriter(partial(PagesWriter, dictionary=dictionary))

    def __len__(self) -> int:
        return len(self._rows) + len(self._waiting)

    @property
    def memory(self) -> int:
        """An estimate of the bytes that are needed to write the segment."""
        read = len(self._stream) * BYTES_A_TOKEN + BYTES_A_PAGE * len(self._rows)
        waiting = self._waiting_characters * BYTES_A_CHARACTER
        return read + waiting + self._stored.memory + self._vocabulary.memory

    def add(self, page: Page) -> None:
        """Add a page; it may wait for its batch."""
        self._waiting.append(page)
        self._waiting_characters += SMALLEST_PAGE + len(page.text) + len(page.surroundings)
        if self._waiting_characters >= READ_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Process the waiting pages. A page that causes an error is refused; the others are added."""
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
                self.flush()

    def _read(self, pages: list[Page]) -> None:
        """Add all of the pages or none: the steps that may fail come first.

        The last of these numbers the words, because a word that no page holds would become a term without
        postings.
        """
        languages = [page.language or self._likely_language(page) for page in pages]
        kept = packed(pages, languages)
        rows = PageColumns()
        rows.extend(pages, languages)
        numbers, counts = self._words(pages, languages)
        self._rows.join(rows)
        self._stream.append(numbers)
        self._lengths.append(counts.reshape(-1, FIELDS))
        self._stored.extend(kept)

    def _likely_language(self, page: Page) -> str:
        """Guess the language of a page from title and text, or from the surroundings if both are empty."""
        texts = (page.title, page.text) if page.title or page.text else (page.surroundings,)
        return likely_language(texts, self._default_language)

    def _words(
        self, pages: list[Page], languages: list[str]
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the numbers of the words of all fields, and the number of words of each field."""
        texts = field_texts(pages)
        if not any(page.passages for page in pages):
            return self._vocabulary.read(texts, stretches(languages))
        pieces, stretched, begins = cut(pages, languages, texts)
        numbers, counts = self._vocabulary.read(pieces, stretched)
        return numbers, np.add.reduceat(counts, begins, dtype=np.uint32)

    def total_lengths(self) -> NDArray[np.int64]:
        """Return the total length of each field over all pages, to choose the pivots."""
        self.flush()
        return self._length_rows().sum(axis=0, dtype=np.int64)

    def _length_rows(self) -> NDArray[np.uint32]:
        return np.concatenate([np.empty((0, FIELDS), np.uint32), *self._lengths])

    def content(self, weighting: Weighting) -> SegmentContent:
        """Return the content of a segment, with documents sorted by host and URL, and empty the writer."""
        self.flush()
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
