"""Judged queries asked of a collection that somebody has: its documents are pages, named by their URLs."""

from __future__ import annotations

import time

from gossamer.engine.engine import Engine
from gossamer.engine.progress import StepObserver
from gossamer.evaluate.collection import TestCollection
from gossamer.evaluate.indexed import TELL_EVERY
from gossamer.evaluate.run import Outcome, outcome

DEPTH = 100  # results of each query


def evaluate_engine(engine: Engine, collection: TestCollection, observer: StepObserver | None) -> Outcome:
    """Asks the engine every judged query, as a person would, with all that the query language means."""
    begun = time.perf_counter()
    rankings, total = {}, len(collection.queries)
    for number, (query, text) in enumerate(collection.queries.items(), 1):
        found = engine.search(text, DEPTH, everything=True, snippets=False, correct=False)
        rankings[query] = [hit.url for hit in found.hits]
        if observer and (number % TELL_EVERY == 0 or number == total):
            observer(f"{collection.name}: searching", number, total)
    return outcome(collection, rankings, engine.status().documents, begun)
