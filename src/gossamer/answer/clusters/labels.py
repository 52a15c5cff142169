# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator, call-overload"
# ruff: noqa: PLR0912, PLR0915
"""Labels of clusters: distinctive phrases.

The label of a cluster is the phrase that best distinguishes it from the others. The phrase must stand in the
texts of its results, and no other label may have the same words. It is written as most of the best results
write it. A phrase that is nearly as good as a single word in it is preferred.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.answer.clusters.agglomerative import ALONE, IDF_ONE, MIX, MOST_SHARE, Group, Numbers, Shared
from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.text.words import is_word, joined, small

# Kernels: telling phrases
# ------------------------


# The role of a term in phrases: INSIDE (function words) not at an end, ASKED (of the query) not alone.
INSIDE, ASKED, TELLING = 0, 1, 2
LONGEST = 3  # words of a phrase
SEVERAL = 1.3  # factor for a phrase of several words
WITH_ASKED = 1.3  # factor for a phrase with a word of the query
IN_TITLES = 0.5  # increase of the score for a phrase that stands in titles only
FOUND = 12  # phrases that are found for a group
BITS = np.int64(20)  # of a term's number in the key of a phrase


@unchecked_part
def weigh(
    words: Shared, rarity: NDArray[np.float64], asked: Numbers, weights: Numbers, roles: Numbers
) -> None:
    """Fill in the weight of each term, in units of 1/`IDF_ONE`, and its role in phrases.

    Terms of the query and terms that most results have get a weight of 0.
    """
    most = MOST_SHARE * (len(words.starts) // 2)
    for term in range(len(words.names)):
        is_asked = False
        for i in range(len(asked)):
            is_asked = is_asked or asked[i] == words.names[term]
        weights[term] = 0
        if not is_asked and not words.results[term] > most:
            weights[term] = np.int64(np.rint(rarity[term] * IDF_ONE))
        roles[term] = TELLING if weights[term] > 0 else INSIDE
        if is_asked and rarity[term] > 0:
            roles[term] = ASKED


@unchecked_part
def longest_from(terms: Numbers, roles: Numbers, begin: int, end: int, keys: Numbers) -> None:
    """Fill in the key of the phrase of each length that begins here; ALONE if that is no valid phrase."""
    key, telling = np.int64(0), False
    for length in range(LONGEST):
        keys[length] = ALONE
    for length in range(min(LONGEST, end - begin)):
        term = terms[begin + length]
        if term == ALONE:
            return
        telling = telling or roles[term] == TELLING
        key = key << BITS | (term + 1)
        if telling and roles[term] != INSIDE:
            keys[length] = key


@unchecked_part
def worth_of(terms: Numbers, roles: Numbers, begin: int, end: int) -> float:
    """The factor of a phrase by its words."""
    worth = SEVERAL if end - begin > 1 else 1.0
    for at in range(begin, end):
        if roles[terms[at]] == ASKED:
            return worth * WITH_ASKED
    return worth


@unchecked_part
def count_in(counts: NDArray[np.int16], group_of: Numbers, stretch: int) -> None:
    """Count a result that has a phrase: for its group, and for titles if the stretch is its title."""
    counts[group_of[stretch // 2] + 1] += 1
    counts[len(counts) - 1] += stretch % 2 == 0


@unchecked_kernel
def find_phrases(
    words: Shared, roles: Numbers, group_of: Numbers, sizes: Numbers
) -> tuple[Numbers, NDArray[np.float64]]:
    """Find the best phrases of each group, the best first; return their places and scores.

    The place of a phrase of n words that begins at word p is LONGEST * p + n - 1. `group_of` has the group of
    each result, or ALONE. Unused entries have a score of 0.
    """
    best, scores = np.full((len(sizes), FOUND), ALONE), np.zeros((len(sizes), FOUND))
    if len(sizes) == 0:
        return best, scores
    terms, starts = words.terms, words.starts
    keys = np.empty(LONGEST, np.int64)
    many = 0
    for at in range(len(terms)):
        many += LONGEST * (terms[at] != ALONE and roles[terms[at]] != INSIDE)
    size = 2
    while size < many + many // 2:
        size *= 2
    slots, mask = np.zeros(size, np.int32), np.uint64(size - 1)
    own, place = np.empty(many, np.int64), np.empty(many, np.int32)
    # Most phrases stand in one result, and need no row of counts.
    last, rows = np.empty(many, np.int32), np.empty(many, np.int32)
    held, count = np.empty((many // 2 + 1, len(sizes) + 2), np.int16), 0
    met = 0
    for stretch in range(len(starts) - 1):
        for at in range(starts[stretch], starts[stretch + 1]):
            if terms[at] == ALONE or roles[terms[at]] == INSIDE:
                continue
            longest_from(terms, roles, at, starts[stretch + 1], keys)
            for length in range(LONGEST):
                if keys[length] == ALONE:
                    continue
                slot = ((np.uint64(keys[length]) * MIX) >> np.uint64(32)) & mask
                while slots[slot] != 0 and own[slots[slot] - 1] != keys[length]:
                    slot = (slot + np.uint64(1)) & mask
                if slots[slot] == 0:
                    own[met], place[met], last[met] = keys[length], at * LONGEST + length, stretch
                    rows[met] = ALONE
                    met += 1
                    slots[slot] = met
                    continue
                phrase = slots[slot] - 1
                if last[phrase] // 2 == stretch // 2:
                    continue
                if rows[phrase] == ALONE:
                    held[count] = 0
                    count_in(held[count], group_of, last[phrase])
                    rows[phrase] = count
                    count += 1
                count_in(held[rows[phrase]], group_of, stretch)
                last[phrase] = stretch
    for phrase in range(met):
        if rows[phrase] == ALONE:
            continue
        counts, total = held[rows[phrase]], 0
        for group in range(len(sizes) + 1):
            total += counts[group]
        first, length = place[phrase] // LONGEST, place[phrase] % LONGEST + 1
        in_titles = 1 + IN_TITLES * counts[len(sizes) + 1] / total
        worth = worth_of(terms, roles, first, first + length) * in_titles
        for group in range(len(sizes)):
            inside = counts[group + 1]
            if inside < 2:
                continue
            score = worth * 2 * inside / (sizes[group] + total)
            rank = FOUND
            while rank > 0 and score > scores[group, rank - 1]:
                rank -= 1
            for lower in range(FOUND - 1, rank, -1):
                scores[group, lower] = scores[group, lower - 1]
                best[group, lower] = best[group, lower - 1]
            if rank < FOUND:
                scores[group, rank], best[group, rank] = score, place[phrase]
    return best, scores


# Phrases that distinguish a cluster from the others
# ---------------------------------
#
# H are the results that have a phrase, G those of the group. The score of the phrase is
#
#     2 |G and H| / (|G| + |H|) * w * (1 + t/2)
#
# This is Dice's coefficient, the F-measure of "has the phrase" as a prediction of "is in the group". w is
# 1 for one word, 1.3 for several words, 1.69 if one of these is in the query: "Jaguar cars" is a better
# label than "cars". t is the share of H that has the phrase in the title. A phrase does not begin or
# end with a function word or a number, and has at least one word that is not in the query.
#
# References: Dice, "Measures of the amount of ecologic association between species", Ecology 26,
# 1945; Zamir, Etzioni, "Web document clustering: a feasibility demonstration", SIGIR 1998 (phrases as
# labels).


class Phrase(NamedTuple):
    """Consecutive words: the place of the first word, and the terms of all."""

    first: int
    terms: tuple[int, ...]
    score: float


def listed(words: Shared, places: Numbers, scores: NDArray[np.float64]) -> list[list[Phrase]]:
    """Convert the phrases of `find_phrases` to lists, one for each group."""
    firsts, lengths = places // LONGEST, places % LONGEST + 1
    terms = words.terms.take(firsts[..., None] + np.arange(LONGEST), mode="clip").tolist()
    rows = zip(firsts.tolist(), lengths.tolist(), terms, scores.tolist(), strict=True)
    return [
        [
            Phrase(first, tuple(own[:length]), score)
            for first, length, own, score in zip(*row, strict=True)
            if score > 0
        ]
        for row in rows
    ]


LONGER = 0.7  # the least score of a phrase that replaces a word in it, relative to the word's score
WRITERS = 3  # the best results with a phrase, which decide how it is written
MOST_CHARACTERS = 40  # of a label
_SITE = re.compile(r"(.*\S)\s+[-|–—·•»:]+\s+(\S.*)", re.DOTALL)
_SIGN = re.compile(r"\s[-|–—·•»:]")  # a quick test: most titles have no such sign


def without_site_names(titles: Sequence[str]) -> list[str]:
    """Remove the site's name from titles: an ending after a dash or bar that several titles share.

    >>> without_site_names(["Jaguar - Wildcats", "Puma - Wildcats", "Mac OS X - Jaguar"])
    ['Jaguar', 'Puma', 'Mac OS X - Jaguar']
    """
    if not _SIGN.search("\n".join(titles)):
        return list(titles)
    parts = [_SITE.fullmatch(title) if _SIGN.search(title) else None for title in titles]
    ends = Counter([part[2] for part in parts if part])
    return [
        part[1] if part and ends[part[2]] > 1 else title for title, part in zip(titles, parts, strict=True)
    ]


def labels(
    found: Sequence[Sequence[Phrase]],
    groups: Sequence[Group],
    text_of: Callable[[int], str],
    words_of: Callable[[Phrase], Sequence[str]],
) -> list[str]:
    """A label for each group, or "" if there is none. Texts are read only when they are needed."""
    taken: list[set[int]] = []
    read = cache(lambda place: Text.of(text_of(place)))  # a text is searched for several phrases

    def label_of(phrases: Sequence[Phrase], group: Group) -> str:
        for phrase in _longer_first(phrases):
            terms = set(phrase.terms)
            if any(terms <= other or other <= terms for other in taken):
                continue  # it contains another label, or is a part of one
            if label := written(words_of(phrase), map(read, group)):
                taken.append(terms)
                return label
        return ""

    return [label_of(own, group) for own, group in zip(found, groups, strict=True)]


def _longer_first(found: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield the phrases; before a single word, the phrases that contain it and are nearly as good."""
    for place, phrase in enumerate(found):
        if len(phrase.terms) == 1:
            (word,) = phrase.terms
            least = LONGER * phrase.score
            yield from [one for one in found[place + 1 :] if one.score >= least and {word} < set(one.terms)]
        yield phrase


class Text(NamedTuple):
    """A text, and the text in small letters, which is empty if its places differ from those of the text."""

    written: str
    small: str

    @classmethod
    def of(cls, text: str) -> Text:
        plain = small(text)
        return cls(text, plain if len(plain) == len(text) else "")


def written(words: Sequence[str], texts: Iterable[Text]) -> str:
    """Write consecutive words as most texts do; "" if no text has them side by side.

    >>> written(["big", "cats"], map(Text.of, ["Big cats", "the big cats", "of big cats, and others"]))
    'big cats'
    """
    row = joined(words)
    if len(row) > MOST_CHARACTERS:
        return ""
    forms: list[str] = []
    for text, plain in texts:
        at = plain.find(row)
        while at >= 0 and not is_word(plain, at, row):
            at = plain.find(row, at + 1)
        if at >= 0:
            forms.append(text[at : at + len(row)])
            if len(forms) == WRITERS:
                break
    return max(forms, key=forms.count, default="")
