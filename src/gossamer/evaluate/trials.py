"""How good is a point? Collections are indexed once and asked again and again, never the same twice."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence

from gossamer.engine.config import Config
from gossamer.evaluate.indexed import IndexedCollection
from gossamer.evaluate.measures import NAMES, Measurer, PerQuery
from gossamer.evaluate.tunable import Point, configured

TRIED_DEPTH = (
    100  # documents that a trial ranks and looks at; what is told in the end is measured at full depth
)
TRIED_QUERIES = 200  # of a collection; more of them would choose hardly better

Part = Mapping[int, Collection[str]]  # the queries of some collections, by the collection's place


class Trials:
    """Points measured on collections, each collection by itself."""

    def __init__(self, ready: Sequence[IndexedCollection], config: Config, measures: Sequence[str]) -> None:
        self._ready = ready
        self._config = config
        second_phase = min(config.search.second_phase, TRIED_DEPTH)
        self._tried = config.changed({"search": {"second_phase": second_phase}})
        self._asked = [_sample(tuple(one.collection.queries)) for one in ready]
        self._measures = measures
        self._measurers = [Measurer(one.collection.judgements, measures) for one in ready]
        self._known: dict[tuple[int, tuple[object, ...]], PerQuery] = {}

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
        key = (place, tuple(point.values()))
        if key not in self._known:
            config = configured(self._tried, point)
            rankings = self._ready[place].rankings(config, _silent, TRIED_DEPTH, self._asked[place])
            self._known[key] = self._measurers[place].each(rankings)
        return self._known[key]

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
