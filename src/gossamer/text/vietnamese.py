"""How are the syllables of Vietnamese written alike, and which may one typed without its marks stand for?

Elsewhere marks adorn a word; here they are half of it: ma, má, mà, mả, mã, mạ, mă and mâ have nothing in
common. So they are kept in terms. Somebody who types none at all means any of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import product

LANGUAGE = "vi"

_TONES = "\u0300\u0301\u0303\u0309\u0323"
_LETTERS = {"a": "aăâ", "e": "eê", "o": "oôơ", "u": "uư"}
_VOWELS = "aeiouy"
_SYLLABLE = re.compile(
    r"(?:ngh|ch|gh|gi|kh|ng|nh|ph|qu|th|tr|[bcdghklmnpqrstvx])?"
    r"[aeiouy]{1,3}"
    r"(?:ch|ng|nh|[cmnpt])?"
)
# Of oa, oe and uy at the end of a syllable some mark the first vowel, some the second.
_EARLY_TONE = re.compile(rf"([ou])([{_TONES}])([aey])$")


def with_tone_in_place(word: str) -> str:
    """The word with its tone where the newer rule puts it.

    >>> with_tone_in_place("hòa"), with_tone_in_place("hoà"), with_tone_in_place("thúy")
    ('hoà', 'hoà', 'thuý')
    """
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _EARLY_TONE.sub(r"\1\3\2", unicodedata.normalize("NFD", word)))


def is_bare_syllable(word: str) -> bool:
    """Whether this may be a syllable without its marks.

    >>> is_bare_syllable("nguoi"), is_bare_syllable("jaguar"), is_bare_syllable("người")
    (True, False, False)
    """
    return _SYLLABLE.fullmatch(word) is not None


def marked_syllables(bare: str) -> frozenset[str]:
    """All that a bare syllable may stand for, itself among them.

    >>> len(marked_syllables("ma")), "người" in marked_syllables("nguoi")
    (18, True)
    """
    first = "dđ" if bare.startswith("d") else bare[:1]
    options = [_LETTERS.get(letter, letter) for letter in bare]
    options[0] = _LETTERS.get(bare[0], first)
    spelled = ("".join(letters) for letters in product(*options))
    return frozenset(toned for plain in spelled for toned in _toned(plain))


def _toned(plain: str) -> Iterator[str]:
    """The syllable in each of the six tones, on whichever vowel."""
    yield plain
    for place, letter in enumerate(plain):
        if unicodedata.normalize("NFD", letter)[0] in _VOWELS:
            for tone in _TONES:
                toned = plain[: place + 1] + tone + plain[place + 1 :]
                yield with_tone_in_place(unicodedata.normalize("NFC", toned))
