"""Which link ranks boost pages, in which proportion.

    relative rank = sum over ranks of  parts / 4 * value / mean value

A blend has four parts, so that few different ones can be asked for, and each is made once. Where nobody asks
for a rank it is `editorial`, or PageRank where that is not stored (`BEST`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.generation import Generation
from gossamer.model import BadSetting, UsageError
from gossamer.model.graph import RelativeRank

TOPIC = "topic:"  # begins the name of the rank of a topic
PARTS = 4
AUTO = "auto"  # the rank that finds pages best, of those that are stored
BEST = ("editorial", "pagerank")  # docs/ranking.md says by which test
HITS, HUBS, SALSA, NONE = "hits", "hubs", "salsa", "none"
OF_A_QUERY = (HITS, HUBS, SALSA)  # computed when the query comes: what is stored does not count
AGAINST = ("distrust", "spam-mass")  # what speaks against a page lifts none
NEEDS = {  # what a rank is missing for
    "trust": "name pages of the graph as `trusted` in [rank]",
    "spam-mass": "name pages of the graph as `trusted` in [rank]",
    "distrust": "name pages of the graph as `spam` in [rank]",
}
Blend = tuple[tuple[str, int], ...]


def only(name: str) -> Blend:
    """One rank and no other."""
    return ((name, PARTS),)


NOTHING: Blend = ()


def requested_rank(rank: str | None, topic: str | None, default: str) -> str:
    """The name of the rank that was asked for."""
    if topic and rank:
        raise UsageError("a topic is a rank of its own: name a topic or a rank, not both")
    if topic:
        return TOPIC + topic.removeprefix(TOPIC)
    return default if rank in {None, "", AUTO} else str(rank)


def topics_of(generation: Generation | None) -> tuple[str, ...]:
    """The topics whose ranks are stored, by name."""
    ranks = generation.ranks if generation else ()
    return tuple(sorted(name.removeprefix(TOPIC) for name in ranks if name.startswith(TOPIC)))


def preferring(topic: str, by: str) -> Blend:
    """For somebody who cares for a topic: half by it and half by the common rank, so that nothing is lost.

    >>> blend_name(preferring("cats", "pagerank"))
    '2/4 topic:cats + 2/4 pagerank'
    """
    return ((TOPIC + topic, PARTS // 2), (by, PARTS - PARTS // 2))


def default_rank(generation: Generation | None, rank: str) -> str:
    """The rank that the settings name, where that is `auto` the best of those that are stored, if any."""
    if rank != AUTO:
        return rank
    stored = generation.ranks if generation else ()
    return next((name for name in BEST if name in stored), NONE)


def blend_of(name: str) -> Blend:
    """What lifts pages for a rank; nothing where the query decides, or nobody should."""
    return NOTHING if name in {*OF_A_QUERY, NONE} else only(name)


def blend_name(blend: Blend) -> str:
    """A blend for people.

    >>> blend_name((("topic:cats", 3), ("pagerank", 1))), blend_name(only("trust"))
    ('3/4 topic:cats + 1/4 pagerank', 'trust')
    """
    if len(blend) < 2:
        return blend[0][0] if blend else NONE
    return " + ".join(f"{parts}/{PARTS} {name}" for name, parts in blend)


def no_rank(name: str, there: Sequence[str]) -> str:
    """What is said of a rank that is not stored: how to get it, where that is known.

    >>> no_rank("topic:dogs", ["pagerank", "topic:cats"])
    "there is no topic 'dogs'; there are: cats"
    """
    rank = name.rpartition(":")[2]
    if name.startswith(TOPIC):
        topics = [one.removeprefix(TOPIC) for one in there if one.startswith(TOPIC)]
        known = f"there are: {', '.join(topics)}" if topics else "name some as [[rank.topics]]"
        return f"there is no topic {name.removeprefix(TOPIC)!r}; {known}"
    if rank in NEEDS:
        return f"there is no rank {name!r}: {NEEDS[rank]}, then run: gossamer rank"
    return f"there is no rank {name!r}; there are: {', '.join(there)}"


def relative(generation: Generation | None, blend: Blend) -> RelativeRank | None:
    """What gives pages their rank relative to the average; None where nothing is ranked yet."""
    if generation is None or not blend:
        return None
    lifting = [name for name in generation.ranks if name not in AGAINST]
    for name, _ in blend:
        if name in AGAINST:
            raise BadSetting(f"{name} speaks against pages and lifts none; rank by trust instead")
        if name not in lifting:
            raise BadSetting(no_rank(name, [*lifting, *OF_A_QUERY, NONE]))
    scales = {name: parts / PARTS / _mean(generation.rank(name)) for name, parts in blend}

    def ranked(pages: NDArray[np.uint64]) -> NDArray[np.float64]:
        total = np.zeros(len(pages))
        for name, scale in scales.items():
            total += scale * generation.lookup(name, pages)
        return total

    return ranked


def _mean(values: NDArray[np.floating]) -> float:
    return float(values.mean(dtype=np.float64)) or 1.0 if len(values) else 1.0
