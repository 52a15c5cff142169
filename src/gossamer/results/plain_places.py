"""Where do words stand that begin so, in a text of plain words?

Once all but letters is blank, a search for a blank and the first letters finds them at the speed of C. Where
what stands beside such a word may make another of it (C++, #tag, U.S.A., 10km), nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gossamer.results.beginnings import ORDINARY

Place = tuple[int, int, frozenset[str]]  # where it begins and ends, and the terms that it stands for

_SIGNS = "“”„‘’«»…–—·•"  # beyond ASCII; they part words
LETTER = 2  # from the blank before a letter to the one behind it
_APOSTROPHES = "'’"
_BEFORE = frozenset(" \n([{<\"'-/:“„«‘’–—·•")  # a word that is one by itself
_BEHIND = frozenset(" \n.,;:!?)]}>\"'-/“”’»…–—·•")
_ODD = re.compile(rf"[^\x00-\x7f{_SIGNS}{ORDINARY}]")
_RUNS = bytes(ord(chr(byte).lower()) if byte < 128 and chr(byte).isalpha() else 32 for byte in range(256))
_BEYOND = b"?"  # stands for a letter beyond ASCII
_RUNS_BEYOND = _RUNS[: _BEYOND[0]] + _BEYOND + _RUNS[_BEYOND[0] + 1 :]


def plain_places(
    text: str, begun: Sequence[bytes], borne: Mapping[str, frozenset[str]]
) -> list[Place] | None:
    """All places of words that begin so and stand for terms, rising; None where it takes a closer look.

    `borne` tells the terms of every such word.

    >>> terms = {"Jaguar": frozenset({"jaguar"}), "jam": frozenset()}
    >>> plain_places("A Jaguar, jam", [b"ja"], terms), plain_places("#Jaguar", [b"ja"], terms)
    ([(2, 8, frozenset({'jaguar'}))], None)
    """
    runs = _runs(text, begun)
    if runs is None:
        return None
    text = f" {text} "
    found: list[Place] = []
    for beginning in begun:
        pattern = b" " + beginning
        at = runs.find(pattern)
        while at >= 0:
            end = runs.find(b" ", at + 1)
            if text[at] not in _BEFORE or text[end] not in _BEHIND:
                return None
            if end - at == LETTER and text[at] in _APOSTROPHES:  # a possessive belongs to its word
                return None
            if terms := borne[text[at + 1 : end]]:
                found.append((at, end - 1, terms))
            at = runs.find(pattern, end)
    found.sort()
    return found


def _runs(text: str, begun: Sequence[bytes]) -> bytes | None:
    """The runs of letters of a text, small, with blanks for all else; None where one may hide a word."""
    if text.isascii():
        runs = b" %b " % text.encode().translate(_RUNS)
    elif _ODD.search(text):
        return None
    else:
        for sign in ("?", *_SIGNS):
            text = text.replace(sign, " ")
        runs = b" %b " % text.encode("ascii", "replace").translate(_RUNS_BEYOND)
    for first in {beginning[:1] for beginning in begun}:
        if _is_acronym(text, runs, b" %b " % first):
            return None
    hidden = {b" " + _BEYOND, *(b" %b%b" % (beginning[:1], _BEYOND) for beginning in begun)}
    return None if _BEYOND in runs and any(one in runs for one in hidden) else runs


def _is_acronym(text: str, runs: bytes, letter: bytes) -> bool:
    """Whether a letter stands alone before a full stop."""
    at = runs.find(letter)
    while at >= 0:
        if text[at + 1 : at + 2] == ".":
            return True
        at = runs.find(letter, at + 1)
    return False
