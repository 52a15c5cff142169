"""Puts the stages together for one run: a crawl, an index, an import. Imported when one begins.

Searching needs none of this, and a command that only searches should not wait for it to load.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, TypeVar, cast

from gossamer.engine.batch import Batch
from gossamer.engine.collection import Collection
from gossamer.engine.config import Config
from gossamer.engine.crawling import ENDING, MOST_SEEDS_NOTED, Crawl
from gossamer.engine.discovery import Discovery, Shard
from gossamer.engine.duplicates import Duplicates
from gossamer.engine.helm import Helm
from gossamer.engine.hosts import Hosts, silent_until
from gossamer.engine.importing import ImportSummary, import_pages, read_file
from gossamer.engine.indexing import Indexing, IndexSummary
from gossamer.engine.intake import Intake, extraction_pool
from gossamer.engine.journal import Journal, asleep_teller, rank_teller
from gossamer.engine.learned import Learned
from gossamer.engine.live import LiveIndex
from gossamer.engine.partition import Partition
from gossamer.engine.progress import CrawlObserver, CrawlProgress, StepObserver
from gossamer.engine.rechecking import Rechecking
from gossamer.engine.reranking import Assignment, Reranking
from gossamer.engine.reserve import CatalogueReserve
from gossamer.engine.revisiting import Revisits
from gossamer.engine.scheduling import Schedule
from gossamer.engine.sites import SiteRules
from gossamer.engine.visiting import Visitor
from gossamer.engine.worth import VisitWorth
from gossamer.fetch.fetcher import Fetcher
from gossamer.fetch.plugins import open_transport
from gossamer.fetch.transport import Transport
from gossamer.frontier.addresses import AddressPace
from gossamer.frontier.frontier import Frontier
from gossamer.frontier.order import order
from gossamer.model import Url
from gossamer.web.filters import UrlFilter
from gossamer.web.host import registrable_domain
from gossamer.web.robots import product_token

T = TypeVar("T")
Route = Callable[[str], int]


async def crawl(
    partitions: Sequence[Partition],
    collection: Collection,
    sites: SiteRules,
    config: Config,
    urls: Sequence[Url],
    transport: Transport | None,
    index: bool,
    observer: CrawlObserver | None,
    horizon: float,
) -> CrawlProgress:
    """Fetches the seeds and what they lead to, what is queued, and known pages with dates up to `horizon`."""
    route = collection.partition_of
    transport = transport or open_transport(config.fetch)
    progress = CrawlProgress(max_crawl_delay=config.frontier.max_crawl_delay)
    journal = Journal(collection.logs_folder, config.crawl, progress.troubles.append)
    helm = Helm(collection.owner_folder, sites, progress)
    pool = extraction_pool(config)
    pace = AddressPace.by(config.frontier, transport.address_of)
    shards = [shard_of(partition, config, pace) for partition in partitions]
    fetcher = Fetcher(transport, config.fetch, config.frontier.delay)
    hosts = Hosts(fetcher, product_token(config.fetch.user_agent))
    batches = [shard.batch for shard in shards]
    learned = Learned(batches, route, config)
    learned.tell = asleep_teller(progress, journal)
    leave_out = url_filter(config, urls, partitions)
    first = order(config.frontier.order)
    discovery = Discovery(
        shards, route, leave_out, first, learned, config.crawl, transport.prefetch, helm.blocks
    )
    duplicates = Duplicates(batches, route, discovery.host_depth, config.quality)
    intake = Intake(duplicates, pool, learned)
    live = LiveIndex(partitions, route, config) if index else None
    worth = VisitWorth(shards, config.freshness)
    schedule = Schedule(worth, config.freshness)
    revisits = Revisits(shards, worth, schedule, horizon)
    rechecking = Rechecking(discovery, schedule, revisits, duplicates, live, progress)
    visitor = Visitor(
        fetcher,
        hosts,
        intake,
        discovery,
        learned,
        config.crawl,
        progress,
        live,
        journal,
        revisits,
        rechecking,
    )

    async def complete() -> int:
        done = await Indexing(partitions, config, pool).run()
        for url, reason in done.failed.items():
            journal.note("lost", url=url, reason=reason)
            progress.broke(url, reason)
        return done.added

    reranking = Reranking(Assignment(collection.directory, config), rank_teller(progress, journal))
    run = Crawl(
        discovery,
        visitor,
        learned,
        revisits,
        config.crawl,
        live,
        complete,
        progress,
        journal,
        helm,
        reranking,
        observer,
    )
    journal.note("start", seeds=[url.text for url in urls[:MOST_SEEDS_NOTED]], partitions=len(partitions))
    helm.begin()
    try:
        await run.run(urls)
        for shard in shards:
            shard.partition.renew_seen(shard.seen)
    finally:
        journal.stopped(progress)
        await transport.close()
        pool.close()
        helm.end()
    return progress


def shard_of(partition: Partition, config: Config, pace: AddressPace | None = None) -> Shard:
    """A partition's frontier and seen table as the last commit left them."""
    seen = partition.read_seen()
    batch = Batch(partition, seen)
    reserve = CatalogueReserve(batch, seen)
    frontier = Frontier(config.frontier, seen, reserve, pace, partition.number)
    now = time.time()
    # A killed process may have asked after its last commit: every host that it knew gets its full pause.
    for row in partition.catalogue.hosts():
        rested = now + frontier.pause(0.0, row.crawl_delay)
        frontier.hold(row.authority, max(rested, silent_until(row.failed_at, row.failures)))
    for authority, until in partition.catalogue.hosts_to_leave(now):
        frontier.hold(authority, until)
    for authority, count in partition.catalogue.waiting_hosts():
        frontier.hold(authority, now + frontier.pause(0.0))
        frontier.expect(authority, count)
    return Shard(batch, frontier)


