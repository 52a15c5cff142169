"""Temporary index of a test collection.

The index is built from `Page`s in a temporary folder and deleted afterwards. There are no links, so that only
words determine the ranking. If settings change,

    [search]       applies to the next query
    [weighting]    requires new impacts, computed in memory from the positions (`index.reweigh`)
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np

from gossamer.config import Config
from gossamer.evaluate.judged_collection import Document, TestCollection
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.reweigh import reweighed
from gossamer.index.segment import Snapshot
from gossamer.index.writer import SegmentWriter
from gossamer.model import Page, Query, UsageError, Word
from gossamer.model.progress import Observer, StepProgress
from gossamer.query.expansion import choose, gather, patterns_of
from gossamer.query.planner import plan
from gossamer.query.vocabulary import Vocabulary, known_compounds
from gossamer.scoring.two_phase import TwoPhaseSearch
from gossamer.search.match.cooccurrence import side_by_side_in
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.words import words
from gossamer.web.url import canonical

# Ranking without display
# -----------------------
#
# An evaluation uses the first thousand documents of each query. Making snippets for them would take a
# hundred times as long as finding them. A test ensures that the ranking equals that of a search in a
# collection without links and synonyms.

DEPTH = 1000  # documents, as at TREC


class Ranker:
    """Rank the documents of a snapshot by their words only."""

    def __init__(self, snapshot: Snapshot, settings: SearchSettings, depth: int = DEPTH) -> None:
        self._depth = depth
        self._snapshot = snapshot
        self._vocabulary = Vocabulary([snapshot], side_by_side_in)
        self._settings = settings
        self._searcher = Searcher(0, snapshot, None, settings.link_rank_weight)

    def ranking(self, text: str) -> list[int]:
        """Return the fingerprints of the best documents; the text is plain words, without operators."""
        query = Query(text, tuple(map(Word, words(text))))
        if not query.clauses:
            return []
        languages = self._snapshot.languages()
        expansions = choose([gather(self._snapshot, patterns_of(query.texts(), languages))])
        settings = self._settings
        compounds = known_compounds(query, self._vocabulary, languages, settings.compounds)
        wanted = plan(query, languages, expansions, compounds)
        stats = self._snapshot.term_stats(wanted.terms)
        search = TwoPhaseSearch(wanted, stats, settings.scheme, settings.algorithm, settings, time.time())
        found = search.towards(self._snapshot.spoken(), ()).ranked([self._searcher], self._depth)
        pages: list[int] = found.candidates.pages.tolist()
        return pages


TELL_EVERY = 100  # documents or queries
NOTHING = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True)
class IndexedCollection:
    """A test collection with its index."""

    collection: TestCollection
    snapshot: Snapshot
    ids: dict[int, str]  # document id of each fingerprint

    def rankings(
        self,
        config: Config,
        observer: Observer[StepProgress],
        depth: int = DEPTH,
        asked: Collection[str] | None = None,
    ) -> dict[str, list[str]]:
        """Rank documents for every judged query, or only for those in `asked`; best first."""
        ranker = Ranker(reweighed(self.snapshot, config.weighting), config.search, depth)
        name, queries = self.collection.name, self.collection.queries
        chosen = [query for query in queries if asked is None or query in asked]
        total, found = len(chosen), {}
        for number, query in enumerate(chosen, 1):
            found[query] = [self.ids[fingerprint] for fingerprint in ranker.ranking(queries[query])]
            if number % TELL_EVERY == 0 or number == total:
                observer(StepProgress(f"{name}: searching", number, total))
        return found


@contextmanager
def indexed(
    collection: TestCollection, config: Config, observer: Observer[StepProgress]
) -> Iterator[IndexedCollection]:
    """Index a test collection in a temporary folder, for the duration of the block."""
    with tempfile.TemporaryDirectory(prefix="gossamer-eval-") as folder:
        index = Index(Path(folder))
        ids = fill(index, collection, config, observer)
        yield IndexedCollection(collection, index.snapshot(), ids)


def fill(
    index: Index, collection: TestCollection, config: Config, tell: Observer[StepProgress]
) -> dict[int, str]:
    """Index all documents of a test collection; return the document id of each fingerprint."""
    ids: dict[int, str] = {}
    weighting: Weighting | None = None
    writer = SegmentWriter(collection.language)
    for document in collection.documents():
        page = as_page(document, collection)
        if page.url.fingerprint in ids:
            raise UsageError(
                f"{collection.corpus}: {document.id!r} and {ids[page.url.fingerprint]!r} make the same URL"
            )
        ids[page.url.fingerprint] = document.id
        writer.add(page)
        if writer.memory >= config.index.memory_mb * 1_000_000:
            weighting = _commit(index, writer, weighting, config)
            writer = SegmentWriter(collection.language)
        if len(ids) % TELL_EVERY == 0:
            tell(StepProgress(f"{collection.name}: indexing", len(ids), 0))
    if not ids:
        raise UsageError(f"{collection.corpus}: it is empty")
    _commit(index, writer, weighting, config)
    return ids


def _commit(index: Index, writer: SegmentWriter, weighting: Weighting | None, config: Config) -> Weighting:
    """Commit a segment; the first one freezes the pivot lengths, as in any collection."""
    weighting = weighting or Weighting.frozen_for(writer.total_lengths(), len(writer), config.weighting)
    index.commit(writer, NOTHING, weighting)
    return weighting


def as_page(document: Document, collection: TestCollection) -> Page:
    """Return a document as a page with a made-up URL."""
    address = f"https://corpus.invalid/{quote(collection.name, safe='')}/{quote(document.id, safe='')}"
    url = canonical(address)
    if url is None:
        raise UsageError(f"{collection.corpus}: the id {document.id!r} cannot be made a URL")
    return Page(url, title=document.title, text=document.text, language=document.language)
