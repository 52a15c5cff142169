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

AnchorsFolder = Callable[[int], Path]  # where a partition has the texts of links of a generation of the graph
MOST_VARIANTS = 8  # sets of static factors that are kept, 2 bytes a document each
Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SearchableState:
    """Searchers, the texts of links that they ask, and the snapshots and the graph behind them."""

    parts: tuple[object, ...]
    site_rules: SiteRuleTable  # what the owner makes of single sites
    sites: tuple[SiteFactors | None, ...]  # the same, by partition
    searchers: tuple[Searcher, ...]
    anchors: tuple[AnchorIndex, ...]
    generation: Generation | None
    graph: CollectionGraph | None
    link_queries: LinkQueries
    rank: str  # by which links count where nobody names another
    vocabulary: Vocabulary  # what all partitions know of words
    variants: dict[Blend, tuple[Searcher, ...]] = field(default_factory=dict)

    def ranked_by(self, blend: Blend) -> tuple[Searcher, ...]:
        """The searchers with the static factors of these ranks."""
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


class IndexReader:
    """The newest snapshots, ranks and texts of links of all partitions."""

    def __init__(
        self,
        indexes: Sequence[Index],
        graph_folder: Path | None,
        settings: SearchSettings,
        anchors_folders: Sequence[AnchorsFolder],
        sites: SiteRules | None = None,
    ) -> None:
        self._indexes = indexes
        self._graph_folder = graph_folder
        self._settings = settings
        self._anchors_folders = anchors_folders
        self._sites = sites
        self._opened: SearchableState | None = None
        self._generation: tuple[Stamp | None, Generation | None] = (None, None)

    def opened(self, with_anchors: bool) -> SearchableState:
        """What is newest, made anew only when something changed; the texts of links opened if asked for."""
        while True:
            newest, stamp = self._newest(), self._generation[0]
            try:
                for one in newest.anchors if with_anchors else ():
                    one.opened()
            except DamagedFile:
                # a writer may have put a new generation in the place of this one just now
                if self._graph_stamp() == stamp:
                    raise
            else:
                return newest

    def _newest(self) -> SearchableState:
        snapshots = [index.snapshot() for index in self._indexes]
        generation = self._current_generation()
        site_rules = self._sites.book() if self._sites else NO_RULES
        opened, parts = self._opened, (*snapshots, generation, site_rules)
        if opened is None or any(a is not b for a, b in zip(parts, opened.parts, strict=True)):
            opened = self._made(snapshots, generation, site_rules)
            self._opened = opened  # in one step: other threads see all of it, or nothing
        return opened

    def _made(
        self, snapshots: Sequence[Snapshot], generation: Generation | None, site_rules: SiteRuleTable
    ) -> SearchableState:
        """What belongs to the graph is taken over where that is the same, and so is what belongs to rules."""
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
            vocabulary = last.vocabulary  # what it has learned still holds
        else:
            vocabulary = Vocabulary(snapshots, side_by_side_in)
        return SearchableState(
            parts, site_rules, sites, searchers, anchors, generation, graph, queries, name, vocabulary
        )

    def _anchors_of(self, generation: Generation | None) -> tuple[AnchorIndex, ...]:
        """The texts of links in each partition; nothing is opened yet."""
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

    def _graph_stamp(self) -> Stamp | None:
        """Another one whenever the graph's manifest was swapped; None where there is none."""
        if self._graph_folder is None:
            return None
        try:
            stat = (self._graph_folder / MANIFEST).stat()
        except FileNotFoundError:
            return None
        return stat.st_ino, stat.st_mtime_ns


def first_indexed(pages: Sequence[int], searchers: Sequence[Searcher]) -> Candidate | None:
    """The first of these pages, given by their fingerprints, that is indexed."""
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
    """The pages that only links know, read when they are first asked for."""
    return (lambda: anchors.unfetched) if anchors else None


def _outside(
    anchors: Callable[[InAnchorText], NDArray[np.uint64]], queries: LinkQueries
) -> PagesOutsideIndex:
    """What is known of documents outside of the segments: what links say of them, and how they are linked."""

    def pages(condition: InAnchorText | ByLinks) -> NDArray[np.uint64]:
        return queries.pages(condition) if isinstance(condition, ByLinks) else anchors(condition)

    return pages
