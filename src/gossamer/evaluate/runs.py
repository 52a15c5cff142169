"""TREC run files.

query Q0 document rank score tag

As in trec_eval, a run is ranked by its scores; ties are broken by document name, in descending order, and the
rank column is ignored. Runs are written with scores that decrease by 1 from rank to rank: the scores of the
two phases of a search are not comparable, but a tool that sorts by score must get the order of the results.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from gossamer.evaluate.lines import lines
from gossamer.model import UsageError
from gossamer.storage.files import write_atomically

COLUMNS = 6
TAG = "gossamer"
Rankings = Mapping[str, Sequence[str]]  # documents of each query, best first


def read_run(path: Path) -> dict[str, list[str]]:
    """Read the rankings of a run file."""
    scored: dict[str, dict[str, float]] = {}
    for place, line in lines(path):
        cells = line.split()
        if len(cells) != COLUMNS:
            raise UsageError(f"{place}: a run has 6 columns (query, Q0, document, rank, score, tag)")
        query, _, document, _, score, _ = cells
        found = scored.setdefault(query, {})
        if document in found:
            raise UsageError(f"{place}: the query {query!r} has the document {document!r} twice")
        found[document] = _number(score, place)
    return {query: _ranked(found) for query, found in scored.items()}


def _ranked(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda document: (scores[document], document), reverse=True)


def _number(score: str, place: str) -> float:
    try:
        number = float(score)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise UsageError(f"{place}: the score {score!r} is not a number")
    return number


def write_run(path: Path, rankings: Rankings) -> None:
    """Write a run file; raise UsageError for names with white space, which the format does not allow."""
    written = []
    for query, ranking in rankings.items():
        for place, document in enumerate(ranking):
            if len(query.split()) != 1 or len(document.split()) != 1:
                raise UsageError(f"{path}: {query!r}, {document!r}: names in a run must not have white space")
            written.append(f"{query} Q0 {document} {place + 1} {len(ranking) - place} {TAG}\n")
    write_atomically(path, "".join(written).encode())
