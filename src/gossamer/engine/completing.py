"""What might somebody go on typing? Known phrases, gathered beside the searches and renewed as pages come."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import is_not
from threading import Lock, Thread

from gossamer.engine.completion_sources import gathered
from gossamer.engine.newest import Newest
from gossamer.model import GossamerError, Hit
from gossamer.results.completion import Completions
from gossamer.results.completion_build import completions_of
from gossamer.results.related import related
from gossamer.text.stopwords import stop_words

PATIENCE = 50  # times as long as gathering took passes at least until it is done again
LEAST_PATIENCE = 5.0  # seconds
PAST_FRESH = 600.0  # seconds after which past queries are read again

Pause = Callable[[], None]
Past = Callable[[], Mapping[str, int]]  # queries that were asked, and how often

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Gathered:
    completions: Completions
    parts: tuple[object, ...]  # what it was gathered from
    at: float
    took: float


class Completing:
    """Phrases of the newest snapshots. To gather them takes seconds in a large collection."""

    def __init__(self, newest: Newest, past: Past | None = None, pause: Pause | None = None) -> None:
        """`pause` is called now and then while phrases are gathered, so that searches go first."""
        self._newest = newest
        self._pause = pause or _no_pause
        self._past = past
        self._gathered: _Gathered | None = None
        self._gathering = Lock()

    def suggest(self, text: str, k: int, wait: bool = True) -> list[str]:
        """How the text might go on; without `wait`, nothing as long as the phrases are not gathered."""
        if self._gathered is None and wait:
            with self._gathering:
                if self._gathered is None:
                    self._gather()
        self.start()
        known = self._gathered
        return known.completions.complete(text, k) if known else []

    def related(self, query: str, hits: Sequence[Hit], language: str) -> tuple[str, ...]:
        """Queries that say more than this one; known phrases count where they are gathered."""
        known = self._gathered
        titles = [hit.title for hit in hits]
        spoken = frozenset([language or "en", *(hit.language for hit in hits)])
        return related(query, titles, _ignored(spoken), known.completions if known else None)

    def start(self) -> None:
        """Begins to gather phrases in a thread of its own, where that was not done or much has changed."""
        if self._is_stale() and self._gathering.acquire(blocking=False):
            Thread(target=self._gather_and_release, name="completions", daemon=True).start()

    def _is_stale(self) -> bool:
        known = self._gathered
        if known is None:
            return True
        age = time.monotonic() - known.at
        if age < max(LEAST_PATIENCE, PATIENCE * known.took):
            return False
        if self._past is not None and age > PAST_FRESH:
            return True
        parts = self._newest.opened(False).parts
        return len(parts) != len(known.parts) or any(map(is_not, parts, known.parts))

    def _gather_and_release(self) -> None:
        try:
            self._gather()
        except GossamerError as error:  # searches say so as well; it is tried again after a while
            _LOG.warning("no suggestions: %s", error)
            known = self._gathered or _Gathered(completions_of(()), (), 0.0, 0.0)
            self._gathered = replace(known, at=time.monotonic())
        finally:
            self._gathering.release()

    def _gather(self) -> None:
        begun = time.thread_time()  # of which waiting for searches is no part
        opened = self._newest.opened(False)
        completions = gathered(opened, self._past() if self._past else {}, self._pause)
        took = time.thread_time() - begun
        self._gathered = _Gathered(completions, opened.parts, time.monotonic(), took)


def _no_pause() -> None:
    """Nobody is waiting."""


@lru_cache(maxsize=64)
def _ignored(spoken: frozenset[str]) -> frozenset[str]:
    """The function words of several languages."""
    return frozenset().union(*map(stop_words, spoken))
