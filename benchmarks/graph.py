"""How fast do links become a graph, in how much memory, and what does a start from the last ranks save?

    .venv/bin/python benchmarks/graph.py [--links 30] [--memory 500] [--folder FOLDER] [--warm]

A synthetic web: hosts of all sizes (a power law), three links of four within the host and close by, the
others to pages of other hosts by a power law; two in a hundred are marked nofollow. Fingerprints are random,
as those of addresses are. Links are made as they are read, piece by piece, so that only what the builder
holds is in memory: the highest resident size of the process, without what files are mapped, is sampled and
printed beside the limit. Making the links is measured by itself and taken off.

Fails when the builder takes more memory than it was given, besides what an empty process has.

With --warm a twentieth of the pages change all their links, and PageRank is computed from the start and from
the ranks before the change.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from gossamer.graph.build import CanonicalPages, LinkSource, build_graphs
from gossamer.graph.generation import new_generation
from gossamer.graph.numbering import AddressColumns
from gossamer.graph.pagerank import pagerank
from gossamer.model.graph import LinkColumns

DEGREE = 20  # links of a page
PIECE = 20_000  # pages that are read together
MEGA = 1_000_000
NOFOLLOW = 0.02
WITHIN = 0.75  # of links
ALLOWANCE = 1.15  # of the limit: an allocator needs a margin


def mixed(values):
    """Numbers that look random, another for each: fingerprints."""
    values = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


class Web:
    """A web of so many pages, the same for the same seed."""

    def __init__(self, pages, seed=1, changed=0.0):
        chance = np.random.default_rng(seed)
        sizes = np.minimum(chance.pareto(0.9, pages // 50) * 5 + 1, pages // 50).astype(np.int64)
        self.firsts = np.append(0, np.cumsum(sizes))
        self.firsts = np.append(self.firsts[self.firsts < pages], pages)
        self.pages, self.seed, self.changed = pages, seed, changed

    def links(self):
        for begin in range(0, self.pages, PIECE):
            yield self.piece(np.arange(begin, min(begin + PIECE, self.pages)))

    def piece(self, pages):
        chance = np.random.default_rng([self.seed, int(pages[0])])
        counts = np.minimum(chance.geometric(1 / DEGREE, len(pages)), 1000)
        sources = np.repeat(pages, counts)
        drawn = chance.random((5, len(sources)))
        if self.changed:
            moved = np.repeat(np.random.default_rng(pages[0]).random(len(pages)) < self.changed, counts)
            drawn[:, moved] = chance.random((5, int(np.count_nonzero(moved))))
        host = np.searchsorted(self.firsts, sources, "right") - 1
        first, size = self.firsts[host], np.diff(self.firsts)[host]
        near = first + (sources - first + (drawn[0] ** 4 * size).astype(np.int64)) % size
        far = (self.pages * drawn[1] ** 6).astype(np.int64)
        targets = np.where(drawn[2] < WITHIN, near, far)
        flags = (drawn[3] < NOFOLLOW).astype(np.uint8)
        return LinkColumns(mixed(pages), counts, mixed(targets), flags, b"", b"")

    def addresses(self):
        for begin in range(0, self.pages, PIECE):
            pages = np.arange(begin, min(begin + PIECE, self.pages))
            hosts = np.searchsorted(self.firsts, pages, "right") - 1
            names = [f"www.site{host}.org" for host in hosts.tolist()]
            yield AddressColumns(mixed(pages), names, 1e9 + pages.astype(np.float64))

    def source(self):
        nothing = np.empty(0, np.uint64)
        records = lambda: [(nothing, np.empty(0, np.int64))]  # noqa: E731
        return LinkSource(
            self.links,
            self.pages * DEGREE,
            records,
            CanonicalPages((nothing, nothing)),
            lambda: [],
            self.addresses,
        )


class Memory:
    """The most memory that this process had, besides mapped files, while the block ran."""

    def __enter__(self):
        self.before = self.most = _anonymous()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()

    def _watch(self):
        while not self._done.wait(0.01):
            self.most = max(self.most, _anonymous())


def _anonymous():
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


def built(folder, web, memory):
    said = {}

    def tell(progress):
        said.setdefault(progress.what, time.perf_counter())

    with new_generation(folder) as new:
        with Memory() as used:
            begun, wall = time.process_time(), time.perf_counter()
            build_graphs(new, web.source(), memory, tell)
            seconds = time.process_time() - begun, time.perf_counter() - wall
        return new.finish(), seconds, used


def made(web):
    """The time that making links takes, twice as the builder asks for them, and their number."""
    begun, count = time.process_time(), 0
    for columns in web.links():
        count += len(columns.targets)
    seconds = 2 * (time.process_time() - begun)
    begun = time.process_time()
    for _ in web.addresses():
        pass
    return seconds + time.process_time() - begun, count


def main():
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--links", type=float, default=30, help="in millions")
    options.add_argument("--memory", type=int, default=500, help="in megabytes")
    options.add_argument("--folder", type=Path, help="where the graph is written")
    options.add_argument("--warm", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as temporary:
        folder = Path(temporary)
        built(folder / "small", Web(20_000), MEGA)  # compiles
        web = Web(int(chosen.links * MEGA / DEGREE))
        making, count = made(web)
        generation, (cpu, wall), used = built(folder / "graph", web, chosen.memory * MEGA)
        size = sum(path.stat().st_size for path in generation.folder.iterdir())
        graph, hosts = generation.graph(), generation.sites("hosts")
        print(f"{count / MEGA:.1f} M links read, {graph.links / MEGA:.1f} M of them distinct")
        print(f"{graph.pages / MEGA:.2f} M pages, {len(hosts):,} hosts, {size / MEGA:,.0f} MB on disk")
        print(f"{cpu - making:.1f} s of processor time, {making:.1f} s to make links; {wall:.1f} s in all")
        print(f"{count / (cpu - making) / MEGA:.2f} M links a second")
        more = used.most - used.before
        print(f"memory: {more / MEGA:.0f} MB above {used.before / MEGA:.0f} MB, limit {chosen.memory} MB")
        if chosen.warm:
            warm(folder, web, generation, chosen.memory * MEGA)
        if more > ALLOWANCE * chosen.memory * MEGA:
            sys.exit("FAILED: more memory than was allowed")


def warm(folder, web, before, memory):
    old = pagerank(before.graph()).values
    changed = Web(web.pages, changed=0.05)
    after, _, _ = built(folder / "changed", changed, memory)
    graph = after.graph()
    nodes = before.nodes.find(graph.fingerprints)
    start = np.where(nodes >= 0, old[nodes], 0.15 / graph.pages)
    for tolerance in (1e-6, 1e-9):
        cold = pagerank(graph, tolerance=tolerance)
        again = pagerank(graph, tolerance=tolerance, start=start)
        apart = np.abs(cold.values - again.values).sum()
        steps = f"{cold.steps} steps, {again.steps} from the ranks before"
        print(f"tolerance {tolerance:g}: {steps}; {apart:.1e} apart")


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
