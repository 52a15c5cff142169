"""How does this word sound, so that words which are spoken alike can be found by one of them?

    Metaphone   L. Philips, "Hanging on the Metaphone", Computer Language 7(12), 1990: English rules
    Cologne     H. J. Postel, "Die Kölner Phonetik", IBM-Nachrichten 19, 1969: German rules
    Soundex     R. C. Russell, US patent 1,261,167, 1918: the first letter and three digits; the widest

Each gives a code; words with equal codes sound alike. German words get Cologne's, all others in Latin letters
Metaphone's; Soundex is for who asks for it. Words in other scripts, or with digits, have no code.
"""

from __future__ import annotations

import re
from enum import Enum

HARD = "ahkloqrux"  # what makes an initial c hard; within a word l and r do not

_DIGITS = {
    **dict.fromkeys("aeijouy", "0"), "b": "1", "p": "1", "d": "2", "t": "2", "f": "3", "v": "3", "w": "3",
    "g": "4", "k": "4", "q": "4", "l": "5", "m": "6", "n": "6", "r": "7", "s": "8", "z": "8",
}  # fmt: skip
_REPEATED = re.compile(r"(.)\1+")


class Way(Enum):
    """How words are compared."""

    BEST = "sounds"  # Cologne for German words, Metaphone for others
    SOUNDEX = "soundex"


def code(word: str, language: str, way: Way = Way.BEST) -> str:
    """How a word without diacritics sounds; "" for one that has no code.

    >>> code("knife", "en"), code("nife", "en"), code("meyer", "de"), code("maier", "de")
    ('NF', 'NF', '67', '67')
    >>> code("robert", "en", Way.SOUNDEX), code("rupert", "en", Way.SOUNDEX)
    ('R163', 'R163')
    """
    if not (len(word) > 1 and word.isascii() and word.isalpha()):
        return ""
    if way is Way.BEST and language == "de":
        return cologne(word)
    import jellyfish

    return jellyfish.soundex(word) if way is Way.SOUNDEX else jellyfish.metaphone(word)


def cologne(word: str) -> str:
    """Cologne's code: a digit a letter by its neighbours, repetitions once, vowels only at the beginning.

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
