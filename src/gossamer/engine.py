"""Facade over one collection; runs jobs in an event loop."""

from __future__ import annotations

import asyncio
import gc
import signal
import time
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from math import inf
from pathlib import Path
from threading import current_thread, main_thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack, cast

from gossamer import config as configs
from gossamer.collection.collection import NAME as COLLECTION
from gossamer.collection.collection import Collection
from gossamer.collection.partition import Partition
from gossamer.collection.site_rules import NAME as SITES
from gossamer.collection.site_rules import TEMPLATE as SITES_TEMPLATE
from gossamer.collection.site_rules import SiteRules
from gossamer.config import Config
from gossamer.crawl.control import CrawlController
from gossamer.model import CachedPage, EngineClosed, How, ResultPage, SearchRequest, Url
from gossamer.model.progress import CrawlObserver, CrawlProgress, StepObserver
from gossamer.owner.query_log import QueryLog
from gossamer.owner.visitor_messages import Reports, Submissions
from gossamer.storage.files import most_open

if TYPE_CHECKING:
    from gossamer.answer.instant.answer import InstantAnswers
    from gossamer.answer.iterate import ResultIterator
    from gossamer.answer.page_info import PageInfo, PageInfoReader
    from gossamer.answer.pipeline import AnswerPipeline
    from gossamer.crawl.fetch.transport import Transport
    from gossamer.crawl.hosts.knowledge import StoredKnowledge
    from gossamer.graph.ranks.explain import PageLinks
    from gossamer.graph.ranks.top_pages import RankedPage
    from gossamer.graph.reader import CollectionGraph, GraphLink
    from gossamer.graph.structure.report import GraphReport
    from gossamer.jobs.check import CheckReport
    from gossamer.jobs.import_pages import ImportSummary
    from gossamer.jobs.rank import RankSummary
    from gossamer.jobs.sync_index import IndexSummary
    from gossamer.owner.health import Health
    from gossamer.owner.status import HostStatus, Status

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs to the end in an event loop of its own, also where a loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
    return _run_beside(work)


def _run(work: Coroutine[Any, Any, T]) -> T:
    """On uvloop where there is one."""
    try:
        import uvloop

        factory = uvloop.new_event_loop
    except ImportError:
        factory = None
    with _signals_given_back(), _rare_collections(), asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)


def _run_beside(work: Coroutine[Any, Any, T]) -> T:
    """In a thread, because this one has a loop; Ctrl-C, which comes here, ends the work well."""
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()

    async def told() -> T:
        begun.set_result((asyncio.get_running_loop(), cast("asyncio.Task[T]", asyncio.current_task())))
        return await work

    with ThreadPoolExecutor(1, "run") as thread:
        done = thread.submit(_run, told())
        try:
            return done.result()
        except KeyboardInterrupt:
            loop, task = begun.result()
            with suppress(RuntimeError):  # it has just ended
                loop.call_soon_threadsafe(task.cancel)
            raise


@contextmanager
def _signals_given_back() -> Iterator[None]:
    """uvloop leaves the handlers of a closed loop behind, with which Ctrl-C would do nothing any more."""
    if current_thread() is not main_thread():
        yield
        return
    from gossamer.crawl.loop import ENDING

    before = [(wish, signal.getsignal(wish)) for wish in ENDING]
    try:
        yield
    finally:
        for wish, handler in before:
            if handler is not None:  # nobody can put back what was not set from Python
                signal.signal(wish, handler)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Looks for cycles of garbage less often: a crawl makes few of them, and saves 7% of its time."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _owners_files() -> dict[str, str]:
    """The files that a new collection begins with, for its owner to change."""
    from gossamer.query.synonyms import NAME as SYNONYMS
    from gossamer.query.synonyms import starter_list

    return {configs.NAME: Config.template(), SYNONYMS: starter_list(), SITES: SITES_TEMPLATE}


# Words of every kind of query: a phrase, an exclusion, results enough for groups, a misspelling.
WARMING = ('warm "up now" -cold', "the of and to in is de la le der die et en i", "mispeling")


