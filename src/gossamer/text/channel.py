"""How likely is it that somebody who meant this word writes that one?

The noisy channel: the meant word passes through a person who hears, remembers and types, and comes out with
mistakes. Each kind of mistake has a cost, a negative logarithm of how often it is made, in hundredths:

    cost(i,j) = min(cost(i-1,j-1) + put(m_i, t_j), cost(i-1,j) + left_out(m_i), cost(i,j-1) + put_in(t_j),
                    cost(i-2,j-2) + swapped, if m_(i-1) m_i = t_j t_(j-1),
                    cost(i-2,j-1) + DIGRAPH, if m_(i-1) m_i sound as t_j, and the other way round)

for the first i letters of the word that was meant and the first j of the one that was typed. M. D. Kernighan,
K. W. Church, W. A. Gale, A spelling correction program based on a noisy channel model, COLING 1990; E. Brill,
R. C. Moore, An improved error model for noisy channel spelling correction, ACL 2000. The costs were learned
from misspellings of English words (`benchmarks/spelling.py` measures them on others), and rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import log
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

FAR = 1 << 20  # more than any cost that is asked for

# Kinds of mistakes, as places in `COSTS`: letters put for others, left out, put in, swapped, and what comes
# on top of a mistake in the first letter. A twin is a letter beside the same one.
(
    MARKED, VOWEL_FOR_VOWEL, ALIKE_FOR_ALIKE, NEAR_KEY, ANY_FOR_ANY,
    TWIN_OUT, QUIET_OUT, VOWEL_OUT, ANY_OUT,
    TWIN_IN, QUIET_IN, VOWEL_IN, ANY_IN,
    VOWELS_SWAPPED, ANY_SWAPPED, DIGRAPH, FIRST,
) = range(17)  # fmt: skip

COSTS = (
    10, 180, 220, 350, 450,
    50, 50, 100, 200,
    200, 220, 320, 400,
    100, 200, 250, 130,
)  # fmt: skip

LATIN = "abcdefghijklmnopqrstuvwxyz"
GREEK = "αβγδεζηθικλμνξοπρστυφχψως"
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяі"
LETTERS = LATIN + GREEK + CYRILLIC
VOWELS = frozenset("aeiouyαεηιουωаеиоуыэюяі")
ALIKE = (
    "ck", "cs", "sz", "kq", "gj", "fv", "bp", "dt", "mn", "vw", "iy", "xs", "gk", "lr", "tc", "st",
    "σς", "ιη", "ιυ", "ηυ", "οω", "κχ", "τθ", "йи", "шщ", "сз", "дт", "бп", "вф", "гк", "гв", "цс",
)  # fmt: skip
KEY_ROWS = (
    ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    ("ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ"),
    ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
)
# Letters that are hardly heard: behind which others, and before which; a blank is the end of the word.
QUIET = {
    "b": ("m", "t"), "c": ("sx", "kq"), "d": ("n", "gj"), "e": ("i", " "), "g": ("n", "nh"),
    "h": ("cgkprtwx", " "), "k": ("c", "n"), "l": ("", "dfkm"), "n": ("m", ""), "p": ("m", "nst"),
    "t": ("s", "c"), "u": ("gqo", ""), "w": ("", "rh"), "т": ("с", "н"), "д": ("", "н"), "в": ("", "с"),
}  # fmt: skip
DIGRAPHS = {
    "ph": "f", "gh": "f", "ch": "k", "qu": "k", "ks": "x", "cs": "x", "cc": "x", "ti": "s", "ci": "s",
    "αι": "ε", "ει": "ι", "οι": "ι", "υι": "ι",
}  # fmt: skip

EDGE, OTHER, FIRST_LETTER = 0, 1, 2
BEHIND, BEFORE = 1, 2
_SCRIPTS = ((0x61, 0x250), (0x370, 0x530), (0x1E00, 0x2000))  # code points of the letters that we know


FREQUENCY = 0.54  # damped: a word that occurs a hundred times as often is not meant a hundred times as often


@dataclass(frozen=True, slots=True)
class Meant:
    """A known word that may be meant, how often it occurs, and what it costs to have typed another one."""

    word: str
    count: int
    cost: int

    @property
    def score(self) -> float:
        """ln P(meant) P(typed | meant), but for what is the same for all words."""
        return FREQUENCY * log(self.count) - self.cost / 100


@dataclass(frozen=True, slots=True)
class Channel:
    """The model as tables over the numbers of letters: 0 is the edge of a word, 1 any other letter."""

    numbers: NDArray[np.uint8]  # by code point; a letter with diacritics has the number of the one without
    put: NDArray[np.int64]  # the cost of a letter, by meant and typed one
    vowels: NDArray[np.bool_]
    quiet: NDArray[np.uint8]  # by letter and neighbour: 1 it is quiet behind that one, 2 before that one
    digraphs: NDArray[np.uint8]  # by two letters: the one that sounds like both together
    costs: NDArray[np.int64]


@cache
def channel(costs: tuple[int, ...] = COSTS) -> Channel:
    """The model; its tables are made once."""
    size = FIRST_LETTER + len(LETTERS)
    number = {letter: place for place, letter in enumerate(LETTERS, FIRST_LETTER)} | {" ": EDGE}
    quiet, digraphs = np.zeros((size, size), np.uint8), np.zeros((size, size), np.uint8)
    for letter, sides in QUIET.items():
        for side, others in zip((BEHIND, BEFORE), sides, strict=True):
            for other in others:
                quiet[number[letter], number[other]] |= side
    for both, one in DIGRAPHS.items():
        digraphs[number[both[0]], number[both[1]]] = number[one]
    vowels = np.array([False, False, *(letter in VOWELS for letter in LETTERS)])
    return Channel(_numbers(number), _put(number, vowels, costs), vowels, quiet, digraphs, np.array(costs))


def _numbers(number: dict[str, int]) -> NDArray[np.uint8]:
    numbers = np.full(1 << 16, OTHER, np.uint8)
    for first, end in _SCRIPTS:
        for code in range(first, end):
            numbers[code] = number.get(normalize("NFD", chr(code))[0], OTHER)
    return numbers


def _put(number: dict[str, int], vowels: NDArray[np.bool_], costs: tuple[int, ...]) -> NDArray[np.int64]:
    """The likeliest reason to put one letter for another decides."""
    put = np.full((len(vowels), len(vowels)), costs[ANY_FOR_ANY], np.int64)
    pairs = {NEAR_KEY: _neighbours(), ALIKE_FOR_ALIKE: ALIKE}
    for kind, own in pairs.items():
        for pair in own:
            for place in ((number[pair[0]], number[pair[1]]), (number[pair[1]], number[pair[0]])):
                put[place] = min(put[place], costs[kind])
    both = np.outer(vowels, vowels)
    put[both] = np.minimum(put[both], costs[VOWEL_FOR_VOWEL])
    known = np.arange(FIRST_LETTER, len(vowels))
    put[known, known] = costs[MARKED]  # the same letter, with other diacritics
    return put


def _neighbours() -> Iterator[str]:
    """Letters beside each other on a keyboard, or below each other."""
    for rows in KEY_ROWS:
        for row in rows:
            yield from map("".join, pairwise(row))
        for upper, lower in pairwise(rows):
            for place, letter in enumerate(lower):
                yield from (letter + above for above in upper[place : place + 2])


def coded(word: str) -> NDArray[np.uint16]:
    """The code points of a word; those that two bytes do not hold become one that is no letter."""
    return np.array([min(ord(letter), 0xFFFF) for letter in word], np.uint16)


def cost(meant: str, typed: str, own: Channel | None = None) -> int:
    """What it costs to write one word for another.

    >>> cost("phone", "fone") < cost("phone", "bone"), cost("jaguar", "jaguar")
    (True, 0)
    """
    own = own or channel()
    m, t = coded(meant).tolist(), coded(typed).tolist()
    out, come_in = _alone(own, m, TWIN_OUT), _alone(own, t, TWIN_IN)
    table = [[0] * (len(t) + 1) for _ in range(len(m) + 1)]
    for i in range(len(m) + 1):
        for j in range(len(t) + 1):
            ways = [FAR] if i or j else [0]
            if i:
                ways.append(table[i - 1][j] + out[i - 1])
            if j:
                ways.append(table[i][j - 1] + come_in[j - 1])
            if i and j:
                ways.append(table[i - 1][j - 1] + _put_for(own, m, t, i - 1, j - 1))
            if i > 1 and j > 1 and m[i - 1] == t[j - 2] and m[i - 2] == t[j - 1]:
                ways.append(table[i - 2][j - 2] + _swapped(own, m[i - 1], m[i - 2]))
            if i > 1 and j and _sounds_as(own, m[i - 2], m[i - 1], t[j - 1]):
                ways.append(table[i - 2][j - 1] + int(own.costs[DIGRAPH]))
            if i and j > 1 and _sounds_as(own, t[j - 2], t[j - 1], m[i - 1]):
                ways.append(table[i - 1][j - 2] + int(own.costs[DIGRAPH]))
            table[i][j] = min(ways)
    return table[-1][-1]


def _alone(own: Channel, word: Sequence[int], kinds: int) -> list[int]:
    """What it costs to leave each letter of a word out, or to put it in."""
    numbers = [EDGE, *(int(own.numbers[letter]) for letter in word), EDGE]
    costs = []
    for place, letter in enumerate(word):
        before, number, after = numbers[place : place + 3]
        kind = kinds + (VOWEL_OUT if own.vowels[number] else ANY_OUT) - TWIN_OUT
        if letter in (word[place - 1] if place else 0, word[place + 1] if place + 1 < len(word) else 0):
            kind = kinds
        elif own.quiet[number, before] & BEHIND or own.quiet[number, after] & BEFORE:
            kind = kinds + QUIET_OUT - TWIN_OUT
        costs.append(int(own.costs[kind] + (0 if place else own.costs[FIRST])))
    return costs


def _put_for(own: Channel, meant: Sequence[int], typed: Sequence[int], i: int, j: int) -> int:
    if meant[i] == typed[j]:
        return 0
    numbers = own.numbers[meant[i]], own.numbers[typed[j]]
    return int(own.put[numbers] + (own.costs[FIRST] if i == 0 and j == 0 else 0))


def _swapped(own: Channel, one: int, other: int) -> int:
    both = own.vowels[own.numbers[one]] and own.vowels[own.numbers[other]]
    return int(own.costs[VOWELS_SWAPPED if both else ANY_SWAPPED])


def _sounds_as(own: Channel, first: int, second: int, one: int) -> bool:
    sound = own.digraphs[own.numbers[first], own.numbers[second]]
    return bool(sound > OTHER and sound == own.numbers[one])
