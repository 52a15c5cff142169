"""Do ranks by links help to find a page by the text of links to it? A known-item test.

    python benchmarks/known_items.py [--sites FOLDER] [--pages 2000] [--one-in 10]

The web is the demo's, or a folder with a folder of files for each host. It is crawled in memory. The texts of
all links to a tenth of the pages are left out of the index, and one of each becomes a query; the page is the
one answer that counts. Printed are the mean reciprocal rank among ten and the shares of queries answered
first and among ten, without links and with each rank. Fails when the editorial rank
does not help.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

from anchors import SHORTEST, measured, web_of

from gossamer import Engine
from gossamer.fetch.scripted import ScriptedTransport
from gossamer.store.linklog import LinkLog

RANKS = ("none", "pagerank", "editorial", "indegree", "popularity", "harmonic", "hits")


def held_out(engine, one_in):
    """Some of the pages, each with what most of the links to it say, of texts of several words."""
    indexed = {}
    for partition in engine._partitions:
        for row in partition.catalogue.kept():
            indexed[row.fingerprint] = row.url.text
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


def main():
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--sites", type=Path)
    options.add_argument("--pages", type=int, default=2000)
    options.add_argument("--one-in", type=int, default=10, help="which part of the pages is held out")
    chosen = options.parse_args()
    web, seeds, settings = web_of(chosen.sites)
    settings = settings | {"extract": {"workers": 0}}
    settings["crawl"] = settings.get("crawl", {}) | {"max_pages": chosen.pages}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "c"
        with Engine.open(folder, create=True, settings=settings) as engine:
            engine.crawl(seeds, transport=ScriptedTransport(web))
            targets, queries = held_out(engine, chosen.one_in)
            LinkLog.columns = without(targets)
            engine.rank()
            documents = engine.status().documents
        print(f"{documents:,} pages, {len(targets):,} without texts of links, {len(queries):,} queries")
        print("rank           MRR   first  of ten  ms a query")
        reached = {}
        for rank in RANKS:
            search = {"search": {"rank": rank, "unfetched": False}}
            reached[rank] = measured(folder, settings | search, queries, True)
            line = "{:7.3f} {:7.3f} {:7.3f} {:7.2f}".format(*reached[rank][:3], 1000 * reached[rank][3])
            print(f"{rank:10} {line}", flush=True)
    return 0 if reached["editorial"][0] > reached["none"][0] else 1


if __name__ == "__main__":
    sys.exit(main())
