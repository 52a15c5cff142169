"""How fast are queries answered, exactly? Gossamer beside tantivy, PISA, bm25s, SQLite FTS5 and Xapian.

    .venv/bin/python benchmarks/search.py --docweb DIR --wikispeedia FILE --peers-python PYTHON [--repeat 3]
        [--engines gossamer,tantivy] [--parts queries,growth,indexing,serving] [--clock cpu] [--json]

The same passages of real text, the same tokens and the same queries for all, each engine in a process of its
own, one thread, on one core, taking turns. Printed are times for OR, AND and phrase queries, 10 and 1,000
best; how they grow with the corpus; what an index costs and takes; what serving it takes. Every answer of
Gossamer is compared with that of its exhaustive algorithm; the exit status is 1 when one differs. More in
benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from passages.contender import ENGINES
from passages.contest import Contest, Outcome
from passages.corpus import KINDS, Corpus, built, opened, passages_of, written
from passages.indexing import indexed
from passages.judging import Verdict, judged
from passages.report import (
    builds_text,
    growth,
    growth_text,
    outcome_json,
    serving_text,
    times_text,
    verdict_text,
)
from passages.serving import larger, served
from passages.stand import OURS, Stand, default_core, say

PARTS = ("queries", "growth", "indexing", "serving")
TENTH = 10
OWN_PYTHON = ("gossamer", "sqlite")  # need nothing that is not here


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    where = parser.add_argument_group("texts, needed until the corpus is made")
    where.add_argument(
        "--docweb", type=Path, metavar="DIR", help="a folder of sites, one folder of HTML each"
    )
    where.add_argument("--wikispeedia", type=Path, metavar="FILE", help="articles.jsonl.xz")
    where.add_argument(
        "--cache", type=Path, metavar="DIR", default=default_cache(), help="for corpus and indexes"
    )
    parser.add_argument("--engines", type=listed, default=list(ENGINES), metavar="NAME,...")
    parser.add_argument(
        "--parts", type=listed, default=list(PARTS), metavar="NAME,...", help=", ".join(PARTS)
    )
    parser.add_argument(
        "--peers-python", default=sys.executable, metavar="PATH", help="a Python with the peers"
    )
    parser.add_argument("--repeat", type=int, default=3, help="rounds; all engines take turns in each")
    parser.add_argument(
        "--patience", type=float, default=20.0, help="seconds; who takes longer gets fewer queries"
    )
    parser.add_argument(
        "--memory", type=int, default=2_000, help="megabytes for an index that is being built"
    )
    parser.add_argument(
        "--serving", type=int, default=1_000_000, metavar="N", help="passages that are served"
    )
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="what times a query")
    parser.add_argument("--core", type=int, default=default_core(), help="the core that is measured on")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    chosen = parser.parse_args()
    if OURS not in chosen.engines:
        parser.error(f"{OURS} always contends: the others are compared with it")
    for given, known in ((chosen.engines, list(ENGINES)), (chosen.parts, PARTS)):
        if unknown := [name for name in given if name not in known]:
            parser.error(f"{', '.join(unknown)}: there are {', '.join(known)}")
    return chosen


def listed(text: str) -> list[str]:
    return text.split(",")


def default_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gossamer-benchmarks"


def main() -> None:
    chosen = options()
    corpus = corpus_of(chosen)
    pythons = {name: sys.executable if name in OWN_PYTHON else chosen.peers_python for name in chosen.engines}
    stand = Stand(chosen.cache, pythons, chosen.core, chosen.memory * 1_000_000)
    missing = stand.missing()
    names = [name for name in chosen.engines if name not in missing]
    result = Result(chosen.json)
    result.add("missing", missing, "".join(f"{name} is missing: {why}\n" for name, why in missing.items()))
    wrong = measured(chosen, stand, names, corpus, result)
    result.end()
    sys.exit(1 if wrong else 0)


class Result:
    """Tables that are printed as they come, or one JSON document at the end."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._told: dict[str, Any] = {}

    def add(self, name: str, told: Any, text: str) -> None:
        self._told[name] = told
        if text and not self._as_json:
            print(text, flush=True)

    def end(self) -> None:
        if self._as_json:
            print(json.dumps(self._told, indent=2))


def corpus_of(chosen: argparse.Namespace) -> Corpus:
    folder = chosen.cache / "passages"
    if (corpus := opened(folder)) is not None:
        return corpus
    if chosen.docweb is None or chosen.wikispeedia is None:
        sys.exit(f"there is no corpus in {folder}: --docweb and --wikispeedia say what to make it of")
    from passages.sources import texts  # loads the extraction, which is needed once

    say("reading the texts, which takes a few minutes ...")
    return built(folder, texts(chosen.docweb, chosen.wikispeedia, chosen.cache))


def measured(
    chosen: argparse.Namespace, stand: Stand, names: list[str], corpus: Corpus, result: Result
) -> list[str]:
    """All parts that were asked for; returns what was wrong."""
    wrong: list[str] = []
    searched = {"queries", "growth"} & set(chosen.parts)
    if searched or "indexing" in chosen.parts:
        builds = indexed(stand, names, corpus, chosen.repeat if "indexing" in chosen.parts else 0)
        result.add("indexing", builds, builds_text(corpus, builds))
    if searched:
        large = answered(chosen, stand, names, corpus, "queries", result, wrong)
    if "growth" in chosen.parts:
        tenth = written(corpus.folder.with_name("tenth"), passages_of(corpus)[::TENTH], corpus)
        indexed(stand, names, tenth, 0)
        small = answered(chosen, stand, names, tenth, "tenth", result, wrong)
        factors = growth(large.times, small.times)
        told = {" ".join(map(str, what)): factor for what, factor in factors.items()}
        result.add("growth", told, growth_text(factors, corpus, tenth))
    if "serving" in chosen.parts:
        many = larger(corpus, chosen.serving)
        found = served(stand, names, many)
        result.add("serving", found, serving_text(many, found))
    return wrong


def answered(
    chosen: argparse.Namespace,
    stand: Stand,
    names: list[str],
    corpus: Corpus,
    part: str,
    result: Result,
    wrong: list[str],
) -> Outcome:
    outcome = Contest(chosen.repeat, chosen.patience, chosen.clock).held(stand, names, corpus)
    verdict: Verdict = judged(outcome, {kind: corpus.queries(kind) for kind in KINDS})
    wrong += verdict.wrong
    text = f"\n{times_text(corpus, outcome)}\n{verdict_text(verdict)}"
    result.add(part, outcome_json(outcome, verdict), text)
    return outcome


if __name__ == "__main__":
    main()
