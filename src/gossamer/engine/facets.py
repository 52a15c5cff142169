"""By what could the results be narrowed? Sites, languages, types and times of the best of them, counted.

Only what a search knows together anyway is looked at (`Ranked.window`, a few hundred documents): counting all
would take longer than searching. Where fewer match than that, the counts are exact. They are of all results
also where one group of them is shown: a narrowed query has other groups, so narrowing leaves the group.
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

_SECONDS = DAY * np.array(PERIODS)

Counts = dict[str, int]  # by value
Times = dict[int, int]  # by its number
Ages = NDArray[np.float64]  # seconds


def facets(asked: Asked, found: Ranked) -> tuple[Facet, ...]:
    """Of each kind the most frequent values, ties by name; what all results have narrows nothing."""
    counts, ages = _counted(found, asked.searchers, asked.search.now)
    topics = topics_of(asked.opened.generation)
    return (*_most_frequent(counts), *_recent(ages), *(Facet("topic", name, 0) for name in topics))


def _counted(found: Ranked, searchers: Sequence[Searcher], now: float) -> tuple[dict[str, Counts], Ages]:
    """Values by their kinds, and how old all documents are."""
    sites, languages, types, ages = Counts(), Counts(), Counts(), [np.empty(0)]
    window = found.candidates[: found.window]
    parts = [part for part in window.by_segment() if part[1] != UNFETCHED]
    for partition, number, rows in parts:
        segment, docs = searchers[partition].snapshot.views[number].segment, window.docs[rows]
        columns = segment.columns
        # Hosts may be many, and NumPy does not count those of a few documents faster.
        _add(sites, Counter(columns.host_ids[docs].tolist()), segment.host, len(parts) == 1)
        _add(languages, _times(columns.language_ids[docs]), _named(columns.languages(), _code))
        _add(types, _times(columns.type_ids[docs]), _named(columns.types(), type_name))
        ages.append(now - moments(columns, docs))
    return {"site": sites, "language": languages, "type": types}, np.concatenate(ages)


def _code(language: str) -> str:
    return language.lower().replace("_", "-").partition("-")[0]


def _times(ids: NDArray[np.uint32]) -> Times:
    """How often each of some small numbers is there."""
    return {number: count for number, count in enumerate(np.bincount(ids).tolist()) if count}


def _add(counts: Counts, times: Times, name: Callable[[int], str], largest: bool = False) -> None:
    """Counts values by their names; with `largest` no others than those that may be shown."""
    least = 0
    if largest and len(times) > MOST + 1:  # one of them may have an empty name
        least = sorted(times.values())[-MOST - 1]
    for number, count in times.items():
        if count >= least:
            value = name(number)
            counts[value] = counts.get(value, 0) + count


def _named(names: Sequence[str], shown: Callable[[str], str]) -> Callable[[int], str]:
    """The name with a number, as it is shown; a column of nothing but empty names has an empty list."""
    return lambda number: shown(names[number]) if names else ""


def _most_frequent(counts: dict[str, Counts]) -> Iterator[Facet]:
    for kind, own in counts.items():
        if len(own) > 1:
            ranked = sorted([(-count, value) for value, count in own.items() if value])
            yield from [Facet(kind, value, -count) for count, value in ranked[:MOST]]


def _recent(ages: Ages) -> Iterator[Facet]:
    newest = np.sort(ages)
    counts = np.searchsorted(newest, _SECONDS, "right").tolist()
    for days, count in zip(PERIODS, counts, strict=True):
        if 0 < count < len(ages):
            yield Facet("time", str(days), count)
