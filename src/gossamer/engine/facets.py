"""By what could the results be narrowed? Sites, languages, types and times of the best of them, counted.

Only what a search knows together anyway is looked at (`Ranked.window`, a few hundred documents): counting all
would take longer than searching. Where fewer match than that, the counts are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.asking import Asked
from gossamer.engine.blending import topics_of
from gossamer.model import UNFETCHED, Facet
from gossamer.search.dated import moments
from gossamer.search.filters import type_name
from gossamer.search.phases import Ranked
from gossamer.search.searcher import Searcher

MOST = 8  # values of a kind
DAY = 86_400.0  # seconds
PERIODS = (1, 7, 31, 366)  # days

Counts = dict[str, Counter[str]]  # by kind


def facets(asked: Asked, found: Ranked) -> tuple[Facet, ...]:
    """Of each kind the most frequent values, ties by name; what all results have narrows nothing."""
    if asked.request.newest_first:  # of the newest no more are known than are shown
        found = asked.search.ranked(asked.searchers, asked.depth)
    counts = _counted(found, asked.searchers, asked.search.now)
    topics = topics_of(asked.opened.generation)
    return (*_most_frequent(counts), *(Facet("topic", name, 0) for name in topics))


def _counted(found: Ranked, searchers: Sequence[Searcher], now: float) -> Counts:
    counts: Counts = {kind: Counter() for kind in ("all", "site", "language", "type", "time")}
    window = found.candidates[: found.window]
    parts = [part for part in window.by_segment() if part[1] != UNFETCHED]
    for partition, number, rows in parts:
        segment, docs = searchers[partition].snapshot.views[number].segment, window.docs[rows]
        columns = segment.columns
        _add(counts["site"], columns.host_ids[docs], segment.host, len(parts) == 1)
        counts["all"][""] += len(docs)
        _add(counts["language"], columns.language_ids[docs], _named(columns.languages(), _code))
        _add(counts["type"], columns.type_ids[docs], _named(columns.types(), type_name))
        ages, times = now - moments(columns, docs), counts["time"]
        for days in PERIODS:
            times[str(days)] += int(np.count_nonzero(ages <= days * DAY))
    return counts


def _code(language: str) -> str:
    return language.lower().replace("_", "-").partition("-")[0]


def _add(
    counts: Counter[str], ids: NDArray[np.uint32], name: Callable[[int], str], largest: bool = False
) -> None:
    """Counts values by their names; with `largest` no others than those that may be shown."""
    numbers, times = np.unique(ids, return_counts=True)
    if largest and len(times) > MOST + 1:  # one of them may have an empty name
        kept = times >= np.partition(times, -MOST - 1)[-MOST - 1]
        numbers, times = numbers[kept], times[kept]
    for number, count in zip(numbers.tolist(), times.tolist(), strict=True):
        counts[name(number)] += count


def _named(names: Sequence[str], shown: Callable[[str], str]) -> Callable[[int], str]:
    """The name with a number, as it is shown; a column of nothing but empty names has an empty list."""
    return lambda number: shown(names[number]) if names else ""


def _most_frequent(counts: Counts) -> Iterator[Facet]:
    for kind in ("site", "language", "type"):
        own = sorted((-count, value) for value, count in counts[kind].items() if value)
        if len(counts[kind]) > 1:
            yield from (Facet(kind, value, -count) for count, value in own[:MOST])
    looked_at, times = counts["all"].total(), counts["time"]
    periods = ((days, times[str(days)]) for days in PERIODS)
    yield from (Facet("time", str(days), count) for days, count in periods if 0 < count < looked_at)
