"""Crawl loop: dispatch visits, commit, index, stop.

frontier -> may the host be asked? -> fetch -> page store -> extract -> verdict -> links -> frontier

Everything runs in one event loop; what it found is committed every second. After a sudden death the next
crawl goes on from the last commit.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any

from gossamer.collection.commit import commit
from gossamer.crawl.background_ranking import Reranking
from gossamer.crawl.control import Helm, TakenSeeds
from gossamer.crawl.discover import Discovery
from gossamer.crawl.frontier.frontier import Shard
from gossamer.crawl.hosts.knowledge import Learned
from gossamer.crawl.live_index import LiveIndex
from gossamer.crawl.log import Journal
from gossamer.crawl.retry import PATIENCE
from gossamer.crawl.revisit.schedule import Revisits
from gossamer.crawl.settings import CrawlSettings
from gossamer.crawl.visit import BLOCKED, Visitor
from gossamer.model import CrawlRequest, Url
from gossamer.model.progress import CrawlObserver, CrawlProgress

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # that ask for the end
NOTE_SECONDS = 20.0  # between two times at which what was learned about hosts is kept
MOST_LOOKED_UP = 1_000  # visits that wait for a name server
SEARCHABLE_SECONDS = 60.0  # between two times at which a crawl without end indexes what it has
COMPLETE_SECONDS = 3600.0  # between two times at which it brings the index to what the catalogue says
MOST_SEEDS_NOTED = 100  # in one line of the log
TICK = 0.2  # seconds between two looks at the clock when nothing happens
BringUpToDate = Callable[[], Awaitable[int]]


class Crawl:
    """One run over all partitions. `live` indexes meanwhile, `complete` brings the index up to date."""

    def __init__(
        self,
        discovery: Discovery,
        visitor: Visitor,
        learned: Learned,
        revisits: Revisits,
        settings: CrawlSettings,
        live: LiveIndex | None,
        complete: BringUpToDate | None,
        progress: CrawlProgress,
        journal: Journal,
        helm: Helm,
        reranking: Reranking,
        observer: CrawlObserver | None = None,
    ) -> None:
        self._discovery = discovery
        self._visitor = visitor
        self._learned = learned
        self._revisits = revisits
        self._settings = settings
        self._live = live
        self._complete = complete
        self._progress = progress
        self._journal = journal
        self._helm = helm
        self._reranking = reranking
        self._observer = observer
        self._running: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._committed_at = time.monotonic()
        self._ended = 0  # visits since then
        self._noted_at = time.monotonic()
        self._told_at = 0.0
        self._indexed_at = time.monotonic()
        self._completed_at = time.monotonic()
        self._indexing: asyncio.Task[None] | None = None
        self._abandoned = False  # stopped twice: what is not indexed now is indexed by the next command
        self._failure: BaseException | None = None

    @property
    def _shards(self) -> Sequence[Shard]:
        return self._discovery.shards

    async def run(self, seeds: Iterable[Url]) -> None:
        self._handle_signals()
        self._add_seeds(seeds)
        self._commit()
        await self._revisits.begin()
        self._revisits.feed()
        try:
            while not self._progress.stopping:
                self._heed()
                self._start()
                if not self._running and not self._has_more_to_do():
                    break
                await self._pause()
                self._commit_when_due()
        finally:
            try:
                await self._finish()
            finally:
                await self._reranking.stop()

    def stop(self) -> None:
        """Lets what is in flight arrive and be indexed; a second call lets go of all that."""
        if self._progress.stopping:
            self._abandoned = True
            for task in [*self._running, *filter(None, [self._indexing])]:
                task.cancel()
        self._progress.stopping = True
        self._wake.set()

    def _handle_signals(self) -> None:
        for wish in ENDING:
            with suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread
                asyncio.get_running_loop().add_signal_handler(wish, self.stop)

    def _heed(self) -> None:
        """Does what the owner wants by now."""
        wishes = self._helm.look()
        if wishes is None:
            return
        if wishes.rest != self._progress.paused:
            self._progress.paused = wishes.rest
            self._journal.note("rest" if wishes.rest else "resume")
        if wishes.end:
            self.stop()
        self._take_up(wishes.seeds)

    def _take_up(self, seeds: TakenSeeds) -> None:
        """Seeds that came while it ran. They are committed before they are forgotten elsewhere."""
        self._progress.seed_errors.update(seeds.errors)
        if seeds.urls:
            self._journal.note("seeds", seeds=[url.text for url in seeds.urls[:MOST_SEEDS_NOTED]])
            self._add_seeds(seeds.urls)
            self._commit()
        self._helm.settle(seeds)

    def _add_seeds(self, seeds: Iterable[Url]) -> None:
        wanted = []
        for url in seeds:
            if self._discovery.blocks(url):
                self._progress.seed_errors[url.text] = BLOCKED
            else:
                wanted.append(url)
        self._discovery.add_seeds(wanted)

    def _start(self) -> None:
        """Hands out what may be asked now, a partition after the other."""
        handed_out = not self._progress.paused
        while handed_out and not self._full():
            handed_out = False
            for shard in self._shards:
                request = None if self._full() else shard.frontier.next(time.time())
                if request is not None:
                    handed_out = True
                    chosen = self._revisits.turn(shard, request)
                    if chosen is not None:
                        self._spawn(shard, chosen)

    def _full(self) -> bool:
        limit = self._settings.max_pages
        if limit and self._progress.pages + len(self._running) >= limit:
            return True
        looking_up = self._visitor.looking_up
        connected = len(self._running) - looking_up
        return connected >= self._settings.connections or looking_up >= MOST_LOOKED_UP

    def _spawn(self, shard: Shard, request: CrawlRequest) -> None:
        task = asyncio.create_task(self._visitor.visit(shard, request))
        self._running.add(task)
        task.add_done_callback(self._arrived)

    def _arrived(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._ended += 1
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

    def _has_more_to_do(self) -> bool:
        """Whether there is something to wait for."""
        return self._progress.paused or self._worth_waiting() or self._more_to_revisit()

    def _worth_waiting(self) -> bool:
        limit = self._settings.max_pages
        if limit and self._progress.pages >= limit:
            return False
        return min(self._waits(), default=PATIENCE + 1) <= PATIENCE

    def _more_to_revisit(self) -> bool:
        """Whether known pages are to be asked for, now or some day."""
        limit = self._settings.max_pages
        if limit and self._progress.pages >= limit:
            return False
        if not self._revisits.forever or self._revisits.wants_early:
            self._commit()
            self._revisits.feed_early()
        return self._revisits.feed() or self._revisits.forever

    async def _pause(self) -> None:
        nothing_to_start = self._full() or self._progress.paused
        timeout = TICK if nothing_to_start else min([TICK, *self._waits()])
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), max(timeout, 0.001))
        self._wake.clear()

    def _commit_when_due(self) -> None:
        now = time.monotonic()
        if now - self._told_at >= TICK:
            self._told_at = now
            self._tell()
        # A sudden death shall cost no more pages than are under way, however fast they come.
        is_early = now - self._committed_at < self._settings.commit_seconds
        if is_early and self._ended < self._settings.connections:
            return
        self._commit()
        self._revisits.feed()
        self._reranking.start_when_due()
        if self._live is not None and not self._indexing and (self._live.is_full or self._is_late(now)):
            self._indexed_at = now
            self._start_indexing(self._index_now(self._live, now))

    def _index_now(self, live: LiveIndex, now: float) -> Coroutine[Any, Any, int]:
        is_long_ago = now - self._completed_at >= COMPLETE_SECONDS
        if self._complete is None or not self._revisits.forever or not is_long_ago:
            return live.flush()
        self._completed_at = now
        return self._finish_index(live, self._complete)

    def _is_late(self, now: float) -> bool:
        """Whether what came should be searchable by now: while it rests, or when nobody waits for its end."""
        if self._live is None or not self._live.waits:
            return False
        if self._progress.paused:
            return not self._running
        return self._revisits.forever and now - self._indexed_at >= SEARCHABLE_SECONDS

    def _commit(self) -> None:
        if time.monotonic() - self._noted_at >= NOTE_SECONDS or self._progress.stopping or not self._running:
            self._learned.note()
            self._noted_at = time.monotonic()
        for url, reason in commit([shard.batch for shard in self._shards]).items():
            self._visitor.lost(url, reason)
        for shard in self._shards:
            shard.partition.keep_seen_short(shard.seen)
        self._journal.committed(self._progress)
        self._committed_at = time.monotonic()
        self._ended = 0

    def _start_indexing(self, work: Coroutine[Any, Any, int]) -> None:
        """Indexes what is committed, beside the crawl: hosts do not wait for it."""
        self._indexing = asyncio.create_task(self._index(work))
        self._indexing.add_done_callback(self._indexed)

    async def _index(self, work: Coroutine[Any, Any, int]) -> None:
        self._progress.indexed += await work

    def _indexed(self, task: asyncio.Task[None]) -> None:
        self._indexing = None
        self._note_failure(task)

    def _tell(self) -> None:
        self._progress.queue = sum(len(shard.frontier) for shard in self._shards)
        self._progress.active = len(self._running)
        self._helm.tell()
        if self._observer:
            self._observer(self._progress)

    async def _finish(self) -> None:
        self._progress.finishing = True
        while self._running or self._indexing:
            await asyncio.wait([*self._running, *filter(None, [self._indexing])], timeout=TICK)
            self._tell()
        if self._failure is not None:
            raise self._failure
        self._commit()
        if self._live is not None and self._complete is not None and not self._abandoned:
            self._start_indexing(self._finish_index(self._live, self._complete))
            while self._indexing:
                await asyncio.wait([self._indexing], timeout=TICK)
                self._tell()
        if self._failure is not None:
            raise self._failure
        self._progress.finished = time.time()
        self._tell()

    @staticmethod
    async def _finish_index(live: LiveIndex, complete: BringUpToDate) -> int:
        return await live.flush() + await complete()
