# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""Known words near a typed one.

The written words of a segment are read into memory when a word is first asked for that is hardly known. They
stand in the order of their lengths, and of one length the frequent ones first: 18 bytes a word, and two a
letter.

A word's letters as bits tell in a few instructions that a word is too far away: each mistake takes away one
bit at most and brings one in at most, for no less than the cheapest mistake costs. Of what is left the cost
is computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any
from unicodedata import category
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gossamer.answer.spelling.error_model import (
    ANY_FOR_ANY,
    ANY_IN,
    ANY_OUT,
    DIGRAPH,
    FAR,
    FREQUENCY,
    ROOM,
    TWIN_IN,
    TWIN_OUT,
    VOWEL_FOR_VOWEL,
    Habits,
    Meant,
    alone,
    channel,
    coded,
    cost_of,
    habits_of,
    slots_of,
)
from gossamer.index.dictionary import Lexicon
from gossamer.kernels import kernel, kernel_part
from gossamer.text.strings import CODING
from gossamer.text.words import is_unspaced

# Kernels: words near a typed one
# -------------------------------

TWOS, FOURS, EIGHTS, EACH = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)


@kernel_part
def bits_in(bits: np.uint64) -> int:
    """How many bits are set. Compilers know this sum, and make one instruction of it."""
    bits -= (bits >> np.uint64(1)) & TWOS
    bits = (bits & FOURS) + ((bits >> np.uint64(2)) & FOURS)
    bits = (bits + (bits >> np.uint64(4))) & EIGHTS
    return np.int64((bits * EACH) >> np.uint64(56))


