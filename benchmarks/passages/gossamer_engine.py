"""Gossamer through its public classes: `SegmentWriter`, `Index`, `Searcher`, `parse` and `plan`.

A passage is the text of a page in a language without a stemmer, so that its terms are its words. A page also
has an address, whose host is indexed: one word more a passage, the same for all, which stands in no text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import Page, Url
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.search.searcher import Searcher
from gossamer.storage.files import read_arrays
from gossamer.text.terms import analyser
from passages.engine import Asked, Clock, Engine

LANGUAGE = "xx"
HOST = "qqqqqqqqqq.test"
SCHEME = "bm25f"
ALGORITHM = "blockmax"  # the default, "auto", does without kernels in a process that has loaded none
STRUCTURES = {"terms": "dictionary", "positions": "positions", "stored": "stored"}  # by the names of files
STRUCTURES |= dict.fromkeys(["entries", "documents", "impacts"], "postings")


class Gossamer(Engine):
    """The default scheme and algorithm; no static rank."""

    def version(self) -> str:
        return version("gossamer-search")

    def build(self, file: Path, folder: Path, clock: Clock, memory: int) -> None:
        index = Index(folder)
        writer = SegmentWriter(LANGUAGE)
        weighting = None
        for batch in clock.prepared(file, _page):
            with clock.stage("add"):
                for page in batch:
                    writer.add(page)
            if writer.memory >= memory:
                weighting = _commit(index, writer, weighting, clock)
        _commit(index, writer, weighting, clock)
        with clock.stage("merge"):
            index.merge_all()

    def open(self, folder: Path) -> None:
        self._snapshot = Index(folder).snapshot()
        self._searcher = Searcher(0, self._snapshot, None, 0.0)
        self._languages = self._snapshot.languages()
        self._numbers: dict[int, int] = {}

    def state(self) -> dict[str, int]:
        return {"documents": self._snapshot.documents, "segments": len(self._snapshot.views)}

    def frequency(self, word: str) -> int:
        term = analyser(LANGUAGE)[word]
        return self._snapshot.term_stats([term]).frequencies[term]

    def sizes(self, folder: Path) -> dict[str, int]:
        sizes = dict.fromkeys(["dictionary", "postings", "positions", "stored", "other"], 0)
        for file in folder.rglob("segment-*/*"):
            for part, size in _parts(file):
                sizes[part] += size
        return sizes

    def algorithms(self, kind: str) -> tuple[str, ...]:
        return (ALGORITHM,)

    def prepared(self, kind: str, text: str) -> Any:
        typed = text
        if kind == "phrase":
            typed = f'"{text}"'
        elif kind == "and":
            typed = " AND ".join(text.split(" "))
        return plan(parse(typed), self._languages)

    def found(self, query: Any, algorithm: str, k: int) -> Any:
        return self._searcher.search(query, None, k, SCHEME, algorithm, count=False)  # no peer counts here

    def ask(self, kind: str, algorithm: str, k: int, queries: Sequence[str], clock: str) -> Asked:
        parse.cache_clear()  # each query is parsed, as if nobody had asked it before
        return super().ask(kind, algorithm, k, queries, clock)

    def numbers(self, found: Any) -> list[int]:
        return [self._number_of()[page] for page in found.candidates.pages.tolist()]

    def _number_of(self) -> dict[int, int]:
        if not self._numbers:
            self._numbers = {_url(number).fingerprint: number for number in range(self._snapshot.documents)}
        return self._numbers


def _commit(index: Index, writer: SegmentWriter, weighting: Weighting | None, clock: Clock) -> Weighting:
    with clock.stage("commit"):
        weighting = weighting or Weighting.frozen_for(writer.total_lengths(), len(writer))
        index.commit(writer, np.empty(0, np.uint64), weighting)
    return weighting


def _url(number: int) -> Url:
    """Documents are sorted by address, so these rise with the numbers; what is behind ? is not indexed."""
    return Url.parsed(f"http://{HOST}/?{number:08}")


def _page(number: int, line: str) -> Page:
    return Page(_url(number), text=line, language=LANGUAGE)


def _parts(file: Path) -> Iterator[tuple[str, int]]:
    """What a file is a part of, and its size; where positions stand is a part of the positions."""
    part = STRUCTURES.get(file.name.partition(".")[0], "other")
    size = file.stat().st_size
    if file.name == "entries.arrays":
        blocks = read_arrays(file)["position_blocks"].nbytes
        yield "positions", blocks
        size -= blocks
    yield part, size
