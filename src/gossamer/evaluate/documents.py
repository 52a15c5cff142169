"""The documents of a test collection: a JSON object on each line, or files of `<DOC>`s as TREC has them.

    {"_id": "184", "title": "...", "text": "...", "language": "en"}

    <DOC> <DOCNO> FT911-3 </DOCNO> <HEADLINE> ... </HEADLINE> <TEXT> ... </TEXT> </DOC>

A folder stands for all files in it. Of a `<DOC>`, what its headline says is the title; the rest without
tags is the text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gossamer.evaluate.lines import beginning, rows, text_of, whole
from gossamer.model import GossamerError

_DOC = re.compile(r"<DOC>(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<DOCNO>(.*?)</DOCNO>", re.DOTALL | re.IGNORECASE)
_TITLE = re.compile(r"<(TITLE|HEADLINE|HEAD|HL|TTL|TI)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_NAMES = re.compile(r"<(DOCNO|DOCID|DOCHDR|FILEID)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Document:
    """One document of the corpus."""

    id: str
    title: str
    text: str
    language: str


def read_documents(corpus: Path, language: str) -> Iterator[Document]:
    """Every document, in the order of the file; a folder's files by name."""
    seen: set[str] = set()
    for place, document in _found(corpus, language):
        if document.id in seen:
            raise GossamerError(f"{place}: the document {document.id!r} stands in the corpus twice")
        seen.add(document.id)
        yield document


def _found(corpus: Path, language: str) -> Iterator[tuple[str, Document]]:
    if not corpus.is_dir():
        yield from _in_file(corpus, language)
        return
    for path in sorted(path for path in corpus.rglob("*") if path.is_file()):
        yield from _in_file(path, language)


def _in_file(path: Path, language: str) -> Iterator[tuple[str, Document]]:
    first = beginning(path)
    return _tagged(path, language) if first.startswith("<") else _as_json(path, language)


def _as_json(path: Path, language: str) -> Iterator[tuple[str, Document]]:
    for place, row in rows(path):
        yield (
            place,
            Document(
                text_of(row, "_id", place),
                text_of(row, "title", place, default=""),
                text_of(row, "text", place),
                text_of(row, "language", place, default="") or language,
            ),
        )


def _tagged(path: Path, language: str) -> Iterator[tuple[str, Document]]:
    content = whole(path)
    for number, found in enumerate(_DOC.finditer(content), 1):
        place, inner = f"{path}, document {number}", found[1]
        name = _NUMBER.search(inner)
        if name is None or not name[1].strip():
            raise GossamerError(f"{place}: it has no <DOCNO>")
        titles = " ".join(_plain(title[2]) for title in _TITLE.finditer(inner))
        text = _plain(_NAMES.sub(" ", _TITLE.sub(" ", inner)))
        yield place, Document(name[1].strip(), titles, text, language)


def _plain(marked: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", marked)).split())
