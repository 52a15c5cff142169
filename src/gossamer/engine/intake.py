"""Takes an answer in: page store, extraction, verdict, link log, catalogue.

Crawl and import share it. The answer is in the page store before anything else believes in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gossamer.engine.batch import Batch
from gossamer.engine.partition import Partition
from gossamer.engine.warcjob import WarcJob, read_job
from gossamer.extract.settings import ExtractSettings
from gossamer.extract.workers import ExtractionPool
from gossamer.model import FetchResult, Page, Url, UrlState, Verdict
from gossamer.quality.digest import content_digest
from gossamer.quality.judge import judge
from gossamer.store.linklog import LinkFlag, LoggedLink
from gossamer.store.rows import FetchRow
from gossamer.store.warc import WarcAddress
from gossamer.web.url import canonical


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an answer."""

    state: UrlState
    page: Page | None = None
    verdict: Verdict | None = None
    redirect_to: Url | None = None
    reason: str = ""


def extraction_pool(settings: ExtractSettings) -> ExtractionPool[WarcJob]:
    return ExtractionPool(settings, read_job)


async def page_at(
    pool: ExtractionPool[WarcJob], partition: Partition, address: WarcAddress, url: Url, fetched_at: float
) -> Page:
    """The page behind an address of the page store."""
    job = WarcJob(str(partition.pages_folder / address.file), address.offset, address.length, url)
    page = await pool.page(job, url, fetched_at)
    return replace(page, fetched_at=fetched_at)


class Intake:
    """Takes answers into the partitions' stores and batches."""

    def __init__(self, batches: Sequence[Batch], pool: ExtractionPool[WarcJob]) -> None:
        self._batches = batches
        self._pool = pool

    async def take(self, batch: Batch, result: FetchResult, attempts: int = 0) -> Taken:
        """Stores an answer and everything that follows from it; nothing is committed yet."""
        address = batch.partition.warc.append(result)
        taken = await self._understood(batch, result, address)
        row = FetchRow(
            fingerprint=result.url.fingerprint,
            fetched_at=result.fetched_at,
            state=taken.state,
            status=result.status,
            reason=taken.reason,
            attempts=attempts,
            media_type=taken.page.media_type if taken.page else "",
            etag=result.header("etag"),
            last_modified=result.header("last-modified"),
            redirect_to=taken.redirect_to.fingerprint if taken.redirect_to else None,
            size=len(result.body),
            elapsed=result.elapsed,
            address=address,
        )
        batch.then(lambda catalogue: catalogue.record_fetch(row))
        if taken.page and taken.verdict:
            self._judged(batch, taken.page, taken.verdict)
        return taken

    async def _understood(self, batch: Batch, result: FetchResult, address: WarcAddress) -> Taken:
        if result.is_redirect:
            return self._redirected(batch, result)
        if not result.is_success:
            return Taken(UrlState.FAILED, reason=f"http-{result.status}")
        page = await page_at(self._pool, batch.partition, address, result.url, result.fetched_at)
        batch.partition.link_log.append(page.url.fingerprint, page.fetched_at, _logged(page))
        verdict = judge(page, content_digest(page), self._digest_owner)
        return Taken(UrlState.FETCHED, page, verdict)

    def _redirected(self, batch: Batch, result: FetchResult) -> Taken:
        target = canonical(result.header("location"), result.url)
        if target is None or target == result.url:
            return Taken(UrlState.FAILED, reason="bad-redirect")
        link = LoggedLink(target.fingerprint, LinkFlag.REDIRECT)
        batch.partition.link_log.append(result.url.fingerprint, result.fetched_at, [link])
        return Taken(UrlState.REDIRECT, redirect_to=target)

    def _judged(self, batch: Batch, page: Page, verdict: Verdict) -> None:
        digest = content_digest(page)
        if verdict.keep:
            batch.digests.setdefault(digest, page.url.fingerprint)
        batch.then(lambda catalogue: catalogue.set_verdict(page.url.fingerprint, verdict, digest))

    def _digest_owner(self, digest: bytes) -> int | None:
        """The page kept with this content, in whichever partition, committed or not."""
        for batch in self._batches:
            owner = batch.digests.get(digest) or batch.partition.catalogue.digest_owner(digest)
            if owner:
                return owner
        return None


def _logged(page: Page) -> list[LoggedLink]:
    links = [
        LoggedLink(
            link.target.fingerprint, LinkFlag.NOFOLLOW if link.nofollow else LinkFlag.ORDINARY, link.anchor
        )
        for link in page.links
    ]
    if page.refresh and page.refresh != page.url:
        links.append(LoggedLink(page.refresh.fingerprint, LinkFlag.REDIRECT))
    if page.canonical and page.canonical != page.url:
        links.append(LoggedLink(page.canonical.fingerprint, LinkFlag.CANONICAL))
    return links
