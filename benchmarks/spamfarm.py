"""Does a spam farm that fools PageRank fool trust as well?

    python benchmarks/spamfarm.py [--pages 100000] [--links 1500000] [--supporters 5000] [--accessible 20]

A farm is planted in a made web (`powerlaw.py`): supporting pages that link only to a target, the target links
back to all of them, and some pages that trust reaches link to the target. Trust comes from the pages that
inverse PageRank proposes, after a person has struck out the farm's. Exits with 1 unless the target stands in
the top 0.1% by PageRank and below the median by trust relative to PageRank.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import numpy as np
from powerlaw import Web, made_web

from gossamer.graph.pagerank import pagerank
from gossamer.graph.ranks.trustrank import (
    LEAST_RANK,
    distrust,
    inverse_pagerank,
    relative_trust,
    spam_mass,
    trustrank,
    without_jumps,
)
from gossamer.graph.transpose import outward
from gossamer.model.graph import LinkGraph

BETA = 0.85
TOP = 0.001


@dataclass(frozen=True, slots=True)
class Planted:
    """A web with a farm: the target and its supporters are its last pages."""

    web: Web
    target: int
    supporters: np.ndarray
    accessible: np.ndarray  # pages of the web that link to the target


@dataclass(frozen=True, slots=True)
class Findings:
    """Where the target stands: shares of pages that stand above it, or below."""

    above_by_pagerank: float
    below_by_relative_trust: float
    relative_mass: float
    place_among_suspects: int
    struck_out: int
    formula: float
    rank: float
    supporters_distrusted: float


def plant(pages: int, links: int, supporters: int, accessible: int, seed: int = 1) -> Planted:
    """Accessible pages are any that others link to: forums, guest books, comments."""
    plain = made_web(pages, links, seed).graph
    linked = np.flatnonzero((np.diff(plain.starts) > 0) & (plain.out_degrees > 0))
    ways_in = np.random.default_rng(seed).choice(linked, accessible, replace=False)
    target, farm = pages, pages + 1 + np.arange(supporters)
    extra = np.concatenate([
        np.column_stack([farm, np.full(supporters, target)]),
        np.column_stack([np.full(supporters, target), farm]),
        np.column_stack([ways_in, np.full(accessible, target)]),
    ])  # fmt: skip
    return Planted(made_web(pages, links, seed, extra), target, farm, ways_in)


def judge(planted: Planted, seeds: int) -> Findings:
    graph, target = planted.web.graph, planted.target
    out = outward(graph)
    ranks = pagerank(graph, BETA).values
    proposed = best(graph, inverse_pagerank(graph, out, BETA).values)[:seeds]
    confirmed = proposed[proposed < target]  # the farm's pages are the last
    trust = trustrank(graph, confirmed, BETA).values
    relative = relative_trust(trust, ranks)
    mass = spam_mass(graph, ranks, trust, BETA)
    suspected = suspects(graph, ranks, mass, relative=0.9).tolist()
    backwards = distrust(graph, out, [target], BETA).values
    return Findings(
        float(np.mean(ranks > ranks[target])),
        float(np.mean(relative < relative[target])),
        float(mass[target]),
        suspected.index(target) + 1 if target in suspected else 0,
        len(proposed) - len(confirmed),
        _by_formula(planted, ranks),
        float(ranks[target]),
        float(backwards[planted.supporters].sum() + backwards[target]),
    )


def best(graph: LinkGraph, values: np.ndarray) -> np.ndarray:
    """The nodes by falling value, equal ones by fingerprint."""
    return np.lexsort((graph.fingerprints, -values))


def suspects(
    graph: LinkGraph, ranks: np.ndarray, mass: np.ndarray, relative: float = 0.98, least: float = LEAST_RANK
) -> np.ndarray:
    """Pages whose high rank is not explained by the good core, the largest absolute mass first.

    `least` is how many times the rank of a page without in-links a page must have.
    """
    whole = without_jumps(graph, ranks, BETA)
    order = best(graph, mass * whole)
    return order[(mass[order] >= relative) & (whole[order] >= least * (1 - BETA) / graph.pages)]


def _by_formula(planted: Planted, ranks: np.ndarray) -> float:
    """x / (1 - beta^2) + c m / n + 1 / ((1 + beta) n), with jumps made larger by those from dead ends."""
    graph = planted.web.graph
    stuck = ranks[graph.out_degrees == 0].sum()
    jump = (1 - BETA + BETA * stuck) / (1 - BETA)
    inflow = BETA * (ranks[planted.accessible] / graph.out_degrees[planted.accessible]).sum()
    of_farm = BETA / (1 + BETA) * len(planted.supporters) + 1 / (1 + BETA)
    return float(inflow / (1 - BETA**2) + jump * of_farm / graph.pages)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--links", type=int, default=1_500_000)
    parser.add_argument("--supporters", type=int, default=5_000)
    parser.add_argument("--accessible", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    planted = plant(
        arguments.pages, arguments.links, arguments.supporters, arguments.accessible, arguments.seed
    )
    found = judge(planted, arguments.seeds)
    print(f"{planted.web.graph.pages:,} pages, {planted.web.graph.links:,} links")
    print(f"PageRank of the target      {found.rank:.6f}, by the formula {found.formula:.6f}")
    print(f"pages above it by PageRank  {found.above_by_pagerank:.4%}")
    print(f"below it by relative trust  {found.below_by_relative_trust:.2%}")
    print(
        f"relative spam mass          {found.relative_mass:.3f}, suspect number {found.place_among_suspects}"
    )
    print(f"seeds proposed of the farm  {found.struck_out}, struck out")
    print(f"distrust inside the farm    {found.supporters_distrusted:.1%}")
    return int(not (found.above_by_pagerank < TOP and found.below_by_relative_trust < 0.5))


if __name__ == "__main__":
    sys.exit(main())
