"""What does it cost to build an index, and how large is it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from passages.corpus import Corpus
from passages.stand import OURS, Stand, say

MEASURED_AGAIN = (OURS, "tantivy")  # in every round; the others are built once, as some take minutes


def indexed(
    stand: Stand, names: Sequence[str], corpus: Corpus, repeat: int
) -> dict[str, list[dict[str, Any]]]:
    """The builds of every engine, interleaved; without rounds what is there counts. The last is searched."""
    builds: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for number in range(max(1, repeat)):
        for name in names:
            measured = repeat > 0 and name in MEASURED_AGAIN
            if measured or number == 0:
                say(f"index of {corpus.passages:,} passages by {name} ...")
                builds[name].append(stand.rebuilt(name, corpus) if measured else stand.index(name, corpus))
    return builds


def cost(build: dict[str, Any], what: str) -> float:
    """Seconds, "wall" or "cpu", of all stages."""
    return sum(float(stage[what]) for stage in build["stages"].values())


def cheapest(builds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The build that took the least processor time: the others were disturbed."""
    return min(builds, key=lambda build: cost(build, "cpu"))
