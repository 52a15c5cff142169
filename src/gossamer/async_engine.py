"""Engine for programs that run an event loop.

Questions are answered in a few threads of its own; Python lets go of its lock where compiled code searches.
What changes the collection opens it for itself, so that searches go on beside it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

from gossamer.answer.page_info import PageInfo
from gossamer.collection.collection import Collection
from gossamer.engine import Engine
from gossamer.model import EngineClosed, Hit, How, Url
from gossamer.model.progress import CrawlObserver, CrawlProgress

if TYPE_CHECKING:
    from gossamer.crawl.fetch.transport import Transport
    from gossamer.jobs.rank import RankSummary
    from gossamer.jobs.sync_index import IndexSummary


# Watch and stop a crawl from an event loop
# -----------------------------------------
#
# The crawl has a thread and a loop of its own. A few times a second it leaves a copy of its progress,
# and looks whether somebody wants it to end.

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


TOGETHER = 100  # pages that a thread reads at a time
T = TypeVar("T")
P = ParamSpec("P")


def _awaited(
    method: Callable[Concatenate[Engine, P], T],
) -> Callable[Concatenate[AsyncEngine, P], Coroutine[Any, Any, T]]:
    """A method of an engine, to be awaited: it runs on a thread."""

    @wraps(method)
    async def call(self: AsyncEngine, /, *args: P.args, **kwargs: P.kwargs) -> T:
        own = getattr(self.engine, method.__name__)  # that of the engine's own class
        return await self._call(partial(own, *args, **kwargs))

    return call


class AsyncEngine:
    """An `Engine` whose methods are awaited.

    Who is cancelled while a question is answered goes on at once; the thread ends its work, and nobody gets
    the answer. A crawl that is cancelled ends well first, as by Ctrl-C; cancelled again, it lets go.
    """

    def __init__(self, engine: Engine, threads: int = 4) -> None:
        self.engine = engine
        self._threads = ThreadPoolExecutor(threads, "search")
        self._is_closed = False

    @classmethod
    async def open(
        cls,
        directory: str | Path,
        *,
        create: bool = False,
        partitions: int = 1,
        settings: dict[str, dict[str, Any]] | None = None,
        threads: int = 4,
    ) -> Self:
        """As `Engine.open`; at most so many questions are answered at the same time."""
        opened = partial(Engine.open, create=create, partitions=partitions, settings=settings)
        return cls(await asyncio.to_thread(opened, directory), threads)

    def __repr__(self) -> str:
        return f"<AsyncEngine {str(self.engine.directory)!r}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Waits for what is being answered, and lets go of all files."""
        self._is_closed = True
        await asyncio.to_thread(self._threads.shutdown)
        self.engine.close()

    # What reads the collection

    search = _awaited(Engine.search)
    answer = _awaited(Engine.answer)

    async def results(self, text: str, **how: Unpack[How]) -> AsyncIterator[Hit]:
        """All results, best first, asked for as they are needed: `async for hit in engine.results(...)`."""
        found = await self._call(partial(self.engine.results, text, **how))
        hits = list(found.first)
        while hits:
            for hit in hits:
                yield hit
            hits = await self._call(found.more)

    async def pages(self, query: str = "") -> AsyncIterator[PageInfo]:
        """As `Engine.pages`: `async for page in engine.pages(...)`."""
        pages = await self._call(partial(self.engine.pages, query))
        while some := await self._call(lambda: list(islice(pages, TOGETHER))):
            for page in some:
                yield page

    suggest = _awaited(Engine.suggest)
    page = _awaited(Engine.page)
    similar = _awaited(Engine.similar)
    cached = _awaited(Engine.cached)
    links = _awaited(Engine.links)
    status = _awaited(Engine.status)

    # What changes it

    async def crawl(
        self,
        seeds: str | Url | Sequence[str | Url] = (),
        *,
        transport: Transport | None = None,
        index: bool = True,
        continuous: bool = False,
        refresh: bool = False,
    ) -> CrawlProgress:
        """As `Engine.crawl`."""
        run = self.crawling(seeds, transport=transport, index=index, continuous=continuous, refresh=refresh)
        async with run:
            return await run.wait()

    def crawling(
        self,
        seeds: str | Url | Sequence[str | Url] = (),
        *,
        transport: Transport | None = None,
        index: bool = True,
        continuous: bool = False,
        refresh: bool = False,
    ) -> CrawlRun:
        """A crawl to watch: `async with engine.crawling(...) as crawl`, `async for progress in crawl`."""
        self._must_be_open()

        def work(observer: CrawlObserver) -> CrawlProgress:
            return self._writer().crawl(
                seeds,
                transport=transport,
                index=index,
                continuous=continuous,
                refresh=refresh,
                observer=observer,
            )

        return CrawlRun(work)

    async def index(self, *, rebuild: bool = False, merge: bool = False) -> IndexSummary:
        """As `Engine.index`; it goes on to its end, also where nobody waits for it any more."""
        return await self._call(lambda: self._writer().index(rebuild=rebuild, merge=merge))

    async def rank(self, *, only: Sequence[str] = ()) -> RankSummary:
        """As `Engine.rank`; it goes on to its end, also where nobody waits for it any more."""
        return await self._call(lambda: self._writer().rank(only=only))

    def _writer(self) -> Engine:
        """Another engine on the same collection: what is open for reading stays as it is."""
        return Engine(Collection.open(self.engine.directory), self.engine.config)

    def _must_be_open(self) -> None:
        if self._is_closed:
            raise EngineClosed(self.engine.directory)

    async def _call(self, work: Callable[[], T]) -> T:
        self._must_be_open()
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)
