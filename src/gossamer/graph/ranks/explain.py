"""Why a page ranks as it does.

    rank(v) = sum over links u -> v of beta * rank(u) / d(u)  +  (1 - beta) / n  +  beta * s / n

The addends are what each page that links to it gives, what jumps give to every page, and what those jumps
give that lead out of dead ends, on which the part s of all walkers stands.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.ranks.trustrank import relative_trust
from gossamer.graph.reader import CollectionGraph, GraphLink, GraphPage, Node, RankPosition, page_meant
from gossamer.model.notebook import NotebookTable

# Why trust and PageRank disagree
# -------------------------------
#
# Both sum to 1 over all pages, so trust for every unit of PageRank is 1 for a page of which both
# think alike. A page whose supporters have next to none is held up by a part of the web that nobody
# vouches for.

LITTLE = 0.25  # trust for a unit of PageRank, where 1 is usual
MUCH = 10.0
MOST_OF_IT = 0.5  # of a page's PageRank
HIGH = 2.0  # times the PageRank of the average page: below, nobody is fooled
Floats = NDArray[np.float64]


def trust_gap(graph: CollectionGraph, node: Node, sources: NDArray[np.int64], given: Floats) -> list[str]:
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


@dataclass(frozen=True, slots=True)
class RankFlow:
    """What one page gives to the PageRank of another that it links to."""

    page: GraphPage
    rank: float
    out_degree: int
    flows: float  # beta * rank / out-degree
    share: float  # of the PageRank of the other; 0 where that has none, as with beta 1 it may


@dataclass(frozen=True, slots=True)
class PageLinks(NotebookTable):
    """Tell the links of a page and where its PageRank comes from.

    Attributes:
        page: The page, a `GraphPage`.
        typed: The URL as it was typed.
        in_degree: How many pages link to it.
        out_degree: How many pages it links to.
        unvouched_in_degree: How many pages link to it as nofollow, ugc or sponsored.
        unvouched_out_degree: How many pages it links to in that way.
        in_links: The first links to it, each a `GraphLink`.
        out_links: The first of its links.
        unvouched_in: The first nofollow, ugc and sponsored links to it.
        unvouched_out: The first of its own.
        standings: Its `RankPosition` by every link rank.
        pagerank: Its PageRank.
        flows: The strongest contributions to its PageRank.
        from_links: What all links add to its PageRank.
        from_jumps: What random jumps add.
        from_dead_ends: What pages without links add.
        why: Sentences that explain its rank, if PageRank and trust disagree.
    """

    page: GraphPage
    typed: str
    in_degree: int
    out_degree: int
    unvouched_in_degree: int
    unvouched_out_degree: int
    in_links: list[GraphLink]
    out_links: list[GraphLink]
    unvouched_in: list[GraphLink]
    unvouched_out: list[GraphLink]
    standings: list[RankPosition]
    pagerank: float
    flows: list[RankFlow]  # the strongest
    from_links: float  # what all pages that link to it give
    from_jumps: float
    from_dead_ends: float
    why: list[str]  # in sentences, where PageRank and trust disagree

    def __repr__(self) -> str:
        return f"<PageLinks {self.page.name}: {self.in_degree:,} to it, {self.out_degree:,} from it>"

    def as_dict(self) -> dict[str, Any]:
        """Give all fields as plain values, for JSON."""
        return asdict(self)


def page_links(graph: CollectionGraph, typed: str, beta: float, most: int = 10, offset: int = 0) -> PageLinks:
    """All of that for the page of an address; at most so many links of each kind, after the first ones."""
    node, url = page_meant(graph, typed)
    ranks = graph.generation.rank("pagerank")
    sources, given = _given(graph, node, beta)
    strongest = np.lexsort((sources, -given))[:most]
    pages = graph.pages(sources[strongest])
    rows = zip(pages, sources[strongest].tolist(), given[strongest].tolist(), strict=True)
    own, total = float(ranks[node]), graph.inward.pages
    flows = [
        RankFlow(
            page,
            float(ranks[source]),
            int(graph.inward.out_degrees[source]),
            flow,
            flow / own if own else 0.0,
        )
        for page, source, flow in rows
    ]
    stuck = float(ranks[graph.inward.out_degrees == 0].sum())
    page, deep = graph.page(node), offset + most
    return PageLinks(
        page,
        url.text,
        len(sources),
        int(graph.inward.out_degrees[node]),
        *graph.unvouched_degrees(node),
        graph.in_links(node, deep)[offset:],
        graph.out_links(node, deep)[offset:],
        graph.unvouched_in_links(page.fingerprint, deep)[offset:],
        graph.unvouched_out_links(node, deep)[offset:],
        graph.standings(node),
        own,
        flows,
        float(given.sum()),
        (1 - beta) / total,
        beta * stuck / total,
        trust_gap(graph, node, sources, given),
    )


def _given(graph: CollectionGraph, node: int, beta: float) -> tuple[NDArray[np.int64], Floats]:
    """The pages that link to one, and what each of them gives to its PageRank."""
    sources = graph.inward.sources_of(node)
    given: Floats = beta * graph.generation.rank("pagerank")[sources] / graph.inward.out_degrees[sources]
    return sources, given
