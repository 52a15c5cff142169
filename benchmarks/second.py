"""What does the second phase of ranking cost, beside the first, and the arranging of results behind it?

    .venv/bin/python benchmarks/second.py [--cache DIR] [--passages 100000] [--queries 150] [--rounds 7]

The passages are those that `search.py` keeps in its cache. A thousand in a row are a host, each has its
sketch, and some are linked to from other hosts with words of their own. Queries of 1, 2 to 3, 4 to 5 and 8 to
10 words are the corpus's, their beginnings, and two in a row. Processor time of this process: of each query
the least of all rounds, then the mean, median and 95th percentile over the queries, with texts of links and
without. The exit status is 1 when the second phase takes a millisecond or more for 2 to 3 words.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from itertools import islice, pairwise
from pathlib import Path
from types import SimpleNamespace

import numba  # noqa: F401 (with it here, searches choose the compiled algorithms)
import numpy as np
from passages.corpus import opened
from search import default_cache

from gossamer.anchor_text.indexer import AnchorWriter
from gossamer.anchor_text.score import AnchorIndex
from gossamer.answer.diversify import diversified
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import Page, Url
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.scoring.two_phase import TwoPhaseSearch
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.shingles import content_sketch

SETTINGS = SearchSettings()
PROMISE = 1.0  # milliseconds of a second phase for PROMISED words
PROMISED = "2-3"
LENGTHS = {"1": (1, 1), PROMISED: (2, 3), "4-5": (4, 5), "8-10": (8, 10)}  # words of a query
PARTS = ("first", "second", "arranging")
A_HOST = 1_000  # passages
LINKED = 5  # of so many passages one is linked to
LANGUAGE = "en"


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--cache", type=Path, default=default_cache(), help="where search.py keeps its corpus"
    )
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=150, help="of each length")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    return parser.parse_args()


def page_of(number, text):
    said = content_sketch("", text)
    url = Url.parsed(f"http://host{number // A_HOST:04}.test/{number:08}")
    return Page(url, text=text, language=LANGUAGE, sketch=said.sketch, words=said.words, fetched_at=number)


def searcher_of(folder, pages):
    index, writer = Index(folder), SegmentWriter(LANGUAGE)
    for page in pages:
        writer.add(page)
    index.commit(writer, np.empty(0, np.uint64), Weighting.frozen_for(writer.total_lengths(), len(writer)))
    return Searcher(0, index.snapshot(), None, SETTINGS.link_rank_weight)


def anchors_of(folder, pages):
    """Texts of links: up to four words in a row of the page, said by a few hosts."""
    source = random.Random(1)
    hosts = sorted({page.url.authority for page in pages})
    targets, speakers, texts = [], [], []
    for page in pages[::LINKED]:
        words = page.text.split(" ")
        for _ in range(source.randint(1, 8)):
            begin = source.randrange(len(words))
            targets.append(page.url.fingerprint)
            speakers.append(source.randrange(len(hosts)))
            texts.append(" ".join(words[begin : begin + source.randint(1, 4)]))
    writer = AnchorWriter(folder, hosts, [LANGUAGE], 1 << 30)
    languages = np.zeros(len(texts), np.uint32)
    writer.add(np.array(targets, np.uint64), np.array(speakers, np.uint32), languages, texts)
    return AnchorIndex(folder, writer.finish()).opened()


def queries_of(corpus, count):
    """Queries of each length; shorter ones are the beginnings of the corpus's, longer ones two of them."""
    chosen, texts = defaultdict(dict), corpus.queries("or")
    for text, other in pairwise(texts):
        words = f"{text} {other}".split(" ")
        for name, (least, most) in LENGTHS.items():
            if len(words) >= least and len(chosen[name]) < count:
                chosen[name][" ".join(words[:most])] = None
    return {name: list(chosen[name]) for name in LENGTHS}


def timed(searcher, anchors, text):
    """Nanoseconds of processor time that each part takes."""
    wanted = plan(parse(text), [LANGUAGE])
    stats = searcher.snapshot.term_stats(wanted.terms)
    search = TwoPhaseSearch(wanted, stats, SETTINGS.scheme, SETTINGS.algorithm, SETTINGS, 0.0, anchors)
    clock = time.process_time_ns
    begun = clock()
    searcher.search(wanted, None, search.rescoring_depth, search.scheme, search.algorithm)
    first = clock()
    found = search.ranked([searcher], 10)
    both = clock()
    diversified(found, SimpleNamespace(search=search, searchers=[searcher], of_one_site=False, depth=10))
    return first - begun, max(0, both - first - (first - begun)), clock() - both


def measured(searcher, anchors, queries, rounds):
    """Mean, median and 95th percentile of each part, in milliseconds."""
    times = np.array([[timed(searcher, anchors, text) for text in queries] for _ in range(rounds + 1)])
    least = times[1:].min(axis=0) / 1e6  # the first round warms up
    figures = zip(least.mean(axis=0), np.median(least, axis=0), np.quantile(least, 0.95, axis=0), strict=True)
    return {part: dict(zip(("mean", "p50", "p95"), map(float, own), strict=True))
            for part, own in zip(PARTS, figures, strict=True)}  # fmt: skip


def main():
    chosen = options()
    corpus = opened(chosen.cache / "passages")
    if corpus is None:
        sys.exit(f"there is no corpus in {chosen.cache / 'passages'}: search.py makes it")
    with corpus.file.open(encoding="ascii") as lines:
        texts = [line.rstrip("\n") for line in islice(lines, chosen.passages)]
    pages = [page_of(number, text) for number, text in enumerate(texts)]
    told = {}
    with tempfile.TemporaryDirectory() as scratch:
        searcher = searcher_of(Path(scratch) / "index", pages)
        said = [anchors_of(Path(scratch) / "anchors" / "one", pages)]
        for name, queries in queries_of(corpus, chosen.queries).items():
            for links, anchors in (("without links", []), ("with links", said)):
                told[f"{name} words, {links}"] = measured(searcher, anchors, queries, chosen.rounds)
    print(json.dumps(told, indent=2) if chosen.json else table(told))
    return 1 if told[f"{PROMISED} words, without links"]["second"]["mean"] >= PROMISE else 0


def table(told):
    lines = [f"{'ms: mean, p50, p95':28}" + "".join(f"{part:^24}" for part in PARTS)]
    for name, parts in told.items():
        cells = ["".join(f"{value:8.3f}" for value in parts[part].values()) for part in PARTS]
        lines.append(f"{name:28}" + "".join(cells))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
