"""Pending writes of a partition, and the order in which they are committed.

A page of one partition may link to hosts of other partitions. Therefore the new URLs of all partitions are
committed before the fetched pages: a crash in between causes a second fetch, but never loses a link.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gossamer.collection.partition import Partition
from gossamer.model import CrawlRequest, Url
from gossamer.model.errors import BEYOND_ONE_PAGE, internal_error
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.seen_urls import SeenTable

Step = Callable[[Catalogue], None]
Lost = dict[Url, str]  # pages lost by an error in their own steps, and the reason of each


@dataclass(slots=True)
class PendingPages:
    """Kept pages that are not committed yet, so that `duplicates.verdict` finds them."""

    kept: dict[int, Url] = field(default_factory=dict)  # by fingerprint
    digests: dict[bytes, Url] = field(default_factory=dict)  # by content
    claims: dict[int, list[Url]] = field(default_factory=dict)  # by fingerprint, pages with it as canonical

    def clear(self) -> None:
        self.kept.clear()
        self.digests.clear()
        self.claims.clear()


@dataclass(slots=True)
class Transaction:
    """Uncommitted writes to the catalogue of a partition."""

    partition: Partition
    seen: SeenTable | None = None  # of a crawl; after other jobs the table is rebuilt from the catalogue
    requests: list[CrawlRequest] = field(default_factory=list)
    steps: list[tuple[Step, Url | None]] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)  # fingerprints whose entry in the seen table has changed
    changed: bool = False  # whether there are writes that are not committed
    pending: PendingPages = field(default_factory=PendingPages)

    def __bool__(self) -> bool:
        return bool(self.requests or self.steps or self.changed)

    def add(self, request: CrawlRequest) -> None:
        self.requests.append(request)

    def on_commit(self, step: Step, url: Url | None = None) -> None:
        """Add a step to the next commit. If the step fails, `url`, the page whose row it writes, is lost."""
        self.steps.append((step, url))

    def write_urls(self) -> None:
        """Write new URLs with their current scores; they are readable at once, durable after a commit."""
        if not self.requests:
            return
        self.changed = True
        scores = None
        if self.seen is not None:
            numbers = [request.url.fingerprint for request in self.requests]
            scores = self.seen.scores(np.array(numbers, np.uint64)).tolist()
            self.moved += numbers
        self.partition.catalogue.add_urls(self.requests, time.time(), scores)
        self.requests.clear()

    def write_steps(self) -> Lost:
        """Write fetched pages; return the pages whose steps failed, which are given up."""
        lost: Lost = {}
        self.changed = True
        for step, url in self.steps:
            try:
                step(self.partition.catalogue)
            except BEYOND_ONE_PAGE:
                raise
            except Exception as error:
                if url is None:
                    raise
                lost[url] = internal_error(error)
        urls = {url.fingerprint: url for _, url in self.steps if url is not None}
        for fingerprint, reason in self.partition.catalogue.refused().items():
            lost.setdefault(urls[fingerprint], reason)
        for url, reason in lost.items():
            self.partition.catalogue.give_up(url.fingerprint, reason)
        self.partition.sync_files()
        self.partition.sync_seen(self.seen, self.moved)
        self.steps.clear()
        self.moved.clear()
        return lost

    def commit(self, lost: Lost) -> None:
        """Commit what was written. The copies of lost pages of all partitions are kept again."""
        for url in lost:
            self.partition.catalogue.drop_sketch(url.fingerprint)
            self.partition.catalogue.reinstate_copies(url.fingerprint)
        self.partition.catalogue.commit()
        self.changed = False


def commit(transactions: Sequence[Transaction]) -> Lost:
    """Commit all partitions: first new URLs, then fetched pages; return the lost pages.

    If a lost page has copies, the same commit keeps these again, because it may be the last commit.
    """
    lost: Lost = {}
    changed = [transaction for transaction in transactions if transaction]
    for transaction in changed:
        transaction.write_urls()
        if len(changed) > 1:
            transaction.partition.catalogue.commit()
    for transaction in changed:
        lost |= transaction.write_steps()
    for transaction in transactions if lost else changed:
        transaction.commit(lost)
    for transaction in transactions:
        transaction.pending.clear()  # the catalogues have these pages now
    return lost
