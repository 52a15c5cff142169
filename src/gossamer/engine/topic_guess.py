"""Which topic does a query mean? That to which the pages belong that its words find.

A page belongs to the topic whose PageRank lifts it most above its common one, if that at least doubles it. A
topic counts in quarters, by its share of the best pages; the rest is left to the common rank. T.
Haveliwala, "Topic-sensitive PageRank", WWW 2002, weighs topics by the words of their pages instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gossamer.engine.blending import NONE, PARTS, TOPIC, Blend
from gossamer.links.generation import Generation
from gossamer.search.phases import Search
from gossamer.search.searcher import Searcher

BEST = 30  # pages by which the topic is guessed
FEWEST = 5  # pages that say anything
BELONGS = 2.0  # times its common PageRank
SURE = 0.5  # of the best pages belong to topics


@dataclass(frozen=True, slots=True)
class Guess:
    """Topics that a query means, and how sure that is."""

    blend: Blend
    said: str


def guessed(generation: Generation, search: Search, searchers: Sequence[Searcher], rest: str) -> Guess | None:
    """The topics of a query, with the rank `rest` for what belongs to none.

    None where it is not sure that it has any, or fewer than two are defined.
    """
    names = [name for name in generation.ranks if name.startswith(TOPIC)]
    if len(names) < 2 or not search.plan.ranks:
        return None
    by_words = replace(search, settings=replace(search.settings, second_phase=0), anchors=())
    pages = by_words.ranked(searchers, BEST).candidates.pages[:BEST]
    if len(pages) < FEWEST:
        return None
    common = np.maximum(generation.lookup("pagerank", pages), 1e-300)
    lifted = np.array([generation.lookup(name, pages) / common for name in names])
    most = lifted.argmax(axis=0)
    counts = np.bincount(most[lifted.max(axis=0) >= BELONGS], minlength=len(names))
    return _blended(dict(zip(names, counts.tolist(), strict=True)), len(pages), rest)


def _blended(counts: dict[str, int], looked_at: int, rest: str) -> Guess | None:
    """The topics that have a quarter of the pages or nearly, if the pages of all topics are many enough."""
    if sum(counts.values()) < SURE * looked_at:
        return None
    parts = {name: round(PARTS * count / looked_at) for name, count in counts.items()}
    parts = {name: part for name, part in sorted(parts.items(), key=lambda one: -one[1]) if part}
    if not parts or sum(parts.values()) > PARTS:
        return None
    left = PARTS - sum(parts.values())
    blend = (*parts.items(), *(((rest, left),) if left and rest != NONE else ()))
    return Guess(blend, _said({name.removeprefix(TOPIC): counts[name] for name in parts}, looked_at))


def _said(counts: dict[str, int], looked_at: int) -> str:
    """
    >>> _said({"cats": 12, "ships": 8}, 30)
    'taken for the topics cats and ships, to which 20 of the best 30 pages belong'
    """
    noun = "topic" if len(counts) == 1 else "topics"
    belong = f"to which {sum(counts.values())} of the best {looked_at} pages belong"
    return f"taken for the {noun} {' and '.join(counts)}, {belong}"
