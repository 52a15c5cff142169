"""Where are the words in this text?

A word is a run of letters, digits and the marks that belong to them. Scripts that write no spaces (Han,
kana, Thai and its neighbours) become overlapping pairs of characters, at index and at query time alike,
so that any two characters that stand together can be found.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

LONGEST_WORD = 64  # characters; what is longer is no word, and would only swell the dictionary

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana and iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)


def _combining_marks() -> str:
    """Marks outside the unspaced scripts: Python's `\\w` leaves them out and would cut Hindi words apart."""
    blocks = (range(0x300, 0x1E00), range(0x20D0, 0x2100), range(0xA800, 0xAC00), range(0xFE20, 0xFE30))
    marks = (
        chr(point) for block in blocks for point in block if unicodedata.category(chr(point)) in {"Mn", "Mc"}
    )
    return "".join(marks)


_MARKS = re.escape(_combining_marks())
# An English possessive belongs to its word and takes no position of its own.
_WORD = re.compile(rf"([{_UNSPACED}]+|(?:[^\W{_UNSPACED}_][{_MARKS}]*)+)(?:['\u2019]s\b)?")
_ASCII_WORD = re.compile(r"([a-z0-9]+)(?:'s\b)?")
_IN_WORD = re.compile(rf"[^\W{_UNSPACED}_]|[{_MARKS}]")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")


def is_unspaced(word: str) -> bool:
    """Whether the word is in a script that writes no spaces."""
    return _IS_UNSPACED.match(word) is not None


def pairs(run: str) -> list[str]:
    """Overlapping pairs of characters of a run in an unspaced script.

    >>> pairs("京都市")
    ['京都', '都市']
    """
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def written_forms(text: str) -> set[str]:
    """The words of a text as they are written there, each once; pairs of characters in unspaced scripts.

    >>> sorted(written_forms("A jaguar, a Jaguar's 京都市"))
    ['A', 'Jaguar', 'a', 'jaguar', '京都', '都市']
    """
    runs = set(_WORD.findall(text))
    unspaced = {run for run in runs if is_unspaced(run)}
    return (runs - unspaced).union(*map(pairs, unspaced))


def occurrences(text: str, form: str) -> Iterator[int]:
    """Where a written form stands in a text as a word, not as a part of one."""
    goes_on = _IS_UNSPACED if is_unspaced(form) else _IN_WORD
    is_pair = goes_on is _IS_UNSPACED and len(form) == 2
    start = text.find(form)
    while start >= 0:
        end = start + len(form)
        if is_pair or not (goes_on.match(text, end) or (start and goes_on.match(text, start - 1))):
            yield start
        start = text.find(form, start + 1)


def words(text: str) -> list[str]:
    """The words of a text in order, compatibility-normalised and case-folded.

    >>> words("The Jaguar's 4 paws")
    ['the', 'jaguar', '4', 'paws']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return list(_unicode_words(text))


def _unicode_words(text: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    for word in _WORD.findall(folded):
        if is_unspaced(word):
            yield from pairs(word)
        else:
            yield word
