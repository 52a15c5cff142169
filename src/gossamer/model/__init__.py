"""Frozen types that several packages share.

A page passes as `CrawlRequest`, `FetchResult`, `Page` and `Verdict`; a question as `SearchOptions`, `Query`,
`TermStats`, `Candidate` and `ResultPage`. `Url` is the identity that all of them share; `errors` draws the
family of exceptions; `setting` is how a package declares what its owner may decide.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.model.crawl import CrawlRequest, Failure, FetchResult, UrlState
    from gossamer.model.errors import (
        BadFile,
        BadQuery,
        BadSetting,
        BadUrl,
        CollectionBusy,
        CollectionError,
        DamagedFile,
        EngineClosed,
        GossamerError,
        NotACollection,
        NotRanked,
        RenamedSetting,
        UnknownPage,
        UsageError,
        WrongFormat,
    )
    from gossamer.model.page import Judgement, Link, LinkFlag, Links, Page, Passage, Verdict
    from gossamer.model.query import (
        After,
        And,
        Before,
        ByLinks,
        ByPlace,
        Clause,
        FileType,
        Filter,
        Fuzzy,
        Group,
        In,
        Language,
        Leaf,
        Near,
        Not,
        Or,
        Phrase,
        Prefix,
        Query,
        Site,
        Sounding,
        Text,
        Word,
        leaves,
        texts,
    )
    from gossamer.model.search import (
        MAX_RESULTS,
        UNFETCHED,
        CachedPage,
        Candidate,
        Cluster,
        Contribution,
        DocAddress,
        Explanation,
        Facet,
        Hit,
        InstantAnswer,
        ResultPage,
        SearchKeywords,
        SearchOptions,
        Sitelink,
        Snippet,
        TermStats,
    )
    from gossamer.model.settings import setting
    from gossamer.model.url import Url, fingerprint_of, from_signed, to_signed

# The module of each name. A test compares this with the imports above.
_MODULES = {
    "crawl": "CrawlRequest Failure FetchResult UrlState",
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

__all__ = [
    "MAX_RESULTS",
    "UNFETCHED",
    "After",
    "And",
    "BadFile",
    "BadQuery",
    "BadSetting",
    "BadUrl",
    "Before",
    "ByLinks",
    "ByPlace",
    "CachedPage",
    "Candidate",
    "Clause",
    "Cluster",
    "CollectionBusy",
    "CollectionError",
    "Contribution",
    "CrawlRequest",
    "DamagedFile",
    "DocAddress",
    "EngineClosed",
    "Explanation",
    "Facet",
    "Failure",
    "FetchResult",
    "FileType",
    "Filter",
    "Fuzzy",
    "GossamerError",
    "Group",
    "Hit",
    "In",
    "InstantAnswer",
    "Judgement",
    "Language",
    "Leaf",
    "Link",
    "LinkFlag",
    "Links",
    "Near",
    "Not",
    "NotACollection",
    "NotRanked",
    "Or",
    "Page",
    "Passage",
    "Phrase",
    "Prefix",
    "Query",
    "RenamedSetting",
    "ResultPage",
    "SearchKeywords",
    "SearchOptions",
    "Site",
    "Sitelink",
    "Snippet",
    "Sounding",
    "TermStats",
    "Text",
    "UnknownPage",
    "Url",
    "UrlState",
    "UsageError",
    "Verdict",
    "Word",
    "WrongFormat",
    "fingerprint_of",
    "from_signed",
    "leaves",
    "setting",
    "texts",
    "to_signed",
]


def __getattr__(name: str) -> object:
    """Import the module of a type when it is first named: a command needs few of them."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"gossamer.model.{_HOME[name]}"), name)
    globals()[name] = found
    return found
