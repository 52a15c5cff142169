"""Command eval."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.cli.exit_codes import FAILED, complain
from gossamer.cli.options import AS_JSON, QUIET, Context, Exit, argument, directory, open_engine, option
from gossamer.cli.output import print_json, print_table
from gossamer.cli.progress import step_watch
from gossamer.config import Config
from gossamer.model import UsageError
from gossamer.model.errors import require_extra

if TYPE_CHECKING:
    from gossamer.evaluate.compare import Comparison
    from gossamer.evaluate.judged_collection import NamedParts, TestCollection
    from gossamer.evaluate.measures import PerQuery
    from gossamer.evaluate.run import Outcome
    from gossamer.model.progress import Observer, StepProgress


# Test collections and comparisons for eval and tune
# --------------------------------------------------

FOLDERS = argument(
    "COLLECTION...",
    "Folder with corpus.jsonl[.gz], queries.jsonl and qrels.tsv, or with TREC files.",
    required=False,
)
LANGUAGE = option(
    "--language CODE",
    "Language code of documents that do not state their language. Default: from the name of the collection "
    "(xquad-de), else en.",
    "",
)
CORPUS = option("--corpus PATH", "Documents: JSON lines, or a file or folder of TREC <DOC> records.")
TOPICS = option("--topics FILE", "Queries: JSON lines, lines with id and text, or TREC topics.")
QRELS = option("--qrels FILE", "Judgements: query, document and score, or the four columns of TREC.")
CONFIG_FILE = option(
    "--config FILE", "Use the settings of this gossamer.toml. Default: the built-in settings."
)


def collections_of(folders: Sequence[Path], named: NamedParts, language: str) -> list[TestCollection]:
    """Return the test collections that a command line names."""
    from gossamer.evaluate.judged_collection import NOTHING_NAMED, parts_in, read_parts

    require_extra("measuring rankings", "eval", "ir_measures", "scipy")  # now, not after the work
    if not folders:
        return [read_parts(named.alone(), language)]
    if len(folders) > 1 and named != NOTHING_NAMED:
        raise UsageError(
            "--corpus, --topics, --qrels and --run belong to one collection; name at most one folder"
        )
    return [read_parts(parts_in(folder, named), language) for folder in folders]


def config_of(path: Path | None) -> Config:
    """Return the settings in a file, or the defaults."""
    from gossamer.evaluate.compare import existing

    return Config.load(existing(path)) if path else Config()


def check_writable(path: Path | None) -> None:
    """Raise UsageError before the work if the folder of an output file does not exist."""
    if path and not path.resolve().parent.is_dir():
        raise UsageError(f"there is no folder {path.resolve().parent} to write {path.name} into")


def print_comparisons(compared: Sequence[tuple[str, dict[str, Comparison]]]) -> None:
    """Print a table by collection and measure, then the mean gains of several collections."""
    rows = [
        {
            "collection": name,
            "measure": measure,
            "before": f"{one.before:.4f}",
            "after": f"{one.after:.4f}",
            "change": f"{one.after / one.before - 1:+.1%}" if one.before else "",
            "95% interval": f"{one.low:+.4f} {one.high:+.4f}",
            "better": one.wins,
            "worse": one.losses,
            "p": f"{one.p_randomised:.4f}",
            "p (t)": f"{one.p_t:.4f}",
        }
        for name, measures in compared
        for measure, one in measures.items()
    ]
    print_table(list(rows[0]), [list(row.values()) for row in rows], numbers=range(2, len(rows[0])))
    for measure in compared[0][1] if len(compared) > 1 else ():
        ratios = [
            found[measure].after / found[measure].before for _, found in compared if found[measure].before
        ]
        if ratios:
            mean, least = sum(ratios) / len(ratios) - 1, min(ratios) - 1
            print(f"{measure}: mean change {mean:+.1%}, lowest {least:+.1%}")


def as_rows(measures: dict[str, Comparison]) -> dict[str, dict[str, float]]:
    """Return comparisons as plain values, for JSON."""
    return {name: {**asdict(one), "difference": one.difference} for name, one in measures.items()}


# Tables of evaluation figures
# ----------------------------

LONGEST_QUERY = 60  # characters


def show(
    collections: list[TestCollection],
    outcomes: list[Outcome],
    before: list[PerQuery],
    against: Path | None,
    per_query: bool,
    as_json: bool,
) -> None:
    """Print the figures, and the changes since `before`."""
    from gossamer.evaluate.compare import compared

    found = [compared(*pair, against) for pair in zip(before, outcomes, strict=True)] if against else []
    if as_json:
        print_json({"collections": _rows(outcomes, found, per_query)})
        return
    _print(outcomes)
    if per_query:
        for number, (collection, outcome) in enumerate(zip(collections, outcomes, strict=True)):
            print()
            _print_each(collection, outcome, before[number] if before else None)
    if found:
        print()
        names = (outcome.collection for outcome in outcomes)
        print_comparisons(list(zip(names, found, strict=True)))


def _rows(
    outcomes: list[Outcome], found: list[dict[str, Comparison]], per_query: bool
) -> list[dict[str, Any]]:
    from gossamer.evaluate.compare import as_json

    rows = []
    for number, outcome in enumerate(outcomes):
        row: dict[str, Any] = as_json(outcome) if per_query else outcome.flat()
        if found:
            row["against"] = as_rows(found[number])
        rows.append(row)
    return rows


def _print(outcomes: list[Outcome]) -> None:
    names = list(outcomes[0].measures)
    rows = [
        (
            outcome.collection,
            f"{outcome.documents:,}" if outcome.documents else "",
            f"{outcome.queries:,}",
            *(f"{outcome.measures[name]:.4f}" for name in names),
        )
        for outcome in outcomes
    ]
    print_table(("collection", "documents", "queries", *names), rows, numbers=range(1, 3 + len(names)))


def _print_each(collection: TestCollection, outcome: Outcome, before: PerQuery | None) -> None:
    """Print the measures of each query of a collection, and its gain in nDCG@10 since `before`."""
    from gossamer.text.words import shortened

    names = list(outcome.measures)
    headings = (collection.name, *names, *(("gained",) if before else ()), "query")
    rows = []
    for query, values in outcome.per_query.items():
        gained = []
        if before:
            known = before.get(query)
            gained = [f"{values[names[0]] - known[names[0]]:+.4f}" if known else ""]
        text = shortened(collection.queries[query], LONGEST_QUERY)
        rows.append((query, *(f"{values[name]:.4f}" for name in names), *gained, text))
    print_table(headings, rows, numbers=range(1, len(headings) - 1))


EVALUATE_EXAMPLES = (
    "gossamer eval collections/cran",
    "gossamer eval collections/* --save before.json",
    "gossamer eval collections/* --against before.json",
    "gossamer eval collections/cran --config mine.toml --per-query --json",
    "gossamer eval --run theirs.run --qrels qrels.txt --against ours.run",
)


def evaluate(
    context: Context,
    folders: list[Path] | None = FOLDERS,
    corpus: Path | None = CORPUS,
    topics: Path | None = TOPICS,
    qrels: Path | None = QRELS,
    run: Path | None = option("--run FILE", "Measure this TREC run instead of searching."),
    config: Path | None = CONFIG_FILE,
    language: str = LANGUAGE,
    per_query: bool = option("--per-query", "Show the measures of each query."),
    against: Path | None = option(
        "--against FILE",
        "Compare with figures from --save, a TREC run or a folder of runs, or other settings in a .toml.",
    ),
    save: Path | None = option("--save FILE", "Write the figures to this file as JSON."),
    write_run: Path | None = option(
        "--write-run FILE",
        "Write a TREC run to this file; with several collections, one run for each into this folder.",
    ),
    floors: Path | None = option("--floors FILE", "Fail if a figure is below its floor in this file."),
    raise_floors: bool = option(
        "--raise-floors", "Raise each floor to the new figure if that is higher. No floor is lowered."
    ),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Measure ranking quality on judged queries.

    Prints nDCG@10, MAP, MRR, P@1, P@10 and R@100. Each corpus is indexed in a temporary folder. Without a
    corpus, the queries are run on the collection of -C, and the judgements name documents by their URLs.
    """
    from gossamer.evaluate.compare import existing, write_runs
    from gossamer.evaluate.compare import save as saved
    from gossamer.evaluate.judged_collection import NamedParts

    for path in (save, write_run, floors):
        check_writable(path)
    if raise_floors and not floors:
        raise UsageError("--raise-floors needs a file: --floors FILE")
    for path in (run, against, None if raise_floors else floors):
        if path:
            existing(path)
    named = NamedParts(corpus, topics, qrels, run)
    collections = [_titled(context, one, run) for one in collections_of(folders or [], named, language)]
    settings = config_of(config)
    with step_watch(quiet, needs=[] if run else ["crawl", "search"]) as observer:
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


