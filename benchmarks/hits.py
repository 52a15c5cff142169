"""How long do hubs and authorities of a query take on a web of a million pages?

    python benchmarks/hits.py [--pages 1000000] [--links 15000000] [--queries 200]

The web is made (`powerlaw.py`). A query's root set has 200 pages: half of them any, half popular ones, which
are the dear ones. Timed is what comes after retrieval: the base set, HITS on it and the focus of authorities,
or SALSA, with and without links inside hosts; pages are as relevant as in a search, roots by falling scores
and the others hardly, or all alike. Exits with 1 when the 95th percentile of the first three together is
above the limit.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from powerlaw import Web, made_web

from gossamer.answer.listing import OTHERS
from gossamer.graph.ranks.hits import BaseSet, base_set, focus, hits, salsa
from gossamer.graph.transpose import outward
from gossamer.model.graph import OutLinks


def root_sets(web: Web, out: OutLinks, queries: int, size: int, seed: int) -> list[np.ndarray]:
    """A page that a random link leads to is popular."""
    rng = np.random.default_rng(seed)
    half = size // 2
    return [
        np.unique(
            np.concatenate([rng.integers(0, web.graph.pages, size - half), rng.choice(out.targets, half)])
        )
        for _ in range(queries)
    ]


def relevance(base: BaseSet) -> np.ndarray:
    """As a search gives it to roots whose scores fall evenly."""
    found = np.full(len(base.nodes), OTHERS)
    found[: base.roots] = np.maximum(np.linspace(1, 0, base.roots) ** 2, OTHERS)
    return found


def measured(
    web: Web, out: OutLinks, roots: list[np.ndarray], arguments, across: bool, alike: bool = False
) -> np.ndarray:
    """Rows of milliseconds for the base set, HITS, focus and SALSA, then pages, links and steps."""
    rows = []
    hosts = web.hosts if across else None
    clock = time.process_time if arguments.clock == "cpu" else time.perf_counter
    for one in roots:
        times = [clock()]
        base = base_set(
            web.graph, out, one, most_in=arguments.most_in, most_out=arguments.most_out, hosts=hosts
        )
        times.append(clock())
        weights = np.ones(len(base.nodes)) if alike else relevance(base)
        found = hits(base, arguments.tolerance, relevance=weights)
        times.append(clock())
        focus(web.graph, base, weights, hosts)
        times.append(clock())
        salsa(base)
        times.append(clock())
        if not found.converged:
            print(found.diagnosis)
        rows.append([*(1000 * np.diff(times)), len(base.nodes), len(base.sources), found.steps])
    return np.array(rows)


def report(name: str, rows: np.ndarray) -> float:
    whole = rows[:, :3].sum(axis=1)
    labels = ("base set", "HITS", "focus", "SALSA")
    columns = [*zip(labels[:3], rows.T[:3], strict=True), ("together", whole), (labels[3], rows[:, 3])]
    print(f"{name}: {np.median(rows[:, 4]):,.0f} pages, {np.median(rows[:, 5]):,.0f} links, ", end="")
    print(f"{np.median(rows[:, 6]):.0f} steps (most {rows[:, 6].max():.0f})")
    for label, values in columns:
        median, high = np.percentile(values, [50, 95])
        print(f"  {label:10} median {median:6.1f} ms   p95 {high:6.1f} ms   most {values.max():6.1f} ms")
    return float(np.percentile(whole, 95))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--links", type=int, default=15_000_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--roots", type=int, default=200)
    parser.add_argument("--most-in", type=int, default=50)
    parser.add_argument("--most-out", type=int, default=50)
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--limit", type=float, default=50.0, help="milliseconds")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="cpu on a busy machine")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    web = made_web(arguments.pages, arguments.links, arguments.seed)
    out = outward(web.graph)
    most = np.diff(web.graph.starts).max()
    print(f"{web.graph.pages:,} pages on {web.hosts.max() + 1:,} hosts, {web.graph.links:,} links; ", end="")
    print(f"at most {most:,} into a page and {web.graph.out_degrees.max():,} out of one")
    roots = root_sets(web, out, arguments.queries, arguments.roots, arguments.seed)
    measured(web, out, roots[:2], arguments, True)
    slowest = max(
        report("links between hosts", measured(web, out, roots, arguments, True)),
        report("all links", measured(web, out, roots, arguments, False)),
        report("all links, all pages alike", measured(web, out, roots, arguments, False, True)),
    )
    print(f"the 95th percentile is {slowest:.1f} ms, the limit {arguments.limit:g} ms")
    return int(slowest > arguments.limit)


if __name__ == "__main__":
    sys.exit(main())
