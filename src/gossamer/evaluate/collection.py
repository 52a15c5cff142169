"""What is in a folder with a test collection: documents, queries, and who judged what relevant?

    corpus.jsonl[.gz]    {"_id": "184", "title": "...", "text": "...", "language": "en"} on each line
    queries.jsonl[.gz]   {"_id": "1", "text": "..."}
    qrels.tsv            query-id, corpus-id, score, with or without a header; or TREC's four columns,
                         query, 0, document, score

A document without a language speaks that of the collection: a folder named like `xquad-de` is taken as
German, any other as English.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from gossamer.model import GossamerError, UsageError
from gossamer.text.analysis import SNOWBALL

DEFAULT_LANGUAGE = "en"
_COLUMNS = {3: (0, 1, 2), 4: (0, 2, 3)}  # query, document, score: BEIR's three columns, TREC's four


@dataclass(frozen=True, slots=True)
class Document:
    """One document of the corpus."""

    id: str
    title: str
    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """How relevant somebody found a document for a query; 0 is not at all."""

    query: str
    document: str
    score: int


@dataclass(frozen=True, slots=True)
class TestCollection:
    """Queries and judgements in memory; the documents are read from the file each time."""

    __test__ = False  # no test class, though its name begins like one

    name: str
    corpus: Path
    language: str
    queries: dict[str, str]  # only those that somebody judged
    judgements: tuple[Judgement, ...]

    def documents(self) -> Iterator[Document]:
        """Every document, in the order of the file."""
        seen: set[str] = set()
        for place, row in _rows(self.corpus):
            document = Document(
                _text(row, "_id", place),
                _text(row, "title", place, default=""),
                _text(row, "text", place),
                _text(row, "language", place, default="") or self.language,
            )
            if document.id in seen:
                raise GossamerError(f"{place}: the document {document.id!r} stands in the corpus twice")
            seen.add(document.id)
            yield document


def read_collection(folder: Path, language: str = "") -> TestCollection:
    """The test collection in a folder; an error names the file and the line."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; give one with corpus.jsonl, queries.jsonl and qrels.tsv")
    corpus, queries = _existing(folder, "corpus.jsonl"), _existing(folder, "queries.jsonl")
    qrels = _existing(folder, "qrels.tsv")
    judgements = tuple(_judgements(qrels))
    texts = {_text(row, "_id", place): _text(row, "text", place) for place, row in _rows(queries)}
    judged = dict.fromkeys(judgement.query for judgement in judgements)
    unknown = next((query for query in judged if query not in texts), None)
    if unknown is not None:
        raise GossamerError(f"{qrels}: the query {unknown!r} does not stand in {queries.name}")
    if not judged:
        raise GossamerError(f"{qrels}: nothing is judged")
    name = folder.resolve().name
    return TestCollection(
        name, corpus, language or language_of(name), {query: texts[query] for query in judged}, judgements
    )


def language_of(name: str) -> str:
    """The language that a collection's name ends in.

    >>> language_of("xquad-de"), language_of("cran")
    ('de', 'en')
    """
    suffix = name.rpartition("-")[2].lower()
    return suffix if suffix != name and suffix in SNOWBALL else DEFAULT_LANGUAGE


def _existing(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise UsageError(f"{folder} is no test collection: there is no {name} in it, nor {name}.gz")


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """The lines that are not empty, each with its place for messages."""
    number = 0
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield f"{path}, line {number}", line.rstrip("\n")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise GossamerError(f"{path}, after line {number}: it cannot be read ({error})") from error


def _opened(path: Path) -> TextIO:
    # Files from Windows may begin with a byte order mark.
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for place, line in _lines(path):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise GossamerError(f"{place}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise GossamerError(f"{place}: not a JSON object")
        yield place, row


def _text(row: dict[str, Any], key: str, place: str, default: str | None = None) -> str:
    value = row.get(key, default)
    if value is None and default is not None:
        return default
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise GossamerError(f'{place}: "{key}" is missing or no string')
    return str(value)


def _judgements(path: Path) -> Iterator[Judgement]:
    first = True
    for place, line in _lines(path):
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