def _titled(context: Context, collection: TestCollection, run: Path | None) -> TestCollection:
    """Name queries that are run on the collection of -C after that collection."""
    if collection.corpus or run:
        return collection
    return replace(collection, name=directory(context).resolve().name)


def _answers(
    context: Context,
    collection: TestCollection,
    run: Path | None,
    observer: Observer[StepProgress] | None,
) -> Callable[[Config], Outcome]:
    """Return a function that measures some settings on an index, a run, or the collection of -C."""
    from gossamer.evaluate.run import evaluate as measured
    from gossamer.evaluate.run import outcome
    from gossamer.evaluate.runs import read_run

    if run:
        return lambda _config: outcome(collection, read_run(run), 0, time.perf_counter())
    if collection.corpus:
        return lambda config: measured(collection, config, observer)
    return lambda config: _measured_on_collection(context, collection, config, observer)


def _measured_on_collection(
    context: Context,
    collection: TestCollection,
    config: Config,
    observer: Observer[StepProgress] | None,
) -> Outcome:
    from gossamer.evaluate.run import evaluate_engine

    chosen = {"search": asdict(config.search)} if config != Config() else None
    with open_engine(context, settings=chosen) as engine:
        return evaluate_engine(engine, collection, observer)


def _before(
    against: Path | None, collections: list[TestCollection], answers: list[Callable[[Config], Outcome]]
) -> list[PerQuery]:
    from gossamer.evaluate.compare import earlier

    if against is None:
        return []
    if len(collections) > 1 and against.is_file() and not _holds_several(against):
        raise UsageError(f"{against} is a run of one collection; name a folder with a run of each")
    return [earlier(against, *one) for one in zip(collections, answers, strict=True)]


def _holds_several(against: Path) -> bool:
    from gossamer.evaluate.lines import beginning

    return against.suffix == ".toml" or beginning(against).startswith("{")


def _hold(path: Path, outcomes: list[Outcome], raising: bool) -> None:
    """Fail if a figure is below its floor. Otherwise raise the floors, if `raising`."""
    from gossamer.evaluate.floors import fallen, raise_floors, read_floors

    reached = {outcome.collection: outcome.measures for outcome in outcomes}
    floors = read_floors(path) if path.exists() else {}
    below = fallen(floors, reached)
    for one in below:
        complain(one)
    if below:
        raise Exit(FAILED)
    risen = raise_floors(path, reached) if raising else []
    unpinned = [] if raising else [name for name in reached if name not in floors]
    for line in [*risen, *(f"{name}: no floor" for name in unpinned)]:
        print(line, file=sys.stderr)
