"""Where do words stand that begin so, in texts of plain words?

A kernel finds them in all texts at once, a byte a character. Where what stands beside such a word may make
another of it (C++, #tag, U.S.A., 10km), nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, islice
from string import ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.results.beginnings import ORDINARY
from gossamer.results.plain_places_kernel import ABSENT, BEYOND, KINDS, ODD, find_words

Place = tuple[int, int, frozenset[str]]  # where it begins and ends, and the terms that it stands for

# Signs beyond ASCII that part words, and the bytes that stand for them: no text has these.
_SIGNS = {"’": "'", **dict(zip("“”„‘«»…–—·•", map(chr, range(14, 25)), strict=True))}
_ELSE = "\x1a"  # stands for a letter beyond ASCII
_ASKING = "\x1b"  # for a question mark, until Python's codec has put one for each such letter
_BACK = bytes.maketrans(b"?" + _ASKING.encode(), _ELSE.encode() + b"?")
_BEFORE = " \n([{<\"'-/:“„«‘’–—·•"  # a word that is one by itself
_BEHIND = " \n.,;:!?)]}>\"'-/“”’»…–—·•"
_ODD = re.compile(rf"[^\x00-\x7f{''.join(_SIGNS)}{ORDINARY}]|[{_SIGNS['“']}-{_ASKING}]")


def _kinds() -> NDArray[np.uint8]:
    """Of each byte, which letter or digit it is."""
    kinds = np.full(256, ABSENT, np.uint8)
    for letters in (ascii_lowercase + digits, ascii_uppercase):
        kinds[list(letters.encode())] = range(len(letters))
    kinds[ord(_ELSE)] = BEYOND
    return kinds


def _standing() -> NDArray[np.bool_]:
    """Of each byte, whether it may stand before a word, and whether behind."""
    known = np.zeros((2, 256), np.bool_)
    for row, characters in enumerate((_BEFORE, _BEHIND)):
        known[row, [ord(_SIGNS.get(one, one)) for one in characters]] = True
    return known


_KINDS, _MAY_STAND = _kinds(), _standing()


class Begun(NamedTuple):
    """How words begin that stand for terms of a query, and what is known of these words."""

    beginnings: NDArray[np.bool_]  # a row for each kind of a first letter, a column for each of a second
    borne: Mapping[str, frozenset[str]]  # the terms of every such word, as it is written


def table_of(beginnings: Iterable[bytes]) -> NDArray[np.bool_]:
    """One or two small letters or digits each, as a table."""
    table = np.zeros((KINDS, KINDS), np.bool_)
    for one in beginnings:
        table[tuple(_KINDS[list(one)].tolist())] = True  # of one letter, the whole row
    return table


def plain_places(texts: Sequence[str], begun: Begun) -> list[list[Place] | None]:
    """All places of words of each text that begin so and stand for terms, rising; None where it is odd.

    >>> own = Begun(table_of([b"ja"]), {"Jaguar": frozenset({"jaguar"}), "jam": frozenset()})
    >>> plain_places(["A Jaguar, jam", "#Jaguar"], own)
    [[(2, 8, frozenset({'jaguar'}))], None]
    """
    encoded = [_encoded(text) for text in texts]
    plain = [one for one in encoded if one is not None]
    whole = b" %b  " % b" ".join(plain)
    starts = np.array([*accumulate([len(one) + 1 for one in plain], initial=1)])
    places, counts = np.empty((len(whole) // 2, 2), np.int64), np.empty(len(plain), np.int64)
    many = find_words(
        np.frombuffer(whole, np.uint8), starts, _KINDS, _MAY_STAND, begun.beginnings, places, counts
    )
    pairs, each = iter(places[:many].tolist()), iter(counts.tolist())
    return [
        None if one is None or (count := next(each)) == ODD else _bearing(text, islice(pairs, count), begun)
        for text, one in zip(texts, encoded, strict=True)
    ]


def _bearing(text: str, places: Iterable[Sequence[int]], begun: Begun) -> list[Place]:
    """Those of the places whose words stand for terms."""
    borne = begun.borne
    return [(start, end, terms) for start, end in places if (terms := borne[text[start:end]])]


def _encoded(text: str) -> bytes | None:
    """A text with a byte for each character; None where one of them may hide a word."""
    if text.isascii():
        return None if _ELSE in text else text.encode()
    if _ODD.search(text):
        return None
    plain = text.replace("?", _ASKING)
    for sign, byte in _SIGNS.items():
        plain = plain.replace(sign, byte)
    return plain.encode("ascii", "replace").translate(_BACK)
