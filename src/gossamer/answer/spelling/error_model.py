# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""Noisy-channel cost of typing errors.

The noisy channel: a person means a word and types it with mistakes. Each kind of mistake has a cost: the
negative logarithm of its probability, in hundredths. The cost of a typed word t for a meant word m is

    cost(i,j) = min(cost(i-1,j-1) + put(m_i, t_j), cost(i-1,j) + left_out(m_i), cost(i,j-1) + put_in(t_j),
                    cost(i-2,j-2) + swapped, if m_(i-1) m_i = t_j t_(j-1),
                    cost(i-2,j-1) + DIGRAPH, if m_(i-1) m_i sound like t_j, and vice versa)

for the first i letters of m and the first j letters of t. M. D. Kernighan, K. W. Church, W. A. Gale, A
spelling correction program based on a noisy channel model, COLING 1990; E. Brill, R. C. Moore, An improved
error model for noisy channel spelling correction, ACL 2000. The costs were learned from misspellings of
English words and rounded; `benchmarks/spelling.py` measures them on other misspellings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import log
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import kernel_part

FAR = 1 << 20  # more than the cost of any candidate

# Kinds of mistakes, as places in `COSTS`: letters substituted, left out, inserted, swapped, and the
# additional cost of a mistake in the first letter. A twin is a letter next to an equal one.
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

# Silent letters. Each is silent after the letters of the first string and before those of the second. A blank
# is the end of the word.
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
_SCRIPTS = ((0x61, 0x250), (0x370, 0x530), (0x1E00, 0x2000))  # code points of known letters
FREQUENCY = 0.54  # an exponent: a word that is 100 times as frequent is not meant 100 times as often


@dataclass(frozen=True, slots=True)
class Correction:
    """A known word that may be meant, how often it occurs, and the cost of the typed word for it."""

    word: str
    count: int
    cost: int

    @property
    def score(self) -> float:
        """The log-probability ln P(meant) P(typed | meant), up to an additive constant."""
        return FREQUENCY * log(self.count) - self.cost / 100


class ErrorModel(NamedTuple):
    """The model as tables by numbers of letters: 0 is the edge of a word, 1 is a letter not in `LETTERS`."""

    numbers: NDArray[np.uint8]  # by code point; a letter with diacritics has the number of the plain letter
    put: NDArray[np.int64]  # the cost of a substitution, by meant and typed letter
    vowels: NDArray[np.bool_]
    quiet: NDArray[np.uint8]  # by letter and neighbour: BEHIND or BEFORE, where the letter is silent
    digraphs: NDArray[np.uint8]  # by two letters: the letter that sounds like both together
    costs: NDArray[np.int64]
    least_put: int  # the least cost of a substituted letter
    least_out: int  # the least cost of a letter that is left out
    least_in: int  # the least cost of an inserted letter


@cache
def channel() -> ErrorModel:
    """The error model. Its tables are made once."""
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
    numbers, put, digraph = _numbers(number), _put(number, vowels), COSTS[DIGRAPH]
    least_put = min(*COSTS[VOWEL_FOR_VOWEL : ANY_FOR_ANY + 1], digraph >> 1)
    least_out, least_in = min(*COSTS[TWIN_OUT:TWIN_IN], digraph), min(*COSTS[TWIN_IN:VOWELS_SWAPPED], digraph)
    tables = numbers, put, vowels, quiet, digraphs, np.array(COSTS)
    return ErrorModel(*tables, least_put, least_out, least_in)


def _numbers(number: dict[str, int]) -> NDArray[np.uint8]:
    numbers = np.full(1 << 16, OTHER, np.uint8)
    for first, end in _SCRIPTS:
        for code in range(first, end):
            numbers[code] = number.get(normalize("NFD", chr(code))[0], OTHER)
    return numbers


