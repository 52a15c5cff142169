"""Which words do made-up pages have?

The words are built of syllables and mean nothing. How often they come follows Zipf's law: the word of rank r
has weight 1/(r + 2.7)^1.05 (Mandelbrot's form, with constants near those of English), so that an index sees
what it sees in real text: a few words everywhere, many words once.
"""

from __future__ import annotations

import random
from itertools import accumulate

import numpy as np

ONSETS = (*"bcdfghjklmnprstvw", "br", "ch", "dr", "fl", "gr", "pl", "pr", "qu", "sh", "st", "th", "tr")
VOWELS = (*"aeiou", "ai", "ea", "ee", "ou")
CODAS = ("", "", "", *"lmnrst", "nd", "st")
SHIFT, EXPONENT = 2.7, 1.05
SUPPLY = 1 << 17  # words drawn at a time


def vocabulary(size: int = 20_000, seed: int = 1) -> list[str]:
    """That many different words, the most frequent first; by and large those are the shortest."""
    rng = random.Random(seed)
    found: dict[str, float] = {}
    while len(found) < size:
        syllables = rng.choice((1, 2, 2, 3, 3, 4))
        word = "".join(rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS) for _ in range(syllables))
        found.setdefault(word, len(word) + 4 * rng.random())
    return sorted(found, key=found.__getitem__)


class Prose:
    """An endless supply of sentences, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._draws = np.random.default_rng(seed)
        self._words = vocabulary()
        weights = np.arange(1 + SHIFT, len(self._words) + 1 + SHIFT) ** -EXPONENT
        self._sums = np.cumsum(weights) / weights.sum()
        self._supply: list[str] = []

    def words(self, count: int) -> list[str]:
        if len(self._supply) < count:
            ranks = np.searchsorted(self._sums, self._draws.random(SUPPLY + count), side="right")
            self._supply = [self._words[rank] for rank in np.minimum(ranks, len(self._words) - 1).tolist()]
        taken = self._supply[-count:]
        del self._supply[-count:]
        return taken

    def phrase(self, least: int, most: int) -> str:
        """A few words without a full stop: a heading, the text of a link."""
        return " ".join(self.words(self._rng.randint(least, most))).capitalize()

    def sentences(self, count: int) -> str:
        """That many sentences of 6 to 20 words."""
        lengths = [self._rng.randint(6, 20) for _ in range(count)]
        drawn = self.words(sum(lengths))
        pieces = [drawn[end - length : end] for end, length in zip(accumulate(lengths), lengths, strict=True)]
        return " ".join(" ".join(piece).capitalize() + "." for piece in pieces)
