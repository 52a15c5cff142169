"""What is asked of an engine, and what does it answer?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from gossamer.model.errors import BadSetting


@dataclass(frozen=True, slots=True)
class Contribution:
    """One addend of a score, for `--explain`."""

    term: str
    weight: float  # the collection's side: how rare the term is
    impact: float  # the document's side: how strongly it holds the term
    score: float
    links: float = 0.0  # what the texts of links add to its frequency
    near_links: float = 0.0  # and the words near them


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a score came about: the sum of the contributions times all the factors."""

    contributions: tuple[Contribution, ...]
    static_factor: float
    freshness: float = 1.0
    language: float = 1.0  # what the page counts by its language
    address: float = 1.0  # how far a short address lifts it
    site: float = 1.0  # what the owner makes of its site
    links: str = ""  # where links alone made the score: how

    @property
    def factor(self) -> float:
        """All the factors together."""
        return self.static_factor * self.freshness * self.language * self.address * self.site


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage of the page with the places to highlight, as (start, end) in `text`."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """One result."""

    rank: int  # from 1
    url: str
    title: str
    snippet: Snippet
    score: float
    fingerprint: int
    language: str = ""
    media_type: str = ""
    published: float | None = None
    fetched_at: float = 0.0
    explanation: Explanation | None = None
    unfetched: bool = False  # nobody has fetched it yet: the snippet is what links say
    similar: tuple[str, ...] = ()  # addresses of further results that say nearly the same
    more_from_host: int = 0  # further results of its host that were put off for those of others


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What a person asked for, and how it is to be answered."""

    text: str
    k: int = 10
    offset: int = 0
    scheme: str | None = None  # None: what the settings say, here and below
    algorithm: str | None = None
    rank: str | None = None  # by which links count
    topic: str | None = None
    languages: Sequence[str] = ()  # that the person prefers; they win over the setting
    explain: bool = False
    everything: bool = False  # by score alone: one host may fill the page, and nothing is folded
    snippets: bool = True  # without, results come sooner and say nothing of what stands in them
    newest_first: bool = False
    clusters: bool = False  # group the results by what they are about
    cluster: str = ""  # the label of the only group that is wanted
    correct: bool = True  # where nothing is found, answer a better spelling or an easier query
    facets: bool = False  # count by what the results could be narrowed

    def __post_init__(self) -> None:
        if self.k < 0 or self.offset < 0:
            raise BadSetting(f"k and offset count results and cannot be negative: {self.k}, {self.offset}")


class How(TypedDict, total=False):
    """The fields of a `SearchRequest` that are given by name."""

    scheme: str | None
    algorithm: str | None
    rank: str | None
    topic: str | None
    languages: Sequence[str]
    explain: bool
    everything: bool
    snippets: bool
    newest_first: bool
    clusters: bool
    cluster: str
    correct: bool
    facets: bool


@dataclass(frozen=True, slots=True)
class Cluster:
    """Results that are about the same."""

    label: str  # the most telling phrase
    count: int  # of the results that were grouped
    titles: tuple[str, ...] = ()  # of the best of them


@dataclass(frozen=True, slots=True)
class InstantAnswer:
    """What can be said at once, without any page."""

    kind: str  # "arithmetic", "units", ...
    question: str  # how the query was understood
    answer: str
    detail: str = ""
    link: str = ""  # where more is to be seen


@dataclass(frozen=True, slots=True)
class Facet:
    """Something by which the results can be narrowed."""

    kind: str  # "site", "language", "type", "time" or "topic"
    value: str  # as its operator takes it; of a time the days that have passed since
    count: int  # of the best results, those that have it; 0 for topics, which are not counted


@dataclass(frozen=True, slots=True)
class Sitelink:
    """A page of the site that a navigational query leads to."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page as it was when it was fetched."""

    url: str
    title: str
    language: str
    media_type: str
    fetched_at: float
    text: str  # what the index knows of it
    html: str = ""  # as it came, scripts and all; empty for what is no HTML
    words: frozenset[str] = frozenset()  # as they are written in its text: those that a query asks for


@dataclass(frozen=True, slots=True)
class ResultPage:
    """An answer."""

    query: str
    total: int  # documents that match
    took_ms: float
    hits: tuple[Hit, ...] = ()
    offset: int = 0
    did_you_mean: str | None = None
    language: str = ""  # in which the query surely is, where the collection speaks several
    notes: tuple[str, ...] = ()  # what the person should know, e.g. a word that was ignored
    ranked_by: str = ""  # the rank by links that counted
    folded: int = 0  # how many of the documents stand behind others that say nearly the same
    intent: str = ""  # "navigational", "informational" or "transactional", where it could be guessed
    searched: str = ""  # what was searched for instead, where the query as typed finds nothing
    searched_because: str = ""  # "corrected" or "relaxed"
    clusters: tuple[Cluster, ...] = ()
    answers: tuple[InstantAnswer, ...] = ()
    related: tuple[str, ...] = ()  # queries that others might go on with
    sitelinks: tuple[Sitelink, ...] = ()  # of the first hit
    facets: tuple[Facet, ...] = ()  # by kind, the most frequent first
