# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""Known words near a typed one.

The words of a segment are read into memory when a rare or unknown word is first looked up. They are sorted by
length, then by falling frequency. They take 18 bytes per word and 2 per letter.

Each word has a bit set of its letters, its bag. A mistake removes at most one bit and adds at most one. So a
few instructions give a lower bound of the cost, which excludes most words. The cost is computed for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple
from unicodedata import category
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gossamer.answer.spelling.error_model import (
    FAR,
    FREQUENCY,
    ROOM,
    TWIN_IN,
    Correction,
    ErrorModel,
    Habits,
    TypedLetters,
    alone,
    channel,
    coded,
    cost_of,
    habits_of,
    slots_of,
)
from gossamer.index.dictionary import Lexicon
from gossamer.kernels.kernel import kernel, kernel_part
from gossamer.text.strings import CODING
from gossamer.text.words import is_unspaced

# Kernels: words near a typed one
# -------------------------------

TWOS, FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
EIGHTS, EACH = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@kernel_part
def bits_in(bits: np.uint64) -> int:
    """Count the bits that are set. Compilers turn this code into one instruction."""
    bits -= (bits >> np.uint64(1)) & TWOS
    bits = (bits & FOURS) + ((bits >> np.uint64(2)) & FOURS)
    bits = (bits + (bits >> np.uint64(4))) & EIGHTS
    return np.int64((bits * EACH) >> np.uint64(56))


class WordTable(NamedTuple):
    """Words, sorted by length and then by falling frequency."""

    letters: NDArray[np.uint16]
    bounds: NDArray[np.uint32]
    bags: NDArray[np.uint64]
    priors: NDArray[np.int16]  # the parts of their scores from their frequencies, in hundredths
    by_length: NDArray[np.int64]  # the first word of each length


