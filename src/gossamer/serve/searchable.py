"""The interface of an engine that can be served; number of pages; query log."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from gossamer.model import CachedPage, ResultPage, SearchOptions

if TYPE_CHECKING:
    from gossamer.answer.page_info import PageInfo
    from gossamer.graph.ranks.explain import PageLinks
    from gossamer.owner.query_log import QueryLog


class CollectionState(Protocol):
    """The state of a collection."""

    def as_dict(self) -> Mapping[str, Any]: ...


class SearchEngine(Protocol):
    """The part of `Engine` that the pages and the API use. Several threads call it at once."""

    def search(self, text: str, *, options: SearchOptions) -> ResultPage: ...

    def cached(self, url: str, query: str = "") -> CachedPage | None: ...

    def suggest(self, text: str, k: int = 8, *, wait: bool = True) -> list[str]: ...

    def page(self, url: str) -> PageInfo: ...

    def similar(self, url: str, k: int = 10, offset: int = 0) -> ResultPage: ...

    def links(self, url: str, k: int = 10, offset: int = 0) -> PageLinks: ...

    def topics(self) -> Sequence[str]: ...

    def status(self) -> CollectionState: ...


# Cached number of pages
# ----------------------
#
# The start page shows it, and any visitor may request that page often. Each count reads the disk.

FRESH_FOR = 5.0  # seconds


class PageCount:
    """The number of searchable pages. The engine counts them at most once in a few seconds."""

    def __init__(self, engine: SearchEngine, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._clock = clock
        self._asked: tuple[float, int] | None = None  # time and count

    def __call__(self) -> int:
        now = self._clock()
        if self._asked is None or now - self._asked[0] > FRESH_FOR:
            self._asked = (now, self._engine.status().as_dict()["documents"])
        return self._asked[1]


# Count queries in the query log
# ------------------------------


class QueryCounting:
    """An engine that logs each new query. Further views of the same results are not logged."""

    def __init__(self, engine: SearchEngine, log: QueryLog) -> None:
        self._engine = engine
        self._log = log

    def search(self, text: str, *, options: SearchOptions) -> ResultPage:
        found = self._engine.search(text, options=options)
        if not _is_another_look(options):
            self._log.note(text, bool(found.answers) or (found.total > 0 and not found.searched))
        return found

    def __getattr__(self, name: str) -> Any:
        """Forward everything else to the engine."""
        return getattr(self._engine, name)


def _is_another_look(options: SearchOptions) -> bool:
    """Return whether the user views known results again: another page, group or order, or explanations."""
    elsewhere = options.offset or options.cluster
    return bool(elsewhere or options.explain or options.newest_first or options.everything)
