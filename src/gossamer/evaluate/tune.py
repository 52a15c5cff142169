"""Chooses settings by judged queries, and tells what that is worth on queries that had no say in it.

With several collections each is held out in turn: settings are chosen by the others and measured on it.
With one, its queries are divided into folds, and each fold is held out. The settings that are written in
the end are chosen by everything, so nothing is left to measure them on; the figures of what was held out
stand for them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from gossamer.engine.config import Config
from gossamer.engine.progress import StepObserver
from gossamer.evaluate.ascent import Summit, ascend, steps
from gossamer.evaluate.collection import TestCollection
from gossamer.evaluate.compare import Comparison, compare
from gossamer.evaluate.indexed import indexed
from gossamer.evaluate.measures import NAMES, PerQuery
from gossamer.evaluate.trials import Part, Trials
from gossamer.evaluate.tunable import Parameter, Point, point_of
from gossamer.model import UsageError


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be tuned, and how."""

    parameters: Sequence[Parameter]
    measures: Sequence[str]
    folds: int = 5
    restarts: int = 1


@dataclass(frozen=True, slots=True)
class Fold:
    """What was held out, what chose, and what was chosen."""

    name: str
    training: Part
    held: Part
    point: Point = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A collection before, and under settings chosen without the queries that are measured."""

    collection: str
    measures: dict[str, Comparison]


@dataclass(frozen=True, slots=True)
class Tuned:
    """What came of it."""

    held_out: tuple[HeldOut, ...]
    folds: tuple[Fold, ...]
    before: Point
    chosen: Point | None  # by everything; None when it was stopped before that began
    idle: frozenset[str]  # parameters that changed nothing
    trials: int
    seconds: float
    stopped: bool


def tune(
    collections: Sequence[TestCollection], config: Config, wish: Wish, observer: StepObserver | None = None
) -> Tuned:
    """Indexes the collections and tunes; Ctrl-C ends it with what is known so far."""
    begun, tell = time.perf_counter(), observer or (lambda _what, _done, _total: None)
    if not wish.parameters:
        raise UsageError("no setting is declared tunable")
    with ExitStack() as stack:
        ready = [stack.enter_context(indexed(one, config, tell)) for one in collections]
        trials = Trials(ready, config, wish.measures, wish.parameters, tell)
        tuning = _Tuning(collections, trials, config, wish, tell)
        try:
            tuning.run()
            stopped = False
        except KeyboardInterrupt:
            stopped = True
        return tuning.result(stopped, round(time.perf_counter() - begun, 3))


class _Tuning:
    """Fold after fold, then everything; what is done stays known when it is cut short."""

    def __init__(
        self,
        collections: Sequence[TestCollection],
        trials: Trials,
        config: Config,
        wish: Wish,
        tell: StepObserver,
    ) -> None:
        self._collections = collections
        self._trials = trials
        self._wish = wish
        self._start = point_of(config, wish.parameters)
        self._tell = tell
        self._planned = list(folds(collections, wish.folds))
        self._done: list[Fold] = []
        self._measured: list[HeldOut] = []
        self._last: Summit | None = None
        self._steps = 0

    def run(self) -> None:
        for fold in self._planned:
            *_, summit = self._climb(fold.training, f"without {fold.name}")
            self._done.append(replace(fold, point=summit.point))
            if len(self._collections) > 1:
                self._measure([self._done[-1]])
        if len(self._collections) == 1:
            self._measure(self._done)
        everything = {place: tuple(one.queries) for place, one in enumerate(self._collections)}
        for summit in self._climb(everything, "with everything"):
            self._last = summit

    def _climb(self, training: Part, what: str) -> Iterator[Summit]:
        wish, start = self._wish, self._start
        total = (len(self._planned) + 1) * steps(wish.parameters, wish.restarts)

        def objective(point: Point) -> float:
            return self._trials.objective(point, start, training)

        for summit in ascend(start, wish.parameters, objective, wish.restarts):
            self._steps += 1
            self._tell(f"tuning {what}: {summit.value - 1:+.1%}", self._steps, total)
            yield summit

    def _measure(self, done: Sequence[Fold]) -> None:
        """Before and after on what was held out; of one collection, the folds together are all of it."""
        place = next(iter(done[0].held))
        before = self._trials.whole(place, self._start)
        after: PerQuery = {}
        for fold in done:
            values = self._trials.whole(place, fold.point)
            after.update({query: values[query] for query in fold.held[place]})
        compared = {name: compare(before, after, name) for name in NAMES}
        self._measured.append(HeldOut(self._collections[place].name, compared))

    def result(self, stopped: bool, seconds: float) -> Tuned:
        last = self._last
        return Tuned(
            tuple(self._measured),
            tuple(self._done),
            self._start,
            last.point if last else None,
            self._trials.idle,
            len(self._trials),
            seconds,
            stopped,
        )


def folds(collections: Sequence[TestCollection], count: int) -> Iterator[Fold]:
    """Each collection held out in turn; of one, its queries in so many parts, always the same."""
    all_queries = [tuple(one.queries) for one in collections]
    if len(collections) > 1:
        for place, one in enumerate(collections):
            others = {other: queries for other, queries in enumerate(all_queries) if other != place}
            yield Fold(one.name, others, {place: all_queries[place]})
        return
    queries = sorted(all_queries[0])
    if len(queries) < 2 or count < 2:
        raise UsageError(f"{collections[0].name}: two folds with a query each are the least to tune with")
    random.Random(0).shuffle(queries)
    count = min(count, len(queries))
    for number in range(count):
        held = tuple(queries[number::count])
        apart = frozenset(held)
        rest = tuple(query for query in queries if query not in apart)
        yield Fold(f"fold {number + 1} of {count}", {0: rest}, {0: held})
