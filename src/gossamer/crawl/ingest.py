"""Take an answer in: store, extract, judge, log links.

Crawl and import share it. The answer is in the page store before anything else believes in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b

from gossamer.collection.commit import Batch
from gossamer.collection.partition import Partition
from gossamer.crawl.hosts.knowledge import Learned
from gossamer.duplicates.verdict import SAME, Duplicates, claim
from gossamer.extract.workers.pool import ExtractionPool
from gossamer.model import CrawlRequest, FetchResult, LinkFlag, Links, Page, Url, UrlState, Verdict
from gossamer.model.page import NO_LINKS
from gossamer.storage.catalogue.schema import FetchRow
from gossamer.storage.catalogue.urls import CheckRow, KnownPage
from gossamer.storage.warc import AnswerJob, Job, WarcAddress, WarcJob
from gossamer.web.url import canonical

LARGE = 1 << 20  # bytes: such an answer is read from the page store, not copied to a worker
TRUNCATED = "truncated"  # the reason of a page that is longer than what is stored of it

# Problems that may be ours or pass: a page that was readable before does not leave the index for them.
DOUBTFUL = ("soft-404", "extraction-", "unreadable-record", "empty")


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an answer."""

    state: UrlState
    page: Page | None = None
    verdict: Verdict | None = None
    digest: bytes = b""
    copy_of: Url | None = None  # the kept page that says the same, or nearly
    demoted: tuple[Url, ...] = ()  # pages kept so far that this one stands for now
    orphaned: tuple[Url, ...] = ()  # those of them whose own copies may say something else than this one
    redirect_to: Url | None = None  # the target of a redirect, the canonical address of a page
    reason: str = ""
    unchanged: bool = False  # a known page that says what it said before
    stays: bool = False  # what came says nothing that can be trusted: the page stays as it was


async def page_at(
    pool: ExtractionPool[Job], partition: Partition, address: WarcAddress, url: Url, fetched_at: float
) -> Page:
    """The page behind an address of the page store."""
    job = WarcJob(str(partition.pages_folder / address.file), address.offset, address.length, url.text)
    page = await pool.page(job, url, fetched_at)
    return replace(page, fetched_at=fetched_at)


class Intake:
    """Takes answers into the partitions' stores and batches."""

    def __init__(
        self, duplicates: Duplicates, pool: ExtractionPool[Job], learned: Learned | None = None
    ) -> None:
        self._duplicates = duplicates
        self._pool = pool
        self._learned = learned

    async def look_at(self, result: FetchResult) -> Page:
        """The page behind an answer that is at hand."""
        job = AnswerJob(result.url.text, result.fetched_at, result.headers, result.body)
        return await self._pool.page(job, result.url, result.fetched_at)

    async def take(
        self, batch: Batch, request: CrawlRequest, result: FetchResult, before: KnownPage | None = None
    ) -> Taken:
        """Stores an answer and everything that follows from it; nothing is committed yet.

        `before` is what was known of a page that is asked for again.
        """
        address = batch.partition.warc.append(result)
        taken = await self._understood(batch, result, address, before)
        if taken.unchanged:
            check = _check_of(result, taken, address)
            batch.then(lambda catalogue: catalogue.confirm(check), result.url)
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
        batch.then(lambda catalogue: catalogue.record_fetch(row), result.url)
        if (verdict := taken.verdict) is not None:
            batch.then(
                lambda catalogue: catalogue.set_verdict(row.fingerprint, verdict, taken.digest), result.url
            )
        return taken

    def retract(self, batch: Batch, url: Url) -> None:
        """Lets a page stand for no other, after an error of ours came up at it."""
        if url.fingerprint in batch.kept:
            self._duplicates.retract(url)

    def lost(self, url: Url) -> None:
        """Lets a page stand for no other that a commit had to give up."""
        self._duplicates.leave(url)

    async def _understood(
        self, batch: Batch, result: FetchResult, address: WarcAddress, before: KnownPage | None
    ) -> Taken:
        if result.is_redirect:
            return self._redirected(batch, result, canonical(result.header("location"), result.url))
        if not result.is_success:
            return Taken(UrlState.FAILED, reason=f"http-{result.status}")
        if len(result.body) < LARGE:
            page = await self.look_at(result)
        else:
            page = await page_at(self._pool, batch.partition, address, result.url, result.fetched_at)
        if self._learned is not None and self._learned.is_soft_404(page):
            page = replace(page, problem="soft-404")
        elif page.refresh is not None and page.refresh != page.url:
            return replace(self._redirected(batch, result, page.refresh, before), page=page)
        if before is not None and before.is_kept and page.problem.startswith(DOUBTFUL):
            return Taken(UrlState.FETCHED, page, reason=page.problem, stays=True)
        batch.partition.link_log.append(page.url.fingerprint, page.fetched_at, _logged(page))
        ruling = self._duplicates.rule(page)
        digest = page.digest if page.kind == "page" else blake2b(result.body, digest_size=16).digest()
        return Taken(
            UrlState.FETCHED,
            page,
            ruling.verdict,
            digest,
            ruling.copy_of,
            tuple(url for url, _ in ruling.demoted),
            tuple(url for url, copy in ruling.demoted if copy.reason != SAME),
            redirect_to=claim(page),
            reason=TRUNCATED if result.truncated else "",
            unchanged=before is not None and _is_same(before, digest, ruling.verdict),
        )

    def _redirected(
        self, batch: Batch, result: FetchResult, target: Url | None, before: KnownPage | None = None
    ) -> Taken:
        if target is None or target == result.url:
            return Taken(UrlState.FAILED, reason="bad-redirect")
        link = NO_LINKS.plus(target, LinkFlag.REDIRECT)
        batch.partition.link_log.append(result.url.fingerprint, result.fetched_at, link)
        led_there = before is not None and before.redirect_to == target.fingerprint
        unchanged = led_there and before is not None and before.state is UrlState.REDIRECT
        return Taken(UrlState.REDIRECT, redirect_to=target, unchanged=unchanged)


def _is_same(before: KnownPage, digest: bytes, verdict: Verdict) -> bool:
    return before.state is UrlState.FETCHED and (before.digest or b"") == digest and before.verdict == verdict


def _check_of(result: FetchResult, taken: Taken, address: WarcAddress) -> CheckRow:
    return CheckRow(
        result.url.fingerprint,
        result.fetched_at,
        result.status,
        digest=taken.digest,
        size=len(result.body),
        elapsed=result.elapsed,
        address=address,
        etag=result.header("etag"),
        last_modified=result.header("last-modified"),
    )


def _logged(page: Page) -> Links:
    links = page.links
    if page.canonical and page.canonical != page.url:
        links = links.plus(page.canonical, LinkFlag.CANONICAL)
    return links
