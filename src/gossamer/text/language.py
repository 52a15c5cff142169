"""Which language is this text in, and is what it declares about itself true?

Texts are told apart by CLD2 (scripts, and sequences of letters). A page costs a look at three short pieces of
its text; only where they say nothing clear, or gainsay the declaration, longer ones are looked at. A
declaration is overruled where the text speaks another language clearly: many templates say lang="en" of
whatever is put into them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from gossamer.text.codes import canonical_code, kin

GLANCE = 50  # characters of each piece: what most pages need
LOOK = 500  # of each piece, where that is not enough
ENOUGH = 60  # letters, in bytes of UTF-8, that can gainsay a declaration
PLENTY = 300  # of them, that can tell a language where each stretch for itself leaves doubts
MOST = 0.75  # share of the text whose language is clearly the page's
HALF = 0.5  # share that makes a declaration true at first glance

# What CLD2 refuses to read: controls, halves of surrogate pairs, and what is no character on any plane.
_NO_CHARACTERS = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
_REFUSED = re.compile(f"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{_NO_CHARACTERS}]")


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a text is written in."""

    languages: tuple[tuple[str, int], ...] = ()  # codes, and bytes of UTF-8 in them, most first
    sure: bool = False

    @property
    def letters(self) -> int:
        """How many bytes of UTF-8 are in a language that could be told."""
        return sum([size for _, size in self.languages])

    @property
    def clearly(self) -> str:
        """The language that the text is in beyond doubt, or ""."""
        if not self.languages or not (self.sure or self.letters >= PLENTY):
            return ""
        first = self.languages[0][0]
        return first if self.share(first) >= MOST else ""

    def share(self, language: str) -> float:
        """How much of the text is in this language, or in one that is nearly the same."""
        near = kin(language)
        return sum([size for code, size in self.languages if code in near]) / max(1, self.letters)


def spoken(text: str, hint: str = "") -> Spoken:
    """The languages of a text; a hint tips the scales where the text says little.

    >>> spoken("Der schnelle braune Fuchs springt über den faulen Hund.").clearly
    'de'
    """
    sure, letters, found = _detected(text, hint)
    codes = [(canonical_code(code), letters * share // 100) for _, code, share, _ in found]
    return Spoken(tuple([(code, size) for code, size in codes if code and size]), sure)


def page_language(text: str, declared: str, beside: Sequence[str] = ()) -> str:
    """The language of a page: the declared one, unless its text clearly speaks another; "" if nothing tells.

    What stands `beside` the text, such as its title, is looked at where that alone says little.

    >>> page_language("Der schnelle braune Fuchs springt über den faulen Hund und läuft davon.", "en")
    'de'
    >>> page_language("Impressum", "en")
    'en'
    """
    own = canonical_code(declared)
    if own and own not in _detector().hints:
        return own  # whatever it looks like to a detector that does not know it
    if len(text) < 3 * GLANCE:
        text = "\n".join([text, *beside])
    seen = spoken(_pieces(text, GLANCE), own)
    if len(text) > 3 * GLANCE and not _settled(seen, own):
        seen = spoken(_pieces(text, LOOK), own)
    if own and (seen.letters < ENOUGH or own in kin(seen.clearly)):
        return own
    return seen.clearly or own


def _settled(seen: Spoken, declared: str) -> bool:
    return seen.share(declared) >= HALF if declared else bool(seen.clearly)


def _pieces(text: str, size: int) -> str:
    """Three pieces from all over a text, as menus stand at its ends; all of one that is short."""
    if len(text) <= 3 * size:
        return text
    step = (len(text) - size) // 4
    return "\n".join([text[place : place + size] for place in (step, 2 * step, 3 * step)])


# Whether CLD2 is sure, how many bytes told it, and of each language its name, code, percentage and score.
_Answer: TypeAlias = tuple[bool, int, Sequence[tuple[str, str, int, float]]]


class _Detector(NamedTuple):
    detect: Callable[..., Any]
    refuses: type[Exception]
    hints: dict[str, str | None]  # of each language that it tells from others, what hints at it


@cache
def _detector() -> _Detector:
    import pycld2

    names = frozenset(pycld2.DETECTED_LANGUAGES)
    codes = [code for name, code in pycld2.LANGUAGES if name in names and "-" not in code]
    hints: dict[str, str | None] = {own: code for code in codes if (own := canonical_code(code))}
    hints |= dict.fromkeys(kin("no"), "no") | dict.fromkeys(kin("tl"), "tl")
    hints |= dict.fromkeys(kin("zh"))  # a hint at Chinese makes Japanese of its traditional script
    return _Detector(pycld2.detect, pycld2.error, hints)


def _detected(text: str, hint: str) -> _Answer:
    detect, refuses, hints = _detector()
    try:
        answer: _Answer = detect(text, isPlainText=True, hintLanguage=hints.get(hint))
    except (refuses, UnicodeEncodeError):
        answer = detect(_REFUSED.sub(" ", text), isPlainText=True, hintLanguage=hints.get(hint))
    return answer
