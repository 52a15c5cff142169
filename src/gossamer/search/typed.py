"""Which of the best pages hold the words of a query just as they were typed?

Words are found by their stems, without diacritics: "ruling" finds "rules", "resume" finds "résumé". Between
pages that say about the same, the one with the very form that was typed comes first. For each word that one
of the best 10 candidates holds so, it gains

    exact * weight * tf' / (k1 + tf')

`exact` is a setting; the rest is what the word adds to its score. The index knows only stems: the texts of
these few pages are read. A page that was only given more stays among them, so none is lost by the cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gossamer.index.stored import title_and_text
from gossamer.model import UNFETCHED
from gossamer.search.searcher import Searcher

BEST = 10  # candidates whose texts are read: a page of results
LONGEST_TEXT = 20_000  # bytes of a text that are read
LONGEST_LETTER = 4  # bytes
REMEMBERED = 256  # words

Forms = Sequence[Sequence[str]]  # of each word of a query, as it was typed; nothing where it was not


def held_as_typed(
    searcher: Searcher, segment: int, docs: NDArray[np.int64], forms: Forms
) -> NDArray[np.bool_]:
    """Which words documents of a segment hold as they were typed: a row a document, a column a word."""
    held = np.zeros((len(docs), len(forms)), np.bool_)
    if segment == UNFETCHED:
        return held
    stored = searcher.snapshot.views[segment].segment.stored
    for row, doc in enumerate(docs.tolist()):
        title, text = title_and_text(stored.at(int(stored.slots[doc])))
        said = (title + b"\n" + text[:LONGEST_TEXT]).lower()
        held[row] = [any(stands_in(said, form) for form in own) for own in forms]
    return held


def stands_in(text: bytes, form: str) -> bool:
    """Whether a word, case-folded, stands in a text whose ASCII letters are small.

    >>> stands_in("the “ruling” family".encode(), "ruling"), stands_in(b"overruling", "ruling")
    (True, False)
    """
    return any(
        _is_word(text, place, len(written)) for written in writings(form) for place in _found(text, written)
    )


@lru_cache(REMEMBERED)
def writings(form: str) -> tuple[bytes, ...]:
    """A word in small letters, with a capital and in capitals, as it stands where ASCII letters are small."""
    written = (form, form[:1].upper() + form[1:], form.upper())
    return tuple(dict.fromkeys(one.encode("utf-8", "replace").lower() for one in written if one))


def _found(text: bytes, written: bytes) -> Iterator[int]:
    place = text.find(written)
    while place >= 0:
        yield place
        place = text.find(written, place + 1)


def _is_word(text: bytes, begin: int, size: int) -> bool:
    """Whether no letter or digit stands beside it."""
    before = text[max(0, begin - LONGEST_LETTER) : begin].decode("utf-8", "ignore")
    behind = text[begin + size : begin + size + LONGEST_LETTER].decode("utf-8", "ignore")
    return not (before[-1:].isalnum() or behind[:1].isalnum())
