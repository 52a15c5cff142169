"""How do the engines take turns, and how long does each take for every query?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from passages.corpus import KINDS, Corpus
from passages.stand import OURS, Process, Stand, say

KS = (10, 1_000)
REFERENCE = "exhaustive"  # our algorithm that the others must agree with
FEW = 50  # one query in so many says how long all of them will take
WORDS = 8  # whose document frequencies are compared

Key = tuple[str, str, str, int]  # engine, kind, algorithm, k


@dataclass(slots=True)
class Times:
    """Queries of one kind to one engine: the least nanoseconds of all rounds for each, and the answers."""

    step: int = 1  # one query in so many was asked, of an engine that takes long
    parsing: list[int] = field(default_factory=list)
    total: list[int] = field(default_factory=list)
    answers: list[list[int]] = field(default_factory=list)

    def take(self, asked: Mapping[str, Any]) -> None:
        total = [sum(pair) for pair in zip(asked["parsing"], asked["searching"], strict=True)]
        self.parsing = list(map(min, self.parsing or asked["parsing"], asked["parsing"]))
        self.total = list(map(min, self.total or total, total))
        self.answers = asked["answers"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that was measured over one corpus."""

    times: dict[Key, Times]
    states: dict[str, dict[str, Any]]  # by engine: version, algorithms, documents, segments, frequencies
    reference: dict[str, list[list[int]]]  # by kind: what our exhaustive algorithm answers


@dataclass(frozen=True, slots=True)
class Contest:
    """How often every query is asked, and timed by which clock."""

    repeat: int
    patience: float  # seconds of one round of one engine
    clock: str  # "wall", or "cpu" where the core has other things to do

    def held(self, stand: Stand, names: Sequence[str], corpus: Corpus) -> Outcome:
        """Every engine answers every query it can, in rounds; they wait for each other."""
        words = compared_words(corpus)
        with ExitStack() as stack:
            processes = {name: stack.enter_context(stand.process(name)) for name in names}
            states = {}
            for name, process in processes.items():
                place = {"folder": str(stand.kept(name, corpus)), "core": stand.core}
                states[name] = process.tell("about") | process.tell("open", **place, words=words)
            times: dict[Key, Times] = {}
            for kind in KINDS:
                for k in KS:
                    keys = list(_keys(states, kind, k))
                    times |= self._rounds(processes, keys, corpus.queries(kind))
            return Outcome(times, states, self._reference(processes, corpus))

    def _rounds(
        self, processes: Mapping[str, Process], keys: Sequence[Key], queries: list[str]
    ) -> dict[Key, Times]:
        times = {key: Times(self._warmed(processes[key[0]], key, queries)) for key in keys}
        for number in range(self.repeat):
            for key in keys:
                say(f"{' '.join(map(str, key))}, round {number + 1} of {self.repeat} ...")
                times[key].take(self._asked(processes[key[0]], key, queries[:: times[key].step]))
        return times

    def _warmed(self, process: Process, key: Key, queries: list[str]) -> int:
        """Warms an engine up; says of how many queries one shall be asked, so that a round ends in time.

        Ours has no such limit: each of its answers is checked.
        """
        self._asked(process, key, queries[:2])  # may compile
        few = self._asked(process, key, queries[::FEW])
        step = ceil(sum(few["parsing"] + few["searching"]) * FEW / 1e9 / self.patience)
        if step <= 1 or key[0] == OURS:
            self._asked(process, key, queries)
            return 1
        return step

    def _asked(self, process: Process, key: Key, queries: list[str]) -> dict[str, Any]:
        _, kind, algorithm, k = key
        told = {"kind": kind, "algorithm": algorithm, "k": k, "clock": self.clock}
        answer: dict[str, Any] = process.tell("ask", **told, queries=queries)
        return answer

    def _reference(self, processes: Mapping[str, Process], corpus: Corpus) -> dict[str, list[list[int]]]:
        keys = {kind: (OURS, kind, REFERENCE, max(KS)) for kind in KINDS}
        return {
            kind: self._asked(processes[OURS], key, corpus.queries(kind))["answers"]
            for kind, key in keys.items()
        }


def _keys(states: Mapping[str, Mapping[str, Any]], kind: str, k: int) -> Iterator[Key]:
    for name, state in states.items():
        for algorithm in state["algorithms"].get(kind, []):
            yield name, kind, algorithm, k


def compared_words(corpus: Corpus) -> list[str]:
    """Some words of the queries."""
    return list(dict.fromkeys(" ".join(corpus.queries("or")).split(" ")))[:WORDS]