@kernel
def bags_of(slots: NDArray[np.int64], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The bags of words: a bit for each letter (low 32 bits) and for each repeated letter (high 32 bits).

    `slots` are the letters of all words as numbers below 32, see `slots_of`.
    """
    bags = np.zeros(len(bounds) - 1, np.uint64)
    for word in range(len(bags)):
        for at in range(bounds[word], bounds[word + 1]):
            bit = np.uint64(1) << np.uint64(slots[at])
            bags[word] |= bit << np.uint64(32) if bags[word] & bit else bit
    return bags


@kernel
def scan(
    words: WordTable,
    model: ErrorModel,
    letters: NDArray[np.uint16],
    bag: np.uint64,
    reach: int,
    most: int,
    behind: int,
    rarest: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the words with a cost of at most `most`, the typed word included; return their numbers and costs.

    Words whose score is more than `behind` below the best one may be missing. Words of the same length as
    the typed word are read first, and frequent words before rare ones, so most words are soon given up.
    Words with a lower prior than `rarest` are skipped. All words have fewer than `ROOM` letters.
    """
    size, bags = len(letters), words.bags
    rows = np.empty((ROOM, ROOM), np.int64)
    numbers, sounds = np.empty(size, np.uint8), np.zeros(size, np.uint8)
    typed = TypedLetters(letters, numbers, sounds, np.empty(size, np.int64))
    rows[0, 0] = 0
    for j in range(size):
        numbers[j] = model.numbers[letters[j]]
        if j:
            sounds[j] = model.digraphs[numbers[j - 1], numbers[j]]
        typed.come_in[j] = alone(model, letters, j, TWIN_IN)
        rows[0, j + 1] = rows[0, j] + typed.come_in[j]
    found, found_costs = np.empty(len(bags), np.int64), np.empty(len(bags), np.int64)
    count = 0
    best = np.int64(-FAR)
    least_missing, least_added = min(model.least_out, model.least_put), min(model.least_in, model.least_put)
    for step in range(2 * reach + 1):
        length = size + ((step + 1) >> 1 if step & 1 else -(step >> 1))
        if length < 0 or length > len(words.by_length) - 2:
            continue
        for word in range(words.by_length[length], words.by_length[length + 1]):
            if words.priors[word] < rarest:
                break
            missing, added = bits_in(bags[word] & ~bag), bits_in(bag & ~bags[word])
            if missing > reach or added > reach:
                continue
            prior = np.int64(words.priors[word])
            room = min(most, max(0, prior - best + behind))
            if missing * least_missing > room or added * least_added > room:
                continue
            own = words.letters[words.bounds[word] : words.bounds[word + 1]]
            cost = cost_of(model, typed, own, reach, room, rows)
            if cost < FAR:
                found[count], found_costs[count] = word, cost
                count += 1
                if cost > 0:
                    best = max(best, prior - cost)
    return found[:count].copy(), found_costs[:count].copy()


# Words of a segment in memory
# ----------------------------

SHORTEST, LONGEST = 2, 32  # letters of a known word
ONCE_IN = 10_000_000  # words of text: a word that is not even once in them is mostly a mistake
BEHIND = 500  # hundredths of a score: a word that is so much worse than the best is no rival of it
_LINE_FEED = ord("\n")
_UNITS = ("utf-16-le", "surrogatepass")
_LAST = 0x2000  # code points from here on do not count as letters
_LETTERS = frozenset({"Ll", "Lo", "Lm", "Mn", "Mc"})


@dataclass(frozen=True, slots=True)
class Words:
    """The known words of a segment, how often each occurs, and the letter model that they train."""

    table: WordTable
    counts: NDArray[np.uint32]
    habits: Habits

    def __len__(self) -> int:
        return len(self.counts)

    def count(self, word: str) -> int:
        """How often a word occurs."""
        if not SHORTEST <= len(word) <= LONGEST:
            return 0
        first, end = self.table.by_length[len(word) : len(word) + 2].tolist()
        alike = np.flatnonzero(self.table.bags[first:end] == bag_of(coded(word))) + first
        return sum(int(self.counts[number]) for number in alike.tolist() if self.word(number) == word)

    def near(self, typed: str, reach: int, most: int, rarest: int = 1) -> list[Correction]:
        """Find words near a typed one, in any order.

        They differ in at most `reach` letters, cost at most `most` and occur at least `rarest` times. Words
        that are much worse than the best may be missing. A word may be returned twice, each
        time with a part of its count.
        """
        if not SHORTEST <= len(typed) <= LONGEST:
            return []
        letters, least = coded(typed), int(_priors(np.array([rarest]))[0])
        found, costs = scan(self.table, channel(), letters, bag_of(letters), reach, most, BEHIND, least)
        triples = zip(found.tolist(), self.counts[found].tolist(), costs.tolist(), strict=True)
        return [
            Correction(self.word(number), count, own) for number, count, own in triples if count >= rarest
        ]

    def word(self, number: int) -> str:
        begin, end = self.table.bounds[number : number + 2].tolist()
        return self.table.letters[begin:end].tobytes().decode(*_UNITS)


# They stay in memory as long as their segment is open.
_KNOWN: WeakKeyDictionary[Lexicon, Words] = WeakKeyDictionary()


def words_in(lexicon: Lexicon) -> Words:
    """The known words of a lexicon, read when they are first needed."""
    known = _KNOWN.get(lexicon)
    if known is None:
        known = _KNOWN[lexicon] = words_of(lexicon.text(), lexicon.counts)
    return known


@cache
def _is_letter() -> NDArray[np.bool_]:
    """For each code point, whether it is a letter or combining mark of a script with spaces."""
    is_letter = [category(chr(code)) in _LETTERS and not is_unspaced(chr(code)) for code in range(_LAST)]
    return np.array([*is_letter, False])


def _priors(counts: NDArray[np.integer[Any]]) -> NDArray[np.int16]:
    priors: NDArray[np.int16] = (100 * FREQUENCY * np.log(counts.clip(min=1))).astype(np.int16)
    return priors


def bag_of(letters: NDArray[np.uint16]) -> np.uint64:
    """The bag of one word."""
    return bags_of(slots_of(letters), np.array([0, len(letters)]))[0]


def words_of(lines: bytes, counts: NDArray[np.uint32]) -> Words:
    """Read the words of a lexicon that consist of letters of scripts with spaces and are not too long."""
    units = np.frombuffer(lines.decode(*CODING).encode(*_UNITS), np.uint16)
    ends = np.flatnonzero(units == _LINE_FEED)
    begins = np.append(0, ends[:-1] + 1)[: len(ends)]
    lengths = ends - begins
    # Line feeds count as well, but none stands within a word.
    strange = np.append(0, np.cumsum(~_is_letter()[np.minimum(units, _LAST)]))
    fits = (lengths >= SHORTEST) & (lengths <= LONGEST) & (strange[ends] == strange[begins])
    chosen = np.flatnonzero(fits & (counts >= counts.sum(dtype=np.int64) // ONCE_IN))
    chosen = chosen[np.lexsort((-counts[chosen].astype(np.int64), lengths[chosen]))]
    own = lengths[chosen]
    bounds = np.append(0, np.cumsum(own))
    within = np.arange(bounds[-1]) - np.repeat(bounds[:-1], own)
    letters = units[np.repeat(begins[chosen], own) + within]
    by_length = np.searchsorted(own, np.arange(LONGEST + 2))
    bags, habits = bags_of(slots_of(letters), bounds), habits_of(letters, bounds)
    table = WordTable(letters, bounds.astype(np.uint32), bags, _priors(counts[chosen]), by_length)
    return Words(table, counts[chosen], habits)
