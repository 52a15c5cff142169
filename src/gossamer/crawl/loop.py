"""Crawl loop: dispatch visits, commit, index, stop.

frontier -> rate limit, robots.txt -> fetch -> page store -> extract -> verdict -> links -> frontier

Everything runs in one event loop. Results are committed every second. After a crash, the next crawl continues
from the last commit.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from gossamer.collection.commit import commit
from gossamer.crawl.background_ranking import BackgroundRanking
from gossamer.crawl.control import CrawlControl, TakenSeeds
from gossamer.crawl.fetch.fetcher import Fetcher
from gossamer.crawl.fetch.retry import RETRY_WITHIN_SECONDS
from gossamer.crawl.frontier.frontier import Frontier
from gossamer.crawl.ingest import Ingest
from gossamer.crawl.live_index import LiveIndex
from gossamer.crawl.log import CrawlReport
from gossamer.crawl.revisit.schedule import RevisitQueue
from gossamer.crawl.visit import Visitor
from gossamer.model import Url
from gossamer.model.progress import CrawlProgress, Observer

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # signals that end a crawl
NOTE_SECONDS = 20.0  # between two times at which the notes about hosts are saved
MOST_LOOKED_UP = 1_000  # visits that may wait for a DNS lookup
SEARCHABLE_SECONDS = 60.0  # between two times at which a continuous crawl indexes its new pages
COMPLETE_SECONDS = 3600.0  # between two times at which a continuous crawl synchronises index and catalogue
MOST_SEEDS_NOTED = 100  # in one line of the log
TICK = 0.2  # seconds between two checks when nothing happens


@dataclass(eq=False)
class Crawl:
    """One crawl over all partitions."""

    _frontier: Frontier
    _fetcher: Fetcher
    _visitor: Visitor
    _ingest: Ingest
    _revisits: RevisitQueue
    _control: CrawlControl
    _ranking: BackgroundRanking
    _report: CrawlReport
    _observer: Observer[CrawlProgress] | None = None

    def __post_init__(self) -> None:
        self._progress = self._report.progress
        self._settings = self._report.settings
        self._running: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._committed_at = time.monotonic()
        self._ended = 0  # visits that ended since then
        self._noted_at = time.monotonic()
        self._told_at = 0.0
        self._indexed_at = time.monotonic()
        self._completed_at = time.monotonic()
        self._indexing: asyncio.Task[None] | None = None
        self._abandoned = False  # stopped twice: the next command indexes what is left
        self._failure: BaseException | None = None

    async def run(self, seeds: Iterable[Url]) -> None:
        self._handle_signals()
        self._frontier.add_seeds(seeds)
        self._commit()
        await self._revisits.begin()
        self._revisits.feed()
        try:
            while not self._progress.stopping:
                self._obey_commands()
                self._start_visits()
                if not self._running and not self._has_more_to_do():
                    break
                await self._pause()
                self._commit_when_due()
        finally:
            try:
                await self._finish()
            finally:
                await self._ranking.stop()

    def stop(self) -> None:
        """End the crawl after the open requests are answered and indexed; a second call drops them."""
        if self._progress.stopping:
            self._abandoned = True
            for task in self._tasks():
                task.cancel()
        self._progress.stopping = True
        self._wake.set()

    def _handle_signals(self) -> None:
        for number in ENDING:
            with suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread
                asyncio.get_running_loop().add_signal_handler(number, self.stop)

    def _obey_commands(self) -> None:
        """Carry out the owner's latest commands: pause, resume, stop, new seeds."""
        commands = self._control.look()
        if commands is None:
            return
        if commands.pause != self._progress.paused:
            self._progress.paused = commands.pause
            self._report.log.note("rest" if commands.pause else "resume")
        if commands.stop:
            self.stop()
        self._add_later_seeds(commands.seeds)

    def _add_later_seeds(self, seeds: TakenSeeds) -> None:
        """Add seeds that came during the crawl; commit them before their files are removed."""
        self._progress.seed_errors.update(seeds.errors)
        if seeds.urls:
            self._report.log.note("seeds", seeds=[url.text for url in seeds.urls[:MOST_SEEDS_NOTED]])
            self._frontier.add_seeds(seeds.urls)
            self._commit()
        self._control.inbox.acknowledge(seeds)

    def _start_visits(self) -> None:
        """Start all visits that are possible now, taking turns among the partitions."""
        handed_out = not self._progress.paused
        while handed_out and not self._full():
            handed_out = False
            for partition_crawl in self._frontier.partition_crawls:
                request = None if self._full() else partition_crawl.queues.next(time.time())
                if request is not None:
                    handed_out = True
                    # The turn may go to a known page instead. A host with only known pages gets its turn by a
                    # `HostToken` in the frontier.
                    chosen = self._revisits.turn(partition_crawl, request)
                    if chosen is not None:
                        task = asyncio.create_task(self._visitor.visit(partition_crawl, chosen))
                        self._running.add(task)
                        task.add_done_callback(self._arrived)

    def _full(self) -> bool:
        limit = self._settings.max_pages
        if limit and self._progress.pages + len(self._running) >= limit:
            return True
        looking_up = self._fetcher.looking_up
        connected = len(self._running) - looking_up
        return connected >= self._settings.connections or looking_up >= MOST_LOOKED_UP

    def _arrived(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._ended += 1
        self._wake.set()
        self._note_failure(task)

    def _note_failure(self, task: asyncio.Task[None]) -> None:
        """End the crawl after an internal error, such as a bug or a full disk."""
        if not task.cancelled() and (failure := task.exception()) is not None:
            self._failure = self._failure or failure
            self._progress.stopping = True
            self._wake.set()

    def _has_more_to_do(self) -> bool:
        """Return whether there is anything to wait for."""
        if self._progress.paused:
            return True
        limit = self._settings.max_pages
        if limit and self._progress.pages >= limit:
            return False
        return self._frontier.wait() <= RETRY_WITHIN_SECONDS or self._feed_revisits()

    def _feed_revisits(self) -> bool:
        """Load known pages that are due; return whether the crawl has any to visit, now or later."""
        if not self._revisits.forever or self._revisits.wants_early:
            self._commit()
            self._revisits.feed_early()
        return self._revisits.feed() or self._revisits.forever

    async def _pause(self) -> None:
        nothing_to_start = self._full() or self._progress.paused
        timeout = TICK if nothing_to_start else min(TICK, self._frontier.wait())
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), max(timeout, 0.001))
        self._wake.clear()

    def _commit_when_due(self) -> None:
        now = time.monotonic()
        if now - self._told_at >= TICK:
            self._told_at = now
            self._show_progress()
        # A crash must not lose more pages than there are connections, however fast pages arrive.
        is_early = now - self._committed_at < self._settings.commit_seconds
        if is_early and self._ended < self._settings.connections:
            return
        self._commit()
        self._revisits.feed()
        self._ranking.start_when_due()
        live = self._ingest.live
        if live is not None and not self._indexing and (live.is_full or self._is_late(live, now)):
            self._indexed_at = now
            if self._revisits.forever and now - self._completed_at >= COMPLETE_SECONDS:
                self._completed_at = now
                self._start_indexing(live.complete())
            else:
                self._start_indexing(live.flush())

    def _is_late(self, live: LiveIndex, now: float) -> bool:
        """Return whether new pages should be indexed now: during a pause, or in a continuous crawl."""
        if not live.waits:
            return False
        if self._progress.paused:
            return not self._running
        return self._revisits.forever and now - self._indexed_at >= SEARCHABLE_SECONDS

    def _commit(self) -> None:
        if time.monotonic() - self._noted_at >= NOTE_SECONDS or self._progress.stopping or not self._running:
            self._frontier.knowledge.note()
            self._noted_at = time.monotonic()
        partition_crawls = self._frontier.partition_crawls
        for url, reason in commit(
            [partition_crawl.transaction for partition_crawl in partition_crawls]
        ).items():
            self._report.page_lost(url.text, reason)
            self._ingest.drop_lost_page(url)
        for partition_crawl in partition_crawls:
            partition_crawl.partition.keep_seen_short(partition_crawl.seen)
        self._report.log.committed(self._progress)
        self._committed_at = time.monotonic()
        self._ended = 0

    def _start_indexing(self, work: Coroutine[Any, Any, int]) -> None:
        """Index what is committed, in the background."""
        self._indexing = asyncio.create_task(self._index(work))
        self._indexing.add_done_callback(self._indexed)

    async def _index(self, work: Coroutine[Any, Any, int]) -> None:
        self._progress.indexed += await work

    def _indexed(self, task: asyncio.Task[None]) -> None:
        self._indexing = None
        self._note_failure(task)

    def _show_progress(self) -> None:
        self._progress.queue = len(self._frontier)
        self._progress.active = len(self._running)
        self._control.status.beat()
        if self._observer:
            self._observer(self._progress)

    async def _finish(self) -> None:
        self._progress.finishing = True
        await self._drain()
        self._commit()
        if self._ingest.live is not None and not self._abandoned:
            self._start_indexing(self._ingest.live.complete())
            await self._drain()
        self._progress.finished = time.time()
        self._show_progress()

    async def _drain(self) -> None:
        """Wait until all visits and the indexing have ended; raise the failure if there was one."""
        while tasks := self._tasks():
            await asyncio.wait(tasks, timeout=TICK)
            self._show_progress()
        if self._failure is not None:
            raise self._failure

    def _tasks(self) -> list[asyncio.Task[None]]:
        return [*self._running, *filter(None, [self._indexing])]
