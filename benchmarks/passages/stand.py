"""Where does every engine work, with which Python, and where is what it builds?"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from passages.corpus import Corpus

OURS = "gossamer"
WARM = 1_000  # passages of the index that is built first in every process that builds


class Missing(Exception):
    """An engine that is not there, or went away, with the reason."""


class Process:
    """A contender's process; `tell` waits for its answer."""

    def __init__(self, name: str, python: str, log: Path) -> None:
        self._name = name
        self._log = log
        with log.open("wb") as errors:
            self._child = subprocess.Popen(
                [python, "-m", "passages.contender", name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=Path(__file__).parent.parent,
                text=True,
            )

    def tell(self, do: str, **order: Any) -> Any:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        with suppress(BrokenPipeError):
            print(json.dumps({"do": do, **order}), file=self._child.stdin, flush=True)
        answer = self._child.stdout.readline()
        if not answer:
            said = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise Missing(f"{self._name}: {said[-1] if said else 'ended without a word'}")
        return json.loads(answer)

    def end(self) -> None:
        with suppress(BrokenPipeError):
            self._child.communicate()


@dataclass(frozen=True, slots=True)
class Stand:
    """What all parts of the benchmark share."""

    cache: Path
    pythons: Mapping[str, str]  # by engine
    core: int
    memory: int  # bytes for an index that is being built

    @contextmanager
    def process(self, name: str) -> Iterator[Process]:
        log = self.cache / "logs" / f"{name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        process = Process(name, self.pythons[name], log)
        try:
            yield process
        finally:
            process.end()

    def missing(self) -> dict[str, str]:
        """Engines that cannot be had, with the reason."""
        reasons = {}
        for name in self.pythons:
            try:
                with self.process(name) as process:
                    process.tell("about")
            except (Missing, OSError) as error:
                reasons[name] = str(error)
        return reasons

    def kept(self, name: str, corpus: Corpus) -> Path:
        """Where an engine's index of a corpus stands."""
        return self.cache / "indexes" / corpus.folder.name / name

    def index(self, name: str, corpus: Corpus) -> dict[str, Any]:
        """What the index cost that is there now. A peer's is built once; ours may change with every edit."""
        about = self.kept(name, corpus).with_suffix(".json")
        if name != OURS and about.exists():
            told: dict[str, Any] = json.loads(about.read_text(encoding="utf-8"))
            with self.process(name) as process:
                version = process.tell("about")["version"]
            if told["version"] == version and told["passages"] == corpus.passages:
                return told
        return self.rebuilt(name, corpus)

    def rebuilt(self, name: str, corpus: Corpus) -> dict[str, Any]:
        """A new index, and what it cost. A mark beside it says that it is whole."""
        folder = self.kept(name, corpus)
        about = folder.with_suffix(".json")
        about.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        told = self._built(name, corpus, folder) | {"passages": corpus.passages}
        about.write_text(json.dumps(told), encoding="utf-8")
        return told

    def _built(self, name: str, corpus: Corpus, folder: Path) -> dict[str, Any]:
        folder.parent.mkdir(parents=True, exist_ok=True)
        warm = folder.parent / "warm.txt"
        with corpus.file.open(encoding="ascii") as lines:
            warm.write_text("".join(islice(lines, WARM)), encoding="ascii")
        files = {"file": str(corpus.file), "warm": str(warm), "folder": str(folder)}
        with self.process(name) as process:
            built: dict[str, Any] = process.tell("build", **files, core=self.core, memory=self.memory)
            return built


def default_core() -> int:
    """The last one that this process may use: the first ones have more to do."""
    return max(os.sched_getaffinity(0))


def say(text: str) -> None:
    """Tells how far it is, where it does not stand in the way of the result."""
    print(text, file=sys.stderr, flush=True)
