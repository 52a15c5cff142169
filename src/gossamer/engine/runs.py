"""Puts the stages together for one run: a crawl, an index, an import. Imported when one begins.

Searching needs none of this, and a command that only searches should not wait for it to load.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from gossamer.engine.batch import Batch
from gossamer.engine.config import Config
from gossamer.engine.crawling import Crawl
from gossamer.engine.discovery import Discovery, Shard
from gossamer.engine.duplicates import Duplicates
from gossamer.engine.hosts import Hosts, silent_until
from gossamer.engine.importing import ImportSummary, import_pages, read_file
from gossamer.engine.indexing import Indexing, IndexSummary
from gossamer.engine.intake import Intake, extraction_pool
from gossamer.engine.partition import Partition
from gossamer.engine.progress import CrawlObserver, CrawlProgress, StepObserver
from gossamer.engine.visiting import Visitor
from gossamer.fetch.fetcher import Fetcher
from gossamer.fetch.transport import Transport
from gossamer.frontier.frontier import Frontier
from gossamer.frontier.seen import SeenTable
from gossamer.model import Page, Url
from gossamer.web.filters import UrlFilter
from gossamer.web.host import registrable_domain
from gossamer.web.robots import product_token

T = TypeVar("T")
Route = Callable[[str], int]


async def crawl(
    partitions: Sequence[Partition],
    route: Route,
    config: Config,
    urls: Sequence[Url],
    transport: Transport | None,
    index: bool,
    observer: CrawlObserver | None,
) -> CrawlProgress:
    """Fetches the seeds and what they lead to, and what is queued."""
    transport = transport or _http(config)
    progress = CrawlProgress()
    pool = extraction_pool(config)
    shards = [_shard(partition, config) for partition in partitions]
    fetcher = Fetcher(transport, config.fetch)
    hosts = Hosts(fetcher, product_token(config.fetch.user_agent))
    discovery = Discovery(shards, route, _url_filter(config, urls, partitions))
    duplicates = Duplicates([shard.batch for shard in shards], route, discovery.host_depth)
    intake = Intake(duplicates, pool)
    visitor = Visitor(fetcher, hosts, intake, discovery, config.crawl, progress)
    indexing = Indexing(partitions, config, pool)

    async def index_pages(fresh: dict[int, Page]) -> int:
        return (await indexing.run(fresh)).added

    run = Crawl(
        discovery,
        visitor,
        config.crawl,
        config.index.every_pages,
        index_pages if index else None,
        progress,
        observer,
    )
    try:
        await run.run(urls)
    finally:
        await transport.close()
        pool.close()
    return progress


def _http(config: Config) -> Transport:
    from gossamer.fetch.http import HttpTransport

    return HttpTransport(config.fetch)


def _shard(partition: Partition, config: Config) -> Shard:
    """A partition's frontier and seen table as the last commit left them."""
    frontier = Frontier(config.frontier, seed=partition.number)
    seen = SeenTable()
    seen.add_many(partition.catalogue.fingerprints())
    now = time.time()
    # A killed process may have asked after its last commit: every host that it knew gets its full pause.
    for row in partition.catalogue.hosts():
        rested = now + frontier.pause(0.0, row.crawl_delay)
        frontier.hold(row.authority, max(rested, silent_until(row.failed_at, row.failures)))
    for request, not_before in partition.catalogue.queued():
        frontier.hold(request.url.authority, now + frontier.pause(0.0))
        frontier.add(request, not_before)
    return Shard(Batch(partition), frontier, seen)


def _url_filter(config: Config, seeds: Iterable[Url], partitions: Sequence[Partition]) -> UrlFilter:
    settings = config.crawl
    sites = None
    if settings.stay:
        # A crawl that goes on without URLs keeps to the sites of all crawls before it.
        hosts = {url.host for url in seeds} or {
            host for partition in partitions for host in partition.catalogue.seed_hosts()
        }
        sites = frozenset(registrable_domain(host) for host in hosts)
    depth = None if settings.depth < 0 else settings.depth
    return UrlFilter(tuple(settings.include), tuple(settings.exclude), depth, sites)


async def index(
    partitions: Sequence[Partition], config: Config, rebuild: bool, observer: StepObserver | None
) -> IndexSummary:
    """Makes every kept page searchable."""
    pool = extraction_pool(config)
    try:
        return await Indexing(partitions, config, pool, observer).run({}, rebuild)
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
        intake = Intake(Duplicates(batches, route, lambda _url: 0), pool)
        summary = await import_pages(results, batches, route, intake, observer)
        if index:
            await Indexing(partitions, config, pool, observer).run({})
    finally:
        pool.close()
    return summary


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs to the end in an event loop of its own, on uvloop where there is one."""
    try:
        import uvloop

        factory = uvloop.new_event_loop
    except ImportError:
        factory = None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)
