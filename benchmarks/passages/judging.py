"""Are the answers right?

Ours must be those of our exhaustive algorithm, document for document. A peer weighs words by a BM25 of its
own, so its order may differ; but which documents hold all words, or hold them in a row, is the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from passages.contest import Outcome
from passages.stand import OURS

TOP = 10


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was compared with what, and how far it agrees."""

    wrong: list[str]  # our answers that are not the exhaustive ones, and frequencies that differ
    overlap: dict[
        str, dict[str, float]
    ]  # by engine and kind: the share of our top ten that it has in its own
    matching: dict[str, dict[str, tuple[int, int]]]  # by engine and kind: same sets of documents, of how many


def judged(outcome: Outcome, queries: dict[str, list[str]]) -> Verdict:
    return Verdict([*_wrong_answers(outcome, queries), *_wrong_frequencies(outcome)], *_beside(outcome))


def _wrong_answers(outcome: Outcome, queries: dict[str, list[str]]) -> Iterator[str]:
    for (name, kind, algorithm, k), times in outcome.times.items():
        if name != OURS:
            continue
        asked = zip(queries[kind], times.answers, outcome.reference[kind], strict=True)
        for query, answer, expected in asked:
            if answer != expected[:k]:
                yield f"{kind} {k} {algorithm}: {query!r} is not answered as by the exhaustive algorithm"


def _wrong_frequencies(outcome: Outcome) -> Iterator[str]:
    ours = outcome.states[OURS]["frequencies"]
    for name, state in outcome.states.items():
        for word, frequency in ours.items():
            if state["frequencies"][word] != frequency:
                yield f"{word!r} stands in {frequency} documents, for {name} in {state['frequencies'][word]}"


Shares = dict[str, dict[str, float]]
Sets = dict[str, dict[str, tuple[int, int]]]


def _beside(outcome: Outcome) -> tuple[Shares, Sets]:
    overlap: Shares = {}
    matching: Sets = {}
    for (name, kind, _, k), times in outcome.times.items():
        if name == OURS:
            continue
        ours = outcome.reference[kind][:: times.step]
        pairs = [(mine[:k], theirs) for mine, theirs in zip(ours, times.answers, strict=True)]
        if k == TOP:
            overlap.setdefault(name, {})[kind] = _overlap(pairs)
        elif kind != "or":
            whole = [pair for pair in pairs if max(map(len, pair)) < k]
            same = sum(set(mine) == set(theirs) for mine, theirs in whole)
            matching.setdefault(name, {})[kind] = same, len(whole)
    return overlap, matching


def _overlap(pairs: list[tuple[list[int], list[int]]]) -> float:
    shares = [len(set(mine) & set(theirs)) / len(mine) for mine, theirs in pairs if mine]
    return sum(shares) / max(1, len(shares))
