"""Phonetic codes: Metaphone, Cologne, Soundex.

    Metaphone   L. Philips, "Hanging on the Metaphone", Computer Language 7(12), 1990: English rules
    Cologne     H. J. Postel, "Die Kölner Phonetik", IBM-Nachrichten 19, 1969: German rules
    Soundex     R. C. Russell, US patent 1,261,167, 1918: the first letter and three digits; the least strict

Each algorithm gives a code; words with equal codes sound alike. German words use Cologne, all other words in
Latin letters use Metaphone, and `soundex:` uses Soundex. Words in other scripts, or with digits, have no
code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary import Dictionary
from gossamer.text.strings import CODING
from gossamer.text.terms import MARK, fold

HARD = "ahkloqrux"  # letters that make an initial c hard; inside a word, l and r do not
_DIGITS = {
    **dict.fromkeys("aeijouy", "0"), "b": "1", "p": "1", "d": "2", "t": "2", "f": "3", "v": "3", "w": "3",
    "g": "4", "k": "4", "q": "4", "l": "5", "m": "6", "n": "6", "r": "7", "s": "8", "z": "8",
}  # fmt: skip
_REPEATED = re.compile(r"(.)\1+")


class PhoneticAlgorithm(Enum):
    """How the sounds of words are compared."""

    BEST = "sounds"  # Cologne for German words, Metaphone for others
    SOUNDEX = "soundex"


def code(word: str, language: str, way: PhoneticAlgorithm = PhoneticAlgorithm.BEST) -> str:
    """Return the phonetic code of a word without diacritics; "" if it has none.

    >>> code("knife", "en"), code("nife", "en"), code("meyer", "de"), code("maier", "de")
    ('NF', 'NF', '67', '67')
    >>> code("robert", "en", PhoneticAlgorithm.SOUNDEX), code("rupert", "en", PhoneticAlgorithm.SOUNDEX)
    ('R163', 'R163')
    """
    if not (len(word) > 1 and word.isascii() and word.isalpha()):
        return ""
    if way is PhoneticAlgorithm.BEST and language == "de":
        return cologne(word)
    import jellyfish

    return jellyfish.soundex(word) if way is PhoneticAlgorithm.SOUNDEX else jellyfish.metaphone(word)


def cologne(word: str) -> str:
    """Return the Cologne code: a digit per letter, by its neighbours.

    A repeated digit counts once. Vowels count only at the beginning.

    >>> cologne("wikipedia"), cologne("breschnew"), cologne("heinzclassen")
    ('3412', '17863', '068586')
    """
    letters = f" {word} "
    digits = "".join(_digit(*letters[i - 1 : i + 2]) for i in range(1, len(word) + 1))
    once = _REPEATED.sub(r"\1", digits)
    return once[:1] + once[1:].replace("0", "")


def _digit(before: str, letter: str, after: str) -> str:
    match letter:
        case "p" if after == "h":
            return "3"
        case "d" | "t" if after in "csz":
            return "8"
        case "x":
            return "8" if before in "ckq" else "48"
        case "c":
            return "4" if _is_hard(before, after) else "8"
    return _DIGITS.get(letter, "")


def _is_hard(before: str, after: str) -> bool:
    if before == " ":
        return after in HARD
    return before not in "sz" and after in HARD and after not in "lr"


# Terms of a segment by phonetic code
# -----------------------------------
#
# The codes of all terms of a segment are computed on first use and kept as sorted hashes: twelve bytes
# per term. A match of hashes is confirmed by comparing the codes themselves.
#
# The code of a term is that of its most frequent written form. Stemming may remove too much: the German
# stem of Meyer is "mey", which sounds like "neu". English stemmers only remove real endings, so stems are
# compared there.

SAFE_STEMS = frozenset({"en"})  # languages whose stems sound like their words without endings


@dataclass(frozen=True, slots=True)
class Sounds:
    """The terms of a dictionary that have a code, sorted by the hashes of their codes."""

    dictionary: Dictionary
    way: PhoneticAlgorithm
    hashes: NDArray[np.int64]
    numbers: NDArray[np.uint32]

    def like(self, sound: str, language: str) -> list[int]:
        """Return the numbers of the terms of a language with this code."""
        wanted = hash((sound, language))
        first, last = np.searchsorted(self.hashes, [wanted, wanted + 1])
        found = self.numbers[first:last].tolist()
        return [number for number in found if self._sound(number) == (sound, language)]

    def _sound(self, number: int) -> tuple[str, str]:
        stem, _, language = self.dictionary.term(number).partition(MARK)
        return code(spoken_form(stem, self.dictionary.form(number), language), language, self.way), language


def spoken_form(stem: str, written: str, language: str) -> str:
    """Return the form of a word whose sound is compared: its stem or its written form.

    >>> spoken_form("mull", "müller", "de"), spoken_form("parent", "parents", "en")
    ('muller', 'parent')
    """
    return stem if language in SAFE_STEMS else fold(written)


# Hashes and numbers of open dictionaries. They must not refer to a dictionary: it would never be closed.
_KNOWN: WeakKeyDictionary[
    Dictionary, dict[PhoneticAlgorithm, tuple[NDArray[np.int64], NDArray[np.uint32]]]
] = WeakKeyDictionary()


def sounds_of(dictionary: Dictionary, way: PhoneticAlgorithm) -> Sounds:
    """Return the terms of a dictionary by sound; they are computed on first use."""
    known = _KNOWN.setdefault(dictionary, {})
    if way not in known:
        found = np.fromiter(_hashes(dictionary, way), np.dtype((np.int64, 2)))
        order = np.argsort(found[:, 0], kind="stable")
        known[way] = found[order, 0], found[order, 1].astype(np.uint32)
    return Sounds(dictionary, way, *known[way])


def _hashes(dictionary: Dictionary, way: PhoneticAlgorithm) -> Iterator[tuple[int, int]]:
    forms = dictionary.form_lines.decode(*CODING).split("\n")[:-1]
    keys = dictionary.keys(range(len(dictionary)))
    for number, (key, form) in enumerate(zip(keys, forms, strict=True)):
        stem, _, language = key.decode(*CODING).partition(MARK)
        if sound := code(spoken_form(stem, form or stem, language), language, way):
            yield hash((sound, language)), number
