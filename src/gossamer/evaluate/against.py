"""Against what is an evaluation compared? Saved figures, a run, a folder of runs, or other settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gossamer.engine.config import Config
from gossamer.evaluate.collection import TestCollection
from gossamer.evaluate.compare import Comparison, compare
from gossamer.evaluate.figures import load
from gossamer.evaluate.lines import beginning
from gossamer.evaluate.measures import NAMES, Measurer, PerQuery
from gossamer.evaluate.run import Outcome
from gossamer.evaluate.runs import read_run, write_run
from gossamer.model import GossamerError, UsageError

SUFFIX = ".run"


def earlier(path: Path, collection: TestCollection, again: Callable[[Config], Outcome]) -> PerQuery:
    """The values of every query in what somebody named; `again` answers under other settings."""
    if path.suffix == ".toml":
        return again(Config.load(existing(path))).per_query
    if path.is_dir() or not beginning(existing(path)).startswith("{"):
        rankings = read_run(existing(run_file(path, collection.name)))
        return Measurer(collection.judgements).each(rankings)
    known = load(path)
    if collection.name not in known:
        raise UsageError(f"{path} has no figures of {collection.name}, only of {', '.join(known)}")
    return known[collection.name]


def existing(path: Path) -> Path:
    """The path, if there is something."""
    if not path.exists():
        raise UsageError(f"there is no {path}")
    return path


def run_file(path: Path, collection: str) -> Path:
    """The run of a collection: the file itself, or in a folder the one that is named for it."""
    return path / f"{collection}{SUFFIX}" if path.is_dir() else path


def write_runs(path: Path, outcomes: list[Outcome]) -> None:
    """The run of one collection as a file, those of several as files in a folder."""
    if len(outcomes) > 1:
        path.mkdir(exist_ok=True)
    for outcome in outcomes:
        write_run(run_file(path, outcome.collection), outcome.rankings)


def compared(before: PerQuery, outcome: Outcome, source: Path) -> dict[str, Comparison]:
    """Every measure over the queries that both know."""
    if not before.keys() & outcome.per_query.keys():
        raise GossamerError(f"{source}: it answers none of the queries of {outcome.collection}")
    return {name: compare(before, outcome.per_query, name) for name in NAMES}