def url_filter(config: Config, seeds: Iterable[Url], partitions: Sequence[Partition]) -> UrlFilter:
    settings = config.crawl
    sites = None
    if settings.stay:
        # A crawl that goes on without URLs keeps to the sites of all crawls before it.
        hosts = {url.host for url in seeds} or {
            host for partition in partitions for host in partition.catalogue.seed_hosts()
        }
        sites = frozenset(registrable_domain(host) for host in hosts)
    depth = None if settings.depth < 0 else settings.depth
    return UrlFilter(
        tuple(settings.include),
        tuple(settings.exclude),
        depth,
        sites,
        tuple(settings.hosts),
        tuple(settings.exclude_hosts),
        frozenset(ending.lower().lstrip(".") for ending in settings.exclude_endings),
        frozenset(settings.schemes),
    )


async def index(
    partitions: Sequence[Partition],
    config: Config,
    rebuild: bool,
    merge: bool,
    observer: StepObserver | None,
) -> IndexSummary:
    """Makes every kept page searchable."""
    pool = extraction_pool(config)
    try:
        return await Indexing(partitions, config, pool, observer).run(rebuild, merge)
    finally:
        pool.close()


async def import_files(
    partitions: Sequence[Partition],
    route: Route,
    config: Config,
    paths: Sequence[Path],
    index: bool,
    observer: StepObserver | None,
) -> ImportSummary:
    """Takes in pages that somebody else fetched."""
    pool = extraction_pool(config)
    batches = [Batch(partition) for partition in partitions]
    results = chain.from_iterable(read_file(path) for path in paths)
    try:
        # Nobody knows how far from a seed an imported page was: the first of two copies stays.
        intake = Intake(Duplicates(batches, route, lambda _url: 0, config.quality), pool)
        summary = await import_pages(results, batches, route, intake, observer)
        if index:
            await Indexing(partitions, config, pool, observer).run()
    finally:
        pool.close()
    return summary


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs to the end in an event loop of its own, also where a loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
    return _run_beside(work)


def _run(work: Coroutine[Any, Any, T]) -> T:
    """On uvloop where there is one."""
    try:
        import uvloop

        factory = uvloop.new_event_loop
    except ImportError:
        factory = None
    with _signals_given_back(), _rare_collections(), asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)


def _run_beside(work: Coroutine[Any, Any, T]) -> T:
    """In a thread, because this one has a loop; Ctrl-C, which comes here, ends the work well."""
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()

    async def told() -> T:
        begun.set_result((asyncio.get_running_loop(), cast("asyncio.Task[T]", asyncio.current_task())))
        return await work

    with ThreadPoolExecutor(1, "run") as thread:
        done = thread.submit(_run, told())
        try:
            return done.result()
        except KeyboardInterrupt:
            loop, task = begun.result()
            with suppress(RuntimeError):  # it has just ended
                loop.call_soon_threadsafe(task.cancel)
            raise


@contextmanager
def _signals_given_back() -> Iterator[None]:
    """uvloop leaves the handlers of a closed loop behind, with which Ctrl-C would do nothing any more."""
    if current_thread() is not main_thread():
        yield
        return
    before = [(wish, signal.getsignal(wish)) for wish in ENDING]
    try:
        yield
    finally:
        for wish, handler in before:
            if handler is not None:  # nobody can put back what was not set from Python
                signal.signal(wish, handler)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Looks for cycles of garbage less often: a crawl makes few of them, and saves 7% of its time."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