@kernel
def scan(
    letters: NDArray[np.uint16],
    bounds: NDArray[np.uint32],
    bags: NDArray[np.uint64],
    priors: NDArray[np.int16],
    by_length: NDArray[np.int64],
    typed: NDArray[np.uint16],
    bag: np.uint64,
    reach: int,
    most: int,
    behind: int,
    rarest: int,
    numbers: NDArray[np.uint8],
    put: NDArray[np.int64],
    vowels: NDArray[np.bool_],
    quiet: NDArray[np.uint8],
    digraphs: NDArray[np.uint8],
    costs: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of words that cost at most so much, and what they cost; the typed one among them.

    Words whose score lies farther than `behind` behind the best one may be missing: as those with as many
    letters as the typed one come first, and of these the frequent ones, most words are soon given up. Those
    with a lower prior than `rarest` are not looked at. All words, and the typed one, have fewer than `ROOM`
    letters.
    """
    size = len(typed)
    longest = len(by_length) - 2
    rows = np.empty((ROOM, ROOM), np.int64)
    come_in = np.empty(size, np.int64)
    typed_numbers, typed_sounds = np.empty(size, np.uint8), np.zeros(size, np.uint8)
    rows[0, 0] = 0
    for j in range(size):
        typed_numbers[j] = numbers[typed[j]]
        if j:
            typed_sounds[j] = digraphs[typed_numbers[j - 1], typed_numbers[j]]
        come_in[j] = alone(typed, 0, size, j, TWIN_IN, numbers, vowels, quiet, costs)
        rows[0, j + 1] = rows[0, j] + come_in[j]
    found, found_costs = np.empty(len(bags), np.int64), np.empty(len(bags), np.int64)
    count = 0
    best = np.int64(-FAR)
    least_put = min(costs[VOWEL_FOR_VOWEL : ANY_FOR_ANY + 1].min(), costs[DIGRAPH] >> 1)
    least_out = min(costs[TWIN_OUT : ANY_OUT + 1].min(), costs[DIGRAPH])
    least_in = min(costs[TWIN_IN : ANY_IN + 1].min(), costs[DIGRAPH])
    for step in range(2 * reach + 1):
        length = size + ((step + 1) >> 1 if step & 1 else -(step >> 1))
        if length < 0 or length > longest:
            continue
        for word in range(by_length[length], by_length[length + 1]):
            if priors[word] < rarest:
                break
            missing, added = bits_in(bags[word] & ~bag), bits_in(bag & ~bags[word])
            if missing > reach or added > reach:
                continue
            prior = np.int64(priors[word])
            room = min(most, max(0, prior - best + behind))
            if missing * min(least_out, least_put) > room or added * min(least_in, least_put) > room:
                continue
            cost = cost_of(
                rows,
                letters,
                np.int64(bounds[word]),
                np.int64(bounds[word + 1]),
                typed,
                typed_numbers,
                typed_sounds,
                come_in,
                least_out,
                least_in,
                reach,
                room,
                numbers,
                put,
                vowels,
                quiet,
                digraphs,
                costs,
            )
            if cost < FAR:
                found[count], found_costs[count] = word, cost
                count += 1
                if cost > 0:
                    best = max(best, prior - cost)
    return found[:count].copy(), found_costs[:count].copy()


# Words of a segment in memory
# ----------------------------

SHORTEST, LONGEST = 2, 32  # letters of a word that may be meant
ONCE_IN = 10_000_000  # words of a text: what is still rarer is hardly meant, and mostly a mistake itself
BEHIND = 500  # in hundredths of a score, from which on a word is no rival of the best one
_LINE_FEED = ord("\n")
_UNITS = ("utf-16-le", "surrogatepass")
_LAST = 0x2000  # code points from here on are hardly letters of words
_LETTERS = frozenset({"Ll", "Lo", "Lm", "Mn", "Mc"})


@dataclass(frozen=True, slots=True)
class Words:
    """Words that people may mean, in the order of their lengths."""

    letters: NDArray[np.uint16]
    bounds: NDArray[np.uint32]
    bags: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    priors: NDArray[np.int16]  # the logarithms of their counts, as they enter scores, in hundredths
    by_length: NDArray[np.int64]  # the first word with so many letters
    habits: Habits

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def memory(self) -> int:
        arrays = self.letters, self.bounds, self.bags, self.counts, self.priors, self.habits
        return sum(array.nbytes for array in arrays)

    def count(self, word: str) -> int:
        """How often a word occurs."""
        if not SHORTEST <= len(word) <= LONGEST:
            return 0
        first, end = self.by_length[len(word) : len(word) + 2].tolist()
        alike = np.flatnonzero(self.bags[first:end] == bag_of(coded(word))) + first
        return sum(int(self.counts[number]) for number in alike.tolist() if self.word(number) == word)

    def near(self, typed: str, reach: int, most: int, rarest: int = 1) -> list[Meant]:
        """The words that occur so often, differ in so few letters and cost at most so much, in any order.

        Those that are much worse than the best may be missing. A word may come twice: its occurrences add up.
        """
        if not SHORTEST <= len(typed) <= LONGEST:
            return []
        own, letters = channel(), coded(typed)
        found, costs = scan(
            self.letters, self.bounds, self.bags, self.priors, self.by_length,
            letters, bag_of(letters), reach, most, BEHIND, int(_priors(np.array([rarest]))[0]),
            own.numbers, own.put, own.vowels, own.quiet, own.digraphs, own.costs,
        )  # fmt: skip
        triples = zip(found.tolist(), self.counts[found].tolist(), costs.tolist(), strict=True)
        return [Meant(self.word(number), count, own) for number, count, own in triples if count >= rarest]

    def word(self, number: int) -> str:
        return self.letters[self.bounds[number] : self.bounds[number + 1]].tobytes().decode(*_UNITS)


# In memory as long as their segment is open.
_KNOWN: WeakKeyDictionary[Lexicon, Words] = WeakKeyDictionary()


def words_in(lexicon: Lexicon) -> Words:
    """The words of a lexicon that may be meant, read when they are first asked for."""
    known = _KNOWN.get(lexicon)
    if known is None:
        known = _KNOWN[lexicon] = words_of(lexicon.text(), lexicon.counts)
    return known


def _bags(
    letters: NDArray[np.uint16], bounds: NDArray[np.int64], by_length: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Of each word, the letters it has (32 bits), and those that it has more than once (32 bits)."""
    bits = _bits(letters)
    once, twice = np.zeros(len(bounds) - 1, np.uint64), np.zeros(len(bounds) - 1, np.uint64)
    for place in range(LONGEST):
        longer = int(by_length[place + 1])
        own = bits[bounds[longer:-1] + place]
        twice[longer:] |= once[longer:] & own
        once[longer:] |= own
    return once | twice << np.uint64(32)


def _bits(letters: NDArray[np.uint16]) -> NDArray[np.uint64]:
    """A bit for each letter; the same with diacritics and without."""
    return np.uint64(1) << slots_of(letters).astype(np.uint64)


@cache
def _is_letter() -> NDArray[np.bool_]:
    """Of code points: letters, and the marks that belong to them, of scripts that part words by spaces."""
    is_letter = [category(chr(code)) in _LETTERS and not is_unspaced(chr(code)) for code in range(_LAST)]
    return np.array([*is_letter, False])


def _priors(counts: NDArray[np.integer[Any]]) -> NDArray[np.int16]:
    priors: NDArray[np.int16] = (100 * FREQUENCY * np.log(counts.clip(min=1))).astype(np.int16)
    return priors


def bag_of(letters: NDArray[np.uint16]) -> np.uint64:
    """The same of one word."""
    once = twice = 0
    for bit in _bits(letters).tolist():
        twice |= once & bit
        once |= bit
    return np.uint64(once | twice << 32)


def words_of(lines: bytes, counts: NDArray[np.uint32]) -> Words:
    """Those words that are nothing but letters, of scripts that part words, and neither short nor long."""
    units = np.frombuffer(lines.decode(*CODING).encode(*_UNITS), np.uint16)
    ends = np.flatnonzero(units == _LINE_FEED)
    begins = np.append(0, ends[:-1] + 1)[: len(ends)]
    lengths = ends - begins
    strange = np.append(
        0, np.cumsum(~_is_letter()[np.minimum(units, _LAST)])
    )  # line feeds count, but not within
    fits = (lengths >= SHORTEST) & (lengths <= LONGEST) & (strange[ends] == strange[begins])
    chosen = np.flatnonzero(fits & (counts >= counts.sum(dtype=np.int64) // ONCE_IN))
    chosen = chosen[np.lexsort((-counts[chosen].astype(np.int64), lengths[chosen]))]
    own = lengths[chosen]
    bounds = np.append(0, np.cumsum(own))
    within = np.arange(bounds[-1]) - np.repeat(bounds[:-1], own)
    letters = units[np.repeat(begins[chosen], own) + within]
    by_length = np.searchsorted(own, np.arange(LONGEST + 2))
    bags, habits = _bags(letters, bounds, by_length), habits_of(letters, bounds)
    priors = _priors(counts[chosen])
    return Words(letters, bounds.astype(np.uint32), bags, counts[chosen], priors, by_length, habits)
