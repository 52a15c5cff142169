"""How do phrases become something that can be asked at every letter?"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernels_are_loaded
from gossamer.results.completion import Completions, folded_words
from gossamer.results.completion_phrases import frequent_runs
from gossamer.text.order_kernel import heads_of, sort_alike
from gossamer.text.words import words, written_as

LONGEST_PHRASE = 80  # characters; whatever is longer nobody reads while typing
MOST_LETTERS = 200  # different ones that are tried in the place of a mistyped one

Weighted = tuple[str, float]  # a phrase as it is shown, and what it weighs
Numbers = NDArray[np.uint32]
Bounds = NDArray[np.int64]


def completions_of(phrases: Iterable[Weighted]) -> Completions:
    """What answers for these phrases."""
    collected = Phrases()
    for text, weight in phrases:
        collected.add(text, weight)
    return collected.completions()


class Phrases:
    """Collects phrases. Those with the same words are one, as heavy as the heaviest of them.

    The first of them is shown: titles come before texts of links, which people write more carelessly.
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}  # by key
        self._texts: list[str] = []
        self._weights = array("d")
        self._words: dict[str, int] = {}  # numbers, as they come
        self._written: dict[int, str] = {}  # how words are written that are not as their keys are
        self._tokens = array("I")
        self._sizes = array("I")

    def add(self, text: str, weight: float) -> None:
        """A phrase; one that is too long to be read, or has no word, is passed over."""
        found = folded_words(text) if len(text) <= LONGEST_PHRASE else ()
        if not found:
            return
        place = self._places.setdefault(" ".join(found), len(self._texts))
        if place < len(self._texts):
            self._weights[place] = max(self._weights[place], weight)
            return
        known = self._words
        numbers = [known.setdefault(word, len(known)) for word in found]
        if not text.isascii():
            self._written.update(zip(numbers, written_as(text, words(text)), strict=True))
        self._texts.append(text)
        self._weights.append(weight)
        self._tokens.extend(numbers)
        self._sizes.append(len(numbers))

    def frequent(self, stop_words: Collection[str]) -> list[tuple[str, int]]:
        """Runs of words that several phrases have in common, in small letters, and in how many places."""
        forms = [self._written.get(number, word) for word, number in self._words.items()]
        tokens, sizes = np.array(self._tokens, np.uint64), np.array(self._sizes, np.int64)
        return frequent_runs(tokens, sizes, forms, stop_words)

    def completions(self) -> Completions:
        """What answers for all that was added."""
        keys, key_bounds = _packed([key.encode() for key in self._places])
        by_key = _in_order(keys, key_bounds)
        places = np.empty(len(by_key), np.int64)
        places[by_key] = np.arange(len(by_key))
        lengths = np.fromiter(map(len, self._texts), np.int64, len(self._texts))
        # Of equal weight the shorter comes first: it says the same sooner.
        ranked = np.lexsort((places, lengths, -np.array(self._weights)))
        numbers = np.empty(len(ranked), np.uint32)
        numbers[ranked] = np.arange(len(ranked), dtype=np.uint32)
        texts, text_bounds = _packed([self._texts[i].encode("utf-8", "replace") for i in ranked.tolist()])
        vocabulary = sorted(self._words)
        phrase_words, phrase_bounds = self._in_rows(ranked, vocabulary)
        word_phrases, word_bounds = _inverted(phrase_words, phrase_bounds, len(vocabulary))
        sorted_keys, sorted_bounds = _taken(keys, key_bounds, by_key)
        return Completions(
            texts=texts,
            text_bounds=text_bounds,
            keys=sorted_keys,
            key_bounds=sorted_bounds,
            key_phrases=numbers[by_key],
            words=vocabulary,
            word_bounds=word_bounds,
            word_phrases=word_phrases,
            phrase_bounds=phrase_bounds,
            phrase_words=phrase_words,
            letters=_letters(vocabulary),
        )

    def _in_rows(self, ranked: Bounds, vocabulary: Sequence[str]) -> tuple[Numbers, Bounds]:
        """The words of each phrase, as numbers into the vocabulary."""
        table = np.empty(len(vocabulary), np.uint32)
        table[[self._words[word] for word in vocabulary]] = np.arange(len(vocabulary), dtype=np.uint32)
        sizes = np.array(self._sizes, np.int64)
        firsts = np.cumsum(sizes) - sizes
        return table[np.array(self._tokens, np.int64)[_ranges(firsts[ranked], sizes[ranked])]], _bounds(
            sizes[ranked]
        )


def _packed(pieces: Sequence[bytes]) -> tuple[bytes, Numbers]:
    """Pieces one behind the other, and where each begins; what ends the last comes at the end."""
    sizes = np.fromiter(map(len, pieces), np.int64, len(pieces))
    return b"".join(pieces), _bounds(sizes).astype(np.uint32)


def _taken(data: bytes, bounds: Numbers, order: Bounds) -> tuple[bytes, Numbers]:
    """The pieces in another order."""
    sizes = np.diff(bounds).astype(np.int64)[order]
    places = _ranges(bounds[:-1].astype(np.int64)[order], sizes)
    return np.frombuffer(data, np.uint8)[places].tobytes(), _bounds(sizes).astype(np.uint32)


def _bounds(sizes: Bounds) -> Bounds:
    bounds = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=bounds[1:])
    return bounds


def _ranges(firsts: Bounds, sizes: Bounds) -> Bounds:
    """All numbers of ranges, one range behind the other."""
    ends = np.cumsum(sizes)
    ranges: Bounds = np.arange(int(sizes.sum())) + np.repeat(firsts - ends + sizes, sizes)
    return ranges


def _in_order(keys: bytes, bounds: Numbers) -> Bounds:
    """The places of the keys, rising; where kernels are loaded, other threads can work meanwhile."""
    places = np.arange(len(bounds) - 1, dtype=np.uint32)
    if not kernels_are_loaded():
        held = [keys[begin:end] for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)]
        return np.array(sorted(range(len(held)), key=held.__getitem__), np.int64)
    arena, wide = np.frombuffer(keys, np.uint8), bounds.astype(np.int64)
    heads = heads_of(arena, wide, places)
    order = np.argsort(heads, kind="stable")
    ordered = places[order]
    sort_alike(arena, wide, heads[order], ordered)
    return ordered.astype(np.int64)


def _inverted(numbers: Numbers, bounds: Bounds, size: int) -> tuple[Numbers, Bounds]:
    """Of each word the phrases that hold it, rising."""
    phrases = np.repeat(np.arange(len(bounds) - 1, dtype=np.uint32), np.diff(bounds))
    order = np.argsort(numbers, kind="stable")
    return phrases[order], _bounds(np.bincount(numbers, minlength=size))


def _letters(vocabulary: Sequence[str]) -> str:
    """The most frequent letters."""
    counted = Counter(chain.from_iterable(vocabulary))
    return "".join(letter for letter, _ in counted.most_common(MOST_LETTERS) if letter.isalnum())
