"""Do results fall apart into their senses, and what does it cost?

    .venv/bin/python benchmarks/clusters.py [--wikispeedia DIR] [--cache DIR] [--queries 200] [--rounds 5]

Quality: ambiguous words are looked for where it is known what each page is about: on the demo web, by its
hosts and the articles of its encyclopaedia; and, with a folder that has the articles and categories of
Wikispeedia, in 4,604 articles of an encyclopaedia, by their first subject. Printed for each linkage and
threshold: how many groups there are, purity (the share of the grouped that have their group's most frequent
subject), coverage (the share that is grouped), normalised mutual information and the F-measure of pairs,
where all that is not grouped counts as one group.

Cost: processor time of each stage on the passages that `search.py` keeps in its cache, all of them, for
queries of two words; of each query the least of all rounds.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import numpy as np
from passages.corpus import opened
from search import default_cache

from gossamer import Engine
from gossamer.answer.clusters import cluster as clustering
from gossamer.answer.clusters.agglomerative import (
    ALONE,
    IDF_ONE,
    LINKAGES,
    MOST_SHARE,
    compare,
    link,
    shared,
)
from gossamer.answer.clusters.cluster import MOST, LeadReader, least_of
from gossamer.answer.clusters.labels import ASKED, INSIDE, TELLING, find_phrases, labels, listed
from gossamer.demo.bundled_web import PORT, SEEDS, demo_web
from gossamer.demo.scripted_web import ScriptedTransport
from gossamer.demo.tour import settings
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import Page, Url
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.scoring.two_phase import TwoPhaseSearch
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings

SETTINGS = SearchSettings()
THRESHOLDS = {"single": (0.2, 0.25, 0.3, 0.4), "average": (0.06, 0.08, 0.1, 0.12, 0.15)}
STAGES = ("read texts", "number words", "weigh terms", "compare", "join", "find phrases", "write labels")
HEAD = re.compile(r"2007 Schools Wikipedia Selection\. Related subjects:.*?\n\s*\n", re.DOTALL)
DEMO = {
    "jaguar": {
        "jaguar-animal": ("wildcats", "/jaguar-cub"),
        "jaguar-cars": ("jaguar-motors", "/jaguar-rally"),
        "atari-jaguar": ("retroconsoles",),
        "jacksonville-jaguars": ("gridiron-fans", "/jaguars-visit"),
        "mac-os-x-jaguar": ("osmuseum",),
        "jaguar-paw": ("maya-kings", "/maya-exhibition", "/maya-archaeology"),
    },
    "mercury": {
        "mercury-planet": ("skywatchers",),
        "mercury-element": ("/mercury-spill",),
        "mercury-god": (),
    },
    "java": {
        "java-language": ("kernel-notes", "computing"),
        "java-coffee": ("anna-bakes", "/roastery", "/coffee"),
        "java-island": ("/volcano",),
    },
}
AMBIGUOUS = """crane mercury java jaguar apollo bass bridge seal plant star bank field court cell current drum
conductor spring palm pitch scale mass organ key ring saturn titan amazon phoenix turkey orange lead iron ford
washington lincoln victoria delta alpha base board table match trunk wave virus program light"""


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wikispeedia", type=Path, metavar="DIR", help="articles.jsonl.xz, categories.tsv")
    parser.add_argument(
        "--cache", type=Path, default=default_cache(), help="where search.py keeps its corpus"
    )
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    return parser.parse_args()


def searched(searcher, text):
    wanted = plan(parse(text), ["en"])
    stats = searcher.snapshot.term_stats(wanted.terms)
    search = TwoPhaseSearch(wanted, stats, SETTINGS.scheme, SETTINGS.algorithm, SETTINGS, 0.0)
    return search, search.ranked([searcher], 10)


def leads_of(searcher, found):
    return clustering._leads(found.candidates[: clustering.GROUPED], [searcher])


def compared(searcher, reader, search, leads):
    """The words of leads, and what they weigh."""
    read = reader.read(leads, search.plan.terms, [searcher])
    words = shared(read.terms, read.starts)
    rarity = read.rarity(words.names)
    weights, _ = weighed(words, rarity, read.asked)
    return words, weights


# Steps of clustering, one by one: searches make groups in one call


def weighed(words, rarity, asked):
    """What terms weigh, and where they may stand in phrases."""
    among = np.isin(words.names, asked)
    weights = np.rint(np.where(among | (words.results > MOST_SHARE * words.size), 0, rarity) * IDF_ONE)
    roles = np.where(among & (rarity > 0), ASKED, np.where(weights > 0, TELLING, INSIDE))
    return weights.astype(np.int64), roles.astype(np.int64)


def joined(likeness, linkage, least):
    """The groups that are shown: places of results, the largest first."""
    results = len(likeness)
    members = {place: [place] for place in range(results)}
    for kept, taken in link(likeness.copy(), linkage == "average", least).tolist():
        members[kept] += members.pop(taken)
    large = [tuple(sorted(own)) for own in members.values() if len(own) >= least_of(results)]
    return sorted(large, key=lambda group: (-len(group), group))[:MOST]


def phrases(words, roles, groups):
    group_of = np.full(words.size, ALONE)
    for number, group in enumerate(groups):
        group_of[list(group)] = number
    sizes = np.array([len(group) for group in groups], np.int64)
    return listed(words, *find_phrases(words, roles, group_of, sizes))


# Quality


def demo_truth(query, url):
    """The sense in which a page of the demo web has the word; None where it is about none, or several."""
    parts = urlsplit(url)
    host, senses = parts.hostname.removesuffix(".localhost"), DEMO[query]
    for sense, signs in senses.items():
        if host == "encyclopaedia":
            if parts.path == f"/{sense}.html":
                return sense
        elif host in signs or any(sign.startswith("/") and sign in parts.path for sign in signs):
            return sense
    return None


def demo_pages(folder):
    own = {**settings(PORT), "extract": {"workers": 0}}
    with Engine.open(folder, create=True, settings=own) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(demo_web()))
    return Searcher(0, Index(folder / "partition-000" / "index").snapshot(), None, 0.0)


def articles(folder, scratch):
    """A searcher over all articles, and the first subject of each; they say theirs, which is taken out."""
    subjects = {}
    for line in (folder / "categories.tsv").read_text("utf-8").splitlines():
        name, _, category = line.partition("\t")
        if category:
            subjects.setdefault(unquote(name), category.split(".")[1])
    writer, truth = SegmentWriter("en"), {}
    with lzma.open(folder / "articles.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            article = json.loads(line)
            url = Url.parsed("http://wiki.test/" + quote(article["title"]))
            text = HEAD.sub("\n", article["text"].replace("#copyright", "")).replace("Enlarge\n", "")
            text = re.sub(r"[ \t]+", " ", text)
            writer.add(Page(url, title=article["title"].replace("_", " "), text=text, language="en"))
            truth[url.text] = subjects.get(article["title"])
    return committed(scratch, writer), truth


def committed(folder, writer):
    index = Index(folder)
    index.commit(writer, np.empty(0, np.uint64), Weighting.frozen_for(writer.total_lengths(), len(writer)))
    return Searcher(0, index.snapshot(), None, 0.0)


def address(searcher, candidate):
    segment = searcher.snapshot.views[candidate.address.segment].segment
    return segment.stored.document(candidate.address.doc).url


def prepared(searcher, queries, truth):
    """Of each query: how alike its results are, and what they are about."""
    reader, found = LeadReader(), []
    for query in queries:
        search, ranked = searched(searcher, query)
        leads = leads_of(searcher, ranked)
        words, weights = compared(searcher, reader, search, leads)
        about = [truth(query, address(searcher, one)) for one in list(ranked.candidates)[: len(leads)]]
        found.append((compare(words, weights), about))
    return found


def figures(prepared_queries, linkage, least):
    rows = [judged(joined(between, linkage, least), about) for between, about in prepared_queries]
    return dict(
        zip(("groups", "purity", "coverage", "NMI", "F"), np.mean(rows, axis=0).tolist(), strict=True)
    )


def judged(found, about):
    group_of = {place: number for number, group in enumerate(found) for place in group}
    known = [place for place, subject in enumerate(about) if subject is not None]
    own, real = [group_of.get(place, -1) for place in known], [about[place] for place in known]
    inside = defaultdict(Counter)
    for number, subject in zip(own, real, strict=True):
        if number >= 0:
            inside[number][subject] += 1
    grouped = sum(counts.total() for counts in inside.values())
    right = sum(max(counts.values()) for counts in inside.values())
    covered = grouped / max(1, len(known))
    return len(found), right / max(1, grouped), covered, information(own, real), pairs(own, real)


def information(own, real):
    """2 I(own; real) / (H(own) + H(real))."""
    n, both, one, other = len(own), Counter(zip(own, real, strict=True)), Counter(own), Counter(real)
    shared_by = sum(c / n * math.log(c * n / (one[a] * other[b])) for (a, b), c in both.items())
    entropies = [-sum(c / n * math.log(c / n) for c in counts.values()) for counts in (one, other)]
    return 2 * shared_by / sum(entropies) if sum(entropies) else 0.0


def pairs(own, real):
    """The F-measure of "in one group" as a guess of "about the same"."""
    both, one, other = Counter(zip(own, real, strict=True)), Counter(own), Counter(real)

    def two(counts):
        return sum(math.comb(c, 2) for c in counts.values())

    return 2 * two(both) / max(1, two(one) + two(other))


# Cost


def stages(searcher, reader, text):
    """Nanoseconds of processor time of each stage."""
    search, found = searched(searcher, text)
    clock = time.process_time_ns
    times = [clock()]
    leads = leads_of(searcher, found)
    times.append(clock())
    read = reader.read(leads, search.plan.terms, [searcher])
    times.append(clock())
    words = shared(read.terms, read.starts)
    weights, roles = weighed(words, read.rarity(words.names), read.asked)
    times.append(clock())
    between = compare(words, weights)
    times.append(clock())
    large = joined(between, "average", LINKAGES["average"])
    times.append(clock())
    told = phrases(words, roles, large)
    times.append(clock())
    labels(
        told,
        large,
        leads.whole,
        lambda one: [read.word(n) for n in read.words[one.first :][: len(one.terms)]],
    )
    times.append(clock())
    return np.diff(times)


def cost(corpus, folder, count, rounds):
    writer = SegmentWriter("en")
    with corpus.file.open(encoding="ascii") as lines:
        for number, line in enumerate(lines):
            url = Url.parsed(f"http://host{number // 1000:04}.test/{number:08}")
            writer.add(Page(url, title=line[:40], text=line.rstrip("\n"), language="en"))
    searcher, reader = committed(folder, writer), LeadReader()
    queries = list(dict.fromkeys(" ".join(text.split()[:2]) for text in corpus.queries("or")))[:count]
    times = np.array([[stages(searcher, reader, text) for text in queries] for _ in range(rounds + 1)])
    least = times[1:].min(axis=0) / 1e6  # the first round warms up
    least = np.column_stack([least, least.sum(axis=1)])
    told = zip(least.mean(axis=0), np.median(least, axis=0), np.quantile(least, 0.95, axis=0), strict=True)
    return {
        stage: dict(zip(("mean", "p50", "p95"), map(float, own), strict=True))
        for stage, own in zip((*STAGES, "all"), told, strict=True)
    }


def main():
    chosen = options()
    told = {}
    with tempfile.TemporaryDirectory() as scratch:
        sets = {"demo web": prepared(demo_pages(Path(scratch) / "demo"), DEMO, demo_truth)}
        if chosen.wikispeedia:
            searcher, subjects = articles(chosen.wikispeedia, Path(scratch) / "articles")
            sets["articles"] = prepared(searcher, AMBIGUOUS.split(), lambda _, url: subjects[url])
        for name, queries in sets.items():
            for linkage, thresholds in THRESHOLDS.items():
                for least in thresholds:
                    told[f"{name}, {linkage} {least}"] = figures(queries, linkage, least)
        told_cost = {}
        if (corpus := opened(chosen.cache / "passages")) is not None:
            told_cost = cost(corpus, Path(scratch) / "passages", chosen.queries, chosen.rounds)
    if chosen.json:
        print(json.dumps({"quality": told, "ms": told_cost}, indent=2))
    else:
        print(table("", told), table("ms of processor time", told_cost), sep="\n\n")


def table(title, rows):
    if not rows:
        return f"{title}: nothing to measure"
    names = next(iter(rows.values()))
    lines = [f"{title:28}" + "".join(f"{name:>10}" for name in names)]
    return "\n".join(
        lines + [f"{row:28}" + "".join(f"{v:10.3f}" for v in own.values()) for row, own in rows.items()]
    )


if __name__ == "__main__":
    sys.exit(main())
