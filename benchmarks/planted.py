"""Does a spam farm stand out in a crawled collection, and does `gossamer links` say why?

    python benchmarks/planted.py [--pages 20000] [--links 200000] [--supporters 5000] [--accessible 20]

A made web (`powerlaw.py`) of 200 hosts is crawled from memory, and with it a farm: supporters that link only
to a target, which links back to all of them, and links to the target from some pages of the web. Trusted are
the best pages by inverse PageRank that are not the farm's, as somebody would confirm them. Exits with 1
unless the target stands in the top 0.1% by PageRank, below the median by trust relative to PageRank, and the
reason is told.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from spamfarm import plant

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html, text
from gossamer.graph.ranks.trustrank import relative_trust
from gossamer.graph.transpose import outward
from gossamer.model import Url

HOSTS = 200
SEEDS = 200
TOP = 0.001
FARM = "farm.test"


class Sites:
    """The pages of a planted web, made when they are asked for."""

    def __init__(self, planted):
        self.out = outward(planted.web.graph)
        self.target = planted.target
        self.pages = planted.web.graph.pages

    def host(self, node):
        return FARM if node >= self.target else f"h{node % HOSTS}.test"

    def url(self, node):
        return f"http://{self.host(node)}/p{node}"

    def web(self):
        names = [FARM, *(f"h{number}.test" for number in range(HOSTS))]
        return ScriptedWeb(
            {name: ScriptedHost({"/robots.txt": text("")}, fallback=self.reply) for name in names}
        )

    def reply(self, path):
        node = int(path.removeprefix("/p"))
        targets = self.out.targets[self.out.starts[node] : self.out.starts[node + 1]].tolist()
        links = "".join(f'<a href="{self.url(one)}">page {one}</a> ' for one in targets)
        return html(f"<title>Page {node}</title><p>This is page number {node} of the web.</p><p>{links}</p>")


def settings(trusted):
    return {
        "frontier": {"delay": 0.0},
        "extract": {"workers": 0},
        "crawl": {"sitemaps": False, "log_mb": 0, "host_depth": 0},
        "quality": {"mirror_pages": 0},
        "rank": {"trusted": trusted, "harmonic_pages": 0},
    }


def measured(folder, sites):
    with Engine.open(folder, create=True, settings=settings([])) as engine:
        begun = time.perf_counter()
        engine.crawl(
            [sites.url(node) for node in range(sites.pages)], transport=ScriptedTransport(sites.web())
        )
        engine.rank()
        print(f"{engine.status().pages:,} pages crawled and ranked in {time.perf_counter() - begun:.0f} s")
        proposed = [page.url for page in engine.propose_seeds(SEEDS)]
    trusted = [url for url in proposed if FARM not in url]
    print(f"{len(trusted)} of {len(proposed)} proposed pages are trusted, the others are the farm's")
    with Engine.open(folder, settings=settings(trusted)) as engine:
        engine.rank(only=["trust", "spam-mass"])
        return engine.links(sites.url(sites.target)), standing(engine.graph(), sites)


def standing(graph, sites):
    """The shares of pages above the target by PageRank, and below it by trust relative to PageRank."""
    ranks = graph.generation.rank("pagerank")
    relative = relative_trust(graph.generation.rank("trust").astype(np.float64), ranks)
    node = graph.node(Url.parsed(sites.url(sites.target)))
    return float(np.mean(ranks > ranks[node])), float(np.mean(relative < relative[node]))


def main():
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--pages", type=int, default=20_000)
    options.add_argument("--links", type=int, default=200_000)
    options.add_argument("--supporters", type=int, default=5_000)
    options.add_argument("--accessible", type=int, default=20)
    chosen = options.parse_args()
    sites = Sites(plant(chosen.pages, chosen.links, chosen.supporters, chosen.accessible))
    with tempfile.TemporaryDirectory() as temporary:
        found, (above, below) = measured(Path(temporary) / "c", sites)
    print(f"by PageRank {above:.3%} of pages stand above the target")
    print(f"by trust relative to PageRank {below:.1%} of pages stand below it")
    for sentence in found.why:
        print(f"links says: {sentence}")
    return 0 if above < TOP and below < 0.5 and found.why else 1


if __name__ == "__main__":
    sys.exit(main())
