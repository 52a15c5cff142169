"""PISA by pyterrier-pisa: BM25, computed at query time or precomputed, by each of its algorithms.

Its C++ takes query after query from a Python iterator. So one call can be timed query by query, from the
moment at which it takes one to the moment at which it comes for the next: what a call costs is in no query's
time, and nothing of pyterrier is. It splits and looks up the words itself, so parsing is part of searching.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pyterrier_pisa import PisaIndex, _pisathon

from passages.engine import CLOCKS, K1, Asked, B, Clock, Engine

RANKED = {
    "or": ("maxscore", "wand", "block_max_wand", "block_max_maxscore", "ranked_or"),
    "and": ("ranked_and", "block_max_ranked_and"),
}
PRECOMPUTED = ", precomputed"


class Pisa(Engine):
    """Stores neither positions nor text. Its default encoding, blocks of 64."""

    kinds: ClassVar[tuple[str, ...]] = ("or", "and")
    builds_on_one_core: ClassVar[bool] = False  # it would hang

    def version(self) -> str:
        return version("pyterrier-pisa")

    def build(self, file: Path, folder: Path, clock: Clock, memory: int) -> None:
        index = PisaIndex(str(folder), stemmer="none", stops="none", threads=1)
        with clock.stage("add"):
            batches = clock.prepared(file, lambda number, line: {"docno": str(number), "text": line})
            index.indexer("text").index(document for batch in batches for document in batch)
        with clock.stage("commit"):
            self.open(folder)  # compresses both ways

    def open(self, folder: Path) -> None:
        warnings.simplefilter("ignore")
        self._index = PisaIndex(str(folder), stemmer="none", stops="none", threads=1)
        self._contexts = {
            algorithm: self._index.bm25(k1=K1, b=B, precompute_impact=bool(algorithm))._ctxt
            for algorithm in ("", PRECOMPUTED)
        }

    def state(self) -> dict[str, int]:
        return {"documents": self._index.num_docs(), "segments": 1}

    def frequency(self, word: str) -> int:
        return len(self.ask("or", "ranked_or", self._index.num_docs(), [word], "wall").answers[0])

    def sizes(self, folder: Path) -> dict[str, int]:
        """Of the precomputed index; what it and the other are made from is no part of either."""
        sizes = {"dictionary": (folder / "fwd.termlex").stat().st_size, "postings": 0, "other": 0}
        for file in folder.iterdir():
            if ".q1." in file.name:
                sizes["postings"] += file.stat().st_size
            elif file.name == "fwd.doclex":
                sizes["other"] += file.stat().st_size
        return sizes

    def algorithms(self, kind: str) -> tuple[str, ...]:
        return tuple(name + how for name in RANKED[kind] for how in ("", PRECOMPUTED))

    def ask(self, kind: str, algorithm: str, k: int, queries: Sequence[str], clock: str) -> Asked:
        name, precomputed = algorithm.removesuffix(PRECOMPUTED), algorithm.endswith(PRECOMPUTED)
        taken = Taken(queries, CLOCKS[clock])
        room = len(queries) * k
        places, ranks = np.empty(room, np.int32), np.empty(room, np.int32)
        names, scores = np.empty(room, object), np.empty(room, np.float32)
        gc.collect()
        gc.disable()
        found = _pisathon.retrieve(
            self._contexts[PRECOMPUTED if precomputed else ""],
            name,
            taken,
            k=k,
            threads=1,
            query_weighted=0,
            pretokenised=False,
            result_qidxs=places,
            result_docnos=names,
            result_ranks=ranks,
            result_scores=scores,
        )
        gc.enable()
        answers: list[list[int]] = [[] for _ in queries]
        for place, number in zip(places[:found].tolist(), names[:found].tolist(), strict=True):
            answers[place].append(int(number))
        return Asked([0] * len(queries), taken.spent(), answers)


class Taken:
    """Queries that are handed out one by one, and the moments at which that happened."""

    def __init__(self, queries: Sequence[str], now: Callable[[], int]) -> None:
        self._queries = queries
        self._now = now
        self._moments: list[int] = []

    def __len__(self) -> int:
        return len(self._queries)

    def __iter__(self) -> Iterator[Any]:
        now = self._now
        for numbered in enumerate(self._queries):
            self._moments.append(now())
            yield numbered
        self._moments.append(now())

    def spent(self) -> list[int]:
        return np.diff(self._moments).tolist()
