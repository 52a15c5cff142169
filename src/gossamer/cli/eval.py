"""`gossamer eval`: how good are the answers?"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.failures import FAILED, complain
from gossamer.cli.judged import (
    ConfigFile,
    Corpus,
    Folders,
    Language,
    Qrels,
    Topics,
    collections_of,
    config_of,
    writable,
)
from gossamer.cli.options import AsJson, Quiet, directory, open_engine
from gossamer.cli.outcomes import show
from gossamer.cli.progress import step_watch
from gossamer.model import UsageError

if TYPE_CHECKING:
    from gossamer.engine.config import Config
    from gossamer.engine.progress import StepObserver
    from gossamer.evaluate.collection import TestCollection
    from gossamer.evaluate.measures import PerQuery
    from gossamer.evaluate.run import Outcome

EXAMPLES = (
    "gossamer eval collections/cran",
    "gossamer eval collections/* --save before.json",
    "gossamer eval collections/* --against before.json",
    "gossamer eval collections/cran --config mine.toml --per-query --json",
    "gossamer eval --run theirs.run --qrels qrels.txt --against ours.run",
)

Run = Annotated[
    Path | None,
    typer.Option("--run", metavar="FILE", help="Measure the answers of this TREC run instead of searching."),
]
Each = Annotated[bool, typer.Option("--per-query", help="Show the measures of every query.")]
Against = Annotated[
    Path | None,
    typer.Option(
        "--against",
        metavar="FILE",
        help="Compare with what --save wrote, with a TREC run, a folder of them, or the settings in a .toml.",
    ),
]
Save = Annotated[
    Path | None, typer.Option("--save", metavar="FILE", help="Write the figures to this file, as JSON.")
]
WriteRun = Annotated[
    Path | None,
    typer.Option(
        "--write-run",
        metavar="FILE",
        help="Write the answers as a TREC run; with several collections, one each into this folder.",
    ),
]
FloorsFile = Annotated[
    Path | None,
    typer.Option("--floors", metavar="FILE", help="Fail when a figure lies below its floor in this file."),
]
Raise = Annotated[
    bool, typer.Option("--raise-floors", help="Raise the floors to what was reached; none is lowered.")
]


def evaluate(
    context: typer.Context,
    folders: Folders = None,
    corpus: Corpus = None,
    topics: Topics = None,
    qrels: Qrels = None,
    run: Run = None,
    config: ConfigFile = None,
    language: Language = "",
    per_query: Each = False,
    against: Against = None,
    save: Save = None,
    write_run: WriteRun = None,
    floors: FloorsFile = None,
    raise_floors: Raise = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Measures how well judged queries are answered.

    By nDCG@10, MAP, MRR, P@1, P@10 and R@100. Each corpus is indexed in a temporary folder. Queries
    and judgements without a corpus are asked of the collection in -C, whose documents are URLs.
    """
    from gossamer.evaluate.against import existing, write_runs
    from gossamer.evaluate.collection import Named
    from gossamer.evaluate.figures import save as saved

    for path in (save, write_run, floors):
        writable(path)
    if raise_floors and not floors:
        raise UsageError("--raise-floors needs a file: --floors FILE")
    for path in (run, against, None if raise_floors else floors):
        if path:
            existing(path)
    named = Named(corpus, topics, qrels, run)
    collections = [_titled(context, one, run) for one in collections_of(folders or [], named, language)]
    settings = config_of(config)
    with step_watch(quiet) as observer:
        answers = [_answers(context, one, run, observer) for one in collections]
        outcomes = [answer(settings) for answer in answers]
        before = _before(against, collections, answers)
    if save:
        saved(save, outcomes)
    if write_run:
        write_runs(write_run, outcomes)
    show(collections, outcomes, before, against, per_query, as_json)
    if floors:
        _hold(floors, outcomes, raise_floors)


def _titled(context: typer.Context, collection: TestCollection, run: Path | None) -> TestCollection:
    """What is asked of the collection in -C is named for it."""
    if collection.corpus or run:
        return collection
    return replace(collection, name=directory(context).resolve().name)


def _answers(
    context: typer.Context, collection: TestCollection, run: Path | None, observer: StepObserver | None
) -> Callable[[Config], Outcome]:
    """What answers under some settings: an index of the corpus, a run, or the collection of -C."""
    from gossamer.evaluate.run import evaluate as measured
    from gossamer.evaluate.run import outcome
    from gossamer.evaluate.runs import read_run

    if run:
        return lambda _config: outcome(collection, read_run(run), 0, time.perf_counter())
    if collection.corpus:
        return lambda config: measured(collection, config, observer)
    return lambda config: _owned(context, collection, config, observer)


def _owned(
    context: typer.Context, collection: TestCollection, config: Config, observer: StepObserver | None
) -> Outcome:
    from gossamer.engine.config import Config as Defaults
    from gossamer.evaluate.owned import evaluate_engine

    chosen = {"search": asdict(config.search)} if config != Defaults() else None
    with open_engine(context, settings=chosen) as engine:
        return evaluate_engine(engine, collection, observer)


def _before(
    against: Path | None, collections: list[TestCollection], answers: list[Callable[[Config], Outcome]]
) -> list[PerQuery]:
    from gossamer.evaluate.against import earlier

    if against is None:
        return []
    if len(collections) > 1 and against.is_file() and not _holds_several(against):
        raise UsageError(f"{against} is a run of one collection; name a folder with a run of each")
    return [earlier(against, *one) for one in zip(collections, answers, strict=True)]


def _holds_several(against: Path) -> bool:
    from gossamer.evaluate.lines import beginning

    return against.suffix == ".toml" or beginning(against).startswith("{")


def _hold(path: Path, outcomes: list[Outcome], raising: bool) -> None:
    """Fails when a figure has fallen; else raises floors, where that was asked for."""
    from gossamer.evaluate.floors import fallen, raise_floors, read_floors

    reached = {outcome.collection: outcome.measures for outcome in outcomes}
    floors = read_floors(path) if path.exists() else {}
    below = fallen(floors, reached)
    for one in below:
        complain(str(one))
    if below:
        raise typer.Exit(FAILED)
    risen = raise_floors(path, reached) if raising else []
    unpinned = [] if raising else [name for name in reached if name not in floors]
    for line in [*risen, *(f"{name}: no floor" for name in unpinned)]:
        print(line, file=sys.stderr)
