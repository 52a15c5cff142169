"""Do pages write this word as the name of a town?

The index knows words by their stems, and gazetteers know towns by names in every language, written by ear
too: "Lids" is Leeds, and has the stem of a pot's lid. So a name counts where the word is mostly written as
the name is, and with a capital. A few of the pages that hold it tell that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import Segment
from gossamer.index.stored_document import title_and_text
from gossamer.text.analysis import fold
from gossamer.text.words import occurrences

LOOKED_AT = 8  # pages that hold a word
LONGEST_TEXT = 10_000  # bytes of a text that are read
SHORTEST_INFLECTED = 5  # letters of a name that may have another last letter
# In these, towns have endings: Warszawa is mostly met as "w Warszawie".
_INFLECTED = "cs el et eu fi hr hu hy lt lv pl ro ru sk sl sr tr uk"
INFLECTED = frozenset(_INFLECTED.split())


class ProperNames:
    """The words of a segment that are names. What was found out is remembered."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._capital: dict[int, bool] = {}  # by the number of the term

    def is_written(self, name: str, number: int, language: str) -> bool:
        """Whether the term of this number is mostly written as this name is."""
        return is_form(fold(self._segment.dictionary.form(number)), fold(name), language)

    def has_capital(self, number: int) -> bool:
        """Whether pages mostly write a term with a capital; what no script gives one counts as if."""
        known = self._capital.get(number)
        if known is None:
            known = self._capital[number] = self._found_capital(number)
        return known

    def _found_capital(self, number: int) -> bool:
        form = self._segment.dictionary.form(number)
        capital = form[:1].upper() + form[1:]
        if capital == form:
            return True
        texts = self._texts(self._segment.postings.documents(number))
        small = [_has(text, form) for text in texts]  # a page that has both means the word
        capitals = [_has(text, capital) and not own for text, own in zip(texts, small, strict=True)]
        return sum(capitals) > sum(small) or not any(small)

    def _texts(self, docs: NDArray[np.int64]) -> list[str]:
        """Of a few of these documents, from first to last."""
        few = docs[:: -(-len(docs) // LOOKED_AT) or 1]
        parts = map(title_and_text, self._segment.stored.several(few))
        return [(b"%b\n%b" % (title, text[:LONGEST_TEXT])).decode(errors="ignore") for title, text in parts]


def _has(text: str, form: str) -> bool:
    return next(occurrences(text, form), None) is not None


def is_form(form: str, name: str, language: str) -> bool:
    """Whether a written form is that of a name; where names have endings, in any of them.

    >>> is_form("lid", "lids", "en"), is_form("warszawie", "warszawa", "pl")
    (False, True)
    """
    if form == name:
        return True
    return language in INFLECTED and len(name) >= SHORTEST_INFLECTED and form.startswith(name[:-1])
