"""Takes an answer in: page store, extraction, verdict, link log, catalogue.

Crawl and import share it. The answer is in the page store before anything else believes in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gossamer.engine.batch import Batch
from gossamer.engine.config import Config
from gossamer.engine.duplicates import Duplicates
from gossamer.engine.partition import Partition
from gossamer.engine.warcjob import WarcJob, read_job
from gossamer.extract.workers import ExtractionPool
from gossamer.model import CrawlRequest, FetchResult, LinkFlag, Page, Url, UrlState, Verdict
from gossamer.quality.digest import content_digest
from gossamer.quality.judge import claim
from gossamer.store.linklog import LoggedLink
from gossamer.store.rows import FetchRow
from gossamer.store.warc import WarcAddress
from gossamer.web.robots import product_token
from gossamer.web.url import canonical


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an answer."""

    state: UrlState
    page: Page | None = None
    verdict: Verdict | None = None
    digest: bytes = b""
    demoted: tuple[Url, ...] = ()  # pages kept so far that this one stands for now
    redirect_to: Url | None = None  # the target of a redirect, the canonical address of a page
    reason: str = ""


def extraction_pool(config: Config) -> ExtractionPool[WarcJob]:
    return ExtractionPool(config.extract, read_job, product_token(config.fetch.user_agent))


async def page_at(
    pool: ExtractionPool[WarcJob], partition: Partition, address: WarcAddress, url: Url, fetched_at: float
) -> Page:
    """The page behind an address of the page store."""
    job = WarcJob(str(partition.pages_folder / address.file), address.offset, address.length, url)
    page = await pool.page(job, url, fetched_at)
    return replace(page, fetched_at=fetched_at)


class Intake:
    """Takes answers into the partitions' stores and batches."""

    def __init__(self, duplicates: Duplicates, pool: ExtractionPool[WarcJob]) -> None:
        self._duplicates = duplicates
        self._pool = pool

    async def take(self, batch: Batch, request: CrawlRequest, result: FetchResult) -> Taken:
        """Stores an answer and everything that follows from it; nothing is committed yet."""
        address = batch.partition.warc.append(result)
        taken = await self._understood(batch, result, address)
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
        batch.then(lambda catalogue: catalogue.record_fetch(row))
        if (verdict := taken.verdict) is not None:
            batch.then(lambda catalogue: catalogue.set_verdict(row.fingerprint, verdict, taken.digest))
        return taken

    async def _understood(self, batch: Batch, result: FetchResult, address: WarcAddress) -> Taken:
        if result.is_redirect:
            return self._redirected(batch, result)
        if not result.is_success:
            return Taken(UrlState.FAILED, reason=f"http-{result.status}")
        page = await page_at(self._pool, batch.partition, address, result.url, result.fetched_at)
        batch.partition.link_log.append(page.url.fingerprint, page.fetched_at, _logged(page))
        digest = content_digest(page)
        ruling = self._duplicates.rule(page, digest)
        demoted = tuple(url for url, _ in ruling.demoted)
        return Taken(UrlState.FETCHED, page, ruling.verdict, digest, demoted, redirect_to=claim(page))

    def _redirected(self, batch: Batch, result: FetchResult) -> Taken:
        target = canonical(result.header("location"), result.url)
        if target is None or target == result.url:
            return Taken(UrlState.FAILED, reason="bad-redirect")
        link = LoggedLink(target.fingerprint, LinkFlag.REDIRECT)
        batch.partition.link_log.append(result.url.fingerprint, result.fetched_at, [link])
        return Taken(UrlState.REDIRECT, redirect_to=target)


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
