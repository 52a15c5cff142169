"""Open index, ranks, anchor text; reopen when files change."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.anchor_text.score import AnchorIndex
from gossamer.answer.link_operators import LinkQueries
from gossamer.collection.site_rules import NO_RULES, SiteRules, SiteRuleTable
from gossamer.graph.blend import Blend, blend_of, default_rank, relative
from gossamer.graph.generation import MANIFEST, Generation, open_generation
from gossamer.graph.reader import CollectionGraph
from gossamer.index.index import Index
from gossamer.index.segment import Snapshot
from gossamer.model import BadSetting, ByLinks, Candidate, DamagedFile, DocAddress
from gossamer.query.conditions import InAnchorText
from gossamer.query.vocabulary import Vocabulary
from gossamer.search.link_rank import SiteFactors, UnfetchedHosts
from gossamer.search.match.cooccurrence import side_by_side_in
from gossamer.search.match.restriction import PagesOutsideIndex, nowhere
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.storage.files import FileVersion, version_of

AnchorsFolder = Callable[[int], Path]  # a partition's anchor-text folder for a generation of the graph
MOST_VARIANTS = 8  # sets of static factors that are cached, each with 2 bytes a document


@dataclass(frozen=True, slots=True)
class SearchableState:
    """Everything that a search reads, from one moment: searchers, anchor text, link graph, vocabulary."""

    parts: tuple[object, ...]  # what it was made from: snapshots, generation of the graph, site rules
    site_rules: SiteRuleTable
    sites: tuple[SiteFactors | None, ...]  # factors of the site rules, by partition
    searchers: tuple[Searcher, ...]
    anchors: tuple[AnchorIndex, ...]
    generation: Generation | None
    graph: CollectionGraph | None
    link_queries: LinkQueries
    rank: str  # the default link rank
    vocabulary: Vocabulary  # of all partitions
    variants: dict[Blend, tuple[Searcher, ...]] = field(default_factory=dict)

    def ranked_by(self, blend: Blend) -> tuple[Searcher, ...]:
        """The searchers with the static factors of this blend of ranks."""
        if blend == blend_of(self.rank):
            return self.searchers
        found = self.variants.get(blend)
        if found is None:
            rank = relative(self.generation, blend)
            found = tuple(searcher.ranked_by(rank) for searcher in self.searchers)
            while len(self.variants) >= MOST_VARIANTS:
                self.variants.pop(next(iter(self.variants)), None)
            self.variants[blend] = found
        return found


@dataclass(eq=False)
class IndexReader:
    """Open the newest snapshots, ranks and anchor text of all partitions."""

    _indexes: Sequence[Index]
    _graph_folder: Path | None
    _settings: SearchSettings
    _anchors_folders: Sequence[AnchorsFolder]
    _sites: SiteRules | None = None
    _opened: SearchableState | None = None
    _generation: tuple[FileVersion | None, Generation | None] = (None, None)

    def opened(self, with_anchors: bool) -> SearchableState:
        """The newest state, rebuilt only after a change; opens the anchor-text indexes if `with_anchors`."""
        while True:
            newest, stamp = self._newest(), self._generation[0]
            try:
                for one in newest.anchors if with_anchors else ():
                    one.opened()
            except DamagedFile:
                # A writer may just have replaced this generation by a new one.
                if self._graph_stamp() == stamp:
                    raise
            else:
                return newest

    def _newest(self) -> SearchableState:
        snapshots = [index.snapshot() for index in self._indexes]
        generation = self._current_generation()
        site_rules = self._sites.book() if self._sites else NO_RULES
        opened, parts = self._opened, (*snapshots, generation, site_rules)
        if opened is None or any(map(operator.is_not, parts, opened.parts)):
            opened = self._made(snapshots, generation, site_rules)
            self._opened = opened  # in one step, so that other threads see a complete state
        return opened

    def _made(
        self, snapshots: Sequence[Snapshot], generation: Generation | None, site_rules: SiteRuleTable
    ) -> SearchableState:
        """Build a state; reuse the parts of the last one whose graph, rules or snapshots are unchanged."""
        last = self._opened
        same_graph = last is not None and last.generation is generation
        if last is not None and same_graph:
            anchors, graph, queries = last.anchors, last.graph, last.link_queries
        else:
            anchors = self._anchors_of(generation)
            graph = CollectionGraph((), generation) if generation else None
            queries = LinkQueries(graph)
        name = default_rank(generation, self._settings.rank)
        try:
            rank = relative(generation, blend_of(name))
        except BadSetting as error:
            raise BadSetting(f"[search] rank: {error}") from None
        strength, threads = self._settings.link_rank_weight, self._settings.threads
        outside = [_outside(own, queries) for own in anchors or [nowhere] * len(snapshots)]
        if last is not None and same_graph and last.site_rules is site_rules:
            sites = last.sites
        else:
            by_partition = anchors or [None] * len(snapshots)
            boost = site_rules.factor
            sites = tuple(
                SiteFactors(boost, _unfetched_of(own)) if site_rules else None for own in by_partition
            )
        known = enumerate(zip(snapshots, outside, sites, strict=True))
        searchers = tuple(Searcher(n, one, rank, strength, own, threads, by) for n, (one, own, by) in known)
        parts = (*snapshots, generation, site_rules)
        if last is not None and all(map(operator.is_, snapshots, last.vocabulary.snapshots)):
            vocabulary = last.vocabulary  # its cached statistics are still valid
        else:
            vocabulary = Vocabulary(snapshots, side_by_side_in)
        return SearchableState(
            parts, site_rules, sites, searchers, anchors, generation, graph, queries, name, vocabulary
        )

    def _anchors_of(self, generation: Generation | None) -> tuple[AnchorIndex, ...]:
        """The anchor-text index of each partition, not opened yet."""
        if generation is None or generation.anchor_counts is None:
            return ()
        pairs = zip(self._anchors_folders, generation.anchor_counts, strict=True)
        return tuple(AnchorIndex(folder_of(generation.number), documents) for folder_of, documents in pairs)

    def _current_generation(self) -> Generation | None:
        stamp = self._graph_stamp()
        if self._graph_folder is None or stamp is None:
            return None
        if stamp != self._generation[0]:
            self._generation = stamp, open_generation(self._graph_folder)
        return self._generation[1]

    def _graph_stamp(self) -> FileVersion | None:
        """Return the version of the graph's manifest file; None if there is none."""
        return version_of(self._graph_folder / MANIFEST) if self._graph_folder else None


