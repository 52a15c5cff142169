"""Engine: everything that can be done with one collection."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from math import inf
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from gossamer import config as configs
from gossamer.collection.collection import NAME as COLLECTION
from gossamer.collection.collection import Collection
from gossamer.collection.partition import Partition
from gossamer.collection.site_rules import NAME as SITES
from gossamer.collection.site_rules import TEMPLATE as SITES_TEMPLATE
from gossamer.collection.site_rules import SiteRules
from gossamer.config import Config
from gossamer.crawl.control import CrawlController
from gossamer.crawl.options import CrawlOptions
from gossamer.model import (
    CachedPage,
    EngineClosed,
    ResultPage,
    SearchKeywords,
    SearchOptions,
    Url,
    UsageError,
)
from gossamer.model.progress import CrawlProgress, Observer, StepProgress
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


def _owners_files() -> dict[str, str]:
    """Return the files of a new collection that its owner may edit: names and contents."""
    from gossamer.query.synonyms import NAME as SYNONYMS
    from gossamer.query.synonyms import starter_list

    return {configs.NAME: Config.template(), SYNONYMS: starter_list(), SITES: SITES_TEMPLATE}


# Queries for every part of a search: a phrase, an exclusion, many results, a misspelling, an instant answer.
WARM_UP_QUERIES = ('warm "up now" -cold', "the of and to in is de la le der die et en i", "mispeling", "2+2")


class Engine:
    """Open one collection: crawl, index, rank and search it.

    Use `Engine.open`, not `Engine(...)`. A collection is a folder. Several processes may search it while one
    process crawls. `crawl`, `index`, `rank`, `import_files` and `check` write to it: they raise
    `CollectionBusy` while another process writes. Searches may run in several threads at once. They see what
    other processes commit. All methods of a closed engine raise `EngineClosed`.

    Attributes:
        directory: The folder of the collection.
        config: The settings in use, a `Config`.
        steering: Start, pause and stop a crawl in another process.
        sites: Rules for sites: block them, boost their pages.
        reports: Results that visitors of the search page reported.
        submissions: Sites that visitors of the search page submitted.
        query_log: Counts of past queries, if the setting `query_log` is on.

    Example:
        >>> with Engine.open("my-search", create=True) as engine:
        ...     progress = engine.crawl("https://example.org/", max_pages=100, stay=True)
        ...     for hit in engine.search("opening hours", k=3):
        ...         print(hit.rank, hit.url)
        1 https://example.org/visit
        2 https://example.org/
    """

    def __init__(self, collection: Collection, config: Config) -> None:
        self.config = config
        self.directory = collection.directory
        self._collection = collection
        self._is_closed = False
        self._opened = Partition.all_of(collection, config.store)
        owner = collection.owner_folder
        self.steering = CrawlController(collection.directory, owner, collection.logs_folder)
        self.query_log = QueryLog(collection.directory, config.serve.query_log_mb)
        self.reports, self.submissions = Reports(owner), Submissions(owner)
        self.sites = SiteRules(collection.directory / SITES, owner)

    @classmethod
    def open(
        cls,
        directory: str | Path,
        *,
        create: bool = False,
        partitions: int = 1,
        settings: dict[str, dict[str, Any]] | None = None,
    ) -> Self:
        """Open a collection, or create one.

        Args:
            directory: The folder of the collection.
            create: Create the collection if there is none. The folder must be missing or empty, except for
                a gossamer.toml.
            partitions: The number of partitions of a new collection.
            settings: Settings by section, such as `{"crawl": {"depth": 3}}`. They override gossamer.toml.

        Returns:
            The engine. Use it in a `with` block, or call `close`.

        Raises:
            NotACollection: The folder holds no collection. `create=True` makes one.
            BadSetting: A setting has a wrong name or value.
            WrongFormat: Another version of Gossamer made the collection.

        Example:
            >>> engine = Engine.open("my-search", create=True, settings={"search": {"results_per_host": 1}})
            >>> engine.config.search.results_per_host
            1
            >>> engine.close()
        """
        most_open()  # a search keeps every file of the index open
        folder = Path(directory)
        new = create and not (folder / COLLECTION).exists()
        files = _owners_files() if new else {}
        path = folder / configs.NAME
        # A wrong setting must not leave an empty folder behind.
        config = (Config.load(path) if path.exists() else Config()).changed(settings or {})
        collection = Collection.prepare(folder, partitions, tuple(files)) if new else Collection.open(folder)
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
        """Close all files. A second call does nothing.

        Example:
            >>> engine = Engine.open("my-search", create=True)
            >>> engine.close()
            >>> engine.search("museum")
            Traceback (most recent call last):
            ...
            gossamer.model.errors.EngineClosed: the engine of my-search is closed; open the collection again
        """
        self._is_closed = True
        self._close_files()

    def _close_files(self) -> None:
        """Close the files of all partitions. They are opened again when they are needed."""
        for partition in self._opened:
            partition.close()

    def _must_be_open(self) -> None:
        if self._is_closed:
            raise EngineClosed(self.directory)

    @property
    def _partitions(self) -> list[Partition]:
        self._must_be_open()
        return self._opened

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

        return PageInfoReader(self._opened, self._pipeline, self.config.rank.damping)

    @cached_property
    def _instant(self) -> InstantAnswers:
        from gossamer.answer.instant.answer import NAME as RATES
        from gossamer.answer.instant.answer import InstantAnswers

        return InstantAnswers(self.config.answers, self.directory / RATES)

    @cached_property
    def _pipeline(self) -> AnswerPipeline:
        """The pipeline that answers queries. The first query makes it, because a crawl does not need it."""
        from gossamer.answer.pipeline import AnswerPipeline
        from gossamer.query.synonyms import NAME as SYNONYMS
        from gossamer.query.synonyms import NO_SYNONYMS, read_synonyms
        from gossamer.storage.files import WatchedFile

        return AnswerPipeline(
            [partition.index for partition in self._opened],
            self._collection.graph_folder,
            self.config.search,
            [partition.anchors_folder for partition in self._opened],
            [partition.never_fetched for partition in self._opened],
            WatchedFile(self.directory / SYNONYMS, read_synonyms, NO_SYNONYMS),
            self._instant,
            self.query_log.suggested if self.config.serve.query_log else None,
            self.sites,
            lambda: self.steering.is_running,
        )

    # Methods that change the collection

    def crawl(
        self,
        seeds: str | Url | Sequence[str | Url] = (),
        *,
        max_pages: int | None = None,
        depth: int | None = None,
        stay: bool | None = None,
        include: str | Sequence[str] | None = None,
        exclude: str | Sequence[str] | None = None,
        delay: float | None = None,
        resolve: str | Sequence[str] | None = None,
        allow_private: bool | None = None,
        user_agent: str | None = None,
        continuous: bool = False,
        refresh: bool = False,
        index: bool = True,
        transport: Transport | None = None,
        observer: Observer[CrawlProgress] | None = None,
    ) -> CrawlProgress:
        """Fetch pages and make them searchable.

        The arguments are the options of the command `gossamer crawl`. A limit of None means the value in
        gossamer.toml. In the main thread, Ctrl-C stops the crawl: open requests finish and their pages are
        indexed. A second Ctrl-C cancels them. The next crawl continues from there.

        Args:
            seeds: One or more URLs to start from. Without any, the crawl continues with the queued URLs.
            max_pages: Stop after this many fetched pages; 0 means no limit. Duplicates count, although they
                are not indexed. Redirects and failures do not count.
            depth: Follow at most this many links from a seed; -1 means no limit.
            stay: Stay on the sites of the seeds: their registrable domains with all hosts, or their IP
                addresses with all ports. Links to other sites are not queued.
            include: Fetch only URLs that match one of these regular expressions.
            exclude: Skip URLs that match one of these regular expressions.
            delay: Seconds between two requests to a host. A longer Crawl-delay in robots.txt still applies.
            resolve: IP addresses for hosts, instead of DNS: `"*.example.org=127.0.0.1:8080"`.
            allow_private: Allow IP addresses of private networks and of this machine, such as 127.0.0.1.
            user_agent: The User-Agent header.
            continuous: Crawl until stopped: fetch new pages, and known pages again when they are due.
            refresh: Also fetch all known pages that are due, once. Without `refresh` or `continuous`, no
                known page is fetched again, even if it is a seed.
            index: Make the pages searchable. If false, call `index` later.
            transport: Sends the requests instead of HTTP; for tests.
            observer: Called with the `CrawlProgress` a few times a second. It may call `progress.stop()`. Any
                number of pages may be fetched between two calls; for an exact limit use `max_pages`.

        Returns:
            The progress at the end. `errors` counts the pages that could not be fetched, `seed_errors` has
            the reason for each seed that could not be fetched.

        Raises:
            CollectionBusy: Another process writes to the collection.
            BadUrl: A seed is not a URL.
            BadSetting: An argument has a wrong value.

        Example:
            >>> progress = engine.crawl("https://example.org/", max_pages=100, stay=True, exclude="/tag/")
            >>> progress.failed
            0
        """
        from gossamer.jobs.crawl import crawl
        from gossamer.jobs.event_loop import run
        from gossamer.web.url import repair

        limits = CrawlOptions(
            max_pages, depth, stay, include, exclude, delay, resolve, allow_private, user_agent
        )
        config = self.config.changed(limits.settings())
        wanted = [seeds] if isinstance(seeds, str | Url) else seeds
        urls = [seed if isinstance(seed, Url) else repair(seed)[0] for seed in wanted]
        with self._writing():
            horizon = inf if continuous else time.time() if refresh else 0.0
            work = crawl(
                self._partitions,
                self._collection,
                self.sites,
                config,
                urls=urls,
                transport=transport,
                index=index,
                observer=observer,
                horizon=horizon,
            )
            return run(work)

    def index(
        self,
        *,
        rebuild: bool = False,
        merge: bool = False,
        observer: Observer[StepProgress] | None = None,
    ) -> IndexSummary:
        """Make all kept pages searchable.

        Args:
            rebuild: Rebuild the index from the stored pages, with the current settings.
            merge: Merge all segments into one, for the fastest searches.
            observer: Called with a `StepProgress` while pages are indexed.

        Returns:
            The number of searchable pages, and how many were added and removed.

        Raises:
            CollectionBusy: Another process writes to the collection.

        Example:
            >>> engine.index().documents
            4
        """
        from gossamer.jobs.event_loop import run
        from gossamer.jobs.sync_index import index

        with self._writing(rebuild):
            return run(index(self._partitions, self.config, rebuild, merge, observer))

    def rank(
        self, *, only: str | Sequence[str] = (), observer: Observer[StepProgress] | None = None
    ) -> RankSummary:
        """Compute the link graph and all link ranks, and index anchor text.

        Searches use the new ranks at once.

        Args:
            only: Compute only these ranks, on the graph of the last call.
            observer: Called with a `StepProgress` for each step.

        Returns:
            The size of the graph, the ranks that were computed, and whether they converged.

        Raises:
            CollectionBusy: Another process writes to the collection.
            NotRanked: `only` was given before the first call without it.
            BadSetting: There is no rank of a name in `only`.

        Example:
            >>> summary = engine.rank()
            >>> summary.pages, summary.converged
            (4, True)
        """
        from gossamer.jobs.rank import rank, rank_only

        folder, names = self._collection.graph_folder, [only] if isinstance(only, str) else only
        with self._writing():
            if names:
                return rank_only(self._partitions, folder, self.config, names, observer)
            return rank(self._partitions, folder, self.config, observer)

    def import_files(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        index: bool = True,
        observer: Observer[StepProgress] | None = None,
    ) -> ImportSummary:
        """Import pages that another program fetched.

        Args:
            paths: One or more WARC files (.warc, .warc.gz) or files of JSON lines (.jsonl, .jsonl.gz). Each
                line needs `text`, and `url` or `_id`.
            index: Make the pages searchable. If false, call `index` later.
            observer: Called with a `StepProgress` while pages are read and indexed.

        Returns:
            The numbers of pages that were read and kept.

        Raises:
            CollectionBusy: Another process writes to the collection.
            UsageError: A file has another format.

        Example:
            >>> written = engine.export("pages.warc.gz", "warc")
            >>> engine.import_files("pages.warc.gz").kept
            4
        """
        from gossamer.jobs.event_loop import run
        from gossamer.jobs.import_pages import import_files

        route = self._collection.partition_of
        files = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
        with self._writing():
            return run(import_files(self._partitions, route, self.config, files, index, observer))

    def check(self, *, repair: bool = False, observer: Observer[StepProgress] | None = None) -> CheckReport:
        """Verify every file of the collection.

        Args:
            repair: Repair what can be rebuilt from the stored pages.
            observer: Called with a `StepProgress` while files are read.

        Returns:
            The number of files that were read, and the problems.

        Raises:
            CollectionBusy: Another process writes to the collection.

        Example:
            >>> engine.check().problems
            ()
        """
        from gossamer.jobs.check import CollectionCheck

        checking = CollectionCheck(self._partitions, self._collection.graph_folder, observer)
        with self._collection.writing():
            try:
                report = checking.run(repair)
            finally:
                self._close_files()
        if any(problem.repaired for problem in report.problems):
            self.index(observer=observer)
        return report

    # Methods that search

    def search(
        self,
        text: str,
        k: int | None = None,
        offset: int | None = None,
        *,
        options: SearchOptions | None = None,
        **others: Unpack[SearchKeywords],
    ) -> ResultPage:
        """Search the collection.

        If nothing matches, other queries are tried: first the corrected spelling, if it is certain, then
        relaxed queries, such as one without an unknown word, without quotation marks, without one kind of
        filter (`before:` and `after:`, `filetype:`, `lang:`, places, `site:`), and at last any of the words
        without conditions. Exclusions are kept. The first of them with results is the answer: `searched`
        names it, `searched_because` is "corrected" or "relaxed", and `notes` tells what was relaxed. With
        `correct=False` the page is empty instead. A query with an instant answer is searched as typed only.

        Args:
            text: The query, such as `museum "opening hours" -shop site:example.org after:2024`. All operators
                are listed below.
            k: The largest number of results; 10 if neither `k` nor `options` is given. You can reach the
                first 1,000 results.
            offset: The number of results to skip.
            options: All options in one value. `SearchOptions` describes them.
            **others: Options by name, such as `explain=True`. They override `options`.

        Returns:
            A page of results: a sequence of `Hit`. `total` is the number of matching pages.

        Raises:
            BadQuery: The query cannot be read.
            BadSetting: An option has a wrong value.
            TypeError: There is no option of that name. Filters are part of the query: write `lang:en` in
                `text`, not `lang="en"`.

        Query language:
            Plain words are optional: a page matches with any of them, and pages with more of them come first.
            The same holds for `panth*`, `jagaur~` and `sounds:meyer`. All else are conditions that a page
            must satisfy; beside a condition on text, plain words only change the order.

            museum hours            any of these words
            "opening hours"         these words side by side
            -car, -"new world"      pages without this; also -site:example.org and other fields
            a AND b, a OR b, NOT a  in capitals; parentheses group: a AND (b OR c)
            a NEAR/3 b              at most three words apart, in any order; NEAR alone means NEAR/10
            panth*                  words with this prefix
            jagaur~, jagaur~2       words with one or two different letters
            sounds:meyer            words that sound like it; soundex:robert uses broader rules
            site:example.org        pages of the host and its subdomains
            lang:de                 pages in the language, by its code or name
            filetype:pdf            documents of the type, by media type or extension
            after:2024-05-01        pages from this day on, including it; also a month (2024-05) or a year
            before:2024-05-01       pages from before this day, without it; also a month or a year
            intitle:a, inurl:a      the word in the title, or in the URL
            inbody:a, inanchor:a    the word in the main text, or in the anchor text of links to the page
            link:URL                pages that link to the page
            related:URL             pages that are linked together with the page
            info:URL                the page itself, with its data from the link graph
            country:dk              pages that belong to the country, by its code or name
            near:Odense             pages that name the town or a town around it
            example.org/visit       a URL alone: this page first, then pages that contain its words

            `intitle:`, `inbody:`, `inanchor:` and `near:` also take a phrase: intitle:"big cat". Several
            `site:`, several `lang:` and several `filetype:` are alternatives. `after:` and `before:` compare
            the date of publication, or the date of fetching if the page states none, in UTC.

        Example:
            >>> page = engine.search("hours site:example.org", k=1)
            >>> page.total, page[0].url
            (2, 'https://example.org/visit')
            >>> [hit.rank for hit in engine.search("hours site:example.org", k=1, offset=1)]
            [2]
            >>> engine.search("hours", explain=True)[0].explanation.contributions[0].term
            'hour'
        """
        return self._searching.search(text, k, offset, options=options, **others)

    def results(
        self, text: str, *, options: SearchOptions | None = None, **others: Unpack[SearchKeywords]
    ) -> ResultIterator:
        """Search, and iterate over all results.

        If nothing matches, a corrected or relaxed query is searched instead, as in `search`: `first.searched`
        says which. With `correct=False` there are no results instead.

        Args:
            text: The query, as in `search`.
            options: All options in one value; `k` and `offset` are ignored.
            **others: Options by name. They override `options`.

        Returns:
            A sequence of up to 1,000 results. The first ten are fetched at once, the others when they
            are read. `first` is the `ResultPage` of the first ten, `total` the number of matching pages.

        Raises:
            BadQuery: The query cannot be read.

        Example:
            >>> for hit in engine.results("site:example.org"):
            ...     print(hit.rank, hit.title)
            1 Visit us
            2 The collection
            3 A museum of small things
            4 The shop
        """
        from gossamer.answer.iterate import ResultIterator

        chosen = (options or SearchOptions()).changed(**others)
        return ResultIterator(lambda wanted: self.search(text, options=wanted), chosen)

    def similar(self, url: str, k: int = 10, offset: int = 0) -> ResultPage:
        """Find pages with similar content, by the words that distinguish a page from others.

        Args:
            url: The URL of an indexed page.
            k: The largest number of results.
            offset: The number of results to skip.

        Returns:
            A page of results, without the page itself.

        Raises:
            UnknownPage: The page is not indexed.

        Example:
            >>> found = engine.similar("https://example.org/", k=3)
            >>> "https://example.org/visit" in [hit.url for hit in found]
            True
        """
        return self._known.similar(url, k, offset)

    def suggest(self, text: str, k: int = 8, *, wait: bool = True) -> list[str]:
        """Complete the beginning of a query.

        Args:
            text: The beginning of the query. A space at the end means that the last word is complete.
            k: The largest number of suggestions.
            wait: Collect the phrases of the collection first, if this was not done yet. If false, they are
                collected in a thread, and there are no suggestions until then.

        Returns:
            Queries, the best first.

        Example:
            >>> engine.suggest("the c")
            ['The collection']
        """
        return self._searching.completing.suggest(text, k, wait)

    def warm_up(self) -> None:
        """Load everything that searches need, so that the first query is as fast as later ones.

        On a new machine this compiles the kernels, which takes about half a minute.

        Example:
            >>> engine.warm_up()
        """
        self._instant.gazetteer()
        for text in WARM_UP_QUERIES:
            self.search(text, algorithm="blockmax", explain=True, clusters=True, facets=True, country="gb")
        self._searching.learn()
        self._searching.completing.start()

    # Methods that read pages

    def page(self, url: str) -> PageInfo:
        """Return what is known of a page.

        Args:
            url: The URL, with or without its scheme.

        Returns:
            Its title, text, language and dates, the number of its links, and its position in each rank.

        Raises:
            UnknownPage: The collection does not know the URL.

        Example:
            >>> engine.page("example.org/visit").title
            'Visit us'
        """
        return self._known.page(url)

    def pages(self, query: str = "") -> Iterator[PageInfo]:
        """Iterate over all indexed pages, or over all that match a query, in no order and without limit.

        Args:
            query: The query, as in `search`, but without anchor text, spelling correction and relaxed
                queries. If nothing matches, there are no pages.

        Returns:
            An iterator over the index as it was at the time of the call. The pages have no `standings`; use
            `page` to read them.

        Raises:
            BadQuery: The query cannot be read.

        Example:
            >>> sorted(page.title for page in engine.pages("intitle:visit OR intitle:shop"))
            ['The shop', 'Visit us']
        """
        from gossamer.answer.iterate import iterate_pages

        return iterate_pages(self._searching, query)

    def cached(self, url: str, query: str = "") -> CachedPage | None:
        """Return the cached page: the text and HTML of an indexed page as they were fetched.

        Args:
            url: The URL, with or without its scheme.
            query: A query whose words are found in the text, for highlighting.

        Returns:
            The page, or None if there is no copy or the page says `noarchive`.

        Example:
            >>> engine.cached("example.org/visit").text
            'Visit us\\nOpening hours: every day from ten to five.'
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

    def export(
        self,
        out: str | Path,
        format: str = "jsonl",
        *,
        observer: Observer[StepProgress] | None = None,
    ) -> int:
        """Write all indexed pages to a file.

        Args:
            out: The file; for the format `text`, a folder.
            format: `jsonl`, `csv`, `warc` (pages as they were fetched) or `text` (one file per page).
            observer: Called with a `StepProgress` while pages are written.

        Returns:
            The number of pages that were written.

        Raises:
            BadSetting: There is no such format.

        Example:
            >>> engine.export("pages.jsonl")
            4
        """
        from gossamer.jobs.export import export

        return export(self._partitions, Path(out), format, observer)

    # Methods that read links and ranks

    def top(self, k: int = 10, by: str = "pagerank") -> list[RankedPage]:
        """List the best pages by a link rank alone.

        Args:
            k: The largest number of pages.
            by: Any stored rank, such as `indegree`, `harmonic` or `hosts:pagerank`. `trust` exists if the
                settings of [rank] name `trusted` pages, `topic:cats` if they define that topic.

        Returns:
            Pages with their value, the highest first.

        Raises:
            NotRanked: `rank` was not called yet.
            BadSetting: There is no such rank.
            UsageError: k is negative.

        Example:
            >>> for page in engine.top(2, by="indegree"):
            ...     print(page.rank, page.url, page.value)
            1 https://example.org/visit 3.0
            2 https://example.org/collection 2.0
        """
        from gossamer.graph.ranks.top_pages import top

        if k < 0:
            raise UsageError(f"k should be 0 or more, not {k}")
        return top(self._partitions, self._collection.graph_folder, k, by)

    def propose_seeds(self, k: int = 20) -> list[RankedPage]:
        """Propose pages to trust: pages from which trust reaches many other pages.

        Args:
            k: The largest number of pages.

        Returns:
            Pages for a person to check. Spam farms can be among them.

        Raises:
            NotRanked: `rank` was not called yet.

        Example:
            >>> [page.url for page in engine.propose_seeds(1)]
            ['https://example.org/visit']
        """
        from gossamer.graph.ranks.top_pages import propose_seeds

        return propose_seeds(self._partitions, self._collection.graph_folder, self.config.rank, k)

    def personal(self, liked: str | Sequence[str], k: int = 20) -> list[RankedPage]:
        """List the best pages for a person who likes certain pages, by personalised PageRank.

        Args:
            liked: One or more URLs of pages, hosts (all their pages), or `@FILE`: a file in the folder of
                the collection with one of them on each line.
            k: The largest number of pages.

        Returns:
            Pages with their value, the highest first.

        Raises:
            NotRanked: `rank` was not called yet.
            UsageError: The graph has none of these pages.

        Example:
            >>> [page.url for page in engine.personal("https://example.org/visit", k=1)]
            ['https://example.org/visit']
        """
        from gossamer.graph.ranks.top_pages import personal

        named = [liked] if isinstance(liked, str) else liked
        return personal(self._partitions, self._collection.graph_folder, self.config.rank, named, k)

    def topics(self) -> tuple[str, ...]:
        """List the topics of the last ranking, for the search option `topic`.

        Returns:
            The names of the topics.

        Example:
            >>> engine.topics()
            ()
        """
        from gossamer.graph.blend import topics_of

        return topics_of(self._searching.opened().generation)

    def links(self, url: str, k: int = 10, offset: int = 0) -> PageLinks:
        """Return the links of a page, its position in each rank, and the sources of its PageRank.

        Args:
            url: The URL, with or without its scheme.
            k: The largest number of links of each kind. Links of pages with the highest PageRank come first.
            offset: The number of links of each kind to skip.

        Returns:
            The links with their anchor text, and the reasons for the rank of the page.

        Raises:
            NotRanked: `rank` was not called yet.
            UnknownPage: The graph does not have the page.

        Example:
            >>> links = engine.links("example.org/visit")
            >>> links.in_degree, links.out_degree
            (3, 2)
        """
        return self._known.links(url, k, offset)

    def in_links(self, url: str) -> Iterator[GraphLink]:
        """Iterate over all links to a page, those from pages of the highest PageRank first.

        Args:
            url: The URL, with or without its scheme.

        Returns:
            An iterator that reads each link when it is needed.

        Raises:
            NotRanked: `rank` was not called yet.
            UnknownPage: The graph does not have the page.

        Example:
            >>> sorted(link.page.url for link in engine.in_links("example.org/collection"))
            ['https://example.org/', 'https://example.org/visit']
        """
        return self._known.in_links(url)

    def out_links(self, url: str) -> Iterator[GraphLink]:
        """Iterate over all links of a page, those to pages of the highest PageRank first.

        Args:
            url: The URL, with or without its scheme.

        Returns:
            An iterator that reads each link when it is needed.

        Raises:
            NotRanked: `rank` was not called yet.
            UnknownPage: The graph does not have the page.

        Example:
            >>> [link.page.url for link in engine.out_links("example.org/collection")]
            ['https://example.org/visit']
        """
        return self._known.out_links(url)

    def graph(self) -> CollectionGraph:
        """Open the link graph of the last `rank`.

        Returns:
            The graph: nodes, hosts, links with their anchor text, ranks.

        Raises:
            NotRanked: `rank` was not called yet.

        Example:
            >>> graph = engine.graph()
            >>> for source, target in graph.links():
            ...     if source.host != target.host:
            ...         print(source.url, "->", target.url)
            https://example.org/ -> http://shop.example.org/
            http://shop.example.org/ -> https://example.org/visit
        """
        from gossamer.graph.reader import CollectionGraph

        return CollectionGraph.open(self._partitions, self._collection.graph_folder)

    def graph_report(
        self, level: str = "pages", *, observer: Observer[StepProgress] | None = None
    ) -> GraphReport:
        """Analyse the structure of the link graph.

        Args:
            level: `pages`, `hosts` or `domains`.
            observer: Called with a `StepProgress` for each step.

        Returns:
            The bow tie, dead ends, spider traps, power laws of the degrees, communities, and spam farms.

        Raises:
            NotRanked: `rank` was not called yet.
            BadSetting: There is no such level.
            UsageError: The extra `graph` is not installed.

        Example:
            >>> report = engine.graph_report()
            >>> report.pages, report.dead_end_count
            (4, 0)
        """
        from gossamer.graph.structure.report import graph_report

        folder, beta = self._collection.graph_folder, self.config.rank.damping
        return graph_report(self._partitions, folder, level, beta, observer)

    # Methods that show the state of the collection

    def status(self) -> Status:
        """Count pages, URLs, hosts and failures of the collection.

        Returns:
            The counts; `as_dict()` returns them as plain values.

        Example:
            >>> status = engine.status()
            >>> status.documents, status.ranked
            (4, True)
        """
        from gossamer.owner.status import status

        folder, frontier = self._collection.graph_folder, self.config.frontier
        return status(self.directory, self._partitions, folder, frontier, self._host_knowledge())

    def host_status(self, host: str) -> HostStatus:
        """Return the state of one host: its URLs, its robots.txt, and why it waits.

        Args:
            host: The name of the host, or one of its URLs.

        Returns:
            Counts and reasons; `as_dict()` returns them as plain values.

        Raises:
            GossamerError: The collection does not know the host.

        Example:
            >>> engine.host_status("example.org").pages
            3
        """
        from gossamer.owner.status import host_status
        from gossamer.web.url import repair

        url, _ = repair(host)
        home = self._collection.partition_of(url.host)
        frontier, knowledge = self.config.frontier, self._host_knowledge()
        return host_status(url, home, self._partitions, frontier, knowledge, time.time())

    def health(self) -> Health:
        """Return the state of the index and the graph: segments, age of pages, generation of ranks.

        Returns:
            The segments of the index; the age of pages, as pairs of a number of days and the number of
            pages fetched within them; the graph, or None before the first `rank`.

        Example:
            >>> health = engine.health()
            >>> sum(segment.documents for segment in health.segments)
            4
        """
        from gossamer.owner.health import health

        return health(self._partitions, self._collection.graph_folder, time.time())

    def _host_knowledge(self) -> StoredKnowledge:
        from gossamer.crawl.hosts.knowledge import StoredKnowledge

        return StoredKnowledge(self.config.frontier, self.config.traps, self.config.quality)

    @contextmanager
    def _writing(self, rebuild: bool = False) -> Iterator[None]:
        """Lock the collection for writing, and restore all files to their last commit."""
        with self._collection.writing():
            try:
                for partition in self._partitions:
                    partition.recover()
                    if rebuild:
                        partition.index.forget_other_format()
                    partition.index.tidy()
                yield
            finally:
                self._close_files()
