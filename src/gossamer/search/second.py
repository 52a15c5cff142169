"""The second phase: what are the best candidates worth when everything is looked at?

The first phase finds a few hundred candidates by impacts of 8 bits. Here they get their full scores:

    score = (sum over words of weight * tf' / (k1 + tf')  +  proximity  +  feedback  +  typed)
            * static * freshness * language * address
    proximity = p * sum over neighbouring words of min(weight, weight) / d²
    freshness = 1 + f * 2^(-age / half-life)
    address   = 1 + a / words of host and path

A word's weight is its idf times its emphasis (`emphasis`); for what the best pages add see `feedback`, for
words that stand there as they were typed see `typed`. tf' is the term frequency over weighted fields
(`index.weighting`), exactly; d the least distance of two words that stand side by side in the query, within
one field; p, f and a are settings, and f another one where the query asks for what is new. References:
Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004; Rasolofo, Savoy,
"Term proximity scoring for keyword-based retrieval systems", ECIR 2003.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.search.evidence import Evidence
from gossamer.search.settings import SearchSettings

DAY = 86_400.0

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FullScores:
    """The parts of the scores of some documents, a row a document."""

    words: Floats  # what each word adds
    proximity: Floats
    static: Floats  # a factor: by links, and by what the owner makes of the site
    freshness: Floats  # a factor
    language: Floats  # a factor
    address: Floats  # a factor

    @property
    def sum(self) -> Floats:
        total: Floats = self.words.sum(axis=1) + self.proximity
        return total

    @property
    def factor(self) -> Floats:
        """What multiplies the sum."""
        return self.static * self.freshness * self.language * self.address


def full_scores(
    found: Evidence,
    weights: Floats,
    k1: float,
    static: Floats,
    ages: Floats,
    languages: Floats,
    addresses: NDArray[np.uint32],
    settings: SearchSettings,
) -> FullScores:
    """Full scores by what was found, of pages of these ages, in seconds.

    `languages` is what each page counts by its own, `addresses` how many words its address has.
    """
    words = weights * found.frequencies / (k1 + found.frequencies)
    pairs = np.minimum(weights[:-1], weights[1:])
    proximity = settings.proximity * (pairs / found.distances**2).sum(axis=1)
    half_lives = np.maximum(ages, 0) / (settings.freshness_days * DAY)
    freshness = 1 + settings.freshness * 0.5**half_lives
    address = 1 + settings.depth / np.maximum(addresses, 1)
    return FullScores(words, proximity, static, freshness, languages, address)
