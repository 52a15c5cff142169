"""Run the queries of a test collection and measure the rankings.

The rankings come from an index of the collection's corpus, from a real collection, or from a run file.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gossamer.config import Config
from gossamer.engine import Engine
from gossamer.evaluate.indexed import TELL_EVERY, indexed
from gossamer.evaluate.judged_collection import TestCollection
from gossamer.evaluate.measures import Measurer, PerQuery, means, rounded
from gossamer.evaluate.runs import Rankings
from gossamer.model.progress import Observer, StepProgress, unobserved


@dataclass(frozen=True, slots=True)
class Outcome:
    """The measures of a collection's queries."""

    collection: str
    documents: int  # number of searched documents; 0 if unknown
    queries: int
    seconds: float
    measures: dict[str, float]  # means over the queries
    per_query: PerQuery
    rankings: Mapping[str, Sequence[str]]

    def flat(self) -> dict[str, object]:
        """Return the figures of the collection as one row."""
        row = {"collection": self.collection, "documents": self.documents, "queries": self.queries}
        return {**row, "seconds": self.seconds, **self.measures}


def evaluate(
    collection: TestCollection, config: Config | None = None, observer: Observer[StepProgress] | None = None
) -> Outcome:
    """Index the corpus, run every judged query, and measure the rankings."""
    begun = time.perf_counter()
    config, tell = config or Config(), observer or unobserved
    with indexed(collection, config, tell) as ready:
        rankings = ready.rankings(config, tell)
    return outcome(collection, rankings, len(ready.ids), begun)


def outcome(collection: TestCollection, rankings: Rankings, documents: int, begun: float) -> Outcome:
    """Measure rankings from any source; `begun` is when the work on them began."""
    each = Measurer(collection.judgements).each(rankings)
    return Outcome(
        collection.name,
        documents,
        len(collection.queries),
        round(time.perf_counter() - begun, 3),
        rounded(means(each)),
        each,
        rankings,
    )


# Evaluate a real collection
# --------------------------

DEPTH = 100  # results of each query


def evaluate_engine(
    engine: Engine, collection: TestCollection, observer: Observer[StepProgress] | None
) -> Outcome:
    """Run every judged query on the engine, with the full query language, and measure the rankings."""
    begun = time.perf_counter()
    rankings, total = {}, len(collection.queries)
    for number, (query, text) in enumerate(collection.queries.items(), 1):
        found = engine.search(text, DEPTH, everything=True, snippets=False, correct=False)
        rankings[query] = [hit.url for hit in found.hits]
        if observer and (number % TELL_EVERY == 0 or number == total):
            observer(StepProgress(f"{collection.name}: searching", number, total))
    return outcome(collection, rankings, engine.status().documents, begun)
