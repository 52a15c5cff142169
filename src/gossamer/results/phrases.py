"""Which phrases tell the results of a group best from all others?

H are the results that hold a phrase, G those of the group. A phrase counts

    2 |G and H| / (|G| + |H|) * w * (1 + t/2)

Dice's coefficient, which is the F-measure of "holds the phrase" as a guess of who belongs to the group. w is
1 for one word, 1.3 for several, 1.69 for several of which one was asked for: "Jaguar cars" says more than
"cars". t is the share of H that has the phrase in its titles. No phrase begins or ends with a function word
or a number, and words of the query alone are none.

References: Dice, "Measures of the amount of ecologic association between species", Ecology 26, 1945; Zamir,
Etzioni, "Web document clustering: a feasibility demonstration", SIGIR 1998 (phrases as labels).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernels_are_loaded
from gossamer.results.clustering import Group
from gossamer.results.likeness import Numbers, Shared
from gossamer.results.likeness_kernel import ALONE
from gossamer.results.phrases_kernel import (
    ASKED,
    IN_TITLES,
    INSIDE,
    LONGEST,
    SEVERAL,
    TELLING,
    WITH_ASKED,
    find_phrases,
)

FOUND = 12  # phrases of a group


class Phrase(NamedTuple):
    """Words in a row: where the first of them stands, and their terms."""

    first: int
    terms: tuple[int, ...]
    score: float


def roles_of(weights: Numbers, asked: NDArray[np.bool_]) -> Numbers:
    """Where each term may stand in a phrase; `asked` are those of the query that tell something."""
    return np.where(asked, ASKED, np.where(weights > 0, TELLING, INSIDE)).astype(np.int64)


def phrases(words: Shared, roles: Numbers, groups: Sequence[Group]) -> list[list[Phrase]]:
    """The phrases that tell each group best from the others, best first."""
    group_of, sizes = [ALONE] * len(words), [len(group) for group in groups]
    for number, group in enumerate(groups):
        for result in group:
            group_of[result] = number
    if not (kernels_are_loaded() and len(words.terms)):
        return _without_kernel(words, roles, group_of, sizes)
    firsts, lengths = (np.empty((len(groups), FOUND), np.int64) for _ in range(2))
    scores = np.empty((len(groups), FOUND))
    homes = np.array(group_of, np.int64), np.array(sizes, np.int64)
    find_phrases(words.terms, words.starts, roles, *homes, firsts, lengths, scores)
    return listed(words, firsts, lengths, scores)


def listed(
    words: Shared, firsts: Numbers, lengths: Numbers, scores: NDArray[np.float64]
) -> list[list[Phrase]]:
    """Phrases as a kernel found them, a row a group; there are no more of a group where the score is 0."""
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


def _without_kernel(
    words: Shared, terms_roles: Numbers, group_of: Sequence[int], sizes: Sequence[int]
) -> list[list[Phrase]]:
    roles: list[int] = terms_roles.tolist()
    places: dict[tuple[int, ...], int] = {}
    held: dict[tuple[int, ...], Counter[int]] = {}
    titles: Counter[tuple[int, ...]] = Counter()
    for result, group in enumerate(group_of):
        seen: set[tuple[int, ...]] = set()
        for stretch in (2 * result, 2 * result + 1):
            for at, phrase in _in_stretch(words, roles, stretch):
                if phrase not in seen:
                    seen.add(phrase)
                    places.setdefault(phrase, at)
                    held.setdefault(phrase, Counter())[group] += 1
                    titles[phrase] += stretch % 2 == 0
    found: list[list[Phrase]] = [[] for _ in sizes]
    for phrase, counts in held.items():
        total = counts.total()
        worth = _worth(phrase, roles) * (1 + IN_TITLES * titles[phrase] / total)
        for group, inside in counts.items():
            if group != ALONE and inside > 1:
                score = worth * 2 * inside / (sizes[group] + total)
                found[group].append(Phrase(places[phrase], phrase, score))
    return [sorted(own, key=lambda one: -one.score)[:FOUND] for own in found]


def _worth(phrase: Sequence[int], roles: Sequence[int]) -> float:
    worth = SEVERAL if len(phrase) > 1 else 1.0
    return worth * WITH_ASKED if any(roles[term] == ASKED for term in phrase) else worth


def _in_stretch(words: Shared, roles: Sequence[int], stretch: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    begin, end = words.starts[stretch : stretch + 2].tolist()
    terms = words.terms[begin:end].tolist()
    for at in range(len(terms)):
        for length in range(1, min(LONGEST, len(terms) - at) + 1):
            phrase = tuple(terms[at : at + length])
            if ALONE in phrase or roles[phrase[0]] == INSIDE:
                break
            if roles[phrase[-1]] != INSIDE and any(roles[term] == TELLING for term in phrase):
                yield begin + at, phrase
