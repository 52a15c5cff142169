"""The same engine for programs that run an event loop: nothing here makes the loop wait.

Questions are answered in a few threads of its own; Python lets go of its lock where compiled code searches.
What changes the collection opens it for itself, so that searches go on beside it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from gossamer.engine.collection import Collection
from gossamer.engine.crawl_run import CrawlRun
from gossamer.engine.engine import Engine
from gossamer.engine.known_pages import PageInfo
from gossamer.engine.progress import CrawlObserver, CrawlProgress
from gossamer.model import CachedPage, EngineClosed, Hit, How, ResultPage, SearchRequest, Url

if TYPE_CHECKING:
    from gossamer.engine.indexing import IndexSummary
    from gossamer.engine.page_links import PageLinks
    from gossamer.engine.rank_summary import RankSummary
    from gossamer.engine.status import Status
    from gossamer.fetch.transport import Transport

TOGETHER = 100  # pages that a thread reads at a time

T = TypeVar("T")


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

    async def search(self, text: str, k: int = 10, offset: int = 0, **how: Unpack[How]) -> ResultPage:
        """As `Engine.search`."""
        return await self._call(partial(self.engine.search, text, k, offset, **how))

    async def answer(self, request: SearchRequest) -> ResultPage:
        """As `Engine.answer`."""
        return await self._call(partial(self.engine.answer, request))

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

    async def suggest(self, text: str, k: int = 8, *, wait: bool = True) -> list[str]:
        """As `Engine.suggest`."""
        return await self._call(partial(self.engine.suggest, text, k, wait=wait))

    async def page(self, url: str) -> PageInfo:
        """As `Engine.page`."""
        return await self._call(partial(self.engine.page, url))

    async def similar(self, url: str, k: int = 10, offset: int = 0) -> ResultPage:
        """As `Engine.similar`."""
        return await self._call(partial(self.engine.similar, url, k, offset))

    async def cached(self, url: str, query: str = "") -> CachedPage | None:
        """As `Engine.cached`."""
        return await self._call(partial(self.engine.cached, url, query))

    async def links(self, url: str, most: int = 10, offset: int = 0) -> PageLinks:
        """As `Engine.links`."""
        return await self._call(partial(self.engine.links, url, most, offset))

    async def status(self) -> Status:
        """As `Engine.status`."""
        return await self._call(self.engine.status)

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
