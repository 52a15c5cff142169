"""SQLite's FTS5: a virtual table that keeps the text, ranked by its bm25()."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from passages.engine import Clock, Engine

NAME = "passages.sqlite"


class Sqlite(Engine):
    """Every word of a query stands in quotation marks, so that none is taken for an operator."""

    def version(self) -> str:
        return sqlite3.sqlite_version

    def build(self, file: Path, folder: Path, clock: Clock, memory: int) -> None:
        folder.mkdir(parents=True)
        base = sqlite3.connect(folder / NAME)
        base.execute(f"PRAGMA cache_size = -{memory // 1024}")
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("CREATE VIRTUAL TABLE passages USING fts5(body, tokenize = 'ascii')")
        with clock.stage("add"):
            for batch in clock.prepared(file, lambda number, line: (number, line)):
                base.executemany("INSERT INTO passages(rowid, body) VALUES (?, ?)", batch)
        with clock.stage("commit"):
            base.commit()
        with clock.stage("merge"):
            base.execute("INSERT INTO passages(passages) VALUES ('optimize')")
            base.commit()
        base.close()

    def open(self, folder: Path) -> None:
        self._base = sqlite3.connect(f"file:{folder / NAME}?mode=ro", uri=True)
        self._base.execute("PRAGMA mmap_size = 4000000000")
        self._base.execute("PRAGMA cache_size = -1000000")

    def state(self) -> dict[str, int]:
        (documents,) = self._base.execute("SELECT count(*) FROM passages_docsize").fetchone()
        return {"documents": documents, "segments": 1}

    def frequency(self, word: str) -> int:
        counted = "SELECT count(*) FROM passages WHERE passages MATCH ?"
        return int(self._base.execute(counted, (f'"{word}"',)).fetchone()[0])

    def sizes(self, folder: Path) -> dict[str, int]:
        return {"all": (folder / NAME).stat().st_size}

    def prepared(self, kind: str, text: str) -> Any:
        if kind == "phrase":
            return f'"{text}"'
        return (" AND " if kind == "and" else " OR ").join(f'"{word}"' for word in text.split(" "))

    def found(self, query: Any, algorithm: str, k: int) -> Any:
        ranked = "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT ?"
        return self._base.execute(ranked, (query, k)).fetchall()

    def numbers(self, found: Any) -> list[int]:
        return [number for (number,) in found]
