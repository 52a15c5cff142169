"""Command tune."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.cli.evaluate import (
    CONFIG_FILE,
    CORPUS,
    FOLDERS,
    LANGUAGE,
    QRELS,
    TOPICS,
    as_rows,
    check_writable,
    collections_of,
    config_of,
    print_comparisons,
)
from gossamer.cli.exit_codes import STOPPED
from gossamer.cli.options import AS_JSON, QUIET, Exit, option
from gossamer.cli.output import counted, print_json, print_table
from gossamer.cli.progress import step_watch
from gossamer.model import UsageError

if TYPE_CHECKING:
    from gossamer.evaluate.tune import TuningResult

TUNE_EXAMPLES = (
    "gossamer tune collections/* --out tuned.toml",
    "gossamer tune collections/cran --measure map --folds 10",
    "gossamer tune collections/* --settings proximity,k1 --restarts 3",
)


def tune(
    folders: list[Path] | None = FOLDERS,
    corpus: Path | None = CORPUS,
    topics: Path | None = TOPICS,
    qrels: Path | None = QRELS,
    config: Path | None = CONFIG_FILE,
    language: str = LANGUAGE,
    measure: str = option(
        "--measure NAME",
        "Measure to improve: ndcg@10, map, mrr, p@1, p@10 or r@100. Separate several with commas.",
        "ndcg@10",
    ),
    settings: str = option(
        "--settings NAMES", "Settings to tune, separated by commas. Default: all tunable settings.", ""
    ),
    folds: int = option("--folds K", "With a single collection, divide its queries into K folds.", 5, min=2),
    restarts: int = option("--restarts N", "Repeat the tuning from N random starting points.", 1, min=0),
    out: Path | None = option("--out FILE", "Write the chosen settings to this new file."),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Tune the ranking settings on judged queries.

    Each collection is held out in turn. With a single collection, each fold of its queries is held out in
    turn. The figures shown are those of held-out queries. Ctrl-C stops and shows the results so far.
    """
    from gossamer.evaluate.judged_collection import NamedParts
    from gossamer.evaluate.measures import named
    from gossamer.evaluate.tunable import parameters
    from gossamer.evaluate.tune import TuningTask
    from gossamer.evaluate.tune import tune as tuned
    from gossamer.storage.files import write_atomically

    check_writable(out)
    if out and out.exists():
        raise UsageError(f"{out} exists already; name a new file")
    names = tuple(dict.fromkeys(map(named, measure.split(","))))
    task = TuningTask(parameters(settings.split(",") if settings else ()), names, folds, restarts)
    collections = collections_of(folders or [], NamedParts(corpus, topics, qrels), language)
    with step_watch(quiet, needs=["crawl", "search"]) as observer:
        found = tuned(collections, config_of(config), task, observer)
    if out and found.chosen:
        write_atomically(out, snippet(found).encode())
    if as_json:
        print_json(_as_json(found))
    else:
        _print(found, out)
    if found.stopped:
        raise Exit(STOPPED)


def snippet(found: TuningResult) -> str:
    """Return the chosen settings in the format of gossamer.toml."""
    from gossamer.evaluate.tunable import sections

    chosen = {key: value for key, value in (found.chosen or {}).items() if key not in found.idle}
    lines = [f"# Chosen by gossamer tune, {counted(found.trials, 'trial')}."]
    for section, values in sections(chosen).items():
        lines += ["", f"[{section}]", *(f"{name} = {json.dumps(value)}" for name, value in values.items())]
    return "\n".join(lines) + "\n"


def _as_json(found: TuningResult) -> dict[str, Any]:
    return {
        "held_out": [{"collection": one.collection, **as_rows(one.measures)} for one in found.held_out],
        "folds": [{"held_out": fold.name, "settings": fold.point} for fold in found.folds],
        "before": found.before,
        "chosen": found.chosen,
        "without_effect": sorted(found.idle),
        "trials": found.trials,
        "seconds": found.seconds,
        "stopped": found.stopped,
    }


def _print(found: TuningResult, out: Path | None) -> None:
    if found.held_out:
        print("measured on held-out queries:")
        print_comparisons([(one.collection, one.measures) for one in found.held_out])
        print()
    _print_settings(found)
    if found.idle:
        print(f"without effect here: {', '.join(sorted(found.idle))}")
    print(f"{counted(found.trials, 'trial')} in {found.seconds:.1f} s")
    if out and found.chosen:
        print(f"written to {out}")
    elif found.chosen:
        print(f"\n{snippet(found)}", end="")


def _print_settings(found: TuningResult) -> None:
    """Print the settings chosen on all queries, and the range of their values in the folds."""
    rows = []
    for key, before in found.before.items():
        if key in found.idle:
            continue
        values = sorted(
            {fold.point[key] for fold in found.folds}, key=lambda value: (str(type(value)), value)
        )
        spread = f"{values[0]} to {values[-1]}" if len(values) > 1 else "".join(map(str, values))
        rows.append((key, before, found.chosen[key] if found.chosen else "", spread))
    print_table(("setting", "before", "chosen", "in the folds"), rows, numbers=(1, 2, 3))
