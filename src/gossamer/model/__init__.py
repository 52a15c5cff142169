"""Frozen types that several packages share.

The stages of indexing hand on a page as `CrawlRequest`, `FetchResult`, `Page` and `Verdict`. The stages of a
search hand on a query as `SearchOptions`, `Query`, `TermStats`, `Candidate` and `ResultPage`. All of them
identify a page by its `Url`. `errors` defines all exceptions. With `setting`, a package declares its
settings.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.model.crawl import CrawlRequest as CrawlRequest
    from gossamer.model.crawl import Failure as Failure
    from gossamer.model.crawl import FetchResult as FetchResult
    from gossamer.model.crawl import UrlState as UrlState
    from gossamer.model.crawl import WarcAddress as WarcAddress
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
    from gossamer.model.errors import RenamedSetting as RenamedSetting
    from gossamer.model.errors import UnknownPage as UnknownPage
    from gossamer.model.errors import UsageError as UsageError
    from gossamer.model.errors import WrongFormat as WrongFormat
    from gossamer.model.page import Judgement as Judgement
    from gossamer.model.page import Link as Link
    from gossamer.model.page import LinkFlag as LinkFlag
    from gossamer.model.page import Links as Links
    from gossamer.model.page import Page as Page
    from gossamer.model.page import Passage as Passage
    from gossamer.model.page import Verdict as Verdict
    from gossamer.model.query import After as After
    from gossamer.model.query import And as And
    from gossamer.model.query import Before as Before
    from gossamer.model.query import ByLinks as ByLinks
    from gossamer.model.query import ByPlace as ByPlace
    from gossamer.model.query import Clause as Clause
    from gossamer.model.query import FileType as FileType
    from gossamer.model.query import Filter as Filter
    from gossamer.model.query import Fuzzy as Fuzzy
    from gossamer.model.query import Group as Group
    from gossamer.model.query import In as In
    from gossamer.model.query import Language as Language
    from gossamer.model.query import Leaf as Leaf
    from gossamer.model.query import Near as Near
    from gossamer.model.query import Not as Not
    from gossamer.model.query import Or as Or
    from gossamer.model.query import Phrase as Phrase
    from gossamer.model.query import Prefix as Prefix
    from gossamer.model.query import Query as Query
    from gossamer.model.query import Site as Site
    from gossamer.model.query import Sounding as Sounding
    from gossamer.model.query import Text as Text
    from gossamer.model.query import Word as Word
    from gossamer.model.query import leaves as leaves
    from gossamer.model.query import texts as texts
    from gossamer.model.search import MAX_RESULTS as MAX_RESULTS
    from gossamer.model.search import UNFETCHED as UNFETCHED
    from gossamer.model.search import CachedPage as CachedPage
    from gossamer.model.search import Candidate as Candidate
    from gossamer.model.search import Cluster as Cluster
    from gossamer.model.search import Contribution as Contribution
    from gossamer.model.search import DocAddress as DocAddress
    from gossamer.model.search import Explanation as Explanation
    from gossamer.model.search import Facet as Facet
    from gossamer.model.search import Hit as Hit
    from gossamer.model.search import InstantAnswer as InstantAnswer
    from gossamer.model.search import ResultPage as ResultPage
    from gossamer.model.search import SearchKeywords as SearchKeywords
    from gossamer.model.search import SearchOptions as SearchOptions
    from gossamer.model.search import Sitelink as Sitelink
    from gossamer.model.search import Snippet as Snippet
    from gossamer.model.search import TermStats as TermStats
    from gossamer.model.settings import setting as setting
    from gossamer.model.url import Url as Url
    from gossamer.model.url import fingerprint_of as fingerprint_of
    from gossamer.model.url import from_signed as from_signed
    from gossamer.model.url import to_signed as to_signed

# The module of each name, for imports at run time. A test compares it with the imports above.
_MODULES = {
    "crawl": "CrawlRequest Failure FetchResult UrlState WarcAddress",
    "errors": "BadFile BadQuery BadSetting BadUrl CollectionBusy CollectionError DamagedFile EngineClosed "
    "GossamerError NotACollection NotRanked RenamedSetting UnknownPage UsageError WrongFormat",
    "page": "Judgement Link LinkFlag Links Page Passage Verdict",
    "query": "After And Before ByLinks ByPlace Clause FileType Filter Fuzzy Group In Language Leaf Near "
    "Not Or Phrase Prefix Query Site Sounding Text Word leaves texts",
    "search": "MAX_RESULTS UNFETCHED CachedPage Candidate Cluster Contribution DocAddress Explanation "
    "Facet Hit InstantAnswer ResultPage SearchKeywords SearchOptions Sitelink Snippet TermStats",
    "settings": "setting",
    "url": "Url fingerprint_of from_signed to_signed",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = list(_HOME)


def __getattr__(name: str) -> object:
    """Import the module of a type when the type is first used, because a command needs few of them."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"gossamer.model.{_HOME[name]}"), name)
    globals()[name] = found
    return found
