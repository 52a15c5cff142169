"""Runs the queries of a test collection against an index of its corpus, as a person would meet it.

The index is built from `Page`s in a temporary folder and thrown away afterwards; there are no links, so
nothing but the words ranks.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np

from gossamer.engine.progress import StepObserver
from gossamer.evaluate.collection import Document, TestCollection
from gossamer.evaluate.measures import measures
from gossamer.evaluate.ranking import Ranker
from gossamer.index.index import Index
from gossamer.index.settings import IndexSettings
from gossamer.index.weighting import Weighting
from gossamer.index.writer import SegmentWriter
from gossamer.model import GossamerError, Page
from gossamer.search.settings import SearchSettings
from gossamer.web.url import canonical

TELL_EVERY = 100  # documents or queries
NOTHING = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How well a collection's queries were answered."""

    collection: str
    documents: int
    queries: int
    seconds: float
    measures: dict[str, float]


def evaluate(
    collection: TestCollection,
    settings: SearchSettings | None = None,
    observer: StepObserver | None = None,
) -> Outcome:
    """Indexes the corpus, asks every judged query, and measures the rankings."""
    begun = time.perf_counter()
    tell = observer or (lambda _what, _done, _total: None)
    with tempfile.TemporaryDirectory(prefix="gossamer-eval-") as folder:
        index = Index(Path(folder))
        ids = _indexed(index, collection, tell)
        ranker = Ranker(index.snapshot(), settings or SearchSettings())
        rankings = dict(_rankings(ranker, collection, ids, tell))
    return Outcome(
        collection.name,
        len(ids),
        len(collection.queries),
        round(time.perf_counter() - begun, 3),
        measures(collection.judgements, rankings),
    )


def _indexed(index: Index, collection: TestCollection, tell: StepObserver) -> dict[int, str]:
    """Fills the index; the document's id behind every fingerprint."""
    ids: dict[int, str] = {}
    weighting: Weighting | None = None
    writer = SegmentWriter(collection.language)
    for document in collection.documents():
        page = as_page(document, collection)
        if page.url.fingerprint in ids:
            raise GossamerError(
                f"{collection.corpus}: {document.id!r} and {ids[page.url.fingerprint]!r} make one URL"
            )
        ids[page.url.fingerprint] = document.id
        writer.add(page)
        if writer.memory >= IndexSettings().memory_mb * 1_000_000:
            weighting = _commit(index, writer, weighting)
            writer = SegmentWriter(collection.language)
        if len(ids) % TELL_EVERY == 0:
            tell(f"{collection.name}: indexing", len(ids), 0)
    if not ids:
        raise GossamerError(f"{collection.corpus}: it is empty")
    _commit(index, writer, weighting)
    return ids


def _commit(index: Index, writer: SegmentWriter, weighting: Weighting | None) -> Weighting:
    """The first segment freezes the pivot lengths, as in any collection."""
    weighting = weighting or Weighting.frozen_for(writer.total_lengths(), len(writer))
    index.commit(writer, NOTHING, weighting)
    return weighting


def as_page(document: Document, collection: TestCollection) -> Page:
    """The document as a page of the web."""
    address = f"https://corpus.invalid/{quote(collection.name, safe='')}/{quote(document.id, safe='')}"
    url = canonical(address)
    if url is None:
        raise GossamerError(f"{collection.corpus}: the id {document.id!r} makes no URL")
    return Page(url, title=document.title, text=document.text, language=document.language)


def _rankings(
    ranker: Ranker, collection: TestCollection, ids: dict[int, str], tell: StepObserver
) -> Iterator[tuple[str, list[str]]]:
    total = len(collection.queries)
    for number, (query, text) in enumerate(collection.queries.items(), 1):
        yield query, [ids[fingerprint] for fingerprint in ranker.ranking(text)]
        if number % TELL_EVERY == 0 or number == total:
            tell(f"{collection.name}: searching", number, total)
