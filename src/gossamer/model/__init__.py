"""Which few frozen types cross a stage boundary?

A page passes as `CrawlRequest`, `FetchResult`, `Page` and `Verdict`; a question as `Query`, `TermStats`,
`Candidate` and `ResultPage`. `Url` is the identity that all of them share; `errors` draws the family of
exceptions; `setting` is how a stage declares what its owner may decide.
"""

from gossamer.model.crawl import CrawlRequest, Failure, FetchResult, UrlState
from gossamer.model.errors import (
    BadQuery,
    BadSetting,
    BadUrl,
    CollectionBusy,
    CollectionError,
    DamagedFile,
    GossamerError,
    NotACollection,
    UsageError,
    WrongFormat,
)
from gossamer.model.links import Link, LinkFlag, Links
from gossamer.model.page import Judgement, Page, Verdict
from gossamer.model.search import (
    Candidate,
    Clause,
    Contribution,
    DocAddress,
    Explanation,
    Hit,
    Not,
    Phrase,
    Query,
    ResultPage,
    Site,
    Snippet,
    TermStats,
    Word,
)
from gossamer.model.settings import setting
from gossamer.model.url import Url, fingerprint_of, from_signed, to_signed

__all__ = [
    "BadQuery",
    "BadSetting",
    "BadUrl",
    "Candidate",
    "Clause",
    "CollectionBusy",
    "CollectionError",
    "Contribution",
    "CrawlRequest",
    "DamagedFile",
    "DocAddress",
    "Explanation",
    "Failure",
    "FetchResult",
    "GossamerError",
    "Hit",
    "Judgement",
    "Link",
    "LinkFlag",
    "Links",
    "Not",
    "NotACollection",
    "Page",
    "Phrase",
    "Query",
    "ResultPage",
    "Site",
    "Snippet",
    "TermStats",
    "Url",
    "UrlState",
    "UsageError",
    "Verdict",
    "Word",
    "WrongFormat",
    "fingerprint_of",
    "from_signed",
    "setting",
    "to_signed",
]
