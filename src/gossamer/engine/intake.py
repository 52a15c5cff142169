"""Takes an answer in: page store, extraction, verdict, link log, catalogue.

Crawl and import share it. The answer is in the page store before anything else believes in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gossamer.engine.batch import Batch
from gossamer.engine.partition import Partition
from gossamer.engine.warcjob import WarcJob, read_job
from gossamer.extract.settings import ExtractSettings
from gossamer.extract.workers import ExtractionPool
from gossamer.model import CrawlRequest, FetchResult, Judgement, LinkFlag, Page, Url, UrlState, Verdict
from gossamer.quality.digest import content_digest
from gossamer.quality.judge import is_better_address, judge
from gossamer.store.linklog import LoggedLink
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
    demoted: Url | None = None  # a page kept so far, of which this one is the better address
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

    def __init__(
        self,
        batches: Sequence[Batch],
        route: Callable[[str], int],
        host_depth: Callable[[Url], int],
        pool: ExtractionPool[WarcJob],
    ) -> None:
        self._batches = batches
        self._route = route
        self._host_depth = host_depth
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
            size=len(result.body),
            elapsed=result.elapsed,
            address=address,
        )
        batch.then(lambda catalogue: catalogue.record_fetch(row))
        if taken.page and taken.verdict:
            self._judged(batch, taken)
        return taken

    async def _understood(self, batch: Batch, result: FetchResult, address: WarcAddress) -> Taken:
        if result.is_redirect:
            return self._redirected(batch, result)
        if not result.is_success:
            return Taken(UrlState.FAILED, reason=f"http-{result.status}")
        page = await page_at(self._pool, batch.partition, address, result.url, result.fetched_at)
        batch.partition.link_log.append(page.url.fingerprint, page.fetched_at, _logged(page))
        owner = self._owner(content_digest(page))
        verdict = judge(page, content_digest(page), lambda _: owner.fingerprint if owner else None)
        if owner and verdict.reason == "same-content" and self._outranks(page.url, owner):
            return Taken(UrlState.FETCHED, page, Verdict(Judgement.KEEP), demoted=owner)
        return Taken(UrlState.FETCHED, page, verdict)

    def _redirected(self, batch: Batch, result: FetchResult) -> Taken:
        target = canonical(result.header("location"), result.url)
        if target is None or target == result.url:
            return Taken(UrlState.FAILED, reason="bad-redirect")
        link = LoggedLink(target.fingerprint, LinkFlag.REDIRECT)
        batch.partition.link_log.append(result.url.fingerprint, result.fetched_at, [link])
        return Taken(UrlState.REDIRECT, redirect_to=target)

    def _judged(self, batch: Batch, taken: Taken) -> None:
        page, verdict, demoted = taken.page, taken.verdict, taken.demoted
        assert page is not None
        assert verdict is not None
        digest = content_digest(page)
        if verdict.keep:
            batch.digests[digest] = page.url
        if demoted is not None:
            lesser = Verdict(Judgement.DUPLICATE, "same-content", page.url.fingerprint)
            self._batches[self._route(demoted.host)].then(
                lambda catalogue: catalogue.set_verdict(demoted.fingerprint, lesser, digest)
            )
        batch.then(lambda catalogue: catalogue.set_verdict(page.url.fingerprint, verdict, digest))

    def _owner(self, digest: bytes) -> Url | None:
        """The page kept with this content, in whichever partition, committed or not."""
        for batch in self._batches:
            if (url := batch.digests.get(digest)) is not None:
                return url
            catalogue = batch.partition.catalogue
            if (owner := catalogue.digest_owner(digest)) and (row := catalogue.url(owner)):
                return row.url
        return None

    def _outranks(self, url: Url, owner: Url) -> bool:
        """Of two hosts the one nearer to the seeds, as originals are; within a host the better address."""
        if url.authority != owner.authority:
            return self._host_depth(url) < self._host_depth(owner)
        return is_better_address(url, owner)


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
