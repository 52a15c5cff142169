"""The whole search engine behind one object: crawl, index, rank, search over a collection's partitions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from gossamer.engine import config as configs
from gossamer.engine.batch import Batch
from gossamer.engine.checking import Checking, CheckReport
from gossamer.engine.collection import Collection
from gossamer.engine.config import Config
from gossamer.engine.crawling import Crawl
from gossamer.engine.discovery import Discovery, Shard
from gossamer.engine.exporting import export
from gossamer.engine.hosts import Hosts
from gossamer.engine.importing import ImportSummary, import_pages, read_file
from gossamer.engine.indexing import Indexing, IndexSummary
from gossamer.engine.intake import Intake, extraction_pool
from gossamer.engine.partition import Partition
from gossamer.engine.progress import CrawlObserver, CrawlProgress, StepObserver
from gossamer.engine.ranking import RankedPage, RankSummary, rank, top
from gossamer.engine.searching import Searching
from gossamer.engine.status import Status, status
from gossamer.engine.visiting import Visitor
from gossamer.fetch.fetcher import Fetcher
from gossamer.fetch.transport import Transport
from gossamer.frontier.frontier import Frontier
from gossamer.frontier.seen import SeenTable
from gossamer.model import Page, ResultPage, Url
from gossamer.web.filters import UrlFilter
from gossamer.web.host import registrable_domain
from gossamer.web.url import repair

T = TypeVar("T")


class Engine:
    """A collection on disk and everything that can be done with it.

    Searching, status and export may go on while another process crawls; crawl, index, rank, import and
    repair need the collection for themselves and raise `CollectionBusy` when another process has it.
    """

    def __init__(self, collection: Collection, config: Config) -> None:
        self.config = config
        self.directory = collection.directory
        self._collection = collection
        self._partitions = [
            Partition(number, collection.partition_folder(number), config.store)
            for number in range(collection.partitions)
        ]
        self._searching = Searching(
            [partition.index for partition in self._partitions], collection.graph_folder, config.search
        )

    @classmethod
    def open(
        cls,
        directory: str | Path,
        *,
        create: bool = False,
        partitions: int = 1,
        settings: dict[str, dict[str, Any]] | None = None,
    ) -> Self:
        """Opens a collection; `create` makes it where there is none. `settings` win over gossamer.toml."""
        folder = Path(directory)
        if create and not (folder / "collection.json").exists():
            collection = Collection.create(folder, partitions)
        else:
            collection = Collection.open(folder)
        path = folder / configs.NAME
        config = Config.load(path) if path.exists() else Config()
        return cls(collection, config.changed(settings or {}))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of all files."""
        for partition in self._partitions:
            partition.close()

    # What changes the collection

    def crawl(
        self,
        seeds: Sequence[str | Url] = (),
        *,
        transport: Transport | None = None,
        index: bool = True,
        observer: CrawlObserver | None = None,
    ) -> CrawlProgress:
        """Fetches the seeds and what they lead to, or goes on with what is queued; then indexes it."""
        urls = [seed if isinstance(seed, Url) else repair(seed)[0] for seed in seeds]
        with self._writing():
            return _run(self._crawl(urls, transport, index, observer))

    async def _crawl(
        self, urls: list[Url], transport: Transport | None, index: bool, observer: CrawlObserver | None
    ) -> CrawlProgress:
        if transport is None:
            from gossamer.fetch.http import HttpTransport

            transport = HttpTransport(self.config.fetch)
        progress = CrawlProgress()
        pool = extraction_pool(self.config.extract)
        shards = [self._shard(partition) for partition in self._partitions]
        fetcher = Fetcher(transport, self.config.fetch)
        hosts = Hosts(fetcher, self.config.fetch.user_agent.partition("/")[0])
        route = self._collection.partition_of
        discovery = Discovery(shards, route, self._url_filter(urls))
        intake = Intake([shard.batch for shard in shards], route, discovery.host_depth, pool)
        visitor = Visitor(fetcher, hosts, intake, discovery, self.config.crawl, progress)
        indexing = Indexing(self._partitions, self.config, pool)

        async def index_pages(fresh: dict[int, Page]) -> int:
            return (await indexing.run(fresh)).added

        crawl = Crawl(
            discovery,
            visitor,
            self.config.crawl,
            self.config.index.every_pages,
            index_pages if index else None,
            progress,
            observer,
        )
        try:
            await crawl.run(urls)
        finally:
            await transport.close()
            pool.close()
        return progress

    def _shard(self, partition: Partition) -> Shard:
        """A partition's frontier and seen table as the last commit left them."""
        frontier = Frontier(self.config.frontier, seed=partition.number)
        seen = SeenTable()
        for fingerprint, _ in partition.catalogue.states():
            seen.add(fingerprint)
        now = time.time()
        for row in partition.catalogue.hosts():
            # A killed process may have asked after its last commit: every known host gets its full pause.
            frontier.hold(row.authority, now + self.config.frontier.delay)
        for request, not_before in partition.catalogue.queued():
            frontier.add(request, not_before)
        return Shard(Batch(partition), frontier, seen)

    def _url_filter(self, seeds: Iterable[Url]) -> UrlFilter:
        settings = self.config.crawl
        sites = frozenset(registrable_domain(url.host) for url in seeds)
        return UrlFilter(
            tuple(settings.include),
            tuple(settings.exclude),
            None if settings.depth < 0 else settings.depth,
            sites if settings.stay and sites else None,
        )

    def index(self, *, rebuild: bool = False, observer: StepObserver | None = None) -> IndexSummary:
        """Makes every kept page searchable; `rebuild` starts from the page store and freezes pivots anew."""
        with self._writing():
            return _run(self._index(rebuild, observer))

    async def _index(self, rebuild: bool, observer: StepObserver | None) -> IndexSummary:
        pool = extraction_pool(self.config.extract)
        try:
            return await Indexing(self._partitions, self.config, pool, observer).run({}, rebuild)
        finally:
            pool.close()

    def rank(self, *, observer: StepObserver | None = None) -> RankSummary:
        """Computes the link graph and its ranks; searches use them at once."""
        with self._writing():
            return rank(self._partitions, self._collection.graph_folder, self.config.rank, observer)

    def import_files(
        self, paths: Sequence[str | Path], *, index: bool = True, observer: StepObserver | None = None
    ) -> ImportSummary:
        """Takes in pages that somebody else fetched: WARC files, corpora of JSON lines."""
        with self._writing():
            return _run(self._import([Path(path) for path in paths], index, observer))

    async def _import(
        self, paths: Sequence[Path], index: bool, observer: StepObserver | None
    ) -> ImportSummary:
        pool = extraction_pool(self.config.extract)
        batches = [Batch(partition) for partition in self._partitions]
        route = self._collection.partition_of
        results = chain.from_iterable(read_file(path) for path in paths)
        try:
            summary = await import_pages(
                results, batches, route, Intake(batches, route, lambda _url: 0, pool), observer
            )
            if index:
                await Indexing(self._partitions, self.config, pool, observer).run({})
        finally:
            pool.close()
        return summary

    def check(self, *, repair: bool = False, observer: StepObserver | None = None) -> CheckReport:
        """Verifies every file, after cutting off what a killed process left behind its last commit.

        With `repair` it brings back what the page store allows.
        """
        checking = Checking(self._partitions, self._collection.graph_folder, observer)
        with self._collection.writing():
            try:
                report = checking.run(repair)
            finally:
                self.close()
        if any(problem.repaired for problem in report.problems):
            self.index(observer=observer)
        return report

    # What reads it

    def search(
        self,
        text: str,
        k: int = 10,
        offset: int = 0,
        scheme: str | None = None,
        algorithm: str | None = None,
        explain: bool = False,
    ) -> ResultPage:
        """The best pages for a query, from `offset` on, at most k."""
        return self._searching.search(text, k, offset, scheme, algorithm, explain)

    def top(self, count: int, by: str = "pagerank") -> list[RankedPage]:
        """The best pages by a rank alone."""
        return top(self._partitions, self._collection.graph_folder, count, by)

    def status(self) -> Status:
        return status(self.directory, self._partitions, self._collection.graph_folder)

    def export(self, out: str | Path, form: str = "jsonl", *, observer: StepObserver | None = None) -> int:
        """Writes all pages to a file, or for the format `text` to a folder; returns how many."""
        return export(self._partitions, Path(out), form, observer)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """The right to write, with every file brought back to its last commit."""
        with self._collection.writing():
            try:
                for partition in self._partitions:
                    partition.recover()
                    partition.index.tidy()
                yield
            finally:
                self.close()


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Runs to the end in an event loop of its own, on uvloop where there is one."""
    try:
        import uvloop

        factory = uvloop.new_event_loop
    except ImportError:
        factory = None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)
