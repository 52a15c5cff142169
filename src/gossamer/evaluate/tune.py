"""Choose settings with held-out queries.

With several collections, each is held out in turn: settings are chosen on the others and measured on it. With
one collection, its queries are divided into folds, and each fold is held out in turn. The final settings are
chosen on all queries, so there are none left to measure them on; the figures of the held-out queries are an
estimate.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from gossamer.config import Config
from gossamer.evaluate.compare import Comparison, compare
from gossamer.evaluate.indexed import IndexedCollection, indexed
from gossamer.evaluate.judged_collection import TestCollection
from gossamer.evaluate.measures import NAMES, Measurer, PerQuery
from gossamer.evaluate.tunable import Parameter, Point, configured, point_of
from gossamer.model import UsageError
from gossamer.model.progress import Observer, StepProgress, unobserved

# Coordinate ascent
# -----------------
#
# From a start point, each parameter in turn is moved by steps up or down while the others are fixed,
# as long as the objective gains enough. Then the steps are halved. Further starts at random points
# help to avoid a poor local maximum.
#
# Measures of retrieval are step functions of the parameters, so that gradients do not exist; moving
# one parameter at a time is sufficient for the few parameters of ranking. Reference: Metzler, Croft,
# "Linear feature-based models for information retrieval", Information Retrieval 10(3), 2007.

SHARES = (1 / 4, 1 / 8, 1 / 16, 1 / 32)  # step of each pass, relative to a parameter's range
LEAST_GAIN = 0.0005  # of the objective; less is noise, and the parameter keeps its value
Objective = Callable[[Point], float]


@dataclass(frozen=True, slots=True)
class BestPoint:
    """The best point so far, and its objective."""

    point: Point
    value: float


def climb(start: Point, chosen: Sequence[Parameter], objective: Objective) -> Iterator[BestPoint]:
    """Ascend from a start point; yield the best point so far after each parameter of each pass."""
    here = BestPoint(dict(start), objective(start))
    for share in SHARES:
        for parameter in chosen:
            here = _along(here, parameter, share, objective)
            yield here


def _along(here: BestPoint, parameter: Parameter, share: float, objective: Objective) -> BestPoint:
    """Move one parameter as long as a step improves the objective; return the best point."""
    key, moved = parameter.key, True
    while moved:
        tried = [{**here.point, key: other} for other in parameter.around(here.point[key], share)]
        found = [BestPoint(point, objective(point)) for point in tried]
        best = max(found, key=lambda summit: summit.value, default=here)
        moved = best.value >= here.value + LEAST_GAIN
        here = best if moved else here
    return here


def ascend(
    start: Point, chosen: Sequence[Parameter], objective: Objective, restarts: int = 0
) -> Iterator[BestPoint]:
    """Ascend from the start and from random points; yield the best point so far, `steps` times in all."""
    rng = random.Random(0)
    best: BestPoint | None = None
    for number in range(restarts + 1):
        begin = {one.key: one.at(rng.random()) for one in chosen} if number else start
        found: BestPoint | None = None
        for found in climb(begin, chosen, objective):
            yield best or found
        assert found is not None, "there is something to tune"
        if best is None or found.value >= best.value + LEAST_GAIN:
            best = found
    if best:
        yield best


def steps(chosen: Sequence[Parameter], restarts: int) -> int:
    """Return how many points `ascend` yields."""
    return (restarts + 1) * len(SHARES) * len(chosen) + 1


# Evaluate points without repeats
# -------------------------------
#
# Not every parameter matters to every collection: if no document has a title, the weight of titles
# changes nothing. So each parameter is first changed alone, with the others in the middle of their
# ranges, where none is switched off. A parameter that changes no ranking there is ignored: points that
# differ only in ignored parameters are evaluated once.

TRIED_DEPTH = 100  # documents ranked in a trial; final figures are measured in full depth
TRIED_QUERIES = 200  # of a collection; more would hardly improve the choice
MIDDLE, ASIDE = 0.6, 0.1  # positions in a parameter's range, to find out whether the parameter matters
Part = Mapping[int, Collection[str]]  # queries of some collections, by the number of the collection


class Trials:
    """Evaluate points on each collection, without repeats."""

    def __init__(
        self,
        ready: Sequence[IndexedCollection],
        config: Config,
        measures: Sequence[str],
        chosen: Sequence[Parameter],
        observer: Observer[StepProgress],
    ) -> None:
        self._ready = ready
        self._config = config
        rerank_depth = min(config.search.rerank_depth, TRIED_DEPTH)
        self._tried = config.changed({"search": {"rerank_depth": rerank_depth}})
        self._asked = [_sample(tuple(one.collection.queries)) for one in ready]
        self._measures = measures
        self._measurers = [Measurer(one.collection.judgements, measures) for one in ready]
        self._known: dict[tuple[int, tuple[object, ...]], PerQuery] = {}
        self._mattering = [self._that_matter(place, chosen, observer) for place in range(len(ready))]
        self.idle = frozenset(one.key for one in chosen).difference(*self._mattering)

    def __len__(self) -> int:
        """Return the number of evaluations."""
        return len(self._known)

    def objective(self, point: Point, start: Point, part: Part) -> float:
        """Return the mean ratio of a point's measures to those of the start, over collections and measures.

        With ratios, all collections count equally, whatever their difficulty and number of queries.
        """
        ratios = []
        for place, queries in part.items():
            before, after = self._each(place, start), self._each(place, point)
            asked = self._asked[place].intersection(queries)
            for name in self._measures:
                was = sum(before[query][name] for query in asked)
                now = sum(after[query][name] for query in asked)
                ratios.append(now / was if was else 1.0 + now / max(len(asked), 1))
        return sum(ratios) / len(ratios)

    def _each(self, place: int, point: Point) -> PerQuery:
        key = (place, tuple(value for name, value in point.items() if name in self._mattering[place]))
        if key not in self._known:
            self._known[key] = self._measurers[place].each(self._rankings(place, point))
        return self._known[key]

    def _rankings(self, place: int, point: Point) -> dict[str, list[str]]:
        config = configured(self._tried, point)
        return self._ready[place].rankings(config, unobserved, TRIED_DEPTH, self._asked[place])

    def _that_matter(
        self, place: int, chosen: Sequence[Parameter], observer: Observer[StepProgress]
    ) -> frozenset[str]:
        """Return the parameters that can change a ranking of a collection."""
        middle = {one.key: one.at(MIDDLE) for one in chosen}
        usual = self._rankings(place, middle)
        found = set()
        for number, one in enumerate(chosen, 1):
            if self._rankings(place, {**middle, one.key: one.at(ASIDE)}) != usual:
                found.add(one.key)
            what = f"{self._ready[place].collection.name}: which settings matter"
            observer(StepProgress(what, number, len(chosen)))
        return frozenset(found)

    def whole(self, place: int, point: Point) -> PerQuery:
        """Return all measures of a collection, in full depth, as `gossamer eval` does."""
        judgements = self._ready[place].collection.judgements
        rankings = self._ready[place].rankings(configured(self._config, point), unobserved)
        return Measurer(judgements, NAMES).each(rankings)


def _sample(queries: Sequence[str]) -> frozenset[str]:
    """Return a sample of queries for trials, always the same."""
    return frozenset(random.Random(0).sample(sorted(queries), min(len(queries), TRIED_QUERIES)))


@dataclass(frozen=True, slots=True)
class TuningTask:
    """The parameters to tune, and how to tune them."""

    parameters: Sequence[Parameter]
    measures: Sequence[str]
    folds: int = 5
    restarts: int = 1


@dataclass(frozen=True, slots=True)
class Fold:
    """A division of the queries into training and held-out queries."""

    name: str
    training: Part
    held: Part
    point: Point = field(default_factory=dict)  # chosen on the training queries


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The measures of a collection before and after tuning, with settings chosen on other queries."""

    collection: str
    measures: dict[str, Comparison]


