"""Ingest a response: store it, extract the page, log its links, judge it.

Indexing is a separate step: after `take`, the caller passes a kept page to `index`. Crawl and import share
this module. The response is written to the page store before anything refers to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b

from gossamer.collection.commit import Transaction
from gossamer.collection.partition import Partition
from gossamer.crawl.hosts.knowledge import HostKnowledge
from gossamer.crawl.live_index import LiveIndex
from gossamer.duplicates.verdict import SAME, Duplicates, canonical_claim
from gossamer.extract.workers.pool import ExtractionPool
from gossamer.model import (
    CrawlRequest,
    FetchResult,
    LinkFlag,
    Links,
    Page,
    Url,
    UrlState,
    Verdict,
    WarcAddress,
)
from gossamer.model.page import NO_LINKS
from gossamer.storage.catalogue.schema import FetchRow
from gossamer.storage.catalogue.urls import CheckRow, KnownPage
from gossamer.storage.warc import AnswerJob, Job, WarcJob
from gossamer.web.url import redirect_target

LARGE = 1 << 20  # bytes; a worker reads a larger response from the page store instead of getting a copy
TRUNCATED = "truncated"  # the reason noted for a page that is stored only in part

# Problems that may be temporary or our own fault. A page that was readable before stays in the index.
DOUBTFUL = ("soft-404", "extraction-", "unreadable-record", "empty")


@dataclass(frozen=True, slots=True)
class Ingested:
    """The result of ingesting a response."""

    state: UrlState
    page: Page | None = None
    verdict: Verdict | None = None
    digest: bytes = b""
    copy_of: Url | None = None  # the kept page with the same content, or nearly the same
    demoted: tuple[Url, ...] = ()  # kept pages that this one replaces
    orphaned: tuple[Url, ...] = ()  # demoted pages whose own copies may differ from this page
    redirect_to: Url | None = None  # target of a redirect; canonical URL of a page (FETCHED)
    reason: str = ""
    unchanged: bool = False  # a known page with the same content as before
    stays: bool = False  # the response is doubtful, so the known page stays as it was


async def page_at(
    pool: ExtractionPool[Job], partition: Partition, address: WarcAddress, url: Url, fetched_at: float
) -> Page:
    """Extract the page at an address of the page store."""
    job = WarcJob(str(partition.pages_folder / address.file), address.offset, address.length, url.text)
    return replace(await pool.page(job, url, fetched_at), fetched_at=fetched_at)


@dataclass(eq=False)
class Ingest:
    """Adds responses to the partitions' stores and transactions, and pages to the index.

    An import has no notes on hosts and indexes at its end. These methods remove a page:

    method                called when                               catalogue  duplicates  index
    `retract_duplicates`  an import failed at a page                           retract
    `undo_new_page`       a crawl failed at a new page              drop       retract     remove
    `drop_gone_page`      a kept page does not exist any more       drop       leave
    `drop_lost_page`      a commit failed at a page                            leave       remove
    `unindex`             a page is no longer kept                                         remove

    `Duplicates.retract` also reinstates the pages that this one replaced; `leave` does not.
    """

    _duplicates: Duplicates
    _pool: ExtractionPool[Job]
    _knowledge: HostKnowledge | None = None
    live: LiveIndex | None = None

    async def look_at(self, result: FetchResult) -> Page:
        """Extract the page of a response in memory."""
        job = AnswerJob(result.url.text, result.fetched_at, result.headers, result.body)
        return await self._pool.page(job, result.url, result.fetched_at)

    async def take(
        self,
        transaction: Transaction,
        request: CrawlRequest,
        result: FetchResult,
        before: KnownPage | None = None,
    ) -> Ingested:
        """Store a response and add its consequences to the next commit.

        `before` is the known page on a revisit.
        """
        address = transaction.partition.warc.append(result)
        taken = await self._process(transaction, result, address, before)
        if taken.unchanged:
            check = replace(check_of(result), digest=taken.digest, size=len(result.body), address=address)
            transaction.on_commit(lambda catalogue: catalogue.confirm(check), result.url)
        if taken.unchanged or taken.stays:
            return taken
        row = FetchRow(
            fingerprint=result.url.fingerprint,
            fetched_at=result.fetched_at,
            state=taken.state,
            status=result.status,
            reason=taken.reason,
            attempts=request.attempts,
            media_type=taken.page.media_type if taken.page else "",
            etag=result.header("etag"),
            last_modified=result.header("last-modified"),
            redirect_to=taken.redirect_to.fingerprint if taken.redirect_to else None,
            digest=taken.digest or None,
            size=len(result.body),
            elapsed=result.elapsed,
            address=address,
        )
        transaction.on_commit(lambda catalogue: catalogue.record_fetch(row), result.url)
        if (verdict := taken.verdict) is not None:
            transaction.on_commit(
                lambda catalogue: catalogue.set_verdict(row.fingerprint, verdict, taken.digest), result.url
            )
        return taken

    def retract_duplicates(self, transaction: Transaction, url: Url) -> None:
        """Reinstate the copies of a page after an internal error at it."""
        if url.fingerprint in transaction.pending.kept:
            self._duplicates.retract(url)

    def undo_new_page(self, transaction: Transaction, url: Url) -> None:
        """Undo everything that was done for a new page."""
        transaction.on_commit(lambda catalogue: catalogue.drop(url.fingerprint), url)
        self._duplicates.retract(url)
        self.unindex(url)

    def drop_gone_page(self, transaction: Transaction, url: Url) -> None:
        """Drop a page that does not exist any more, so that no page counts as its copy."""
        transaction.on_commit(lambda catalogue: catalogue.drop(url.fingerprint), url)
        self._duplicates.leave(url)

    def drop_lost_page(self, url: Url) -> None:
        """Drop a page that failed in a commit; the catalogues are updated already."""
        self._duplicates.leave(url)
        self.unindex(url)

    def index(self, page: Page) -> None:
        """Add a kept page to the live index, if there is one."""
        if self.live is not None:
            self.live.add(page)

    def unindex(self, url: Url) -> None:
        """Remove a page from the live index, if there is one."""
        if self.live is not None:
            self.live.remove(url)

    async def _process(
        self, transaction: Transaction, result: FetchResult, address: WarcAddress, before: KnownPage | None
    ) -> Ingested:
        if result.is_redirect:
            return self._redirected(transaction, result, redirect_target(result))
        if not result.is_success:
            return Ingested(UrlState.FAILED, reason=f"http-{result.status}")
        if len(result.body) < LARGE:
            page = await self.look_at(result)
        else:
            page = await page_at(self._pool, transaction.partition, address, result.url, result.fetched_at)
        if self._knowledge is not None and self._knowledge.is_soft_404(page):
            page = replace(page, problem="soft-404")
        elif page.refresh is not None and page.refresh != page.url:
            return replace(self._redirected(transaction, result, page.refresh, before), page=page)
        if before is not None and before.is_kept and page.problem.startswith(DOUBTFUL):
            return Ingested(UrlState.FETCHED, page, reason=page.problem, stays=True)
        transaction.partition.link_log.append(page.url.fingerprint, page.fetched_at, _logged(page))
        resolution = self._duplicates.resolve(page)
        digest = page.digest if page.kind == "page" else blake2b(result.body, digest_size=16).digest()
        return Ingested(
            UrlState.FETCHED,
            page,
            resolution.verdict,
            digest,
            resolution.copy_of,
            tuple(url for url, _ in resolution.demoted),
            tuple(url for url, copy in resolution.demoted if copy.reason != SAME),
            redirect_to=canonical_claim(page),
            reason=TRUNCATED if result.truncated else "",
            unchanged=before is not None
            and before.state is UrlState.FETCHED
            and (before.digest or b"", before.verdict) == (digest, resolution.verdict),
        )

    def _redirected(
        self,
        transaction: Transaction,
        result: FetchResult,
        target: Url | None,
        before: KnownPage | None = None,
    ) -> Ingested:
        if target is None or target == result.url:
            return Ingested(UrlState.FAILED, reason="bad-redirect")
        link = NO_LINKS.plus(target, LinkFlag.REDIRECT)
        transaction.partition.link_log.append(result.url.fingerprint, result.fetched_at, link)
        known = None if before is None else (before.state, before.redirect_to)
        unchanged = known == (UrlState.REDIRECT, target.fingerprint)
        return Ingested(UrlState.REDIRECT, redirect_to=target, unchanged=unchanged)


def check_of(result: FetchResult) -> CheckRow:
    """Return the history row of a visit that found a page unchanged."""
    return CheckRow(
        result.url.fingerprint,
        result.fetched_at,
        result.status,
        elapsed=result.elapsed,
        etag=result.header("etag"),
        last_modified=result.header("last-modified"),
    )


def _logged(page: Page) -> Links:
    links = page.links
    if page.canonical and page.canonical != page.url:
        links = links.plus(page.canonical, LinkFlag.CANONICAL)
    return links
