"""Frozen types that several packages share.

The stages of indexing hand on a page as `CrawlRequest`, `FetchResult`, `Page` and `Verdict`. The stages of a
search hand on a query as `SearchOptions`, `Query`, `TermStats`, `Candidate` and `ResultPage`. All of them
identify a page by its `Url`. `errors` defines all exceptions. With `setting`, a package declares its
settings.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # more than is exported; a test looks that nothing is missing
    from gossamer.model.crawl import *
    from gossamer.model.errors import *
    from gossamer.model.page import *
    from gossamer.model.query import *
    from gossamer.model.search import *
    from gossamer.model.settings import *
    from gossamer.model.url import *

# What is exported, by module.
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
