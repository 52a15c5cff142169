"""Figures of an evaluation in a file, to compare later ones against: means and the values of every query."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gossamer.disk import write_atomically
from gossamer.evaluate.measures import NAMES, PerQuery
from gossamer.evaluate.run import Outcome
from gossamer.model import GossamerError


def as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome with its queries."""
    return {**outcome.flat(), "per_query": outcome.per_query}


def save(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Writes the figures of collections."""
    content = {"collections": [as_json(outcome) for outcome in outcomes]}
    write_atomically(path, json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n")


def load(path: Path) -> dict[str, PerQuery]:
    """The values of every query, by the name of the collection."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = {row["collection"]: row["per_query"] for row in content["collections"]}
        return {name: _values(each) for name, each in found.items()}
    except OSError as error:
        raise GossamerError(f"{path}: it cannot be read ({error})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GossamerError(
            f"{path}: no figures of `gossamer eval --save` ({type(error).__name__}: {error})"
        ) from error


def _values(each: dict[str, dict[str, float]]) -> PerQuery:
    return {query: {name: float(values[name]) for name in NAMES} for query, values in each.items()}
