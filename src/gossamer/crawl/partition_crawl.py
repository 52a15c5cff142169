"""The state of one partition during a crawl: its queues, its next commit, its open visits."""

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
    """A partition during a crawl: its queues and its next commit."""

    transaction: Transaction
    queues: HostQueues

    @property
    def partition(self) -> Partition:
        return self.transaction.partition

    @property
    def seen(self) -> SeenTable:
        return self.queues.seen

    def mark_done(self, fingerprint: int) -> None:
        """Mark the URL as done in the seen table: it no longer waits."""
        self.seen.set_state(fingerprint, DONE)
        self.transaction.moved.append(fingerprint)


@dataclass(frozen=True, slots=True)
class OpenVisit:
    """A visit in progress: the request, its partition, and the known page on a revisit."""

    partition_crawl: PartitionCrawl
    request: CrawlRequest
    before: KnownPage | None  # None when the URL is new

    @property
    def url(self) -> Url:
        return self.request.url

    def on_commit(self, step: Step) -> None:
        """Add a step to the next commit; an error in it loses only this page."""
        self.partition_crawl.transaction.on_commit(step, self.url)

    def explain(self, reason: str) -> None:
        """Write the reason for the state of the page to the catalogue."""
        self.on_commit(lambda catalogue: catalogue.explain(self.url.fingerprint, reason))

    def mark_done(self) -> None:
        """Mark the URL as done in the seen table: it no longer waits."""
        self.partition_crawl.mark_done(self.url.fingerprint)


def open_partition_crawl(
    partition: Partition, settings: FrontierSettings, rate_limit: AddressRateLimit
) -> PartitionCrawl:
    """Restore the queues and the seen table of a partition from its last commit."""
    seen = partition.read_seen()
    transaction = Transaction(partition, seen)
    reserve = WaitingUrls(transaction, seen)
    queues = HostQueues(settings, seen, reserve, rate_limit, partition.number)
    now = time.time()
    # A killed process may have sent requests after its last commit, so each known host gets its full pause.
    for row in partition.catalogue.hosts():
        rested = now + queues.pause(0.0, row.crawl_delay)
        queues.delay_until(row.authority, max(rested, back_off_until(row.failed_at, row.failures)))
    for authority, until in partition.catalogue.hosts_to_leave(now):
        queues.delay_until(authority, until)
    for authority, count in partition.catalogue.waiting_hosts():
        queues.delay_until(authority, now + queues.pause(0.0))
        queues.add_reserve(authority, count)
    return PartitionCrawl(transaction, queues)
