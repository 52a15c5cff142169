"""How much of the web's importance has been fetched, how early, by each order of the frontier?

    python benchmarks/order.py GRAPH... [--seeds 12]

A graph is a file of links, two names a line, plain or gzip; lines that are no links are passed over. Each
order fetches the whole graph from one seed, with the seen table and the orders of `gossamer.frontier`, and
the share of the total PageRank of what can be reached is told after 10, 25 and 50% of the pages: the mean
over random seeds that reach at least three tenths of the graph. Exits with 1 unless OPIC is above
breadth-first everywhere.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
from pathlib import Path

import numpy as np

from gossamer.crawl.frontier.url_order import ORDERS, order
from gossamer.storage.seen_urls import DONE, SeenTable

SHARES = (0.10, 0.25, 0.50)
BETA = 0.85
STEPS = 100
LEAST_REACHED = 0.3

Graph = list[list[int]]  # the pages that each page links to


def read_graph(path: Path) -> Graph:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    numbers: dict[str, int] = {}
    links: list[dict[int, None]] = []
    for line in text.decode().splitlines():
        pair = line.split()
        if len(pair) != 2 or line.startswith(("#", "start")) or pair[0] == pair[1]:
            continue
        source, target = (numbers.setdefault(name, len(numbers)) for name in pair)
        links.extend({} for _ in range(len(numbers) - len(links)))
        links[source][target] = None
    return [list(targets) for targets in links]


def pagerank(graph: Graph) -> np.ndarray:
    """By power iteration; what dead ends hold goes to all."""
    pages = len(graph)
    degrees = np.array([len(targets) for targets in graph])
    sources = np.repeat(np.arange(pages), degrees)
    targets = np.array([target for page in graph for target in page])
    ranks = np.full(pages, 1 / pages)
    for _ in range(STEPS):
        moved = np.bincount(targets, ranks[sources] / degrees[sources], pages)
        ranks = (1 - BETA) / pages + BETA * (moved + ranks[degrees == 0].sum() / pages)
    return ranks


def crawl(graph: Graph, seed: int, name: str) -> list[int]:
    """The pages in the order in which they are fetched."""
    table, rule = SeenTable(), order(name)
    depths = {seed: 0}
    # spread over the numbers as fingerprints are, so that `random` is
    fingerprints = np.arange(1, len(graph) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    table.add(int(fingerprints[seed]), score=rule.score(int(fingerprints[seed]), 0))
    waiting, fetched = [seed], []
    while waiting:
        place, _ = table.best(fingerprints[waiting], len(waiting))
        page = waiting.pop(place)
        fetched.append(page)
        number = int(fingerprints[page])
        table.set_state(number, DONE)
        for target in graph[page]:
            if target not in depths:
                depths[target] = depths[page] + 1
                found = int(fingerprints[target])
                table.add(found, score=rule.score(found, depths[target]))
                waiting.append(target)
        if amount := rule.share(table, number, len(graph[page])):
            table.pay(fingerprints[graph[page]], amount)
    return fetched


def shares(graph: Graph, ranks: np.ndarray, name: str, seeds: int) -> tuple[np.ndarray, int]:
    """The mean shares over the seeds that reach enough, and how many did."""
    chance = random.Random(1)
    linking = [page for page, targets in enumerate(graph) if targets]
    rows = []
    for _ in range(seeds):
        fetched = crawl(graph, chance.choice(linking), name)
        if len(fetched) >= LEAST_REACHED * len(graph):
            gained = np.cumsum(ranks[fetched])
            rows.append([gained[int(len(fetched) * share) - 1] / gained[-1] for share in SHARES])
    return np.mean(rows, axis=0), len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("graphs", nargs="+", type=Path, metavar="GRAPH")
    parser.add_argument("--seeds", type=int, default=12)
    options = parser.parse_args()
    lost = False
    for path in options.graphs:
        graph = read_graph(path)
        ranks = pagerank(graph)
        print(f"{path.name}: {len(graph):,} pages, {sum(map(len, graph)):,} links")
        found = {name: shares(graph, ranks, name, options.seeds) for name in ORDERS}
        for name, (mean, used) in found.items():
            columns = "  ".join(
                f"{share:4.0%}: {value:.3f}" for share, value in zip(SHARES, mean, strict=True)
            )
            print(f"  {name:<14} {columns}   ({used} seeds)")
        lost |= bool((found["opic"][0] <= found["breadth-first"][0]).any())
    if lost:
        sys.exit("opic is not above breadth-first everywhere")


if __name__ == "__main__":
    main()
