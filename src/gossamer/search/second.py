"""The second phase: what are the best candidates worth when everything is looked at?

The first phase finds a few hundred candidates by impacts of 8 bits. Here they get their full scores:

    score = (sum over words of s * weight * tf' / (k1 + tf')  +  proximity  +  feedback  +  typed)
            * static * freshness * language * address * country * preferred * context
    s     = 1 - o / 2  for a piece of an unspaced script where the page holds the piece before it too, else 1
    proximity = p * sum over neighbouring words of min(weight, weight) / d²
    freshness = 1 + f * 2^(-age / half-life)
    address   = 1 + a / words of host and path

A word's weight is its idf times its emphasis (`emphasis`); for what the best pages add see `feedback`, for
words that stand there as they were typed see `typed`, for what is known of the person `person`. tf' is the
term frequency over weighted fields (`index.weighting`), exactly; d the least distance of two words that stand
side by side in the query, within one field; p, f and a are settings, and f another one where the query asks
for what is new. Pieces that follow each other in the query share a part o of their letters, one of two or
three of four: a page that holds both holds these once, and a stretch would count for more than the words in
it. References:
Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004; Rasolofo, Savoy,
"Term proximity scoring for keyword-based retrieval systems", ECIR 2003.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernels_are_loaded
from gossamer.search.evidence import Evidence
from gossamer.search.second_kernel import weigh
from gossamer.search.settings import SearchSettings

DAY = 86_400.0
ADDED_APART = 8  # so many numbers and more NumPy adds in another order than one after the other
REMEMBERED = 1024  # numbers of candidates

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
    country: Floats  # a factor
    preferred: Floats  # a factor
    context: Floats  # a factor

    @property
    def sum(self) -> Floats:
        total: Floats = self.words.sum(axis=1) + self.proximity
        return total

    @property
    def factor(self) -> Floats:
        """What multiplies the sum."""
        product = self.static
        for own in (
            self.freshness,
            self.language,
            self.address,
            self.country,
            self.preferred,
            self.context,
        ):
            if own is not neutral(len(own)):
                product = product * own
        return product


@lru_cache(REMEMBERED)
def neutral(documents: int) -> Floats:
    """Factors that change nothing: most are such, for most queries. Nobody may write into it."""
    ones = np.ones(documents)
    ones.flags.writeable = False
    return ones


def full_scores(
    found: Evidence,
    weights: Floats,
    k1: float,
    static: Floats,
    ages: Floats | None,
    languages: Floats,
    addresses: NDArray[np.uint32] | None,
    settings: SearchSettings,
    personal: tuple[Floats, Floats, Floats],
    shared: Floats,
) -> FullScores:
    """Full scores by what was found, of pages of these ages, in seconds.

    `languages` is what each page counts by its own, `addresses` how many words its address has, `personal`
    what it counts for the person, by country, site and last queries. Ages and addresses are None where they
    do not count. `shared` is the part of each word that it shares with the one before it, from the second on.
    """
    words, proximity = _words(found, weights, k1, settings.proximity)
    count_once(words, shared)
    freshness, address = neutral(len(words)), neutral(len(words))
    if ages is not None:
        freshness = freshness_of(ages, settings)
    if addresses is not None:
        address = address_of(addresses, settings)
    return FullScores(words, proximity, static, freshness, languages, address, *personal)


def count_once(words: Floats, shared: Floats) -> None:
    """Lets each piece count less in the documents, a row each, that hold the one that it overlaps."""
    if shared.any():
        words[:, 1:] *= np.where(words[:, :-1] > 0, 1 - shared / 2, 1.0)


def freshness_of(ages: Floats, settings: SearchSettings) -> Floats:
    """The factors of pages of these ages, in seconds."""
    factors: Floats = 1 + settings.freshness * 0.5 ** (np.maximum(ages, 0) / (settings.freshness_days * DAY))
    return factors


def address_of(addresses: NDArray[np.uint32], settings: SearchSettings) -> Floats:
    """The factors of pages whose addresses have so many words."""
    factors: Floats = 1 + settings.depth / np.maximum(addresses, 1)
    return factors


def _words(found: Evidence, weights: Floats, k1: float, share: float) -> tuple[Floats, Floats]:
    """What each word adds, and what words add that stand close together."""
    if kernels_are_loaded() and len(weights) < ADDED_APART:
        words, proximity = np.empty(found.frequencies.shape), np.empty(len(found.frequencies))
        weigh(found.frequencies, found.distances, weights, k1, share, words, proximity)
        return words, proximity
    pairs = np.minimum(weights[:-1], weights[1:])
    words = weights * found.frequencies / (k1 + found.frequencies)
    return words, share * (pairs / found.distances**2).sum(axis=1)