@dataclass(frozen=True, slots=True)
class TuningResult:
    """The result of tuning."""

    held_out: tuple[HeldOut, ...]
    folds: tuple[Fold, ...]
    before: Point
    chosen: Point | None  # on all queries; None if tuning was stopped before
    idle: frozenset[str]  # parameters that changed no ranking
    trials: int
    seconds: float
    stopped: bool


def tune(
    collections: Sequence[TestCollection],
    config: Config,
    task: TuningTask,
    observer: Observer[StepProgress] | None = None,
) -> TuningResult:
    """Index the collections and tune; Ctrl-C ends tuning with the results so far."""
    begun, tell = time.perf_counter(), observer or unobserved
    if not task.parameters:
        raise UsageError("no setting is declared tunable")
    with ExitStack() as stack:
        ready = [stack.enter_context(indexed(one, config, tell)) for one in collections]
        trials = Trials(ready, config, task.measures, task.parameters, tell)
        start, planned = point_of(config, task.parameters), list(folds(collections, task.folds))
        tuning = _TuningRun(collections, trials, task, start, planned, tell)
        try:
            tuning.run()
            stopped = False
        except KeyboardInterrupt:
            stopped = True
        return tuning.result(stopped, round(time.perf_counter() - begun, 3))


@dataclass(slots=True)
class _TuningRun:
    """Tune on each fold, then on all queries; results so far are kept if it is interrupted."""

    _collections: Sequence[TestCollection]
    _trials: Trials
    _task: TuningTask
    _start: Point
    _planned: Sequence[Fold]
    _tell: Observer[StepProgress]
    _done: list[Fold] = field(default_factory=list)
    _measured: list[HeldOut] = field(default_factory=list)
    _last: BestPoint | None = None
    _steps: int = 0

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

    def _climb(self, training: Part, what: str) -> Iterator[BestPoint]:
        task, start = self._task, self._start
        total = (len(self._planned) + 1) * steps(task.parameters, task.restarts)

        def objective(point: Point) -> float:
            return self._trials.objective(point, start, training)

        for summit in ascend(start, task.parameters, objective, task.restarts):
            self._steps += 1
            self._tell(StepProgress(f"tuning {what}: {summit.value - 1:+.1%}", self._steps, total))
            yield summit

    def _measure(self, done: Sequence[Fold]) -> None:
        """Compare the measures of held-out queries; the folds of one collection are combined."""
        place = next(iter(done[0].held))
        before = self._trials.whole(place, self._start)
        after: PerQuery = {}
        for fold in done:
            values = self._trials.whole(place, fold.point)
            after.update({query: values[query] for query in fold.held[place]})
        compared = {name: compare(before, after, name) for name in NAMES}
        self._measured.append(HeldOut(self._collections[place].name, compared))

    def result(self, stopped: bool, seconds: float) -> TuningResult:
        last = self._last
        return TuningResult(
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
    """Hold out each collection in turn; divide the queries of a single collection into `count` folds."""
    all_queries = [tuple(one.queries) for one in collections]
    if len(collections) > 1:
        for place, one in enumerate(collections):
            others = {other: queries for other, queries in enumerate(all_queries) if other != place}
            yield Fold(one.name, others, {place: all_queries[place]})
        return
    queries = sorted(all_queries[0])
    if len(queries) < 2 or count < 2:
        raise UsageError(f"{collections[0].name}: tuning needs at least two folds and two queries")
    random.Random(0).shuffle(queries)
    count = min(count, len(queries))
    for number in range(count):
        held = tuple(queries[number::count])
        apart = frozenset(held)
        rest = tuple(query for query in queries if query not in apart)
        yield Fold(f"fold {number + 1} of {count}", {0: rest}, {0: held})
