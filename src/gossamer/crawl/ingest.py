"""Take an answer in: store, extract, log links, judge.

Indexing is a step of its own: after `take`, the caller passes a kept page to `index`. Crawl and import share
this module. The answer is in the page store before anything else believes in it.
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
class Ingested:
    """What became of an answer."""

    state: UrlState
    page: Page | None = None
    verdict: Verdict | None = None
    digest: bytes = b""
    copy_of: Url | None = None  # the kept page that says the same, or nearly
    demoted: tuple[Url, ...] = ()  # pages kept so far that this one stands for now
    orphaned: tuple[Url, ...] = ()  # those of them whose own copies may say something else than this one
    redirect_to: Url | None = (
        None  # target of a redirect; of a page (FETCHED), the canonical URL that it claims
    )
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


class Ingest:
    """Takes answers into the partitions' stores and transactions, and pages into the index.

    An import knows nothing of hosts, and indexes when all pages have come. These methods take a page back:

    method                called when                               catalogue  duplicates  index
    `retract_duplicates`  an import failed at a page                           retract
    `undo_new_page`       a crawl failed at a new page              drop       retract     remove
    `drop_gone_page`      a page was kept and is no page any more   drop       leave
    `drop_lost_page`      a commit gave a page up                              leave       remove
    `unindex`             a page is kept no more                                           remove

    `Duplicates.retract` also reinstates the pages that had made room for this one; `leave` does not.
    """

    def __init__(
        self,
        duplicates: Duplicates,
        pool: ExtractionPool[Job],
        knowledge: HostKnowledge | None = None,
        live: LiveIndex | None = None,
    ) -> None:
        self._duplicates = duplicates
        self._pool = pool
        self._knowledge = knowledge
        self.live = live

    async def look_at(self, result: FetchResult) -> Page:
        """The page behind an answer that is at hand."""
        job = AnswerJob(result.url.text, result.fetched_at, result.headers, result.body)
        return await self._pool.page(job, result.url, result.fetched_at)

    async def take(
        self,
        transaction: Transaction,
        request: CrawlRequest,
        result: FetchResult,
        before: KnownPage | None = None,
    ) -> Ingested:
        """Stores an answer and everything that follows from it; nothing is committed yet.

        `before` is what was known of a page that is asked for again.
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
        """Lets a page stand for no other, after an error of ours came up at it."""
        if url.fingerprint in transaction.pending.kept:
            self._duplicates.retract(url)

    def undo_new_page(self, transaction: Transaction, url: Url) -> None:
        """Takes back whatever was made of a new page, however far that has come."""
        transaction.on_commit(lambda catalogue: catalogue.drop(url.fingerprint), url)
        self._duplicates.retract(url)
        self.unindex(url)

    def drop_gone_page(self, transaction: Transaction, url: Url) -> None:
        """There is no page here any more: it stands for no other."""
        transaction.on_commit(lambda catalogue: catalogue.drop(url.fingerprint), url)
        self._duplicates.leave(url)

    def drop_lost_page(self, url: Url) -> None:
        """Lets a page go that a commit had to give up: the catalogues say so already."""
        self._duplicates.leave(url)
        self.unindex(url)

    def index(self, page: Page) -> None:
        """Makes a kept page searchable, soon."""
        if self.live is not None:
            self.live.add(page)

    def unindex(self, url: Url) -> None:
        """The page is kept no more."""
        if self.live is not None:
            self.live.remove(url)

    async def _process(
        self, transaction: Transaction, result: FetchResult, address: WarcAddress, before: KnownPage | None
    ) -> Ingested:
        if result.is_redirect:
            return self._redirected(transaction, result, canonical(result.header("location"), result.url))
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
        ruling = self._duplicates.resolve(page)
        digest = page.digest if page.kind == "page" else blake2b(result.body, digest_size=16).digest()
        return Ingested(
            UrlState.FETCHED,
            page,
            ruling.verdict,
            digest,
            ruling.copy_of,
            tuple(url for url, _ in ruling.demoted),
            tuple(url for url, copy in ruling.demoted if copy.reason != SAME),
            redirect_to=canonical_claim(page),
            reason=TRUNCATED if result.truncated else "",
            unchanged=before is not None
            and before.state is UrlState.FETCHED
            and (before.digest or b"", before.verdict) == (digest, ruling.verdict),
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
    """The line of history of a visit that found a page as it was."""
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
