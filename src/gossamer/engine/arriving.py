"""What follows from an answer? The page is counted, indexed and followed, and its host is learned from."""

from __future__ import annotations

from secrets import token_hex

from gossamer.engine.discovery import Discovery, Shard
from gossamer.engine.duplicates import NEARLY, SAME
from gossamer.engine.intake import Intake, Taken
from gossamer.engine.journal import Journal
from gossamer.engine.learned import Learned, content_print
from gossamer.engine.live import LiveIndex
from gossamer.engine.progress import CrawlProgress
from gossamer.engine.rechecking import NOT_MODIFIED, Rechecking
from gossamer.engine.revisiting import Revisits
from gossamer.engine.setbacks import NoteSeed, reason_of
from gossamer.model import CrawlRequest, FetchResult, Page, Url, UrlState
from gossamer.text.shingles import ContentPrint


class Arrivals:
    """Takes answers in; what is found in them goes into batches, frontiers and the progress."""

    def __init__(
        self,
        intake: Intake,
        discovery: Discovery,
        learned: Learned,
        revisits: Revisits,
        rechecking: Rechecking,
        live: LiveIndex | None,
        max_redirects: int,
        progress: CrawlProgress,
        journal: Journal,
        note_seed: NoteSeed,
    ) -> None:
        self._intake = intake
        self._discovery = discovery
        self._learned = learned
        self._revisits = revisits
        self._rechecking = rechecking
        self._live = live
        self._max_redirects = max_redirects
        self._progress = progress
        self._journal = journal
        self._note_seed = note_seed
        self._answering: set[str] = set()  # authorities that gave a document

    async def take(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        """An answer that is neither a failure nor a passing trouble of the server."""
        self._learned.breakers.succeed(request.url.authority)
        before = self._revisits.known(request)
        if before is not None and self._rechecking.settled(shard, before, result):
            self._journal.answer(result, "unchanged" if result.status == NOT_MODIFIED else reason_of(result))
            return
        taken = await self._intake.take(shard.batch, request, result, before)
        if before is not None and taken.stays:
            self._journal.answer(result, taken.reason)
            self._rechecking.doubted(shard, before, result, taken.reason)
            return
        shard.settle(request.url.fingerprint)
        self._rechecking.taken(shard, request, before, result, taken)
        target = taken.redirect_to if taken.state is UrlState.REDIRECT else None
        self._journal.answer(result, taken.reason, taken.verdict, target)
        if taken.state is UrlState.FETCHED:
            self._fetched(request, taken, before is None)
        elif taken.redirect_to is not None:
            self._redirected(shard, request, taken.redirect_to)
            if taken.page is not None:  # it leads on by <meta>, and may have links for those who stay
                self._discovery.follow_links(request, taken.page)
        else:
            self._progress.errors[taken.reason] += 1
            self._note_seed(request.url, f"the server answered {taken.reason.removeprefix('http-')}")

    def _fetched(self, request: CrawlRequest, taken: Taken, is_new: bool) -> None:
        page, verdict = taken.page, taken.verdict
        assert page is not None
        assert verdict is not None
        if taken.unchanged:
            self._discovery.follow_links(request, page)
            return
        self._progress.pages += 1
        self._answering.add(page.url.authority)
        self._progress.hosts = len(self._answering)
        self._progress.kept += verdict.keep - len(taken.demoted)
        self._progress.duplicates += bool(verdict.duplicate_of) + len(taken.demoted)
        self._progress.near_duplicates += verdict.reason == NEARLY
        if verdict.keep:
            if self._live is not None:
                self._live.add(page)
        else:
            self._note_seed(page.url, f"not indexed: {verdict.reason or verdict.judgement}")
        new_links = self._discovery.follow_links(request, page)
        if is_new:  # of a page that was known, what is new on it says nothing about its address
            self._learn(taken, page, new_links)

    def _learn(self, taken: Taken, page: Page, new_links: int) -> None:
        """What the page says about its host."""
        exact = taken.verdict is not None and taken.verdict.reason == SAME
        self._learned.observe(page, new_links, taken.copy_of, exact)
        for url in taken.demoted:
            self._learned.mirrors.observe(url, page.url, again=True)
        if self._learned.soft_404.should_probe(page.url):
            notes = self._learned.soft_404.of(page.url.authority)
            self._discovery.add_probe(notes.probe(page.url, token_hex(8)))

    def _redirected(self, shard: Shard, request: CrawlRequest, target: Url) -> None:
        self._progress.redirects += 1
        if request.redirects < self._max_redirects:
            self._discovery.follow_redirect(request, target)
            return
        self._progress.errors["too-many-redirects"] += 1
        url = request.url
        shard.batch.then(lambda catalogue: catalogue.explain(url.fingerprint, "too-many-redirects"), url)

    async def probed(self, shard: Shard, result: FetchResult) -> None:
        """The answer to a question for what cannot exist; nothing of it is kept."""
        self._journal.answer(result, "probe")
        page = await self._intake.look_at(result) if result.is_success else None
        content = content_print(page) if page is not None and not page.problem else None
        self._learn_from_probe(shard, result.url, result.status, content)

    def not_probed(self, shard: Shard, url: Url) -> None:
        """The question may not be asked, so there will be no answer."""
        self._journal.note("refused", url=url.text, reason="probe")
        self._learn_from_probe(shard, url, 0, None)

    def _learn_from_probe(self, shard: Shard, url: Url, status: int, content: ContentPrint | None) -> None:
        self._learned.soft_404.of(url.authority).learn(url, status, content)
        self._learned.soft_404.settle(url.authority)
        shard.settle(url.fingerprint)
