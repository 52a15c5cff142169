"""How good is a point? Collections are indexed once and asked again and again, never the same twice.

Not every parameter matters to every collection: where no document has a title, its weight changes nothing.
This is found out first, in the middle of all ranges, where nothing is switched off: a parameter whose value
changes no ranking there is left out of account, and points that differ in nothing else are one.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence

from gossamer.engine.config import Config
from gossamer.engine.progress import StepObserver
from gossamer.evaluate.indexed import IndexedCollection
from gossamer.evaluate.measures import NAMES, Measurer, PerQuery
from gossamer.evaluate.tunable import Parameter, Point, configured

TRIED_DEPTH = 100  # documents that a trial ranks and looks at; what is told in the end is measured in full
TRIED_QUERIES = 200  # of a collection; more of them would choose hardly better
MIDDLE, ASIDE = 0.6, 0.1  # where in their ranges parameters stand when it is found out whether they matter

Part = Mapping[int, Collection[str]]  # the queries of some collections, by the collection's place


class Trials:
    """Points measured on collections, each collection by itself."""

    def __init__(
        self,
        ready: Sequence[IndexedCollection],
        config: Config,
        measures: Sequence[str],
        chosen: Sequence[Parameter],
        observer: StepObserver,
    ) -> None:
        self._ready = ready
        self._config = config
        second_phase = min(config.search.second_phase, TRIED_DEPTH)
        self._tried = config.changed({"search": {"second_phase": second_phase}})
        self._asked = [_sample(tuple(one.collection.queries)) for one in ready]
        self._measures = measures
        self._measurers = [Measurer(one.collection.judgements, measures) for one in ready]
        self._known: dict[tuple[int, tuple[object, ...]], PerQuery] = {}
        self._mattering = [self._that_matter(place, chosen, observer) for place in range(len(ready))]
        self.idle = frozenset(one.key for one in chosen).difference(*self._mattering)

    def __len__(self) -> int:
        """How many times a collection was asked."""
        return len(self._known)

    def objective(self, point: Point, start: Point, part: Part) -> float:
        """What the point makes of the start: the mean, over collections and measures, of after / before.

        Ratios, so that a collection that is hard, or has few queries, counts like any other.
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
        return self._ready[place].rankings(config, _silent, TRIED_DEPTH, self._asked[place])

    def _that_matter(self, place: int, chosen: Sequence[Parameter], observer: StepObserver) -> frozenset[str]:
        """The parameters that can change a ranking of this collection."""
        middle = {one.key: one.at(MIDDLE) for one in chosen}
        usual = self._rankings(place, middle)
        found = set()
        for number, one in enumerate(chosen, 1):
            if self._rankings(place, {**middle, one.key: one.at(ASIDE)}) != usual:
                found.add(one.key)
            observer(f"{self._ready[place].collection.name}: which settings matter", number, len(chosen))
        return frozenset(found)

    def whole(self, place: int, point: Point) -> PerQuery:
        """All measures of a collection, as `gossamer eval` has them."""
        judgements = self._ready[place].collection.judgements
        rankings = self._ready[place].rankings(configured(self._config, point), _silent)
        return Measurer(judgements, NAMES).each(rankings)


def _sample(queries: Sequence[str]) -> frozenset[str]:
    """Queries to try points with, always the same."""
    return frozenset(random.Random(0).sample(sorted(queries), min(len(queries), TRIED_QUERIES)))


def _silent(_what: str, _done: int, _total: int) -> None:
    """A trial is too short to be told of."""
