"""What is there to search in now? Opened anew only when something on the disk has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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


Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Opened:
    """Searchers, the texts of links that they ask, and the snapshots and the graph behind them."""

    parts: tuple[object, ...]
    searchers: tuple[Searcher, ...]
    anchors: tuple[AnchorIndex, ...]


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
        self._opened = _Opened((), (), ())
        self._graph: tuple[Stamp | None, Generation | None] = (None, None)

    def searchers(self) -> Sequence[Searcher]:
        """Searchers over the newest snapshots, made anew only when something changed."""
        return self._newest().searchers

    def with_anchors(self) -> tuple[Sequence[Searcher], Sequence[AnchorIndex]]:
        """The searchers, and the texts of links behind them, opened; none where they are not indexed."""
        while True:
            newest, stamp = self._newest(), self._graph[0]
            try:
                return newest.searchers, [one.opened() for one in newest.anchors]
            except DamagedFile:
                # a writer may have put a new generation in the place of this one just now
                if self._graph_stamp() == stamp:
                    raise

    def _newest(self) -> _Opened:
        snapshots = [index.snapshot() for index in self._indexes]
        graph = self._current_graph()
        opened, parts = self._opened, (*snapshots, graph)
        if not opened.parts or any(a is not b for a, b in zip(parts, opened.parts, strict=True)):
            same_graph = bool(opened.parts) and opened.parts[-1] is graph
            anchors = opened.anchors if same_graph else self._anchors_of(graph)
            opened = _Opened(parts, self._made(snapshots, graph, anchors), anchors)
            self._opened = opened  # in one step: other threads see all of it, or nothing
        return opened

    def _made(
        self, snapshots: Sequence[Snapshot], graph: Generation | None, anchors: Sequence[AnchorIndex]
    ) -> tuple[Searcher, ...]:
        rank = (lambda fps: graph.lookup("pagerank", fps) * len(graph.fingerprints)) if graph else None
        strength, threads = self._settings.static_strength, self._settings.threads
        said: Sequence[Anchors] = anchors or [nowhere] * len(snapshots)
        pairs = enumerate(zip(snapshots, said, strict=True))
        return tuple(Searcher(n, snapshot, rank, strength, own, threads) for n, (snapshot, own) in pairs)

    def _anchors_of(self, graph: Generation | None) -> tuple[AnchorIndex, ...]:
        """The texts of links in each partition; nothing is opened yet."""
        if graph is None or graph.anchors is None:
            return ()
        pairs = zip(self._anchors_folders, graph.anchors, strict=True)
        return tuple(AnchorIndex(folder_of(graph.number), documents) for folder_of, documents in pairs)

    def _current_graph(self) -> Generation | None:
        stamp = self._graph_stamp()
        if self._graph_folder is None or stamp is None:
            return None
        if stamp != self._graph[0]:
            self._graph = stamp, open_generation(self._graph_folder)
        return self._graph[1]

    def _graph_stamp(self) -> Stamp | None:
        """Another one whenever the graph's manifest was swapped; None where there is none."""
        if self._graph_folder is None:
            return None
        try:
            stat = (self._graph_folder / MANIFEST).stat()
        except FileNotFoundError:
            return None
        return stat.st_ino, stat.st_mtime_ns
