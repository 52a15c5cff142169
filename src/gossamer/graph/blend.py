"""Choose and blend the link ranks that boost pages.

    relative rank = sum over ranks of  parts / 4 * value / mean value

Proportions are quarters, so that only few different blends exist, and each is computed once. The default rank
is `editorial`, or PageRank if `editorial` is not stored (`BEST`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.generation import Generation
from gossamer.model import BadSetting, UsageError
from gossamer.model.graph import RelativeRank

TOPIC = "topic:"  # prefix of the names of topic ranks
PARTS = 4  # of a blend
AUTO = "auto"  # the best rank that is stored
BEST = ("editorial", "pagerank")  # best first; docs/ranking.md describes the test
HITS, HUBS, SALSA, NONE = "hits", "hubs", "salsa", "none"
OF_A_QUERY = (HITS, HUBS, SALSA)  # computed for each query, not stored
AGAINST = ("distrust", "spam-mass")  # high values are bad, so they cannot boost pages
NEEDS = {  # settings that a rank requires
    "trust": "name pages of the graph as `trusted` in [rank]",
    "spam-mass": "name pages of the graph as `trusted` in [rank]",
    "distrust": "name pages of the graph as `spam` in [rank]",
}
Blend = tuple[tuple[str, int], ...]


def only(name: str) -> Blend:
    """Return the blend that consists of one rank."""
    return ((name, PARTS),)


def requested_rank(rank: str | None, topic: str | None, default: str) -> str:
    """Return the name of the requested rank."""
    if topic and rank:
        raise UsageError("a topic is a rank of its own: name a topic or a rank, not both")
    if topic:
        return TOPIC + topic.removeprefix(TOPIC)
    return default if rank in {None, "", AUTO} else str(rank)


def topics_of(generation: Generation | None) -> tuple[str, ...]:
    """Return the sorted names of the topics whose ranks are stored."""
    ranks = generation.ranks if generation else ()
    return tuple(sorted(name.removeprefix(TOPIC) for name in ranks if name.startswith(TOPIC)))


def preferring(topic: str, by: str) -> Blend:
    """Blend a topic rank with a common rank, half each.

    >>> blend_name(preferring("cats", "pagerank"))
    '2/4 topic:cats + 2/4 pagerank'
    """
    return ((TOPIC + topic, PARTS // 2), (by, PARTS - PARTS // 2))


def default_rank(generation: Generation | None, rank: str) -> str:
    """Resolve the rank named in the settings: `auto` becomes the best stored rank, or `none`."""
    if rank != AUTO:
        return rank
    stored = generation.ranks if generation else ()
    return next((name for name in BEST if name in stored), NONE)


def blend_of(name: str) -> Blend:
    """Return the blend for a rank; empty for `none` and for ranks computed per query."""
    return () if name in {*OF_A_QUERY, NONE} else only(name)


def blend_name(blend: Blend) -> str:
    """Return the display name of a blend.

    >>> blend_name((("topic:cats", 3), ("pagerank", 1))), blend_name(only("trust"))
    ('3/4 topic:cats + 1/4 pagerank', 'trust')
    """
    if len(blend) < 2:
        return blend[0][0] if blend else NONE
    return " + ".join(f"{parts}/{PARTS} {name}" for name, parts in blend)


def no_rank(name: str, there: Sequence[str]) -> str:
    """Return the error text for a rank that is not stored: how to get it, or the stored ranks.

    >>> no_rank("topic:dogs", ["pagerank", "topic:cats"])
    "there is no topic 'dogs'; choose from: cats"
    """
    rank = name.rpartition(":")[2]
    if name.startswith(TOPIC):
        topics = [one.removeprefix(TOPIC) for one in there if one.startswith(TOPIC)]
        known = f"choose from: {', '.join(topics)}" if topics else "name some as [[rank.topics]]"
        return f"there is no topic {name.removeprefix(TOPIC)!r}; {known}"
    if rank in NEEDS:
        return f"there is no rank {name!r}: {NEEDS[rank]}, then run: gossamer rank"
    return f"there is no rank {name!r}; choose from: {', '.join(there)}"


def relative(generation: Generation | None, blend: Blend) -> RelativeRank | None:
    """Return a function that gives pages their rank relative to the average; None if there is no rank."""
    if generation is None or not blend:
        return None
    boosting = [name for name in generation.ranks if name not in AGAINST]
    for name, _ in blend:
        if name in AGAINST:
            raise BadSetting(f"{name} marks bad pages and cannot boost pages; rank by trust instead")
        if name not in boosting:
            raise BadSetting(no_rank(name, [*boosting, *OF_A_QUERY, NONE]))
    scales = {name: parts / PARTS / _mean(generation.rank(name)) for name, parts in blend}

    def ranked(pages: NDArray[np.uint64]) -> NDArray[np.float64]:
        total = np.zeros(len(pages))
        for name, scale in scales.items():
            total += scale * generation.lookup(name, pages)
        return total

    return ranked


def _mean(values: NDArray[np.floating]) -> float:
    return float(values.mean(dtype=np.float64)) or 1.0 if len(values) else 1.0