class Engine:
    """A collection on disk and everything that can be done with it.

    Searching, status and export may go on while another process crawls; crawl, index, rank, import and
    check need the collection for themselves and raise `CollectionBusy` when another process has it.
    """

    def __init__(self, collection: Collection, config: Config) -> None:
        self.config = config
        self.directory = collection.directory
        self._collection = collection
        self._is_closed = False
        self._held = [
            Partition(number, collection.partition_folder(number), config.store)
            for number in range(collection.partitions)
        ]
        self.query_log = QueryLog(collection.directory, config.serve.query_log_mb)
        owner = collection.owner_folder
        self.steering = CrawlController(collection.directory, owner, collection.logs_folder)
        self.sites = SiteRules(collection.directory / SITES, owner)
        self.reports = Reports(owner)
        self.submissions = Submissions(owner)

    @classmethod
    def open(
        cls,
        directory: str | Path,
        *,
        create: bool = False,
        partitions: int = 1,
        settings: dict[str, dict[str, Any]] | None = None,
    ) -> Self:
        """Opens a collection; `create` makes it where there is none. `settings` win over gossamer.toml."""
        most_open()  # a search holds every file of the index open
        folder = Path(directory)
        new = create and not (folder / COLLECTION).exists()
        files = _owners_files() if new else {}
        collection = Collection.prepare(folder, partitions, tuple(files)) if new else Collection.open(folder)
        path = folder / configs.NAME
        config = (Config.load(path) if path.exists() else Config()).changed(settings or {})
        engine = cls(collection, config)
        if new:
            for partition in engine._partitions:
                partition.create()
            collection.finish(files)
        return engine

    def __repr__(self) -> str:
        return f"<Engine {str(self.directory)!r}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of all files; from then on nothing is answered. Closing twice does no harm."""
        self._is_closed = True
        self._let_go()

    def _let_go(self) -> None:
        """Files are opened again when they are needed."""
        for partition in self._held:
            partition.close()

    def _must_be_open(self) -> None:
        if self._is_closed:
            raise EngineClosed(self.directory)

    @property
    def _partitions(self) -> list[Partition]:
        self._must_be_open()
        return self._held

    @property
    def _searching(self) -> AnswerPipeline:
        self._must_be_open()
        return self._pipeline

    @property
    def _known(self) -> PageInfoReader:
        self._must_be_open()
        return self._page_info

    @cached_property
    def _page_info(self) -> PageInfoReader:
        from gossamer.answer.page_info import PageInfoReader

        return PageInfoReader(self._held, self._pipeline, self.config.rank.beta)

    @cached_property
    def _instant(self) -> InstantAnswers:
        from gossamer.answer.instant.answer import NAME as RATES
        from gossamer.answer.instant.answer import InstantAnswers

        return InstantAnswers(self.config.answers, self.directory / RATES)

    @cached_property
    def _pipeline(self) -> AnswerPipeline:
        """What answers queries, made for the first of them: a crawl needs nothing of it."""
        from gossamer.answer.pipeline import AnswerPipeline
        from gossamer.query.synonyms import NAME as SYNONYMS
        from gossamer.query.synonyms import Thesaurus

        return AnswerPipeline(
            [partition.index for partition in self._held],
            self._collection.graph_folder,
            self.config.search,
            [partition.anchors_folder for partition in self._held],
            [partition.never_fetched for partition in self._held],
            Thesaurus(self.directory / SYNONYMS),
            self._instant,
            self.query_log.suggested if self.config.serve.query_log else None,
            self.sites,
            lambda: self.steering.is_running,
        )

    # What changes the collection

    def crawl(
        self,
        seeds: str | Url | Sequence[str | Url] = (),
        *,
        transport: Transport | None = None,
        index: bool = True,
        continuous: bool = False,
        refresh: bool = False,
        observer: CrawlObserver | None = None,
    ) -> CrawlProgress:
        """Fetches the seeds and what they lead to, or goes on with what is queued; then indexes it.

        `refresh` also asks for known pages again whose date has come; `continuous` does so without end.
        """
        from gossamer.jobs.crawl import crawl
        from gossamer.web.url import repair

        wanted = [seeds] if isinstance(seeds, str | Url) else seeds
        urls = [seed if isinstance(seed, Url) else repair(seed)[0] for seed in wanted]
        with self._writing():
            horizon = inf if continuous else time.time() if refresh else 0.0
            work = crawl(
                self._partitions,
                self._collection,
                self.sites,
                self.config,
                urls=urls,
                transport=transport,
                index=index,
                observer=observer,
                horizon=horizon,
            )
            return run(work)

    def index(
        self, *, rebuild: bool = False, merge: bool = False, observer: StepObserver | None = None
    ) -> IndexSummary:
        """Makes every kept page searchable; `rebuild` starts from the page store and freezes pivots anew.

        `merge` makes one segment of all.
        """
        from gossamer.jobs.sync_index import index

        with self._writing(rebuild):
            return run(index(self._partitions, self.config, rebuild, merge, observer))

    def rank(self, *, only: Sequence[str] = (), observer: StepObserver | None = None) -> RankSummary:
        """Computes the link graph and its ranks, and indexes what links say; searches use all at once.

        With `only`, computes these ranks anew on the graph that is there, and leaves all else as it is.
        """
        from gossamer.jobs.rank import rank, rank_only

        folder = self._collection.graph_folder
        with self._writing():
            if only:
                return rank_only(self._partitions, folder, self.config, only, observer)
            return rank(self._partitions, folder, self.config, observer)

    def import_files(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        index: bool = True,
        observer: StepObserver | None = None,
    ) -> ImportSummary:
        """Takes in pages that somebody else fetched: WARC files, corpora of JSON lines."""
        from gossamer.jobs.import_pages import import_files

        route = self._collection.partition_of
        files = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
        with self._writing():
            return run(import_files(self._partitions, route, self.config, files, index, observer))

    def check(self, *, repair: bool = False, observer: StepObserver | None = None) -> CheckReport:
        """Verifies every file, after cutting off what a killed process left behind its last commit.

        With `repair` it brings back what the page store allows.
        """
        from gossamer.jobs.check import CollectionCheck

        checking = CollectionCheck(self._partitions, self._collection.graph_folder, observer)
        with self._collection.writing():
            try:
                report = checking.run(repair)
            finally:
                self._let_go()
        if any(problem.repaired for problem in report.problems):
            self.index(observer=observer)
        return report

    # What reads it

    def search(self, text: str, k: int = 10, offset: int = 0, **how: Unpack[How]) -> ResultPage:
        """The best pages for a query, from `offset` on, at most k; `how` is as in `SearchRequest`."""
        return self._searching.search(text, k, offset, **how)

    def answer(self, request: SearchRequest) -> ResultPage:
        """What is there for a request."""
        return self._searching.answer(request)

    def results(self, text: str, **how: Unpack[How]) -> ResultIterator:
        """The same results, page after page as they are read; a sequence of at most a thousand."""
        from gossamer.answer.iterate import ResultIterator

        return ResultIterator(self.answer, SearchRequest(text, **how))

    def pages(self, query: str = "") -> Iterator[PageInfo]:
        """Every indexed page, or every one that matches by its own words; without any order or limit."""
        from gossamer.answer.iterate import iterate_pages

        return iterate_pages(self._searching, query)

    def suggest(self, text: str, k: int = 8, *, wait: bool = True) -> list[str]:
        """How a query that begins so might go on; without `wait`, nothing until the phrases are gathered."""
        return self._searching.completing.suggest(text, k, wait)

    def page(self, url: str) -> PageInfo:
        """What is known of a page: what it says, its dates, its ranks; raises UnknownPage."""
        return self._known.page(url)

    def similar(self, url: str, k: int = 10, offset: int = 0) -> ResultPage:
        """The pages most like a page, from `offset` on, by its strongest words; raises UnknownPage."""
        return self._known.similar(url, k, offset)

    def cached(self, url: str, query: str = "") -> CachedPage | None:
        """The stored copy of a page that searches find, with the words of a query that stand in it.

        None where there is none, or where its author does not want copies to be shown.
        """
        from gossamer.answer.cached_copy import cached
        from gossamer.graph.reader import likely_urls
        from gossamer.web.url import repair

        site_rules, terms = self.sites.book(), self._searching.terms(query) if query.strip() else frozenset()
        for address in likely_urls(repair(url)[0]):
            partition = self._partitions[self._collection.partition_of(address.host)]
            if not site_rules.blocks(address.host) and (page := cached(partition, address, terms)):
                return page
        return None

    def warm_up(self) -> None:
        """Loads, or on a new machine compiles, what searching needs, so that nobody's first query waits."""

        self._instant.gazetteer()
        for text in WARMING:
            self.search(text, algorithm="blockmax", explain=True, clusters=True, facets=True, country="gb")
        self._searching.learn()
        self._searching.completing.start()

    def top(self, count: int, by: str = "pagerank") -> list[RankedPage]:
        """The best pages by a rank alone."""
        from gossamer.graph.ranks.top_pages import top

        return top(self._partitions, self._collection.graph_folder, count, by)

    def propose_seeds(self, count: int = 20) -> list[RankedPage]:
        """Pages from which trust would get far; look at each before you trust it."""
        from gossamer.graph.ranks.top_pages import propose_seeds

        return propose_seeds(self._partitions, self._collection.graph_folder, self.config.rank, count)

    def personal(self, liked: str | Sequence[str], count: int = 20) -> list[RankedPage]:
        """The best pages for somebody who likes these: URLs, hosts, or @FILE of the collection's folder."""
        from gossamer.graph.ranks.top_pages import personal

        named = [liked] if isinstance(liked, str) else liked
        return personal(self._partitions, self._collection.graph_folder, self.config.rank, named, count)

    def links(self, url: str, most: int = 10, offset: int = 0) -> PageLinks:
        """The links of a page, its place by every rank, and where its PageRank comes from."""
        return self._known.links(url, most, offset)

    def in_links(self, url: str) -> Iterator[GraphLink]:
        """Every link that leads to a page, those of the highest PageRank first."""
        return self._known.in_links(url)

    def out_links(self, url: str) -> Iterator[GraphLink]:
        """Every link of a page, to those of the highest PageRank first."""
        return self._known.out_links(url)

    def graph(self) -> CollectionGraph:
        """The link graph of the last `rank`, to be read: nodes, hosts, links with their texts, ranks."""
        from gossamer.graph.reader import CollectionGraph

        return CollectionGraph.open(self._partitions, self._collection.graph_folder)

    def graph_report(self, level: str = "pages", *, observer: StepObserver | None = None) -> GraphReport:
        """What the web looks like from far away: bow tie, dead ends, traps, power laws, communities."""
        from gossamer.graph.structure.report import graph_report

        folder, beta = self._collection.graph_folder, self.config.rank.beta
        return graph_report(self._partitions, folder, level, beta, observer)

    def status(self) -> Status:
        """What is there, how far, how fresh."""
        from gossamer.owner.status import status

        folder, frontier = self._collection.graph_folder, self.config.frontier
        return status(self.directory, self._partitions, folder, frontier, self._host_knowledge())

    def topics(self) -> tuple[str, ...]:
        """The topics by which links can count, as the last ranking made them."""
        from gossamer.graph.blend import topics_of

        return topics_of(self._searching.opened().generation)

    def health(self) -> Health:
        """Segments of the index, the age of pages, the generation of ranks: what an owner looks after."""
        from gossamer.owner.health import health

        return health(self._partitions, self._collection.graph_folder, time.time())

    def host_status(self, host: str) -> HostStatus:
        """What is known of one host, named by itself or by one of its URLs."""
        from gossamer.owner.status import host_status
        from gossamer.web.url import repair

        url, _ = repair(host)
        home = self._collection.partition_of(url.host)
        frontier, knowledge = self.config.frontier, self._host_knowledge()
        return host_status(url, home, self._partitions, frontier, knowledge, time.time())

    def _host_knowledge(self) -> StoredKnowledge:
        from gossamer.crawl.hosts.knowledge import StoredKnowledge

        return StoredKnowledge(self.config.frontier, self.config.traps, self.config.quality)

    def export(self, out: str | Path, form: str = "jsonl", *, observer: StepObserver | None = None) -> int:
        """Writes all pages to a file, or for the format `text` to a folder; returns how many."""
        from gossamer.jobs.export import export

        return export(self._partitions, Path(out), form, observer)

    @contextmanager
    def _writing(self, rebuild: bool = False) -> Iterator[None]:
        """The right to write, with every file brought back to its last commit."""
        with self._collection.writing():
            try:
                for partition in self._partitions:
                    partition.recover()
                    if rebuild:
                        partition.index.forget_other_format()
                    partition.index.tidy()
                yield
            finally:
                self._let_go()
