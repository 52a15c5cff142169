# mypy: disable-error-code="arg-type, assignment, index, operator"
"""Boost for words in the form typed.

Words match by their stems, without diacritics: "ruling" finds "rules", "resume" finds "résumé". Of two
similar pages, the one with the exact form that was typed should come first. For each word that one of the
best candidates holds in this form, its score increases by

    exact_form_boost * weight * tf' / (k1 + tf')

`exact_form_boost` is a setting; the rest is the contribution of the word to the score. For a single letter
that was typed with a diacritic, the gain is LETTER times as large: "ø" is an island and "o" an article, and
nothing else distinguishes them. The index holds only stems, so the texts of these few pages are read. The
scores of these pages only increase, so they remain the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from gossamer.index.stored_text import title_and_text
from gossamer.kernels.kernel import kernel, kernel_part
from gossamer.model import UNFETCHED
from gossamer.search.searcher import Searcher
from gossamer.text.terms import fold
from gossamer.text.utf8 import is_digit
from gossamer.text.words import is_inside, is_word, occurrences, small

# Kernels: find exact forms
# -------------------------

OUTSIDE, INSIDE, UNSURE = 0, 1, 2  # whether a byte belongs to a word; UNSURE if it is not ASCII
HELD = 1  # the text holds the form as a word; otherwise OUTSIDE or UNSURE
NONE = -1  # no form
SMALLER = 32  # from a capital to its small letter in ASCII
DOT, COMMA = ord("."), ord(",")


@kernel_part
def small_byte(byte: int) -> int:
    """Return the small letter of an ASCII capital, or the byte itself."""
    return byte + SMALLER if ord("A") <= byte <= ord("Z") else byte


@kernel_part
def is_mark(byte: int) -> bool:
    """Return whether a byte can join digits on both sides to one number."""
    return byte in (DOT, COMMA)


@kernel_part
def stands_at(text: NDArray[np.uint8], place: int, forms: NDArray[np.uint8], begin: int, end: int) -> bool:
    """Return whether a text has a form at a place, ignoring the case of ASCII letters."""
    i = 0
    while i < end - begin and small_byte(text[place + i]) == forms[begin + i]:
        i += 1
    return i == end - begin


@kernel_part
def is_free(text: NDArray[np.uint8], begin: int, end: int, inside: NDArray[np.uint8]) -> int:
    """Return HELD if a match is a whole word or number, OUTSIDE if it is a part of one, such as 000 in 1,000.

    Return UNSURE if a neighbouring byte is not ASCII.
    """
    before, behind = text[begin - 1], text[end]
    if inside[before] == UNSURE or inside[behind] == UNSURE:
        return UNSURE
    if inside[text[begin]] == INSIDE and inside[before] == INSIDE:
        return OUTSIDE
    if inside[text[end - 1]] == INSIDE and inside[behind] == INSIDE:
        return OUTSIDE
    if is_digit(text[begin]) and is_mark(before) and is_digit(text[begin - 2]):
        return OUTSIDE
    if is_digit(text[end - 1]) and is_mark(behind) and is_digit(text[end + 1]):
        return OUTSIDE
    return HELD


@kernel
def find_forms(
    text: NDArray[np.uint8],
    text_begins: NDArray[np.int64],
    forms: NDArray[np.uint8],
    form_begins: NDArray[np.int64],
    word_of: NDArray[np.int64],
    inside: NDArray[np.uint8],
    held: NDArray[np.uint8],
) -> None:
    """Mark the words that have a form in each text; other elements of `held` do not change.

    Text i begins at text_begins[i], after two spaces, and ends two bytes before text_begins[i + 1]. Form j,
    in small ASCII letters, is forms[form_begins[j]:form_begins[j + 1]] and belongs to word word_of[j].
    """
    first = np.full(256, NONE, np.int64)  # by byte: one form that begins with it
    following = np.empty(len(word_of), np.int64)  # by form: another one with the same first byte
    has_forms = np.zeros(held.shape[1], np.bool_)
    for j in range(len(word_of)):
        byte = forms[form_begins[j]]
        following[j], first[byte] = first[byte], j
        has_forms[word_of[j]] = True
    words = np.count_nonzero(has_forms)
    for row in range(len(text_begins) - 1):
        missing, end = words, text_begins[row + 1] - 2
        for place in range(text_begins[row], end):
            j = first[small_byte(text[place])]
            if j == NONE or (inside[text[place]] == INSIDE and inside[text[place - 1]] == INSIDE):
                continue
            while j != NONE:
                begin, size, word = form_begins[j], form_begins[j + 1] - form_begins[j], word_of[j]
                j = following[j]
                if held[row, word] == HELD or place + size > end:
                    continue
                if not stands_at(text, place, forms, begin, begin + size):
                    continue
                free = is_free(text, place, place + size, inside)
                if free != OUTSIDE:
                    held[row, word] = free
                    missing -= free == HELD
            if missing == 0:
                break


BEST = 10  # candidates whose texts are read: one page of results
MARKED = 50  # the same if a word was typed with diacritics: many pages without them may have equal scores
LONGEST_TEXT = 20_000  # bytes of a text that are read
LETTER = 8.0  # factor for a single letter with a diacritic
BESIDE = 8  # bytes on each side, enough for two characters, that decide where a word ends
Forms = Sequence[Sequence[str]]  # typed forms of each query word, from `written_as`


def to_be_read(forms: Forms) -> int:
    """Return the number of best candidates whose texts are read for these forms.

    >>> to_be_read([["resume"]]), to_be_read([["my"], ["résumé"]]), to_be_read([[]])
    (10, 50, 0)
    """
    typed = [form for own in forms for form in own]
    if not typed:
        return 0
    return BEST if all(form.isascii() or fold(form) == form for form in typed) else MARKED


def emphasis(forms: Forms) -> list[float]:
    """Return the factor of each query word: LETTER for a single letter with a diacritic, otherwise 1.

    >>> emphasis([["ø"], ["o"], ["résumé"], []])
    [8.0, 1.0, 1.0, 1.0]
    """
    return [LETTER if any(map(_is_marked_letter, own)) else 1.0 for own in forms]


def _is_marked_letter(form: str) -> bool:
    """Return whether a form is a single letter with a diacritic."""
    return not form.isascii() and len(bare := fold(form)) == 1 and bare != form


def held_as_typed(
    searcher: Searcher, segment: int, docs: NDArray[np.int64], forms: Forms
) -> NDArray[np.bool_]:
    """Return whether each document of a segment (row) holds each word (column) in a typed form."""
    if segment == UNFETCHED:
        return np.zeros((len(docs), len(forms)), np.bool_)
    stored = searcher.snapshot.views[segment].segment.stored.several(docs)
    return held_in([title_and_text(data, LONGEST_TEXT) for data in stored], forms)


def held_in(texts: Sequence[bytes], forms: Forms) -> NDArray[np.bool_]:
    """Return whether each text holds each word in a typed form; Python code decides cases beyond ASCII."""
    known = [(form.encode(), word) for word, own in enumerate(forms) for form in own if form.isascii()]
    held = np.zeros((len(texts), len(forms)), np.uint8)
    find_forms(
        np.frombuffer(b"  ".join([b"", *texts, b""]), np.uint8),
        np.array([0, *accumulate([len(text) + 2 for text in texts])]) + 2,
        np.frombuffer(b"".join([form for form, _ in known]), np.uint8),
        np.array([0, *accumulate([len(form) for form, _ in known])]),
        np.array([word for _, word in known], np.int64),
        _INSIDE_BYTES,
        held,
    )
    others = [word for word, own in enumerate(forms) if not all(map(str.isascii, own))]
    if others or (held == UNSURE).any():
        held[:, others] = np.where(held[:, others] == HELD, HELD, UNSURE)
        for row, word in np.argwhere(held == UNSURE).tolist():
            held[row, word] = any(map(TypedText(texts[row]).holds, forms[word]))
    return held.view(np.bool_)


class TypedText:
    """A text in which forms are looked up, ignoring case."""

    def __init__(self, text: bytes) -> None:
        self._text = b" %b " % text.lower()  # so that every word has a neighbour on both sides

    def holds(self, form: str) -> bool:
        """Return whether the text holds a form as a word.

        >>> text = TypedText("The “Ruling” family, überruling".encode())
        >>> text.holds("ruling"), text.holds("family"), text.holds("rule")
        (True, True, False)
        """
        if not form.isascii():
            return next(occurrences(self._beyond_ascii, form), None) is not None
        written = form.encode()
        first, last = _INSIDE[written[0]] == INSIDE, _INSIDE[written[-1]] == INSIDE
        for place in _places_of(self._text, written):
            before, behind = self._text[place - 1], self._text[place + len(written)]
            if (first and _INSIDE[before] == INSIDE) or (last and _INSIDE[behind] == INSIDE):
                continue  # a fast check for parts of longer words, which most matches are
            if _is_word(self._text, place, form):
                return True
        return False

    @cached_property
    def _beyond_ascii(self) -> str:
        """The text in small letters of every script, which takes ten times as long as for ASCII."""
        return "" if self._text.isascii() else small(self._text.decode("utf-8", "replace"))


_INSIDE = bytes(UNSURE if byte > 127 else is_inside(chr(byte)) for byte in range(256))  # by byte
_INSIDE_BYTES = np.frombuffer(_INSIDE, np.uint8)


def _places_of(text: bytes, written: bytes) -> Iterator[int]:
    place = text.find(written)
    while place >= 0:
        yield place
        place = text.find(written, place + 1)


def _is_word(text: bytes, begin: int, form: str) -> bool:
    end = begin + len(form)
    before = text[max(0, begin - BESIDE) : begin].decode("utf-8", "ignore")
    behind = text[end : end + BESIDE].decode("utf-8", "ignore")
    return is_word(before + form + behind, len(before), form)
