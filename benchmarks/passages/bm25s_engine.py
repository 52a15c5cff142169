"""bm25s: scores computed beforehand, summed up by its Numba backend. It knows neither AND nor phrases."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import bm25s
import numpy as np

from passages.engine import K1, B, Clock, Engine


class Bm25s(Engine):
    """Stores no text and no positions."""

    kinds: ClassVar[tuple[str, ...]] = ("or",)

    def version(self) -> str:
        return str(bm25s.__version__)

    def build(self, file: Path, folder: Path, clock: Clock, memory: int) -> None:
        with clock.stage("add"):
            ids: dict[str, int] = {}
            numbered = []
            for batch in clock.prepared(file, lambda _, line: line):
                numbered += [[ids.setdefault(word, len(ids)) for word in line.split(" ")] for line in batch]
            index = bm25s.BM25(k1=K1, b=B, backend="numba")
            index.index((numbered, ids), show_progress=False)
        with clock.stage("commit"):
            index.save(folder)

    def open(self, folder: Path) -> None:
        # bm25s starts its kernels over several threads; one is what everybody has here.
        import numba

        numba.set_num_threads(1)
        self._index = bm25s.BM25.load(folder, mmap=False)
        self._index.backend = "numba"
        self._ids = self._index.vocab_dict

    def state(self) -> dict[str, int]:
        return {"documents": int(self._index.scores["num_docs"]), "segments": 1}

    def frequency(self, word: str) -> int:
        starts, place = self._index.scores["indptr"], self._ids.get(word, -1)
        return 0 if place < 0 else int(starts[place + 1] - starts[place])

    def prepared(self, kind: str, text: str) -> Any:
        return [[self._ids[word] for word in text.split(" ") if word in self._ids]]

    def found(self, query: Any, algorithm: str, k: int) -> Any:
        if not query[0]:
            return None  # it takes no query of unknown words
        return self._index.retrieve(query, k=k, show_progress=False, n_threads=0)

    def numbers(self, found: Any) -> list[int]:
        if found is None:
            return []
        scored = np.asarray(found.scores[0]) > 0
        return np.asarray(found.documents[0])[scored].tolist()
