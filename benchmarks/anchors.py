"""How often is a page found by what a link says of it, when that link is not known? A known-item test.

    .venv/bin/python benchmarks/anchors.py [--sites FOLDER] [--pages 2000] [--queries 300]

The web is the demo's, or a folder with a folder of files for each host. It is crawled in memory. Of pages of
which links say several things, one text each is taken out of the link log and becomes a query; the page is
the one answer that counts; the words near these links are taken out too. The words still stand on the page
where the link was. For each weight of what links say, and for each share of it that words near links count,
the mean reciprocal rank among ten, the shares of queries answered first and among ten, and the processor time
of a query are printed; then the same as results are listed, with hosts that make room. Before that, how many
bytes a link has in the log, and how many it would have without the words near it.

Fails when links do not help, or the words near them harm.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numba  # noqa: F401 (with it here, searches choose the compiled algorithms)
from isal.isal_zlib import compress

from gossamer import Engine
from gossamer.demo.bundled_web import PORT, SEEDS, demo_web
from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedTransport, ScriptedWeb, error
from gossamer.demo.tour import settings as demo_settings
from gossamer.search.settings import SearchSettings
from gossamer.storage.link_log import LEVEL, LinkLog

WEIGHTS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
SHARES = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0)
HARM = 0.005  # of the mean reciprocal rank: what chance does
SHORTEST = 2  # words of a query: "next" and "here" ask for nothing
TYPES = {".html": "text/html", ".txt": "text/plain", ".pdf": "application/pdf"}


def served(folder):
    def reply(path):
        file = folder / path.partition("?")[0].lstrip("/")
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file() or folder not in file.resolve().parents:
            return error(404)
        return Reply(200, file.read_bytes(), {"Content-Type": TYPES.get(file.suffix, "application/x-other")})

    return ScriptedHost({}, fallback=reply)


def web_of(sites):
    """A web, its seeds, and the settings to crawl it with."""
    if sites is None:
        return demo_web(), SEEDS, demo_settings(PORT)
    hosts = {folder.name: served(folder.resolve()) for folder in sorted(sites.iterdir())}
    return ScriptedWeb(hosts), [f"http://{host}/" for host in hosts], {"frontier": {"delay": 0.0}}


def held_out(engine, count):
    """Pages, and of each a text that a link says of it besides others."""
    indexed = {}
    for partition in engine._partitions:
        for number in partition.catalogue.kept_versions()[0].tolist():
            indexed[number] = partition.catalogue.url(number).url.text
    texts = defaultdict(set)
    for partition in engine._partitions:
        for record in partition.link_log.records():
            for link in record.links:
                if link.target in indexed and link.target != record.source and not link.flags:
                    texts[link.target].add(link.anchor)
    queries = {}
    for target in sorted(texts):
        several = sorted(text for text in texts[target] if len(text.split()) >= SHORTEST)
        if several and len(texts[target] - {""}) > 1:
            queries[target] = several[target % len(several)]
    chosen = random.Random(1).sample(sorted(queries), min(count, len(queries)))
    return {target: (indexed[target], queries[target]) for target in chosen}


def without(queries):
    """The link log, in which the texts that are queries are empty, and what stands near them."""
    real = LinkLog.columns

    def columns(log, records=None, anchors=True):
        for part in real(log, records, anchors):
            if not anchors:
                yield part
                continue
            lines, near = (texts.decode().split("\n") for texts in (part.anchors, part.near))
            for place, target in enumerate(part.targets.tolist()):
                if target in queries and lines[place] == queries[target][1]:
                    lines[place] = near[place] = ""
            yield replace(part, anchors="\n".join(lines).encode(), near="\n".join(near).encode())

    return columns


def places(folder, settings, queries, everything):
    """The rank of each page among ten, 0 where it is not there, and seconds of processor time a query."""
    ranks = []
    with Engine.open(folder, settings=settings) as engine:
        engine.search("warm up", explain=True)
        begun = time.process_time()
        for url, text in queries.values():
            plain = " ".join("".join(c if c.isalnum() else " " for c in text).split()) or "nothing"
            hits = [hit.url for hit in engine.search(plain.lower(), 10, everything=everything).hits]
            ranks.append(hits.index(url) + 1 if url in hits else 0)
        return ranks, (time.process_time() - begun) / len(queries)


def measured(folder, settings, queries, everything):
    """Mean reciprocal rank, shares first and among ten, and seconds of processor time a query."""
    ranks, seconds = places(folder, settings, queries, everything)
    found = [rank for rank in ranks if rank]
    size = len(ranks)
    return sum(1 / rank for rank in found) / size, ranks.count(1) / size, len(found) / size, seconds


def shown(figures):
    return "{:7.3f} {:7.3f} {:7.3f} {:7.2f}".format(*figures[:3], 1000 * figures[3])


def log_size(engine):
    """Links, bytes a link in the log, and without the words near it."""
    links = size = near = 0
    for partition in engine._partitions:
        path = partition.link_log._path
        size += path.stat().st_size if path.exists() else 0
        for record in partition.link_log.records():
            links += len(record.links)
            anchors = "\n".join(link.anchor for link in record.links).encode()
            nearby = "\n".join(link.near for link in record.links).encode().lstrip(b"\n")
            near += len(compress(anchors + nearby, LEVEL)) - len(compress(anchors, LEVEL)) if nearby else 0
    return links, size / links, (size - near) / links


def main():
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--sites", type=Path)
    options.add_argument("--pages", type=int, default=2000)
    options.add_argument("--queries", type=int, default=300)
    chosen = options.parse_args()
    web, seeds, settings = web_of(chosen.sites)
    settings = settings | {"extract": {"workers": 0}}
    settings["crawl"] = settings.get("crawl", {}) | {"max_pages": chosen.pages}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "c"
        with Engine.open(folder, create=True, settings=settings) as engine:
            engine.crawl(seeds, transport=ScriptedTransport(web))
            queries = held_out(engine, chosen.queries)
            LinkLog.columns = without(queries)
            engine.rank()
            documents, texts = engine.status().documents, engine.status().anchors
            logged = log_size(engine)
        print(f"{documents:,} pages, {texts:,} texts of links, {len(queries):,} queries")
        print("{:,} links of {:.1f} bytes in the log, {:.1f} without the words near them".format(*logged))
        print("weight     MRR   first  of ten  ms a query")
        reached, nearby = {}, {}
        for weight in WEIGHTS:
            search = {"search": {"anchor_text_weight": weight, "nearby_text_weight": 0.0, "unfetched": False}}
            reached[weight] = measured(folder, settings | search, queries, True)
            print(f"{weight:6.1f} {shown(reached[weight])}", flush=True)
        print("near")
        for share in SHARES:
            search = {"search": {"nearby_text_weight": share, "unfetched": False}}
            nearby[share] = measured(folder, settings | search, queries, True)
            print(f"{share:6.1f} {shown(nearby[share])}", flush=True)
        listed = measured(folder, settings, queries, False)
        print(f"listed {shown(listed)}")
    helps = reached[SearchSettings().anchor_text_weight][0] > reached[0.0][0]
    return 0 if helps and nearby[SearchSettings().nearby_text_weight][0] > nearby[0.0][0] - HARM else 1


if __name__ == "__main__":
    sys.exit(main())
