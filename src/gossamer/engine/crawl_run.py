"""How does an event loop watch a crawl, and end it, without waiting for it?

The crawl has a thread and a loop of its own. A few times a second it leaves a copy of its progress, and looks
whether somebody wants it to end.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from gossamer.engine.progress import CrawlObserver, CrawlProgress

Work = Callable[[CrawlObserver], CrawlProgress]


class CrawlRun:
    """A crawl that goes on while the block of its `async with` does, and is ended well when that is left."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._news = asyncio.Event()
        self._stops = 0
        self.progress = CrawlProgress()  # as it was when the crawl last told of it

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        thread = ThreadPoolExecutor(1, "crawl")
        self._done = self._loop.run_in_executor(thread, self._crawl)
        self._done.add_done_callback(lambda _: self._news.set())
        thread.shutdown(wait=False)  # it ends with the crawl
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._stops and not self._done.done():
            self.stop()
        cancelled = await self._ended()
        failed = self._done.exception()
        if failed is None:
            self.progress = self._done.result()
        if cancelled is not None:
            raise cancelled
        if failed is not None and error is None:
            raise failed

    def stop(self) -> None:
        """Lets what is in flight arrive and be indexed; a second call lets go of all that."""
        self._stops += 1

    async def wait(self) -> CrawlProgress:
        """Waits until nothing is left to crawl."""
        self.progress = await asyncio.shield(self._done)
        return self.progress

    async def __aiter__(self) -> AsyncIterator[CrawlProgress]:
        """The progress, a few times a second, and at last as it was at the end."""
        while not self._done.done():
            await self._news.wait()
            self._news.clear()
            if not self._done.done():
                yield self.progress
        yield await self.wait()

    async def _ended(self) -> asyncio.CancelledError | None:
        """Waits for the thread; who is cancelled meanwhile wants it to let go, and gets that back."""
        cancelled = None
        while not self._done.done():
            try:
                await asyncio.wait([self._done])
            except asyncio.CancelledError as error:
                cancelled = error
                self.stop()
        return cancelled

    def _crawl(self) -> CrawlProgress:
        try:
            return self._work(self._watch)
        except asyncio.CancelledError:  # it was told to let go
            return self.progress

    def _watch(self, progress: CrawlProgress) -> None:
        """What the crawl calls, in its own thread and within its own task."""
        self.progress = progress.copy()
        try:
            self._loop.call_soon_threadsafe(self._news.set)
        except RuntimeError:  # the loop is closed: nobody is there any more
            self._stops = max(self._stops, 1)
        if self._stops:
            progress.stopping = True
        task = asyncio.current_task()
        if self._stops > 1 and task is not None:
            task.cancel()
