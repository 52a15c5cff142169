"""Do links help to find a page by the text of links to it? A known-item test.

    python benchmarks/known_items.py [--sites FOLDER | --wikispeedia FOLDER] [--pages 20000] [--one-in 10]
                                     [--collection DIR] [--no-choice]

The web is the demo's, or a folder with a folder of files for each host, or the articles of Wikispeedia (see
`wikispeedia.py`). It is crawled in memory. The texts of all links to a tenth of the pages are left out of the
index, and one of each becomes a query; the page is the one answer that counts. The words still stand on the
pages where the links are. Printed are the mean reciprocal rank among ten (MRR), the shares of queries
answered first and among ten, what the MRR gains against ranking without links, how likely chance gains as
much (p, by a paired randomisation test), and the processor time of a query: without links, as delivered,
with parts of what is delivered, and with single ranks.

Then strengths are chosen: those of the best MRR on every other query, measured on the queries that are left.

Fails when what is delivered is worse than no links, and p is below 0.05.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product
from pathlib import Path

import wikispeedia
from anchors import SHORTEST, places, web_of

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedTransport
from gossamer.evaluate.compare import compare_values
from gossamer.search.settings import SearchSettings
from gossamer.storage.link_log import LinkLog

NONE = {"rank": "none"}
WAYS = {
    "as delivered": {},
    "support alone": {"link_rank_weight": 0.0},
    "static rank alone": {"link_support_boost": 0.0},
    "editorial, 0.3": {"link_support_boost": 0.0, "link_rank_weight": 0.3},
    "pagerank, 0.3": {"link_support_boost": 0.0, "link_rank_weight": 0.3, "rank": "pagerank"},
    "indegree, 0.3": {"link_support_boost": 0.0, "link_rank_weight": 0.3, "rank": "indegree"},
    "hits": {"rank": "hits"},
}
SUPPORTS = (0.0, 0.1, 0.2, 0.3)
STRENGTHS = (0.0, 0.05, 0.15, 0.3)
SURE = 0.05


def held_out(engine, one_in):
    """Some of the pages, each with what most of the links to it say, of texts of several words."""
    indexed = {}
    for partition in engine._partitions:
        for number in partition.catalogue.kept_versions()[0].tolist():
            indexed[number] = partition.catalogue.url(number).url.text
    texts = defaultdict(Counter)
    for partition in engine._partitions:
        for record in partition.link_log.records():
            for link in record.links:
                if link.target in indexed and link.target != record.source and not link.flags:
                    texts[link.target][link.anchor] += 1
    chosen = sorted(texts)[::one_in]
    queries = {}
    for target in chosen:
        several = [text for text, _ in texts[target].most_common() if len(text.split()) >= SHORTEST]
        if several:
            queries[target] = indexed[target], several[0]
    return set(chosen), queries


def without(targets):
    """The link log, in which links to these pages say nothing."""
    real = LinkLog.columns

    def columns(log, records=None, anchors=True):
        for part in real(log, records, anchors):
            if not anchors:
                yield part
                continue
            lines = part.anchors.decode().split("\n")
            for place, target in enumerate(part.targets.tolist()):
                if target in targets:
                    lines[place] = ""
            yield replace(part, anchors="\n".join(lines).encode())

    return columns


def crawled(folder, chosen):
    """Crawls the web that was chosen, if it is not there, and gives its settings."""
    is_there = (folder / "collection.json").exists()
    if chosen.wikispeedia:
        settings = wikispeedia.settings_of(chosen.wikispeedia) | {"rank": {}}
        if not is_there:
            wikispeedia.collected(folder, chosen.wikispeedia, settings)
        return settings
    web, seeds, settings = web_of(chosen.sites)
    settings = settings | {"extract": {"workers": 0}}
    settings["crawl"] = settings.get("crawl", {}) | {"max_pages": chosen.pages}
    if not is_there:
        with Engine.open(folder, create=True, settings=settings) as engine:
            engine.crawl(seeds, transport=ScriptedTransport(web))
    return settings


def reciprocals(ranks):
    return [1 / rank if rank else 0.0 for rank in ranks]


def shown(ranks, seconds, against):
    """A line of the table."""
    found, gained = reciprocals(ranks), compare_values(reciprocals(against), reciprocals(ranks))
    size = len(ranks)
    shares = ranks.count(1) / size, sum(map(bool, ranks)) / size
    tested = f"{gained.difference:+.4f}  {gained.p_randomised:.4f}" if ranks is not against else " " * 15
    return "{:7.4f} {:7.3f} {:7.3f}  {} {:7.2f}".format(
        sum(found) / size, *shares, tested, 1000 * seconds
    ), gained


def choose(measure, against):
    """Chooses the strengths on one half of the queries, and shows what they gain on the other."""
    halves = slice(0, None, 2), slice(1, None, 2)
    reached = {}
    for support, strength in product(SUPPORTS, STRENGTHS):
        ranks, _ = measure({"link_support_boost": support, "link_rank_weight": strength})
        gains = [compare_values(reciprocals(against[half]), reciprocals(ranks[half])) for half in halves]
        reached[support, strength] = gains
        line = " ".join(f"{one.difference:+.4f} (p {one.p_randomised:.4f})" for one in gains)
        print(f"support {support:.2f}, static rank {strength:.2f}: {line}", flush=True)
    best = max(reached, key=lambda one: (reached[one][0].difference, -sum(one)))
    delivered = SearchSettings().link_support_boost, SearchSettings().link_rank_weight
    for what, one in (("chosen on the first half", best), ("as delivered", delivered)):
        if one in reached:
            other = reached[one][1]
            figures = f"{other.difference:+.4f}, p {other.p_randomised:.4f}, {other.queries:,} queries"
            print(f"{what}: support {one[0]:g}, static rank {one[1]:g}; on the second half {figures}")


def main():
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    web = options.add_mutually_exclusive_group()
    web.add_argument("--sites", type=Path)
    web.add_argument("--wikispeedia", type=Path)
    options.add_argument("--pages", type=int, default=20000)
    options.add_argument("--one-in", type=int, default=10, help="which part of the pages is held out")
    options.add_argument("--collection", type=Path, help="where the collection is kept for another run")
    options.add_argument("--no-choice", action="store_true", help="measure only what is delivered")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.collection or Path(temporary) / "c"
        settings = crawled(folder, chosen)
        with Engine.open(folder, settings=settings) as engine:
            targets, queries = held_out(engine, chosen.one_in)
            LinkLog.columns = without(targets)
            engine.rank()
            documents = engine.status().documents

        def measure(search):
            return places(folder, settings | {"search": {"unfetched": False} | search}, queries, True)

        print(f"{documents:,} pages, {len(targets):,} without texts of links, {len(queries):,} queries")
        print("links                  MRR   first  of ten     gain       p  ms a query")
        plain = measure(NONE)
        print(f"{'none':18} {shown(*plain, plain[0])[0]}", flush=True)
        gains = {}
        for name, search in WAYS.items():
            line, gains[name] = shown(*measure(search), plain[0])
            print(f"{name:18} {line}", flush=True)
        if not chosen.no_choice:
            choose(measure, plain[0])
    delivered = gains["as delivered"]
    return 1 if delivered.difference < 0 and delivered.p_randomised < SURE else 0


if __name__ == "__main__":
    sys.exit(main())
