"""The process in which one engine works: orders come in, results go out, each a line of JSON.

    python -m passages.contender ENGINE

What an engine prints by itself goes to standard error. Runs in that engine's environment, so nothing of
Gossamer is imported here.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from passages.engine import Clock, Engine

ENGINES = {
    "gossamer": ("gossamer_engine", "Gossamer"),
    "tantivy": ("tantivy_engine", "Tantivy"),
    "pisa": ("pisa_engine", "Pisa"),
    "bm25s": ("bm25s_engine", "Bm25s"),
    "sqlite": ("sqlite_engine", "Sqlite"),
    "xapian": ("xapian_engine", "Xapian"),
}


class Contender:
    """One engine, and what it can be told to do."""

    def __init__(self, name: str) -> None:
        begun = time.perf_counter()
        module, kind = ENGINES[name]
        self._engine: Engine = getattr(import_module(f"passages.{module}"), kind)()
        self._importing = time.perf_counter() - begun

    def about(self) -> dict[str, Any]:
        engine = self._engine
        named = {kind: engine.algorithms(kind) for kind in engine.kinds}
        return {"version": engine.version(), "algorithms": named, "importing": self._importing}

    def build(self, file: str, warm: str, folder: str, core: int, memory: int) -> dict[str, Any]:
        """An index, its cost by stage and its size. A small one is built first, which loads and compiles."""
        if self._engine.builds_on_one_core:
            os.sched_setaffinity(0, {core})
        with tempfile.TemporaryDirectory() as scratch:
            self._engine.build(Path(warm), Path(scratch) / "warm", Clock(), memory)
        before = memory_now()["rss"]
        clock = Clock()
        self._engine.build(Path(file), Path(folder), clock, memory)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        sizes = self._engine.sizes(Path(folder))
        told = {"version": self._engine.version(), "peak": peak, "before": before, "sizes": sizes}
        return {"stages": clock.stages, **told}

    def open(self, folder: str, core: int, words: list[str]) -> dict[str, Any]:
        """Opens an index, and says in how many documents some words stand."""
        os.sched_setaffinity(0, {core})
        begun = time.perf_counter()
        self._engine.open(Path(folder))
        opening = time.perf_counter() - begun
        frequencies = {word: self._engine.frequency(word) for word in words}
        return {"opening": opening, "frequencies": frequencies, **self._engine.state()}

    def ask(self, kind: str, algorithm: str, k: int, queries: list[str], clock: str) -> dict[str, Any]:
        return asdict(self._engine.ask(kind, algorithm, k, queries, clock))

    def start(self, folder: str, core: int, query: str) -> dict[str, Any]:
        """The seconds from nothing but a running Python to the first answer."""
        os.sched_setaffinity(0, {core})
        begun = time.perf_counter()
        self._engine.open(Path(folder))
        opening = time.perf_counter() - begun
        asked = self._engine.ask("or", self._engine.algorithms("or")[0], 10, [query], "wall")
        answering = (asked.parsing[0] + asked.searching[0]) / 1e9
        return {"importing": self._importing, "opening": opening, "answering": answering}

    def memory(self) -> dict[str, int]:
        return memory_now()


def memory_now() -> dict[str, int]:
    """Bytes of this process: resident, its share of what is shared, and what is no file."""
    rollup = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    told = {line.split()[0][:-1]: int(line.split()[1]) * 1024 for line in rollup}
    return {"rss": told["Rss"], "pss": told["Pss"], "without_files": told["Anonymous"]}


def main() -> None:
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    contender = Contender(sys.argv[1])
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps(getattr(contender, order.pop("do"))(**order)), file=results, flush=True)


if __name__ == "__main__":
    main()
