"""`gossamer eval`: how good are the answers?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.options import AsJson, Quiet
from gossamer.cli.progress import step_watch
from gossamer.cli.show import print_json, print_table

if TYPE_CHECKING:
    from gossamer.evaluate.run import Outcome

EXAMPLES = ("gossamer eval collections/cran", "gossamer eval collections/* --json")

Folders = Annotated[
    list[Path],
    typer.Argument(
        metavar="COLLECTION...", help="Folders with corpus.jsonl[.gz], queries.jsonl and qrels.tsv in each."
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


def evaluate(
    folders: Folders, language: Language = "", as_json: AsJson = False, quiet: Quiet = False
) -> None:
    """Measures how well judged queries are answered.

    By nDCG@10, MAP, MRR, P@1, P@10 and R@100. Each corpus is indexed in a temporary folder; no
    collection of pages is needed.
    """
    from gossamer.evaluate.collection import read_collection
    from gossamer.evaluate.run import evaluate as measured

    collections = [read_collection(folder, language) for folder in folders]
    with step_watch(quiet) as observer:
        outcomes = [measured(collection, observer=observer) for collection in collections]
    if as_json:
        print_json({"collections": [_flat(outcome) for outcome in outcomes]})
    else:
        _print(outcomes)


def _flat(outcome: Outcome) -> dict[str, object]:
    shown = asdict(outcome)
    measures = shown.pop("measures")
    return {**shown, **measures}


def _print(outcomes: list[Outcome]) -> None:
    names = list(outcomes[0].measures)
    rows = [
        (
            outcome.collection,
            f"{outcome.documents:,}",
            f"{outcome.queries:,}",
            *(f"{outcome.measures[name]:.4f}" for name in names),
        )
        for outcome in outcomes
    ]
    print_table(("collection", "documents", "queries", *names), rows, numbers=range(1, 3 + len(names)))
