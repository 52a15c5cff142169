"""Import the code under test by its old or its new names, and run it under a clock that stands still.

Every internal name that a recording needs is listed in `HOMES`. When a module moves, add its new home there.
"""

from __future__ import annotations

import datetime as datetimes
import importlib
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

HOMES = {
    "demo_web": ("gossamer.demo.site", "gossamer.demo.bundled_web"),
    "SEEDS": ("gossamer.demo.site", "gossamer.demo.bundled_web"),
    "LoopbackServer": ("gossamer.demo.loopback", "gossamer.demo.loopback_server"),
    "create_app": ("gossamer.serve.app",),
    "ServeSettings": ("gossamer.engine.serve_settings", "gossamer.config"),
    "owned": ("gossamer.serve.owner.owned", "gossamer.serve.owner_pages.base"),
    "assemble": ("gossamer.cli.main",),
    "run": ("gossamer.cli.main",),
    "Index": ("gossamer.index.index",),
    "GossamerError": ("gossamer.model", "gossamer.model.errors"),
}
NOT_KEPT = 0xFFFFFFFF  # slot of an anchor text that is not stored


def find(name: str) -> Any:
    """Import an internal name from the first of its homes that has it."""
    for home in HOMES[name]:
        try:
            return getattr(importlib.import_module(home), name)
        except (ModuleNotFoundError, AttributeError) as error:
            if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("gossamer"):
                raise
    raise ImportError(
        f"{name} is in none of {', '.join(HOMES[name])}: add its new home to HOMES in {Path(__file__).name}"
    )


class Clock:
    """A clock that only moves when it is told to."""

    def __init__(self, now: float) -> None:
        self.now = now

    def install(self) -> None:
        """Let `time` and `datetime` tell this time; call it before any module of Gossamer is imported.

        Libraries are imported first and keep the real `datetime`. `time.monotonic` goes on: event loops need
        it, and no result depends on it. `time.perf_counter` stands still, so that every duration is 0.
        """
        for library in ("fastapi", "httpx", "uvicorn"):
            importlib.import_module(library)
        tokens = Random("tokens")
        time.time = self._read
        time.time_ns = lambda: int(self.now * 1e9)
        time.perf_counter = lambda: 0.0
        # Tokens name pages that should not exist; a generator of its own keeps them the same each time.
        secrets.token_hex = lambda size=32: tokens.randbytes(size).hex()
        datetimes.datetime = _standing_still(self._read)  # type: ignore[misc]

    def _read(self) -> float:
        return self.now


def _standing_still(read: Callable[[], float]) -> type:
    real = datetimes.datetime

    class AnyDatetime(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, real)

    class FrozenDatetime(real, metaclass=AnyDatetime):
        @classmethod
        def now(cls, tz: datetimes.tzinfo | None = None) -> Any:
            return cls.fromtimestamp(read(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(read(), datetimes.UTC).replace(tzinfo=None)

        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(read())

    return FrozenDatetime


def segments(collection: Path) -> Iterator[tuple[str, Any, Any]]:
    """Give every segment below a collection's folder, named by its place, with its deleted documents.

    A segment has `dictionary`, `lexicon`, `postings`, `columns` and `stored`; see `kinds.segments`.
    """
    index = find("Index")
    for manifest in sorted(collection.glob("partition-*/**/MANIFEST")):
        folder = manifest.parent
        for number, view in enumerate(index(folder).snapshot().views):
            yield f"{folder.relative_to(collection)} {number}", view.segment, view.deleted


def stored_texts(segment: Any) -> Iterator[str]:
    """Give what is stored of each document, "" where nothing is."""
    slots = segment.stored.slots.tolist()
    for slot in slots:
        yield "" if slot == NOT_KEPT else segment.stored.at(slot).decode("utf-8", "replace")


def postings(segment: Any) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    """Give every term, its written form, and its documents, impacts, and document and place of each use."""
    own, dictionary = segment.postings, segment.dictionary
    for number, term in enumerate(dictionary.terms()):
        arrays = own.documents(number), own.levels(number), *own.places(number)
        yield term, dictionary.form(number), arrays


def words(segment: Any) -> list[tuple[str, int]]:
    """Give the written words of a segment with their counts, sorted."""
    lines = segment.lexicon.text().decode("utf-8", "surrogatepass").split("\n")[:-1]
    return sorted(zip(lines, segment.lexicon.counts.tolist(), strict=True))


def ranks(engine: Any) -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    """Give the levels of the graph: the names of nodes, and the columns by name."""
    graph = engine.graph()
    generation = graph.generation
    nodes = range(len(generation.fingerprints))
    names = [page.url or f"{page.fingerprint:016x}" for page in graph.pages(list(nodes))]
    yield "pages", names, dict(generation.ranks)
    for level in ("hosts", "domains"):
        sites = getattr(graph, level)
        yield level, [sites.names[i] for i in range(len(sites))], dict(generation.site_ranks[level])


def out_links(engine: Any) -> tuple[Any, Any, Any]:
    """Give the fingerprints of nodes, and the out-links of each as `targets[starts[n]:starts[n + 1]]`."""
    graph = engine.graph()
    return graph.generation.fingerprints, graph.outward.starts, graph.outward.targets
