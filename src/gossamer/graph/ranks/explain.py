"""Explain the PageRank of a page.

    rank(v) = sum over links u -> v of beta * rank(u) / d(u)  +  (1 - beta) / n  +  beta * s / n

The terms are the contributions of the pages that link to it, of random jumps, and of jumps from dead ends,
where s is the total rank of dead ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.ranks.trustrank import relative_trust
from gossamer.graph.reader import CollectionGraph, GraphLink, GraphPage, Node, RankPosition, page_meant
from gossamer.model.notebook import NotebookTable

# Why trust and PageRank disagree
# -------------------------------
#
# Both sum to 1 over all pages, so relative trust (trust divided by PageRank) is 1 for a page that
# both rank alike. If the pages that link to a page have little relative trust, its PageRank comes
# from a part of the web that trusted pages do not link to.

LITTLE = 0.25  # relative trust that counts as low
MUCH = 10.0  # relative trust that counts as high
MOST_OF_IT = 0.5  # of a page's PageRank
HIGH = 2.0  # times the average PageRank; below, low trust is not reported
Floats = NDArray[np.float64]


def trust_gap(graph: CollectionGraph, node: Node, sources: NDArray[np.int64], given: Floats) -> list[str]:
    """Explain in sentences why trust and PageRank disagree; empty if they agree or trust is not stored.

    `given` is the contribution of each source to the page's PageRank.
    """
    generation = graph.generation
    if "trust" not in generation.ranks or "pagerank" not in generation.ranks:
        return []
    ranks, trust = generation.rank("pagerank"), generation.rank("trust").astype(np.float64)
    relative = relative_trust(trust, ranks)
    own, standing = float(relative[node]), float(ranks[node]) * len(ranks)
    if own < LITTLE and standing >= HIGH:
        return _too_high(float(ranks[node]), own, relative[sources], trust[sources], given)
    if own >= MUCH and standing < 1:
        return [f"Its trust is {own:.0f} times what is usual for its PageRank: it is near trusted pages."]
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
    """The contribution of a page to the PageRank of another page that it links to."""

    page: GraphPage
    rank: float
    out_degree: int
    flows: float  # beta * rank / out-degree
    share: float  # flows divided by the PageRank of the other page; 0 if that is 0


@dataclass(frozen=True, slots=True)
class PageLinks(NotebookTable):
    """Describe the links of a page and where its PageRank comes from.

    Attributes:
        page: The page, a `GraphPage`.
        typed: The URL by which the page was found.
        in_degree: How many pages link to it.
        out_degree: How many pages it links to.
        unvouched_in_degree: How many pages link to it as nofollow, ugc or sponsored.
        unvouched_out_degree: How many pages it links to as nofollow, ugc or sponsored.
        in_links: The first links to it, each a `GraphLink`.
        out_links: The first links from it.
        unvouched_in: The first nofollow, ugc and sponsored links to it.
        unvouched_out: The first nofollow, ugc and sponsored links from it.
        standings: Its `RankPosition` by every link rank.
        pagerank: Its PageRank.
        flows: The strongest contributions to its PageRank.
        from_links: The part of its PageRank that comes from links.
        from_jumps: The part that comes from random jumps.
        from_dead_ends: The part that comes from jumps from pages without links.
        why: Sentences about what is unusual: PageRank and trust disagree. Usually empty; see `flows`.
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
    flows: list[RankFlow]
    from_links: float
    from_jumps: float
    from_dead_ends: float
    why: list[str]

    def __repr__(self) -> str:
        return f"<PageLinks {self.page.name}: {self.in_degree:,} to it, {self.out_degree:,} from it>"


def page_links(graph: CollectionGraph, typed: str, beta: float, most: int = 10, offset: int = 0) -> PageLinks:
    """Describe the page of a typed address, with up to `most` links of each kind, after skipping `offset`."""
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
        *graph.degrees(node),
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
    """Return the pages that link to a node, and the contribution of each to its PageRank."""
    sources = graph.inward.sources_of(node)
    given: Floats = beta * graph.generation.rank("pagerank")[sources] / graph.inward.out_degrees[sources]
    return sources, given
