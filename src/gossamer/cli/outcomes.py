"""How figures of an evaluation look: a table of collections, one of queries, one of comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.cli.judged import as_rows, mean_changes, print_comparisons
from gossamer.cli.show import print_json, print_table
from gossamer.results.show import shortened

if TYPE_CHECKING:
    from gossamer.evaluate.collection import TestCollection
    from gossamer.evaluate.compare import Comparison
    from gossamer.evaluate.measures import PerQuery
    from gossamer.evaluate.run import Outcome

LONGEST_QUERY = 60  # characters


def show(
    collections: list[TestCollection],
    outcomes: list[Outcome],
    before: list[PerQuery],
    against: Path | None,
    per_query: bool,
    as_json: bool,
) -> None:
    """Shows what was measured, and what changed since `before`."""
    from gossamer.evaluate.against import compared

    pairs = zip(before, outcomes, strict=True) if against else ()
    found = [compared(*pair, against) for pair in pairs if against]
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
        named = [(outcome.collection, one) for outcome, one in zip(outcomes, found, strict=True)]
        print_comparisons(named)
        for line in mean_changes(named):
            print(line)


def _rows(
    outcomes: list[Outcome], found: list[dict[str, Comparison]], per_query: bool
) -> list[dict[str, Any]]:
    rows = []
    for number, outcome in enumerate(outcomes):
        row: dict[str, Any] = outcome.flat()
        if per_query:
            row["per_query"] = outcome.per_query
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
    """The queries of a collection; with something to compare with, what each gained in nDCG@10."""
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
