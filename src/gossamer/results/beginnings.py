"""Which stretches of a text may stand for terms of the query, as far as their first letters tell?

Most stemmers take endings away and leave the beginning, so a word of another beginning needs no look. That
holds for plain words; signs inside of one, a number with its unit, and letters that are no ordinary ones of
Latin or Cyrillic may hide a word that begins elsewhere, and are looked at always.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from string import ascii_letters, digits

from gossamer.text.analysis import analyser, fold, in_language, without_language
from gossamer.text.characters import folded
from gossamer.text.irregular import irregular_forms

# How many first letters the stemmer of a language leaves as they are, diacritics and y for i aside. Of those
# that are missing here it takes prefixes away, or changes even the first letter; "" has no stemmer.
KEPT = dict.fromkeys(["de", "eo", "et", "fi"], 1) | dict.fromkeys(
    [
        "",
        "ca",
        "cs",
        "da",
        "en",
        "es",
        "eu",
        "fr",
        "hu",
        "it",
        "lt",
        "nb",
        "nn",
        "no",
        "pl",
        "pt",
        "ro",
        "ru",
        "sv",
    ],
    2,
)
LETTERS = 2  # the most of them
AROUND = "([{<\"'.,;:!?)]}>“”„‘’«»…–—"  # before and behind a word they hide no other
_BEFORE = "#@."  # of terms: #tag, .net
_ALL = ("", *ascii_letters, *digits)
ORDINARY = "A-Za-zÀ-ÖØ-öø-ľŁ-ňŊ-ɏЀ-џ"  # without those that fold to more than letters
_WORD = re.compile(rf"[{ORDINARY}][{ORDINARY}0-9]*")
REMEMBERED = 256  # queries, in a language each
BEGINNINGS = 2_048  # of words, that are remembered


@dataclass(frozen=True, slots=True)
class Sought:
    """The terms of a query in one language, and how words begin that stand for them."""

    terms: frozenset[str]
    begun: frozenset[str]  # one or two letters, folded
    plain: (
        tuple[bytes, ...] | None
    )  # how runs of ASCII letters, or digits, begin that may be part of such a word

    @property
    def heads(self) -> frozenset[str]:
        """The beginnings as ASCII may write them, of two characters where the word has them."""
        return frozenset().union(*map(_heads, self.begun))

    def among(self, text: str) -> list[str]:
        """What stands between two blanks of a text, each once, where it may stand for a term."""
        heads, stretches = self.heads, set(text.split())
        if text.isascii():
            near = [one for one in stretches if one[:LETTERS] in heads or not one.isalpha()]
        else:
            near = [
                one for one in stretches if one[:LETTERS] in heads or not (one.isalpha() and one.isascii())
            ]
        return [one for one in near if self._may(one.strip(AROUND))]

    def _may(self, core: str) -> bool:
        if core.isascii():
            if not core.isalnum():
                return bool(core)
            if core[0] in digits and not core.isdigit():
                return True  # 10km
            begun = core[:LETTERS].lower().replace("y", "i")
        elif _WORD.fullmatch(core):
            begun = _beginning(folded(core[:LETTERS]))
        else:
            return True
        return begun in self.begun or begun[0] in self.begun


@lru_cache(REMEMBERED)
def sought(wanted: frozenset[str], language: str) -> Sought | None:
    """The wanted terms of a language; None where the beginnings of its words tell nothing.

    >>> known = sought(frozenset({"jaguar\\x1fen", "puma\\x1ffr"}), "en")
    >>> sorted(known.among("A (Jaguar) or puma, the jaguars' family"))
    ['(Jaguar)', "jaguars'"]
    """
    if language not in KEPT:
        return None
    mark = in_language("", language)
    terms = frozenset(term for term in wanted if term.endswith(mark))
    irregular, kept = _irregular(language), KEPT[language]
    begun = {_beginning(without_language(term).lstrip(_BEFORE))[:kept] for term in terms}.union(
        *(irregular.get(term, ()) for term in terms)
    )
    return Sought(terms, frozenset(begun), _plain(begun))


@cache
def _irregular(language: str) -> Mapping[str, set[str]]:
    """By term, the beginnings of irregular forms that stand for it."""
    terms, found = analyser(language), defaultdict[str, set[str]](set)
    for form in irregular_forms(language):
        found[terms[form]].add(_beginning(form))
    return dict(found)


def _beginning(word: str) -> str:
    """The first letters of a word in small letters; dying stands for die."""
    return fold(word[:LETTERS])[:LETTERS].replace("y", "i")


@lru_cache(BEGINNINGS)
def _heads(begun: str) -> Sequence[str]:
    """How ASCII may write what begins so."""
    written = [
        f"{letter}{letter.upper()}yY" if letter == "i" else letter + letter.upper() for letter in begun
    ]
    return [*map("".join, product(*written, _ALL) if len(written) < LETTERS else product(*written))]


def _plain(begun: Iterable[str]) -> tuple[bytes, ...] | None:
    """The same without signs, none of them the beginning of another; None where one is not of ASCII."""
    letters = {one if one.isalpha() or one.isdigit() else one[:1] for one in begun}
    if not all(one.isascii() and one.isalnum() for one in letters):
        return None
    apart = [one for one in letters if len(one) == 1 or one[0] not in letters]
    written = (product(*("iy" if letter == "i" else letter for letter in one)) for one in apart)
    return tuple("".join(letters).encode() for one in written for letters in one)
