"""Which of the best pages hold the words of a query just as they were typed?

Words are found by their stems, without diacritics: "ruling" finds "rules", "resume" finds "résumé". Between
pages that say about the same, the one with the very form that was typed comes first. For each word that one
of the best candidates holds so, it gains

    exact * weight * tf' / (k1 + tf')

`exact` is a setting; the rest is what the word adds to its score. A single letter that was typed with a mark
gains LETTER times as much: "ø" is an island, "o" an article, and nothing else tells them apart. The index
knows only stems: the texts of these few pages are read. A page that was only given more stays among them, so
none is lost by the cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from gossamer.index.stored_document import title_and_text
from gossamer.kernel import kernels_are_loaded
from gossamer.model import UNFETCHED
from gossamer.search.searcher import Searcher
from gossamer.search.typed_kernel import HELD, MOST_FORMS, UNSURE, find_forms
from gossamer.text.analysis import fold
from gossamer.text.characters import small
from gossamer.text.words import is_inside, is_word, occurrences

BEST = 10  # candidates whose texts are read: a page of results
MARKED = 50  # where a word was typed with diacritics: pages without them may be many, and score the same
LONGEST_TEXT = 20_000  # bytes of a text that are read
LETTER = 8.0  # what a marked letter that is a word by itself gains relative to other words
BESIDE = 8  # bytes: the two characters on each side that tell whether a word ends

Forms = Sequence[
    Sequence[str]
]  # of each word of a query, as `written_as` has them; none where none was typed


def to_be_read(forms: Forms) -> int:
    """How many of the best candidates are read for words that were typed so.

    >>> to_be_read([["resume"]]), to_be_read([["my"], ["résumé"]]), to_be_read([[]])
    (10, 50, 0)
    """
    typed = [form for own in forms for form in own]
    if not typed:
        return 0
    return BEST if all(form.isascii() or fold(form) == form for form in typed) else MARKED


def emphasis(forms: Forms) -> list[float]:
    """What each word gains by standing as it was typed, relative to others.

    >>> emphasis([["ø"], ["o"], ["résumé"], []])
    [8.0, 1.0, 1.0, 1.0]
    """
    return [LETTER if any(map(_is_marked_letter, own)) else 1.0 for own in forms]


def _is_marked_letter(form: str) -> bool:
    return not form.isascii() and len(bare := fold(form)) == 1 and bare != form


def held_as_typed(
    searcher: Searcher, segment: int, docs: NDArray[np.int64], forms: Forms
) -> NDArray[np.bool_]:
    """Which words documents of a segment hold as they were typed: a row a document, a column a word."""
    if segment == UNFETCHED:
        return np.zeros((len(docs), len(forms)), np.bool_)
    stored = searcher.snapshot.views[segment].segment.stored.several(docs)
    texts = [b"%b\n%b" % (title, text[:LONGEST_TEXT]) for title, text in map(title_and_text, stored)]
    if kernels_are_loaded() and sum(map(len, forms)) <= MOST_FORMS:
        return held_compiled(texts, forms)
    return held_plain(texts, forms)


def held_plain(texts: Sequence[bytes], forms: Forms) -> NDArray[np.bool_]:
    """Which words texts hold as they were typed."""
    rows = [[any(map(said.holds, own)) for own in forms] for said in map(Said, texts)]
    return np.array(rows, np.bool_).reshape(len(texts), len(forms))


def held_compiled(texts: Sequence[bytes], forms: Forms) -> NDArray[np.bool_]:
    """The same; only what letters beyond ASCII decide is looked at here."""
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
            held[row, word] = any(map(Said(texts[row]).holds, forms[word]))
    return held.view(np.bool_)


class Said:
    """What a page says, case aside."""

    def __init__(self, text: bytes) -> None:
        self._text = b" %b " % text.lower()  # so that every word has something on both sides

    def holds(self, form: str) -> bool:
        """Whether a word, written so but for capitals, stands in it.

        >>> said = Said("The “Ruling” family, überruling".encode())
        >>> said.holds("ruling"), said.holds("family"), said.holds("rule")
        (True, True, False)
        """
        if not form.isascii():
            return next(occurrences(self._beyond_ascii, form), None) is not None
        written = form.encode()
        if written not in self._text:
            return False
        if form[0].isdigit() or form[-1].isdigit():  # 000 is no word of 1,000: more than a byte counts
            return any(_is_word(self._text, place, form) for place in _found(self._text, written))
        return b" %b " % written in self._text or self._holds_letters(form)

    def _holds_letters(self, form: str) -> bool:
        """The same where the bytes beside a word tell, as they nearly always do, whether it ends there."""
        text, written = self._text, form.encode()
        first, last = _INSIDE[written[0]], _INSIDE[written[-1]]
        for place in _found(text, written):
            before, behind = _INSIDE[text[place - 1]], _INSIDE[text[place + len(written)]]
            if UNSURE in (before, behind):
                if _is_word(text, place, form):
                    return True
            elif not ((first and before) or (last and behind)):
                return True
        return False

    @cached_property
    def _beyond_ascii(self) -> str:
        """Small letters of every script: they take ten times as long as those of ASCII."""
        return "" if self._text.isascii() else small(self._text.decode("utf-8", "replace"))


_INSIDE = bytes(UNSURE if byte > 127 else is_inside(chr(byte)) for byte in range(256))  # of a word
_INSIDE_BYTES = np.frombuffer(_INSIDE, np.uint8)


def _found(text: bytes, written: bytes) -> Iterator[int]:
    place = text.find(written)
    while place >= 0:
        yield place
        place = text.find(written, place + 1)


def _is_word(text: bytes, begin: int, form: str) -> bool:
    end = begin + len(form)
    before = text[max(0, begin - BESIDE) : begin].decode("utf-8", "ignore")
    behind = text[end : end + BESIDE].decode("utf-8", "ignore")
    return is_word(before + form + behind, len(before), form)
