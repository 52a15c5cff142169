"""Crawl, index, rank and search your own part of the web.

A collection is a folder. `Engine` opens it and does everything that the command `gossamer` does:

    from gossamer import Engine

    with Engine.open("my-search", create=True) as engine:
        engine.crawl("https://example.org/", max_pages=500, stay=True)
        engine.rank()
        for hit in engine.search("opening hours", k=5):
            print(hit.rank, hit.url, hit.title)

Engines

    Engine          open a collection: crawl, index, rank, search, export
    AsyncEngine     the same methods for programs with an event loop
    CrawlRun        a crawl that an AsyncEngine watches and can stop
    Config          all settings of gossamer.toml; Engine.open(settings={"crawl": {"depth": 3}}) changes them
    asgi_app        make an ASGI application of an engine: search page and JSON API
    Url             a canonical URL with its 64-bit fingerprint

Search: engine.search(text, k=10, offset=0, ...), engine.results(text), engine.similar(url)

    SearchOptions   all options of a search: search("cats", options=SearchOptions(explain=True))
    SearchKeywords  the same options as keyword arguments, for type checkers: search("cats", explain=True)
    ResultPage      a sequence of hits, with total, did_you_mean, facets, clusters, ...
    ResultIterator  all results of a query, fetched as they are read
    Hit             one result: rank, url, title, snippet, score, ...
    Snippet         a passage of the page: text, and the places to highlight
    Explanation     how a score came about: contributions and score factors
    Contribution    what one term adds to a score
    Cluster         results about the same thing
    Facet           a site, language, type or time by which results can be narrowed
    InstantAnswer   a computed answer, such as a unit conversion
    Sitelink        a page of the site that a navigational query leads to

Pages and links: engine.page(url), engine.pages(query), engine.cached(url), engine.top(k), engine.links(url)

    PageInfo        what is known of a page: text, dates, language, ranks
    CachedPage      a page as it was fetched
    RankedPage      a page with its value by a rank
    PageLinks       the links of a page, and why it ranks as it does
    CollectionGraph the link graph; GraphPage, GraphLink and RankPosition are its parts
    GraphReport     the structure of the web that was crawled

Jobs and their progress: engine.crawl(..., observer=...), and the same for all other jobs

    Observer        any callable that takes a progress
    Progress        what every progress has: what, done, total
    CrawlProgress   the numbers of a crawl; stop() ends it
    StepProgress    how far one step of another job is; a total of 0 is unknown
    IndexSummary    what engine.index() did
    RankSummary     what engine.rank() did
    ImportSummary   what engine.import_files() did
    CheckReport     what engine.check() found

State of the collection

    Status          pages, URLs, hosts and failures: engine.status()
    HostStatus      the same for one host: engine.host_status(host)
    Health          segments, age of pages, ranks: engine.health()
    LiveCrawl       a crawl in another process: engine.steering.live()
    SiteRule        a rule for a site: engine.sites.rules()

Errors

    GossamerError           the base class; its text is one line that says what to do
      UsageError            the caller asked for something impossible
        BadUrl              not a URL
        BadQuery            a query that cannot be read; position and pointer() show where
        BadSetting          a setting with a wrong name or value, or an option with a wrong value
          BadFile           a file of the collection's owner that cannot be read
        UnknownPage         a URL that the collection does not know
        EngineClosed        the engine was closed
      CollectionError       the folder cannot be used as a collection
        NotACollection      it holds no collection
        CollectionBusy      another process writes to it
        NotRanked           engine.rank() was not called yet
        WrongFormat         another version of Gossamer made it
      DamagedFile           the content of a file is not what was written

Failures of the web are not exceptions: CrawlProgress.errors counts them by reason. An error or a note may
name a command, such as `gossamer rank`; the method of that name does the same: engine.rank().

Filter a search, and read on. help(gossamer.Engine.search) lists all operators. If nothing matches, a
corrected query or one without its filters is searched instead, and page.searched says which. With
correct=False the page is empty instead.

    page = engine.search("museum lang:en site:example.org -shop", k=10)
    page = engine.search("museum lang:en site:example.org -shop", k=10, offset=10)
    for hit in engine.results("museum"):
        ...

React to progress. An observer that reads only what, done and total serves all jobs:

    def show(progress):
        print(progress.what, progress.done, progress.total or "")

    engine.crawl("https://example.org/", observer=show)
    engine.rank(observer=show)

Serve within another ASGI application:

    from fastapi import FastAPI
    from gossamer import Engine, asgi_app

    engine = Engine.open("my-search")
    app = FastAPI()
    app.mount("/search", asgi_app(engine, hosts="www.example.org"))

Search in a program with an event loop:

    from gossamer import AsyncEngine

    async with await AsyncEngine.open("my-search") as engine:
        page = await engine.search("museum")
        async for hit in engine.results("museum"):
            ...
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.answer.iterate import ResultIterator as ResultIterator
    from gossamer.answer.page_info import PageInfo as PageInfo
    from gossamer.async_engine import AsyncEngine as AsyncEngine
    from gossamer.async_engine import CrawlRun as CrawlRun
    from gossamer.collection.site_rules import SiteRule as SiteRule
    from gossamer.config import Config as Config
    from gossamer.crawl.control import LiveCrawl as LiveCrawl
    from gossamer.engine import Engine as Engine
    from gossamer.graph.ranks.explain import PageLinks as PageLinks
    from gossamer.graph.ranks.top_pages import RankedPage as RankedPage
    from gossamer.graph.reader import CollectionGraph as CollectionGraph
    from gossamer.graph.reader import GraphLink as GraphLink
    from gossamer.graph.reader import GraphPage as GraphPage
    from gossamer.graph.reader import RankPosition as RankPosition
    from gossamer.graph.structure.report import GraphReport as GraphReport
    from gossamer.jobs.check import CheckReport as CheckReport
    from gossamer.jobs.import_pages import ImportSummary as ImportSummary
    from gossamer.jobs.rank import RankSummary as RankSummary
    from gossamer.jobs.sync_index import IndexSummary as IndexSummary
    from gossamer.model.errors import BadFile as BadFile
    from gossamer.model.errors import BadQuery as BadQuery
    from gossamer.model.errors import BadSetting as BadSetting
    from gossamer.model.errors import BadUrl as BadUrl
    from gossamer.model.errors import CollectionBusy as CollectionBusy
    from gossamer.model.errors import CollectionError as CollectionError
    from gossamer.model.errors import DamagedFile as DamagedFile
    from gossamer.model.errors import EngineClosed as EngineClosed
    from gossamer.model.errors import GossamerError as GossamerError
    from gossamer.model.errors import NotACollection as NotACollection
    from gossamer.model.errors import NotRanked as NotRanked
    from gossamer.model.errors import UnknownPage as UnknownPage
    from gossamer.model.errors import UsageError as UsageError
    from gossamer.model.errors import WrongFormat as WrongFormat
    from gossamer.model.progress import CrawlProgress as CrawlProgress
    from gossamer.model.progress import Observer as Observer
    from gossamer.model.progress import Progress as Progress
    from gossamer.model.progress import StepProgress as StepProgress
    from gossamer.model.search import CachedPage as CachedPage
    from gossamer.model.search import Cluster as Cluster
    from gossamer.model.search import Contribution as Contribution
    from gossamer.model.search import Explanation as Explanation
    from gossamer.model.search import Facet as Facet
    from gossamer.model.search import Hit as Hit
    from gossamer.model.search import InstantAnswer as InstantAnswer
    from gossamer.model.search import ResultPage as ResultPage
    from gossamer.model.search import SearchKeywords as SearchKeywords
    from gossamer.model.search import SearchOptions as SearchOptions
    from gossamer.model.search import Sitelink as Sitelink
    from gossamer.model.search import Snippet as Snippet
    from gossamer.model.url import Url as Url
    from gossamer.owner.health import Health as Health
    from gossamer.owner.status import HostStatus as HostStatus
    from gossamer.owner.status import Status as Status
    from gossamer.serve.asgi import asgi_app as asgi_app

__version__ = "0.1.0.dev0"

# The module of each name, for imports at run time. A test compares it with the imports above.
_MODULES = {
    "answer.iterate": "ResultIterator",
    "answer.page_info": "PageInfo",
    "async_engine": "AsyncEngine CrawlRun",
    "collection.site_rules": "SiteRule",
    "config": "Config",
    "crawl.control": "LiveCrawl",
    "engine": "Engine",
    "graph.ranks.explain": "PageLinks",
    "graph.ranks.top_pages": "RankedPage",
    "graph.reader": "CollectionGraph GraphLink GraphPage RankPosition",
    "graph.structure.report": "GraphReport",
    "jobs.check": "CheckReport",
    "jobs.import_pages": "ImportSummary",
    "jobs.rank": "RankSummary",
    "jobs.sync_index": "IndexSummary",
    "model.errors": "BadFile BadQuery BadSetting BadUrl CollectionBusy CollectionError DamagedFile "
    "EngineClosed GossamerError NotACollection NotRanked UnknownPage UsageError WrongFormat",
    "model.progress": "CrawlProgress Observer Progress StepProgress",
    "model.search": "CachedPage Cluster Contribution Explanation Facet Hit InstantAnswer ResultPage "
    "SearchKeywords SearchOptions Sitelink Snippet",
    "model.url": "Url",
    "owner.health": "Health",
    "owner.status": "HostStatus Status",
    "serve.asgi": "asgi_app",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = list(_HOME)
__all__ += ["__version__"]


def __getattr__(name: str) -> object:
    """Import a name when it is first used, so that `import gossamer` and `gossamer --help` stay fast."""
    if name not in _HOME:
        raise AttributeError(f"module 'gossamer' has no attribute {name!r}")
    return getattr(import_module(f"gossamer.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
