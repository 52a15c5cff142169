"""What is there to search in now? Opened anew only when something on the disk has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gossamer.index.index import Index
from gossamer.index.snapshot import Snapshot
from gossamer.links.generation import MANIFEST, Generation, open_generation
from gossamer.model import DamagedFile
from gossamer.search.anchors import AnchorIndex
from gossamer.search.restrict import Anchors, nowhere
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings

AnchorsFolder = Callable[[int], Path]  # where a partition has the texts of links of a generation of the graph


class Newest:
    """The newest snapshots, ranks and texts of links of all partitions."""

    def __init__(
        self,
        indexes: Sequence[Index],
        graph_folder: Path | None,
        settings: SearchSettings,
        anchors_folders: Sequence[AnchorsFolder],
    ) -> None:
        self._indexes = indexes
        self._graph_folder = graph_folder
        self._settings = settings
        self._anchors_folders = anchors_folders
        self._searchers: list[Searcher] = []
        self._made_of: tuple[object, ...] = ()  # the snapshots and the graph behind the searchers
        self._graph: Generation | None = None
        self._graph_identity: tuple[int, int] | None = None
        self._anchors: list[AnchorIndex] = []

    def searchers(self) -> list[Searcher]:
        """Searchers over the newest snapshots, made anew only when something changed."""
        snapshots = [index.snapshot() for index in self._indexes]
        graph = self._current_graph()
        parts = (*snapshots, graph)
        if not self._searchers or any(a is not b for a, b in zip(parts, self._made_of, strict=True)):
            if not self._made_of or self._made_of[-1] is not graph:
                self._anchors = self._anchors_of(graph)
            self._searchers = self._made(snapshots, graph)
            self._made_of = parts
        return self._searchers

    def _made(self, snapshots: Sequence[Snapshot], graph: Generation | None) -> list[Searcher]:
        rank = (lambda fps: graph.lookup("pagerank", fps) * len(graph.fingerprints)) if graph else None
        strength, threads = self._settings.static_strength, self._settings.threads
        said: Sequence[Anchors] = self._anchors or [nowhere] * len(snapshots)
        return [
            Searcher(number, snapshot, rank, strength, anchors, threads)
            for number, (snapshot, anchors) in enumerate(zip(snapshots, said, strict=True))
        ]

    def with_anchors(self) -> tuple[list[Searcher], list[Snapshot]]:
        """The searchers, and the texts of links behind them, opened; none where they are not indexed."""
        while True:
            searchers = self.searchers()
            try:
                return searchers, [one.snapshot for one in self._anchors]
            except DamagedFile:
                # a writer may have put a new generation in the place of this one just now
                if self._graph_stamp() == self._graph_identity:
                    raise

    def _anchors_of(self, graph: Generation | None) -> list[AnchorIndex]:
        """The texts of links in each partition; nothing is opened yet."""
        if graph is None or graph.anchors is None:
            return []
        pairs = zip(self._anchors_folders, graph.anchors, strict=True)
        return [AnchorIndex(folder_of(graph.number), documents) for folder_of, documents in pairs]

    def _current_graph(self) -> Generation | None:
        stamp = self._graph_stamp()
        if self._graph_folder is None or stamp is None:
            return None
        if stamp != self._graph_identity:
            self._graph = open_generation(self._graph_folder)
            self._graph_identity = stamp
        return self._graph

    def _graph_stamp(self) -> tuple[int, int] | None:
        """Another one whenever the graph's manifest was swapped; None where there is none."""
        if self._graph_folder is None:
            return None
        try:
            stat = (self._graph_folder / MANIFEST).stat()
        except FileNotFoundError:
            return None
        return stat.st_ino, stat.st_mtime_ns
