"""A crawl: the loop that lets frontier, fetch, extract and store work together.

    frontier -> may the host be asked? -> fetch -> page store -> extract -> verdict -> links -> frontier

Everything runs in one event loop; what it found is committed every second. After a sudden death the next
crawl goes on from the last commit.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress

from gossamer.engine.batch import commit
from gossamer.engine.discovery import Discovery, Shard
from gossamer.engine.progress import CrawlObserver, CrawlProgress
from gossamer.engine.settings import CrawlSettings
from gossamer.engine.visiting import PATIENCE, Visitor
from gossamer.model import CrawlRequest, Page, Url

TICK = 0.2  # seconds between two looks at the clock when nothing happens

IndexPages = Callable[[dict[int, Page]], Awaitable[int]]


class Crawl:
    """One run over all partitions. `index_pages` makes committed pages searchable."""

    def __init__(
        self,
        discovery: Discovery,
        visitor: Visitor,
        settings: CrawlSettings,
        index_every: int,
        index_pages: IndexPages | None,
        progress: CrawlProgress,
        observer: CrawlObserver | None = None,
    ) -> None:
        self._discovery = discovery
        self._visitor = visitor
        self._settings = settings
        self._index_every = index_every
        self._index_pages = index_pages
        self._progress = progress
        self._observer = observer
        self._running: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._committed_at = time.monotonic()
        self._told_at = 0.0
        self._indexing: asyncio.Task[None] | None = None
        self._abandoned = False  # stopped twice: what is not indexed now is indexed by the next command
        self._failure: BaseException | None = None

    @property
    def _shards(self) -> Sequence[Shard]:
        return self._discovery.shards

    async def run(self, seeds: Iterable[Url]) -> None:
        self._handle_signals()
        self._discovery.add_seeds(seeds)
        self._commit()
        try:
            while not self._progress.stopping:
                self._start()
                if not self._running and not self._worth_waiting():
                    break
                await self._pause()
                self._commit_when_due()
        finally:
            await self._finish()

    def stop(self) -> None:
        """Lets what is in flight arrive and be indexed; a second call lets go of all that."""
        if self._progress.stopping:
            self._abandoned = True
            for task in [*self._running, *filter(None, [self._indexing])]:
                task.cancel()
        self._progress.stopping = True
        self._wake.set()

    def _handle_signals(self) -> None:
        for wish in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread
                asyncio.get_running_loop().add_signal_handler(wish, self.stop)

    def _start(self) -> None:
        """Hands out what may be asked now, a partition after the other."""
        handed_out = True
        while handed_out and not self._full():
            handed_out = False
            for shard in self._shards:
                request = None if self._full() else shard.frontier.next(time.time())
                if request is not None:
                    handed_out = True
                    self._spawn(shard, request)

    def _full(self) -> bool:
        limit = self._settings.max_pages
        if limit and self._progress.pages + len(self._running) >= limit:
            return True
        return len(self._running) >= self._settings.connections

    def _spawn(self, shard: Shard, request: CrawlRequest) -> None:
        task = asyncio.create_task(self._visitor.visit(shard, request))
        self._running.add(task)
        task.add_done_callback(self._arrived)

    def _arrived(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._wake.set()
        self._note_failure(task)

    def _note_failure(self, task: asyncio.Task[None]) -> None:
        """Our own bug or a full disk: the crawl ends with it."""
        if not task.cancelled() and (failure := task.exception()) is not None:
            self._failure = self._failure or failure
            self._progress.stopping = True
            self._wake.set()

    def _waits(self) -> list[float]:
        now = time.time()
        return [wait for shard in self._shards if (wait := shard.frontier.wait(now)) is not None]

    def _worth_waiting(self) -> bool:
        limit = self._settings.max_pages
        if limit and self._progress.pages >= limit:
            return False
        return min(self._waits(), default=PATIENCE + 1) <= PATIENCE

    async def _pause(self) -> None:
        timeout = TICK if self._full() else min([TICK, *self._waits()])
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), max(timeout, 0.001))
        self._wake.clear()

    def _commit_when_due(self) -> None:
        now = time.monotonic()
        if now - self._told_at >= TICK:
            self._told_at = now
            self._tell()
        if now - self._committed_at < self._settings.commit_seconds:
            return
        self._commit()
        if self._index_pages is None:
            self._visitor.fresh.clear()  # nobody will ask for them
        elif len(self._visitor.fresh) >= self._index_every and not self._indexing:
            self._start_indexing()

    def _commit(self) -> None:
        commit([shard.batch for shard in self._shards])
        self._committed_at = time.monotonic()

    def _start_indexing(self) -> None:
        """Indexes what is committed, beside the crawl: hosts do not wait for it."""
        fresh, self._visitor.fresh = self._visitor.fresh, {}
        self._indexing = asyncio.create_task(self._index(fresh))
        self._indexing.add_done_callback(self._indexed)

    async def _index(self, fresh: dict[int, Page]) -> None:
        assert self._index_pages is not None
        self._progress.indexed += await self._index_pages(fresh)

    def _indexed(self, task: asyncio.Task[None]) -> None:
        self._indexing = None
        self._note_failure(task)

    def _tell(self) -> None:
        self._progress.queue = sum(len(shard.frontier) for shard in self._shards)
        self._progress.active = len(self._running)
        if self._observer:
            self._observer(self._progress)

    async def _finish(self) -> None:
        while self._running or self._indexing:
            await asyncio.wait([*self._running, *filter(None, [self._indexing])], timeout=TICK)
            self._tell()
        if self._failure is not None:
            raise self._failure
        self._commit()
        if self._index_pages and not self._abandoned:
            self._start_indexing()
            while self._indexing:
                await asyncio.wait([self._indexing], timeout=TICK)
                self._tell()
        if self._failure is not None:
            raise self._failure
        self._progress.finished = time.time()
        self._tell()
