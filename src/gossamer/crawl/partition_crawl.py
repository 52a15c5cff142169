"""A partition at work in a crawl: its queues, its next commit, and the visits under way."""

from __future__ import annotations

import time
from dataclasses import dataclass

from gossamer.collection.commit import Step, Transaction
from gossamer.collection.partition import Partition
from gossamer.crawl.frontier.host_queues import HostQueues, WaitingUrls
from gossamer.crawl.frontier.politeness import AddressRateLimit
from gossamer.crawl.hosts.circuit_breaker import back_off_until
from gossamer.crawl.settings import FrontierSettings
from gossamer.model import CrawlRequest, Url
from gossamer.storage.catalogue.urls import KnownPage
from gossamer.storage.seen_urls import DONE, SeenTable


@dataclass(slots=True)
class PartitionCrawl:
    """A partition at work: its queues, and what it commits next."""

    transaction: Transaction
    queues: HostQueues

    @property
    def partition(self) -> Partition:
        return self.transaction.partition

    @property
    def seen(self) -> SeenTable:
        return self.queues.seen

    def mark_done(self, fingerprint: int) -> None:
        """Marks the URL as done in the seen table: it does not wait any more."""
        self.seen.set_state(fingerprint, DONE)
        self.transaction.moved.append(fingerprint)


@dataclass(frozen=True, slots=True)
class OpenVisit:
    """A visit under way: what is asked for, in which partition, and what was known of the page before."""

    partition_crawl: PartitionCrawl
    request: CrawlRequest
    before: KnownPage | None  # None when the URL is new

    @property
    def url(self) -> Url:
        return self.request.url

    def on_commit(self, step: Step) -> None:
        """Adds a step to the next commit; an error in it costs this page."""
        self.partition_crawl.transaction.on_commit(step, self.url)

    def explain(self, reason: str) -> None:
        """Notes in the catalogue why the page is as it is."""
        self.on_commit(lambda catalogue: catalogue.explain(self.url.fingerprint, reason))

    def mark_done(self) -> None:
        """Marks the URL as done in the seen table: it does not wait any more."""
        self.partition_crawl.mark_done(self.url.fingerprint)


def open_partition_crawl(
    partition: Partition, settings: FrontierSettings, rate_limit: AddressRateLimit
) -> PartitionCrawl:
    """A partition's queues and seen table as the last commit left them."""
    seen = partition.read_seen()
    transaction = Transaction(partition, seen)
    reserve = WaitingUrls(transaction, seen)
    queues = HostQueues(settings, seen, reserve, rate_limit, partition.number)
    now = time.time()
    # A killed process may have asked after its last commit: every host that it knew gets its full pause.
    for row in partition.catalogue.hosts():
        rested = now + queues.pause(0.0, row.crawl_delay)
        queues.delay_until(row.authority, max(rested, back_off_until(row.failed_at, row.failures)))
    for authority, until in partition.catalogue.hosts_to_leave(now):
        queues.delay_until(authority, until)
    for authority, count in partition.catalogue.waiting_hosts():
        queues.delay_until(authority, now + queues.pause(0.0))
        queues.add_reserve(authority, count)
    return PartitionCrawl(transaction, queues)
