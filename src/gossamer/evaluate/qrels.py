"""Who judged what relevant? BEIR's three columns, with or without headings, or TREC's four."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gossamer.evaluate.lines import lines
from gossamer.model import GossamerError

_COLUMNS = {3: (0, 1, 2), 4: (0, 2, 3)}  # query, document, score


@dataclass(frozen=True, slots=True)
class Judgement:
    """How relevant somebody found a document for a query; 0 is not at all, and so is less."""

    query: str
    document: str
    score: int


def read_judgements(path: Path) -> tuple[Judgement, ...]:
    found = tuple(_judgements(path))
    if not found:
        raise GossamerError(f"{path}: nothing is judged")
    return found


def _judgements(path: Path) -> Iterator[Judgement]:
    first = True
    for place, line in lines(path):
        cells = [cell.strip() for cell in line.split("\t")] if "\t" in line else line.split()
        if len(cells) not in _COLUMNS:
            raise GossamerError(f"{place}: 3 columns (query, document, score) or TREC's 4, not {len(cells)}")
        query, document, score = (cells[column] for column in _COLUMNS[len(cells)])
        try:
            yield Judgement(query, document, int(score))
        except ValueError:
            if not first:
                raise GossamerError(f"{place}: the score {score!r} is no whole number") from None
        first = False
