"""Assemble a crawl: construct all collaborators in one place.

Searching needs none of this, and a command that only searches should not wait for it to load.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gossamer.collection.collection import Collection
from gossamer.collection.partition import Partition
from gossamer.collection.site_rules import SiteRules
from gossamer.config import Config
from gossamer.crawl.background_ranking import Assignment, Reranking
from gossamer.crawl.control import Helm
from gossamer.crawl.discover import Discovery, url_filter
from gossamer.crawl.fetch.fetcher import Fetcher
from gossamer.crawl.fetch.transport import Transport, open_transport
from gossamer.crawl.frontier.frontier import shard_of
from gossamer.crawl.frontier.politeness import AddressPace
from gossamer.crawl.frontier.url_order import order
from gossamer.crawl.hosts.knowledge import Learned
from gossamer.crawl.ingest import Intake
from gossamer.crawl.live_index import LiveIndex
from gossamer.crawl.log import Journal, asleep_teller, rank_teller
from gossamer.crawl.loop import MOST_SEEDS_NOTED, Crawl
from gossamer.crawl.recheck import Rechecking
from gossamer.crawl.revisit.freshness import VisitWorth
from gossamer.crawl.revisit.schedule import Revisits, Schedule
from gossamer.crawl.robots_cache import Hosts
from gossamer.crawl.visit import Visitor
from gossamer.duplicates.verdict import Duplicates
from gossamer.jobs.sync_index import Indexing, extraction_pool
from gossamer.model import Url
from gossamer.model.progress import CrawlObserver, CrawlProgress
from gossamer.web.robots import product_token

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
    shards = [shard_of(partition, config.frontier, pace) for partition in partitions]
    fetcher = Fetcher(transport, config.fetch, config.frontier.delay)
    hosts = Hosts(fetcher, product_token(config.fetch.user_agent))
    batches = [shard.batch for shard in shards]
    learned = Learned(batches, route, config.crawl, config.frontier, config.traps, config.quality)
    learned.tell = asleep_teller(progress, journal)
    leave_out = url_filter(config.crawl, urls, partitions)
    first = order(config.frontier.order)
    discovery = Discovery(
        shards, route, leave_out, first, learned, config.crawl, transport.prefetch, helm.blocks
    )
    duplicates = Duplicates(batches, route, discovery.host_depth, config.quality)
    intake = Intake(duplicates, pool, learned)
    live = LiveIndex(partitions, route, config.index, config.weighting, config.text) if index else None
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

    reranking = Reranking(
        config.rank.crawl_minutes, Assignment(collection.directory, config), rank_teller(progress, journal)
    )
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
