"""Xapian by its Python bindings: terms with positions, text as the document's data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import xapian

from passages.engine import K1, B, Clock, Engine

PARTS = {"postlist": "postings", "position": "positions", "docdata": "stored"}  # by name of a file
FLUSH = 100_000  # documents between two flushes, as its manual advises for bulk work


class Xapian(Engine):
    """Its dictionary is part of the postings."""

    def version(self) -> str:
        return str(xapian.version_string())

    def build(self, file: Path, folder: Path, clock: Clock, memory: int) -> None:
        folder.mkdir(parents=True)
        unmerged = folder / "unmerged"
        base = xapian.WritableDatabase(str(unmerged), xapian.DB_CREATE | xapian.DB_NO_SYNC)
        with clock.stage("add"):
            for batch in clock.prepared(file, lambda _, line: line):
                for line in batch:
                    base.add_document(_document(line))
                if base.get_doccount() % FLUSH == 0:
                    base.commit()
        with clock.stage("commit"):
            base.commit()
        with clock.stage("merge"):
            base.compact(str(folder / "index"))
        base.close()
        for left in unmerged.iterdir():
            left.unlink()
        unmerged.rmdir()

    def open(self, folder: Path) -> None:
        self._base = xapian.Database(str(folder / "index"))
        self._enquire = xapian.Enquire(self._base)
        self._enquire.set_weighting_scheme(xapian.BM25Weight(K1, 0, 1, B, 0.5))
        self._enquire.set_docid_order(xapian.Enquire.DONT_CARE)

    def state(self) -> dict[str, int]:
        return {"documents": self._base.get_doccount(), "segments": 1}

    def frequency(self, word: str) -> int:
        return int(self._base.get_termfreq(word))

    def sizes(self, folder: Path) -> dict[str, int]:
        sizes = dict.fromkeys([*PARTS.values(), "other"], 0)
        for file in (folder / "index").iterdir():
            sizes[PARTS.get(file.stem, "other")] += file.stat().st_size
        return sizes

    def prepared(self, kind: str, text: str) -> Any:
        words = text.split(" ")
        if kind == "phrase":
            return xapian.Query(xapian.Query.OP_PHRASE, words, len(words))
        return xapian.Query(xapian.Query.OP_AND if kind == "and" else xapian.Query.OP_OR, words)

    def found(self, query: Any, algorithm: str, k: int) -> Any:
        self._enquire.set_query(query)
        return self._enquire.get_mset(0, k)

    def numbers(self, found: Any) -> list[int]:
        return [hit.docid - 1 for hit in found]


def _document(line: str) -> Any:
    document = xapian.Document()
    document.set_data(line)
    for position, word in enumerate(line.split(" ")):
        document.add_posting(word, position)
    return document
