"""Runs the queries of a test collection against an index of its corpus, as a person would meet it.

The index is built from `Page`s in a temporary folder and thrown away afterwards; there are no links, so
nothing but the words ranks.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np

from gossamer.engine.progress import StepObserver
from gossamer.engine.searching import DEEPEST, Searching
from gossamer.evaluate.collection import Document, TestCollection
from gossamer.evaluate.measures import measures
from gossamer.index.index import Index
from gossamer.index.settings import IndexSettings
from gossamer.index.weighting import Weighting
from gossamer.index.writer import SegmentWriter
from gossamer.model import GossamerError, Page
from gossamer.query.parse import LONGEST, MOST_CLAUSES
from gossamer.search.settings import SearchSettings
from gossamer.text.words import words
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
        searching = Searching([index], None, settings or SearchSettings())
        rankings = dict(_rankings(searching, collection, ids, tell))
    return Outcome(
        collection.name,
        len(ids),
        len(collection.queries),
        round(time.perf_counter() - begun, 3),
        measures(collection.judgements, rankings),
    )


def _indexed(index: Index, collection: TestCollection, tell: StepObserver) -> dict[str, str]:
    """Fills the index; the document's id behind every URL."""
    ids: dict[str, str] = {}
    weighting: Weighting | None = None
    writer = SegmentWriter(collection.language)
    for document in collection.documents():
        page = as_page(document, collection)
        if page.url.text in ids:
            raise GossamerError(f"{collection.corpus}: {document.id!r} and {ids[page.url.text]!r} make one URL")
        ids[page.url.text] = document.id
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
    searching: Searching, collection: TestCollection, ids: dict[str, str], tell: Callable[[str, int, int], None]
) -> Iterator[tuple[str, list[str]]]:
    total = len(collection.queries)
    for number, (query, text) in enumerate(collection.queries.items(), 1):
        plain = plain_query(text)
        hits = searching.search(plain, k=DEEPEST).hits if plain else ()
        yield query, [ids[hit.url] for hit in hits]
        if number % TELL_EVERY == 0 or number == total:
            tell(f"{collection.name}: searching", number, total)


def plain_query(text: str) -> str:
    """The words of a query, so that quotes, colons and minus signs in it mean nothing.

    Long queries have more words than a person may type clauses; words joined by a comma are one clause
    and rank just as they would apart.

    >>> plain_query('What is "site:x" -good?')
    'what is site x good'
    """
    found = list(dict.fromkeys(words(text)))
    while sum(map(len, found)) + len(found) > LONGEST:
        found.pop()
    size = max(1, -(-len(found) // MOST_CLAUSES))
    return " ".join(",".join(found[start : start + size]) for start in range(0, len(found), size))
