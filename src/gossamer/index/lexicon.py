"""Which words stand in a segment, as people write them, how often, and which of them are near to a typed one?

Terms are stems, of which only one written form each is kept; to tell a misspelling from a word, all of them
are needed. They are written in any order, each on a line, and how often each occurs beside them. What was
deleted counts until nobody asks for it: who suggests a word looks first whether it still stands anywhere.

Read into memory, which happens when first a word is asked for that is hardly known, the words stand in the
order of their lengths, and of one length the frequent ones first: 18 bytes a word, and two a letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from unicodedata import category

import numpy as np
import zstandard
from numpy.typing import NDArray

from gossamer.index.files import read_arrays, write_arrays
from gossamer.index.lexicon_kernel import scan
from gossamer.kernel import kernels_are_loaded
from gossamer.text.channel import FREQUENCY, Meant, channel, coded, cost
from gossamer.text.habits import Habits, habits_of, slots_of
from gossamer.text.strings import CODING, Strings
from gossamer.text.words import is_unspaced

LEVEL = 1  # of zstandard: 3 saves a tenth of the room at twice the time
SHORTEST, LONGEST = 2, 32  # letters of a word that may be meant
ONCE_IN = 10_000_000  # words of a text: what is still rarer is hardly meant, and mostly a mistake itself
BEHIND = 500  # in hundredths of a score, from which on a word is no rival of the best one
SMALL = 30_000  # words that are looked through in less time than it takes to load a kernel
_MOST = (1 << 32) - 1
_LINE_FEED = ord("\n")
_UNITS = ("utf-16-le", "surrogatepass")
_LAST = 0x2000  # code points from here on are hardly letters of words
_LETTERS = frozenset({"Ll", "Lo", "Lm", "Mn", "Mc"})


@dataclass(frozen=True)
class Lexicon:
    """The words of a segment, packed as they stand on the disk."""

    lines: NDArray[np.uint8]  # compressed
    counts: NDArray[np.uint32]

    def text(self) -> bytes:
        """The words, each ended by a line feed."""
        return zstandard.decompress(self.lines.tobytes())

    def frequent(self, most: int) -> bytes:
        """Those of the words that occur most often, each ended by a line feed."""
        text = self.text()
        if len(self.counts) <= most:
            return text
        lines, places = text.splitlines(keepends=True), np.argpartition(self.counts, -most)[-most:]
        return b"".join([lines[place] for place in places.tolist()])

    @cached_property
    def words(self) -> Words:
        """The words that may be meant, in memory."""
        return words_of(self.text(), self.counts)


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
        if len(self) <= SMALL and not kernels_are_loaded():
            return self.near_without_kernels(typed, reach, most, rarest)
        own, letters = channel(), coded(typed)
        found, costs = scan(
            self.letters, self.bounds, self.bags, self.priors, self.by_length,
            letters, bag_of(letters), reach, most, BEHIND, int(_priors(np.array([rarest]))[0]),
            own.numbers, own.put, own.vowels, own.quiet, own.digraphs, own.costs,
        )  # fmt: skip
        triples = zip(found.tolist(), self.counts[found].tolist(), costs.tolist(), strict=True)
        return [Meant(self.word(number), count, own) for number, count, own in triples if count >= rarest]

    def near_without_kernels(self, typed: str, reach: int, most: int, rarest: int = 1) -> list[Meant]:
        """The same, without loading compiled code, and with all words."""
        shortest = int(self.by_length[max(0, len(typed) - reach)])
        longest = int(self.by_length[min(LONGEST, len(typed) + reach) + 1])
        bag, bags = bag_of(coded(typed)), self.bags[shortest:longest]
        less, more = np.bitwise_count(bags & ~bag), np.bitwise_count(bag & ~bags)
        often = self.counts[shortest:longest] >= rarest
        likely = np.flatnonzero((less <= reach) & (more <= reach) & often) + shortest
        found = ((number, cost(self.word(number), typed)) for number in likely.tolist())
        return [Meant(self.word(n), int(self.counts[n]), own) for n, own in found if own <= most]

    def word(self, number: int) -> str:
        return self.letters[self.bounds[number] : self.bounds[number + 1]].tobytes().decode(*_UNITS)


def lexicon_of(lines: bytes, counts: NDArray[np.int64]) -> Lexicon:
    """Of words, one a line, and how often each occurs."""
    packed = np.frombuffer(zstandard.compress(lines, LEVEL), np.uint8)
    return Lexicon(packed, counts.clip(max=_MOST).astype(np.uint32))


NO_WORDS = lexicon_of(b"", np.empty(0, np.int64))


def merged_lexicon(lexicons: Sequence[Lexicon]) -> Lexicon:
    """The words of several segments, each once."""
    strings = Strings()
    counts = np.concatenate([np.empty(0, np.uint32), *(one.counts for one in lexicons)])
    numbers = strings.number(b"".join(one.text() for one in lexicons), len(counts))
    totals = np.bincount(numbers, counts, len(strings)).astype(np.int64)
    return lexicon_of(strings.lines(np.arange(len(strings), dtype=np.uint32)), totals)


def write_lexicon(path: Path, lexicon: Lexicon) -> None:
    write_arrays(path, {"lines": lexicon.lines, "counts": lexicon.counts})


def read_lexicon(path: Path) -> Lexicon:
    return Lexicon(**read_arrays(path))


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


def _priors(counts: NDArray[np.integer[Any]]) -> NDArray[np.int16]:
    priors: NDArray[np.int16] = (100 * FREQUENCY * np.log(counts.clip(min=1))).astype(np.int16)
    return priors


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


def bag_of(letters: NDArray[np.uint16]) -> np.uint64:
    """The same of one word."""
    once = twice = 0
    for bit in _bits(letters).tolist():
        twice |= once & bit
        once |= bit
    return np.uint64(once | twice << 32)


def _bits(letters: NDArray[np.uint16]) -> NDArray[np.uint64]:
    """A bit for each letter; the same with diacritics and without."""
    return np.uint64(1) << slots_of(letters).astype(np.uint64)


@cache
def _is_letter() -> NDArray[np.bool_]:
    """Of code points: letters, and the marks that belong to them, of scripts that part words by spaces."""
    is_letter = [category(chr(code)) in _LETTERS and not is_unspaced(chr(code)) for code in range(_LAST)]
    return np.array([*is_letter, False])
