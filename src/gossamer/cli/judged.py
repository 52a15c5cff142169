"""What `eval` and `tune` share: which test collections are meant, and how comparisons are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.show import print_table
from gossamer.model import UsageError

if TYPE_CHECKING:
    from gossamer.engine.config import Config
    from gossamer.evaluate.collection import Named, TestCollection
    from gossamer.evaluate.compare import Comparison

Folders = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[COLLECTION...]",
        help="Folders with corpus.jsonl[.gz], queries.jsonl and qrels.tsv in each, or TREC's files.",
        show_default=False,
    ),
]
Language = Annotated[
    str,
    typer.Option(
        "--language",
        metavar="CODE",
        help="The language of documents that name none, as two letters; else the collection's name tells it "
        "(xquad-de), or it is en.",
    ),
]
Corpus = Annotated[
    Path | None,
    typer.Option(
        "--corpus", metavar="PATH", help="The documents: JSON lines, or a file or folder of TREC's <DOC>s."
    ),
]
Topics = Annotated[
    Path | None,
    typer.Option("--topics", metavar="FILE", help="The queries: JSON lines, two columns, or TREC's topics."),
]
Qrels = Annotated[
    Path | None,
    typer.Option("--qrels", metavar="FILE", help="The judgements, in three columns or TREC's four."),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="A gossamer.toml with the settings to begin with."),
]
HEADINGS = (
    "collection",
    "measure",
    "before",
    "after",
    "change",
    "95% interval",
    "better",
    "worse",
    "p",
    "p (t)",
)


def collections_of(folders: Sequence[Path], named: Named, language: str) -> list[TestCollection]:
    """The test collections that a command line means."""
    from gossamer.evaluate.collection import NOTHING_NAMED, parts_in, read_parts

    if not folders:
        return [read_parts(named.alone(), language)]
    if len(folders) > 1 and named != NOTHING_NAMED:
        raise UsageError(
            "--corpus, --topics, --qrels and --run belong to one collection; name no more than one"
        )
    return [read_parts(parts_in(folder, named), language) for folder in folders]


def config_of(path: Path | None) -> Config:
    """The settings of a file, or the defaults."""
    from gossamer.engine.config import Config
    from gossamer.evaluate.against import existing

    return Config.load(existing(path)) if path else Config()


def writable(path: Path | None) -> None:
    """Says before the work what could not be written after it."""
    if path and not path.resolve().parent.is_dir():
        raise UsageError(f"there is no folder {path.resolve().parent} to write {path.name} into")


def print_comparisons(compared: Sequence[tuple[str, dict[str, Comparison]]]) -> None:
    """A row for each collection and measure."""
    rows = [
        (
            name,
            measure,
            f"{one.before:.4f}",
            f"{one.after:.4f}",
            f"{one.after / one.before - 1:+.1%}" if one.before else "",
            f"{one.low:+.4f} {one.high:+.4f}",
            one.wins,
            one.losses,
            f"{one.p_randomised:.4f}",
            f"{one.p_t:.4f}",
        )
        for name, measures in compared
        for measure, one in measures.items()
    ]
    print_table(HEADINGS, rows, numbers=range(2, len(HEADINGS)))


def mean_changes(compared: Sequence[tuple[str, dict[str, Comparison]]]) -> list[str]:
    """What several collections gained on average, a line for each measure."""
    lines = []
    for measure in compared[0][1] if len(compared) > 1 else ():
        ratios = [
            found[measure].after / found[measure].before for _, found in compared if found[measure].before
        ]
        if ratios:
            mean, least = sum(ratios) / len(ratios) - 1, min(ratios) - 1
            lines.append(f"{measure}: {mean:+.1%} in the mean of the ratios, {least:+.1%} at the least")
    return lines


def as_rows(measures: dict[str, Comparison]) -> dict[str, dict[str, float]]:
    """Comparisons for JSON."""
    return {name: {**asdict(one), "difference": one.difference} for name, one in measures.items()}