def first_indexed(pages: Sequence[int], searchers: Sequence[Searcher]) -> Candidate | None:
    """Return the first of these pages, given by their fingerprints, that is indexed."""
    wanted = np.array(pages, np.uint64)
    best: tuple[int, DocAddress] | None = None
    for partition, searcher in enumerate(searchers):
        for number, view in enumerate(searcher.snapshot.views):
            docs = view.segment.places(wanted)
            for place in np.flatnonzero(docs >= 0).tolist():
                if (best is None or place < best[0]) and docs[place] not in view.deleted:
                    best = place, DocAddress(partition, number, int(docs[place]))
    return Candidate(0, pages[best[0]], best[1]) if best else None


def _unfetched_of(anchors: AnchorIndex | None) -> Callable[[], UnfetchedHosts] | None:
    """A function that returns the hosts of unfetched pages, which are read when it is first called."""
    return (lambda: anchors.unfetched) if anchors else None


def _outside(
    anchors: Callable[[InAnchorText], NDArray[np.uint64]], queries: LinkQueries
) -> PagesOutsideIndex:
    """A function that looks up conditions on anchor text and links, which segments cannot answer."""

    def pages(condition: InAnchorText | ByLinks) -> NDArray[np.uint64]:
        return queries.pages(condition) if isinstance(condition, ByLinks) else anchors(condition)

    return pages
