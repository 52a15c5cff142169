"""What passes between search and results; the query itself stands in `query`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TermStats:
    """The collection's side of a query: summed over partitions before any of them ranks."""

    documents: int
    frequencies: Mapping[str, int]  # term -> documents that hold it

    def __add__(self, other: TermStats) -> TermStats:
        summed = dict(self.frequencies)
        for term, count in other.frequencies.items():
            summed[term] = summed.get(term, 0) + count
        return TermStats(self.documents + other.documents, summed)


UNFETCHED = -1  # instead of a segment: the document is a page that only links speak of


@dataclass(frozen=True, slots=True, order=True)
class DocAddress:
    """Where a document stands; valid only as long as the snapshot it came from."""

    partition: int
    segment: int
    doc: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked document before anything is fetched for it."""

    score: int
    fingerprint: int
    address: DocAddress

    @property
    def sort_key(self) -> tuple[int, int]:
        """Best first; ties by fingerprint, so that any number of partitions agrees."""
        return (-self.score, self.fingerprint)


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
    links: str = ""  # where links alone made the score: how


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
class ResultPage:
    """An answer."""

    query: str
    total: int  # documents that match
    took_ms: float
    hits: tuple[Hit, ...] = ()
    offset: int = 0
    did_you_mean: str | None = None
    language: str = ""  # in which the query surely is, where the collection speaks several
    notes: tuple[str, ...] = field(default=())  # what the person should know, e.g. a word that was ignored
    ranked_by: str = "pagerank"  # the rank by links that counted
    folded: int = 0  # how many of the documents stand behind others that say nearly the same
