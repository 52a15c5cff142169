"""Why does trust think otherwise of a page than PageRank?

Both sum to 1 over all pages, so trust for every unit of PageRank is 1 for a page of which both think alike.
A page whose supporters have next to none is held up by a part of the web that nobody vouches for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.graph import CollectionGraph, Node
from gossamer.links.ranks.trust import relative_trust

LITTLE = 0.25  # trust for a unit of PageRank, where 1 is usual
MUCH = 10.0
MOST_OF_IT = 0.5  # of a page's PageRank
HIGH = 2.0  # times the PageRank of the average page: below, nobody is fooled

Floats = NDArray[np.float64]


def disagreement(graph: CollectionGraph, node: Node, sources: NDArray[np.int64], given: Floats) -> list[str]:
    """Sentences; none where trust was not computed or agrees. `given` is what sources give to PageRank."""
    generation = graph.generation
    if "trust" not in generation.ranks or "pagerank" not in generation.ranks:
        return []
    ranks, trust = generation.rank("pagerank"), generation.rank("trust").astype(np.float64)
    relative = relative_trust(trust, ranks)
    own, standing = float(relative[node]), float(ranks[node]) * len(ranks)
    if own < LITTLE and standing >= HIGH:
        return _too_high(float(ranks[node]), own, relative[sources], trust[sources], given)
    if own >= MUCH and standing < 1:
        return [f"Trust thinks {own:.0f} times as much of it as PageRank does: it is near trusted pages."]
    return []


def _too_high(rank: float, own: float, relative: Floats, trust: Floats, given: Floats) -> list[str]:
    said = f"It has {own:.2g} times the trust that is usual for its PageRank."
    doubtful = relative < LITTLE
    share = float(given[doubtful].sum()) / rank
    if share < MOST_OF_IT:
        return [said]
    count = int(doubtful.sum())
    pages = "1 page" if count == 1 else f"{count:,} pages"
    if not trust[doubtful].any():
        reached = "that no trusted page reaches"
    else:
        reached = f"that trust hardly reaches (less than {LITTLE:g} of what is usual for their PageRank)"
    vouched = np.count_nonzero(~doubtful)
    others = f"{share:.0%} of its PageRank comes from {pages} {reached}"
    rest = float(given[~doubtful].sum()) / rank
    beside = f"; the {vouched:,} that trust does reach give {rest:.1%}." if vouched else "."
    return [f"{others}{beside}", said]
