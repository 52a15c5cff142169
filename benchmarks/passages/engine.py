"""What is asked of every engine? It builds an index of passages, opens it and answers queries.

A query is timed from its text to the documents: first what makes the engine's own form of query of it, then
what finds the documents. No text of a document is read. Answers are numbers of passages, best first; they get
that form after all queries were timed.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Protocol

K1, B = 1.2, 0.75  # of everybody's BM25
CLOCKS = {"wall": time.perf_counter_ns, "cpu": time.process_time_ns}  # processor time of all threads
AT_ONCE = 5_000  # passages that become documents before the clock of the building runs


@dataclass(frozen=True, slots=True)
class Asked:
    """Nanoseconds of every query, and what it found."""

    parsing: list[int]
    searching: list[int]
    answers: list[list[int]]


class Clock:
    """Wall and processor seconds by stage; the time in which input is prepared is told apart."""

    def __init__(self) -> None:
        self.stages: dict[str, dict[str, float]] = {}
        self.preparing = 0.0  # processor seconds of the thread that prepares

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        wall, cpu, prepared = time.perf_counter(), time.process_time(), self.preparing
        yield
        own = self.preparing - prepared
        spent = self.stages.setdefault(name, {"wall": 0.0, "cpu": 0.0})
        spent["wall"] += time.perf_counter() - wall - own
        spent["cpu"] += time.process_time() - cpu - own

    @contextmanager
    def preparation(self) -> Iterator[None]:
        begun = time.thread_time()
        yield
        self.preparing += time.thread_time() - begun

    def prepared(self, file: Path, document: Callable[[int, str], Any]) -> Iterator[list[Any]]:
        """The lines of a file as documents, in batches."""
        with file.open(encoding="ascii") as lines:
            numbered = enumerate(lines)
            while True:
                with self.preparation():
                    batch = [document(number, line[:-1]) for number, line in islice(numbered, AT_ONCE)]
                if not batch:
                    return
                yield batch


class Engine(Protocol):
    """An engine with one index. Subclasses say which kinds of query they know, and which algorithms."""

    kinds: ClassVar[tuple[str, ...]] = ("or", "and", "phrase")
    builds_on_one_core: ClassVar[bool] = True

    def version(self) -> str: ...

    def build(self, file: Path, folder: Path, clock: Clock, memory: int) -> None:
        """Makes an index of a file of passages in one thread, with so many bytes where that can be chosen."""

    def open(self, folder: Path) -> None: ...

    def state(self) -> dict[str, int]:
        """Documents and segments."""

    def frequency(self, word: str) -> int: ...

    def sizes(self, folder: Path) -> dict[str, int]:
        """Bytes by structure: dictionary, postings, positions, stored, other."""
        return {"all": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())}

    def algorithms(self, kind: str) -> tuple[str, ...]:
        return ("",)

    def prepared(self, kind: str, text: str) -> Any:
        """A query in the engine's own form."""

    def found(self, query: Any, algorithm: str, k: int) -> Any:
        """The best k documents in the engine's own form."""

    def numbers(self, found: Any) -> list[int]:
        """Those documents as numbers of passages."""

    def ask(self, kind: str, algorithm: str, k: int, queries: Sequence[str], clock: str) -> Asked:
        """Every query once; the collector of garbage rests meanwhile."""
        parsing, searching, found = [], [], []
        now = CLOCKS[clock]
        gc.collect()
        gc.disable()
        for text in queries:
            begun = now()
            query = self.prepared(kind, text)
            ready = now()
            answer = self.found(query, algorithm, k)
            done = now()
            parsing.append(ready - begun)
            searching.append(done - ready)
            found.append(answer)
        gc.enable()
        return Asked(parsing, searching, [self.numbers(one) for one in found])