def _put(number: dict[str, int], vowels: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The cost of each substitution, by its most likely reason."""
    put = np.full((len(vowels), len(vowels)), COSTS[ANY_FOR_ANY], np.int64)
    for kind, pairs in ((NEAR_KEY, _neighbours()), (ALIKE_FOR_ALIKE, ALIKE)):
        for pair in pairs:
            a, b = number[pair[0]], number[pair[1]]
            put[a, b] = put[b, a] = min(put[a, b], COSTS[kind])
    both = np.outer(vowels, vowels)
    put[both] = np.minimum(put[both], COSTS[VOWEL_FOR_VOWEL])
    known = np.arange(FIRST_LETTER, len(vowels))
    put[known, known] = COSTS[MARKED]  # the same letter, with other diacritics
    return put


def _neighbours() -> Iterator[str]:
    """Yield pairs of letters that are neighbours on a keyboard."""
    for rows in KEY_ROWS:
        for row in rows:
            yield from map("".join, pairwise(row))
        for upper, lower in pairwise(rows):
            for place, letter in enumerate(lower):
                yield from (letter + above for above in upper[place : place + 2])


def coded(word: str) -> NDArray[np.uint16]:
    """The code points of a word; those beyond 16 bits become 0xFFFF, which is no letter."""
    return np.array([min(ord(letter), 0xFFFF) for letter in word], np.uint16)


# Kernels: error cost
# -------------------
#
# Only entries at most `reach` places from the diagonal are computed. A word is given up when its last two
# rows cost too much, because all further rows follow from these.

ROOM = 40  # rows and columns of the table: one more than the letters of a word
Costs = NDArray[np.int64]


class TypedLetters(NamedTuple):
    """A typed word as arrays for kernels, each with one entry per letter."""

    letters: NDArray[np.uint16]
    numbers: NDArray[np.uint8]
    sounds: NDArray[np.uint8]  # the letter that sounds like this one and the one before it
    come_in: NDArray[np.int64]  # the cost to insert the letter


@kernel_part
def alone(model: ErrorModel, word: NDArray[np.uint16], place: int, kinds: int) -> int:
    """The cost to leave out a letter of a word (if `kinds` is TWIN_OUT) or to insert it (TWIN_IN)."""
    numbers, quiet = model.numbers, model.quiet
    letter = word[place]
    number = numbers[letter]
    before, after = EDGE, EDGE
    twin = False
    if place > 0:
        before = np.int64(numbers[word[place - 1]])
        twin = word[place - 1] == letter
    if place + 1 < len(word):
        after = np.int64(numbers[word[place + 1]])
        twin = twin or word[place + 1] == letter
    if twin:
        kind = TWIN_OUT
    elif quiet[number, before] & BEHIND or quiet[number, after] & BEFORE:
        kind = QUIET_OUT
    else:
        kind = VOWEL_OUT if model.vowels[number] else ANY_OUT
    return model.costs[kinds + kind - TWIN_OUT] + (model.costs[FIRST] if place == 0 else 0)


@kernel_part
def fill_row(
    model: ErrorModel, typed: TypedLetters, word: NDArray[np.uint16], reach: int, rows: Costs, i: int
) -> int:
    """Fill the row of the first i letters of a word; return a lower bound of the final cost.

    If one word has more letters left than the other, the bound includes the least cost of these letters.
    """
    costs, size = model.costs, len(typed.letters)
    more = len(word) - i - size  # letters that the word has left, minus all letters of the typed word
    first, last = max(0, i - reach), min(size, i + reach)
    own = word[i - 1]
    number = model.numbers[own]
    earlier = word[i - 2] if i > 1 else np.uint16(0)
    out = alone(model, word, i - 1, TWIN_OUT)
    sound = model.digraphs[model.numbers[earlier], number] if i > 1 else np.uint8(EDGE)
    lowest, left = FAR, FAR
    if first > 0:
        rows[i, first - 1] = FAR
    for j in range(first, last + 1):
        cost = min(rows[i - 1, j] + out, FAR)
        if j > 0:
            cost = min(cost, left + typed.come_in[j - 1])
            letter = typed.letters[j - 1]
            other = typed.numbers[j - 1]
            step = 0
            if letter != own:
                step = model.put[number, other] + (costs[FIRST] if i == 1 and j == 1 else 0)
            cost = min(cost, rows[i - 1, j - 1] + step)
            if i > 1:
                if j > 1 and own == typed.letters[j - 2] and earlier == letter:
                    both = model.vowels[number] and model.vowels[other]
                    cost = min(cost, rows[i - 2, j - 2] + costs[VOWELS_SWAPPED if both else ANY_SWAPPED])
                if sound > OTHER and sound == other:
                    cost = min(cost, rows[i - 2, j - 1] + costs[DIGRAPH])
            if typed.sounds[j - 1] > OTHER and typed.sounds[j - 1] == number:
                cost = min(cost, rows[i - 1, j - 2] + costs[DIGRAPH])
        rows[i, j] = cost
        left = cost
        lowest = min(lowest, cost + max((more + j) * model.least_out, -(more + j) * model.least_in))
    if last < size:
        rows[i, last + 1] = FAR
    return lowest


@kernel_part
def cost_of(
    model: ErrorModel, typed: TypedLetters, word: NDArray[np.uint16], reach: int, most: int, rows: Costs
) -> int:
    """The cost of the typed word for a known one; `FAR` if it is more than `most`. Row 0 must be filled."""
    size = len(word)
    before = 0
    for i in range(1, size + 1):
        lowest = fill_row(model, typed, word, reach, rows, i)
        if lowest > most and before > most:
            return FAR
        before = lowest
    cost = rows[size, len(typed.letters)]
    return cost if cost <= most else FAR


# Letter trigram model of words
# -----------------------------
#
# An unknown word may be new or misspelt. New words have sequences of letters like other words. A trigram
# model gives the probability of such a sequence:
#
#     strangeness(w) = - sum over i of ln p(w_i | w_(i-2) w_(i-1))
#
# Edges of the word count as letters. p is smoothed by the bigram model, and that by the unigram model
# (Dirichlet, with `PRIOR` letters of the smaller model). Letters are reduced to 5 bits, which scripts
# share, because words do not mix scripts. C. E. Shannon, Prediction and entropy of printed English, Bell
# System Technical Journal 30, 1951.

BITS = 5
SIZE = 1 << BITS
PRIOR = 5.0
Habits = NDArray[np.float32]  # ln p by the letter, the one before it and the one before that


def slots_of(letters: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Letters as numbers below `SIZE`, with or without diacritics. No Latin letter is 0 or 1."""
    numbers = channel().numbers[letters]
    slots: NDArray[np.int64] = np.where(numbers > OTHER, numbers, letters).astype(np.int64) & (SIZE - 1)
    return slots


def habits_of(letters: NDArray[np.uint16], bounds: NDArray[np.int64]) -> Habits:
    """Train the letter model on words; word i is letters[bounds[i] : bounds[i + 1]]."""
    marked = _with_edges(slots_of(letters), bounds)
    keys = (marked[:-2] << BITS | marked[1:-1]) << BITS | marked[2:]
    threes = np.bincount(keys, minlength=SIZE**3).astype(np.float64).reshape(SIZE, SIZE, SIZE)
    threes[:, 0, 0] = 0  # between two words
    twos = threes.sum(axis=0)
    ones = (twos.sum(axis=0) + 1) / (twos.sum() + SIZE)
    pairs = (twos + PRIOR * ones) / (twos.sum(axis=1, keepdims=True) + PRIOR)
    habits: Habits = np.log((threes + PRIOR * pairs) / (threes.sum(axis=2, keepdims=True) + PRIOR)).astype(
        np.float32
    )
    return habits


def _with_edges(slots: NDArray[np.int64], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Join all words, with two edges before each and two after the last."""
    words = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    marked = np.zeros(len(slots) + 2 * len(bounds), np.int64)
    marked[np.arange(len(slots)) + 2 * (words + 1)] = slots
    return marked


def strangeness(habits: Habits, word: str) -> float:
    """The negative logarithm of the probability of a word."""
    row = [0, 0, *slots_of(coded(word)).tolist(), 0]
    return -float(sum(habits[three] for three in zip(row, row[1:], row[2:], strict=False)))
