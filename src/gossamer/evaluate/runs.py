"""TREC run files.

query Q0 document rank score tag

A run is ranked by its scores; equal ones are put in falling order of the documents' names and the column of
ranks means nothing, as trec_eval has it. What is written here has scores that fall by 1 from rank to rank:
the first phase of a search counts impacts, the second full scores, and a tool that sorts by score must find
the order in which a person would have met the documents.
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
    """The rankings of a run file."""
    scored: dict[str, dict[str, float]] = {}
    for place, line in lines(path):
        cells = line.split()
        if len(cells) != COLUMNS:
            raise UsageError(f"{place}: a run has 6 columns (query, Q0, document, rank, score, tag)")
        query, _, document, _, score, _ = cells
        found = scored.setdefault(query, {})
        if document in found:
            raise UsageError(f"{place}: the document {document!r} answers the query {query!r} twice")
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
        raise UsageError(f"{place}: the score {score!r} is no number")
    return number


def write_run(path: Path, rankings: Rankings) -> None:
    """Writes a run file; names with white space cannot stand in one."""
    written = []
    for query, ranking in rankings.items():
        for place, document in enumerate(ranking):
            if len(query.split()) != 1 or len(document.split()) != 1:
                raise UsageError(f"{path}: {query!r}, {document!r}: a name in a run has no white space")
            score = len(ranking) - place
            written.append(f"{query} Q0 {document} {place + 1} {score} {TAG}\n")
    write_atomically(path, "".join(written).encode())
