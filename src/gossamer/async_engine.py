"""AsyncEngine: the methods of Engine for programs with an event loop.

Searches run in a few threads; compiled code releases the GIL. A method that changes the collection
opens it a second time, so that searches continue meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from inspect import signature
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from gossamer.collection.collection import Collection
from gossamer.engine import Engine
from gossamer.model import EngineClosed, UsageError
from gossamer.model.progress import CrawlProgress, Observer, unobserved

# Watch and stop a crawl from an event loop
# -----------------------------------------
#
# The crawl has its own thread and its own loop. A few times a second it publishes a copy of its progress,
# and checks whether it was asked to stop.

Work = Callable[[Observer[CrawlProgress]], CrawlProgress]


class CrawlRun:
    """Watch a crawl that runs in a thread, and stop it.

    `AsyncEngine.crawling` returns it. The crawl starts with the `async with` block. Leaving the block stops
    the crawl and waits for its end. Between two values of `async for` any number of pages may be fetched; for
    an exact limit use `max_pages`.

    Attributes:
        progress: The latest `CrawlProgress`, a copy.

    Example:
        >>> async def watch(engine):
        ...     async with engine.crawling("https://example.org/", max_pages=100) as crawl:
        ...         async for progress in crawl:
        ...             if progress.failed > 10:
        ...                 crawl.stop()
        ...     return crawl.progress.failed
        >>> asyncio.run(watch(async_engine))
        0
    """

    def __init__(self, work: Work, observer: Observer[CrawlProgress] = unobserved) -> None:
        self._work = work
        self._observer = observer
        self._news = asyncio.Event()
        self._stops = 0
        self.progress = CrawlProgress()

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        thread = ThreadPoolExecutor(1, "crawl")
        self._done = self._loop.run_in_executor(thread, self._crawl)
        self._done.add_done_callback(lambda _: self._news.set())
        thread.shutdown(wait=False)  # the thread ends with the crawl
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
        """Stop the crawl: open requests finish and are indexed. A second call cancels them."""
        self._stops += 1

    def __getattr__(self, name: str) -> Any:
        missed = "the crawl has not begun; write: async with engine.crawling(...) as crawl"
        unknown = f"'CrawlRun' object has no attribute {name!r}"
        raise UsageError(missed) if name == "_done" else AttributeError(unknown)

    async def wait(self) -> CrawlProgress:
        """Wait until the crawl has ended.

        Returns:
            The progress at the end.

        Raises:
            UsageError: The crawl has not begun, because this is not within the `async with` block.
        """
        self.progress = await asyncio.shield(self._done)
        return self.progress

    async def __aiter__(self) -> AsyncIterator[CrawlProgress]:
        """Iterate over the progress, a few times a second. The last value is the progress at the end."""
        while not self._done.done():
            await self._news.wait()
            self._news.clear()
            if self.progress.finished is None and not self._done.done():
                yield self.progress
        yield await self.wait()

    async def _ended(self) -> asyncio.CancelledError | None:
        """Wait for the thread. A cancellation meanwhile stops the crawl, and is returned."""
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
        except asyncio.CancelledError:  # it was stopped twice
            return self.progress

    def _watch(self, progress: CrawlProgress) -> None:
        """Publish the progress and pass on a stop. The crawl calls this in its own thread and task."""
        self._observer(progress)
        self.progress = progress.copy()
        try:
            self._loop.call_soon_threadsafe(self._news.set)
        except RuntimeError:  # the loop is closed: nobody waits for this crawl
            self._stops = max(self._stops, 1)
        if self._stops:
            progress.stopping = True
        task = asyncio.current_task()
        if self._stops > 1 and task is not None:
            task.cancel()


FIRST_BATCH = 10  # results or pages that an iterator reads in one call
BATCH = 100  # the same, from the second call on
T = TypeVar("T")
P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., object])
Method = Callable[Concatenate[Engine, P], T]


def _awaited(method: Method[P, T]) -> Callable[Concatenate[AsyncEngine, P], Coroutine[Any, Any, T]]:
    """Make an awaited method of a method that reads the collection. It runs in a thread."""

    @wraps(method)
    async def call(self: AsyncEngine, /, *args: P.args, **kwargs: P.kwargs) -> T:
        own = getattr(self.engine, method.__name__)  # the engine may be of a subclass
        return await self._call(partial(own, *args, **kwargs))

    return call


def _written(method: Method[P, T]) -> Callable[Concatenate[AsyncEngine, P], Coroutine[Any, Any, T]]:
    """Make an awaited method of a method that changes the collection. It runs in an engine of its own."""

    @wraps(method)
    async def call(self: AsyncEngine, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._call(lambda: method(self._writer(), *args, **kwargs))

    return call


def _iterated(method: Method[P, Iterable[T]]) -> Callable[Concatenate[AsyncEngine, P], AsyncIterator[T]]:
    """Make an asynchronous iterator of a method that returns an iterable. It is read in batches."""

    @wraps(method)
    async def read(self: AsyncEngine, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        own = getattr(self.engine, method.__name__)
        found = iter(await self._call(partial(own, *args, **kwargs)))
        size = FIRST_BATCH
        while batch := await self._call(partial(_next, found, size)):
            for one in batch:
                yield one
            size = BATCH

    read.__doc__ = (
        f"{(method.__doc__ or '').partition(chr(10))[0]} Use it with `async for`.\n\n"
        f"Arguments and errors are those of `Engine.{method.__name__}`. Only the iterator is asynchronous:\n"
        "it has no length, no `total` and no other attributes. What it yields is read in batches."
    )
    return _returning("AsyncIterator", read)


def _returning(kind: str, call: F) -> F:
    """Show another type of result in the help."""
    call.__signature__ = signature(call).replace(return_annotation=kind)  # type: ignore[attr-defined]
    return call


def _next(found: Iterator[T], count: int) -> list[T]:
    return list(islice(found, count))


def _crawls(method: Method[P, CrawlProgress]) -> Callable[Concatenate[AsyncEngine, P], CrawlRun]:
    """Make a method that returns the `CrawlRun` of a crawl."""

    @wraps(method)
    def begin(self: AsyncEngine, /, *args: P.args, **kwargs: P.kwargs) -> CrawlRun:
        self._must_be_open()
        given: dict[str, Any] = dict(kwargs)
        observer = given.pop("observer", None) or unobserved

        def work(watch: Observer[CrawlProgress]) -> CrawlProgress:
            return self._writer().crawl(*cast("tuple[Any, ...]", args), **given, observer=watch)

        return CrawlRun(work, observer)

    begin.__name__ = "crawling"
    begin.__doc__ = (
        "Begin a crawl that the program watches and can stop; return its `CrawlRun`.\n\n"
        "Use it as `async with engine.crawling(...) as crawl`: see `help(gossamer.CrawlRun)`. Arguments and\n"
        "errors are those of `Engine.crawl`."
    )
    return _returning("CrawlRun", begin)


def _crawled(
    method: Method[P, CrawlProgress],
) -> Callable[Concatenate[AsyncEngine, P], Coroutine[Any, Any, CrawlProgress]]:
    """Make a method that runs a crawl to its end."""

    @wraps(method)
    async def crawl(self: AsyncEngine, /, *args: P.args, **kwargs: P.kwargs) -> CrawlProgress:
        begin: Callable[..., CrawlRun] = self.crawling
        async with begin(*args, **kwargs) as run:
            return await run.wait()

    return crawl


class AsyncEngine:
    """Open one collection in a program that runs an event loop.

    It has the methods of `Engine` with the same arguments and the same help. Most are awaited: where an
    example says `engine.search("hours")`, write `await engine.search("hours")`. `results`, `pages`,
    `in_links` and `out_links` are used with `async for`, and `crawling` watches a crawl. Use
    `AsyncEngine.open`, not `AsyncEngine(...)`.

    A cancelled search returns at once; its thread finishes, and the results are dropped. A cancelled crawl
    finishes its open requests first, as after Ctrl-C; a second cancellation cancels them too. Other jobs
    run in their thread to the end. Observers are called in the thread of the job.

    Attributes:
        engine: The `Engine` that does the work.

    Example:
        >>> async def main():
        ...     async with await AsyncEngine.open("my-search", create=True) as engine:
        ...         await engine.crawl("https://example.org/", max_pages=100)
        ...         hours, stamps = await asyncio.gather(engine.search("hours"), engine.search("stamps"))
        ...         return hours[0].title, stamps[0].title
        >>> asyncio.run(main())
        ('Visit us', 'The collection')
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
        """Open a collection, or create one, as `Engine.open` does.

        Args:
            directory: The folder of the collection.
            create: Create the collection if there is none.
            partitions: The number of partitions of a new collection.
            settings: Settings by section. They override gossamer.toml.
            threads: The number of searches and other calls that run at the same time.

        Returns:
            The engine. Use it in an `async with` block, or call `close`.

        Raises:
            NotACollection: The folder holds no collection. `create=True` makes one.
            BadSetting: A setting has a wrong name or value.
        """
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
        """Wait for running calls, and close all files."""
        self._is_closed = True
        await asyncio.to_thread(self._threads.shutdown)
        self.engine.close()

    # Methods that change the collection

    crawling = _crawls(Engine.crawl)
    crawl = _crawled(Engine.crawl)
    index = _written(Engine.index)
    rank = _written(Engine.rank)
    import_files = _written(Engine.import_files)
    check = _written(Engine.check)

    # Methods that search

    search = _awaited(Engine.search)
    results = _iterated(Engine.results)
    similar = _awaited(Engine.similar)
    suggest = _awaited(Engine.suggest)
    warm_up = _awaited(Engine.warm_up)

    # Methods that read pages

    page = _awaited(Engine.page)
    pages = _iterated(Engine.pages)
    cached = _awaited(Engine.cached)
    export = _awaited(Engine.export)

    # Methods that read links and ranks

    top = _awaited(Engine.top)
    propose_seeds = _awaited(Engine.propose_seeds)
    personal = _awaited(Engine.personal)
    topics = _awaited(Engine.topics)
    links = _awaited(Engine.links)
    in_links = _iterated(Engine.in_links)
    out_links = _iterated(Engine.out_links)
    graph = _awaited(Engine.graph)
    graph_report = _awaited(Engine.graph_report)

    # Methods that show the state of the collection

    status = _awaited(Engine.status)
    host_status = _awaited(Engine.host_status)
    health = _awaited(Engine.health)

    def _writer(self) -> Engine:
        """Open another engine on the same collection, so that this one can continue to read."""
        return Engine(Collection.open(self.engine.directory), self.engine.config)

    def _must_be_open(self) -> None:
        if self._is_closed:
            raise EngineClosed(self.engine.directory)

    async def _call(self, work: Callable[[], T]) -> T:
        self._must_be_open()
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)
