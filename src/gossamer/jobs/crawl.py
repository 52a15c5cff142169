"""Run a crawl: construct all its objects in one place.

This is a separate module so that commands that only search need not import it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.collection.collection import Collection
from gossamer.collection.partition import Partition
from gossamer.collection.site_rules import SiteRules
from gossamer.config import Config
from gossamer.crawl.background_ranking import BackgroundRanking, RankJob
from gossamer.crawl.control import CrawlControl
from gossamer.crawl.fetch.fetcher import Fetcher
from gossamer.crawl.fetch.retry import RetryPolicy
from gossamer.crawl.fetch.transport import Transport, open_transport
from gossamer.crawl.frontier.frontier import Frontier, url_filter
from gossamer.crawl.frontier.politeness import AddressRateLimit
from gossamer.crawl.frontier.url_order import order
from gossamer.crawl.hosts.knowledge import HostKnowledge
from gossamer.crawl.ingest import Ingest
from gossamer.crawl.live_index import LiveIndex
from gossamer.crawl.log import CrawlLog, CrawlReport
from gossamer.crawl.loop import MOST_SEEDS_NOTED, Crawl
from gossamer.crawl.partition_crawl import open_partition_crawl
from gossamer.crawl.revisit.revisit import Revisit
from gossamer.crawl.visit import Visitor
from gossamer.duplicates.verdict import Duplicates
from gossamer.jobs.sync_index import IndexRun, extraction_pool
from gossamer.model import Url
from gossamer.model.progress import CrawlProgress, Observer


async def crawl(
    partitions: Sequence[Partition],
    collection: Collection,
    sites: SiteRules,
    config: Config,
    *,
    urls: Sequence[Url],
    transport: Transport | None,
    index: bool,
    observer: Observer[CrawlProgress] | None,
    horizon: float,
) -> CrawlProgress:
    """Fetch the seeds and what they link to, queued URLs, and known pages due for a revisit by `horizon`."""
    route = collection.partition_of
    transport = transport or open_transport(config.fetch)
    progress = CrawlProgress(max_crawl_delay=config.frontier.max_crawl_delay)
    log = CrawlLog(collection.logs_folder, config.crawl, progress.troubles.append)
    report = CrawlReport(config.crawl, progress, log)
    control = CrawlControl(collection.owner_folder, sites, progress)
    pool = extraction_pool(config)
    rate_limit = AddressRateLimit.by(config.frontier, transport.address_of)
    partition_crawls = [
        open_partition_crawl(partition, config.frontier, rate_limit) for partition in partitions
    ]
    transactions = [partition_crawl.transaction for partition_crawl in partition_crawls]
    knowledge = HostKnowledge(transactions, route, config.frontier, config.traps, config.quality)
    frontier = Frontier(
        partition_crawls,
        route,
        url_filter=url_filter(config.crawl, urls, partitions),
        order=order(config.frontier.url_order),
        knowledge=knowledge,
        report=report,
        prefetch=transport.prefetch,
        blocks=control.blocks,
    )
    retries = RetryPolicy(knowledge.breakers, config.crawl)
    fetcher = Fetcher(transport, config.fetch, config.frontier.delay)

    async def synchronise() -> int:
        done = await IndexRun(partitions, config, pool).run()
        for url, reason in done.failed.items():
            report.page_lost(url, reason)
        return done.added

    live = None
    if index:
        live = LiveIndex(partitions, route, config.index, config.weighting, config.text, synchronise)
    duplicates = Duplicates(transactions, route, frontier.host_depth, config.quality)
    ingest = Ingest(duplicates, pool, knowledge, live)
    revisit = Revisit(frontier, ingest, config.freshness, horizon, progress)
    ranking = BackgroundRanking(
        config.rank.rerank_minutes, RankJob(collection.directory, config), report.ranked
    )
    visitor = Visitor(frontier, fetcher, retries, ingest, revisit, report)
    run = Crawl(frontier, fetcher, visitor, ingest, revisit.queue, control, ranking, report, observer)
    log.note("start", seeds=[url.text for url in urls[:MOST_SEEDS_NOTED]], partitions=len(partitions))
    control.begin()
    try:
        await run.run(urls)
        for partition_crawl in partition_crawls:
            partition_crawl.partition.renew_seen(partition_crawl.seen)
    finally:
        log.stopped(progress)
        await transport.close()
        pool.close()
        control.end()
    return progress
