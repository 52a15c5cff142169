"""SearchOptions, ResultPage, Hit, explanation; term statistics, candidates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, overload

from gossamer.model.errors import BadSetting
from gossamer.model.notebook import Tabled, day, link, marked, quiet, safe, section

# Search request, result page, hit, explanation
# ---------------------------------------------


@dataclass(frozen=True, slots=True)
class Contribution(Tabled):
    """One addend of a score, for `--explain`."""

    term: str
    weight: float  # the collection's side: how rare the term is
    impact: float  # the document's side: how strongly it holds the term
    score: float
    links: float = 0.0  # what the texts of links add to its frequency
    near_links: float = 0.0  # and the words near them


@dataclass(frozen=True, slots=True)
class Explanation(Tabled):
    """How a score came about: the sum of the contributions times all the factors."""

    contributions: tuple[Contribution, ...]
    static_factor: float
    freshness: float = 1.0
    language: float = 1.0  # what the page counts by its language
    address: float = 1.0  # how far a short address lifts it
    site: float = 1.0  # what the owner makes of its site
    links: str = ""  # where links alone made the score: how
    country: float = 1.0  # how far it is lifted for belonging to the person's country
    preferred: float = 1.0  # and for being on a site that the person prefers
    context: float = 1.0  # and for what it shares with that of which the person's last queries remind
    support: float = 1.0  # what links from other answers make of it

    @property
    def factor(self) -> float:
        """All the factors together."""
        of_page = self.static_factor * self.freshness * self.language * self.address * self.site
        return of_page * self.support * self.country * self.preferred * self.context


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage of the page with the places to highlight, as (start, end) in `text`."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()

    def _repr_html_(self) -> str:
        return section(marked(self.text, self.highlights))


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

    def __repr__(self) -> str:
        return f"<Hit {self.rank}: {self.title!r} {self.url}>"

    def _repr_html_(self) -> str:
        about = (safe(self.url), day(self.published), safe(self.language), f"score {self.score:.3g}")
        return section(
            f"{self.rank}. {link(self.url, self.title or self.url)}",
            quiet(" · ".join(filter(None, about))),
            marked(self.snippet.text, self.snippet.highlights),
        )


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
    country: str | None = None  # where the person is, by two letters; "" where that should not count
    context: Sequence[str] = ()  # what the person searched for before, the last first
    sites: Sequence[str] = ()  # hosts that the person prefers
    preferred_topic: str = ""  # that the person cares for; nothing where the collection has no such topic

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
    country: str | None
    context: Sequence[str]
    sites: Sequence[str]
    preferred_topic: str


@dataclass(frozen=True, slots=True)
class Cluster(Tabled):
    """Results that are about the same."""

    label: str  # the most telling phrase
    count: int  # of the results that were grouped
    titles: tuple[str, ...] = ()  # of the best of them

    def is_called(self, label: str) -> bool:
        """Whether somebody means this group, in whichever capitals."""
        return self.label.casefold() == label.strip().casefold()


@dataclass(frozen=True, slots=True)
class InstantAnswer(Tabled):
    """What can be said at once, without any page."""

    kind: str  # "arithmetic", "units", ...
    question: str  # how the query was understood
    answer: str
    detail: str = ""
    link: str = ""  # where more is to be seen


@dataclass(frozen=True, slots=True)
class Facet(Tabled):
    """Something by which the results can be narrowed."""

    kind: str  # "site", "language", "type", "time" or "topic"
    value: str  # as its operator takes it; of a time the days that have passed since
    count: int  # of the best results, those that have it; 0 for topics, which are not counted


@dataclass(frozen=True, slots=True)
class Sitelink(Tabled):
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

    def __repr__(self) -> str:
        return f"<CachedPage {self.url} of {day(self.fetched_at)}, {len(self.text):,} characters>"

    def _repr_html_(self) -> str:
        """What the page says; its own HTML is a stranger's and is not shown."""
        about = quiet(f"{safe(self.url)} · fetched {day(self.fetched_at)}")
        return section(link(self.url, self.title or self.url), about, safe(self.text))


@dataclass(frozen=True, slots=True)
class ResultPage:
    """An answer: a sequence of hits, and what else is to be said."""

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
    country: str = ""  # whose pages were lifted, by its two letters
    context: tuple[str, ...] = ()  # the earlier queries that counted
    preferred_topic: str = ""  # the topic of the person, where it counted

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @overload
    def __getitem__(self, place: int) -> Hit: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Hit, ...]: ...

    def __getitem__(self, place: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[place]

    def __repr__(self) -> str:
        return f"<ResultPage {self.query!r}: {self._shown()}>"

    def _repr_html_(self) -> str:
        said = [f"{safe(one.question)} = <b>{safe(one.answer)}</b>" for one in self.answers]
        meant = [f"Did you mean {safe(self.did_you_mean)}?"] if self.did_you_mean else []
        instead = [f"Showing results for {safe(self.searched)}"] if self.searched else []
        groups = ", ".join(f"{safe(one.label)} ({one.count})" for one in self.clusters)
        head = section(
            f"<b>{safe(self.query)}</b> {quiet(self._shown())}",
            *[*said, *instead, *meant],
            quiet(f"Groups: {groups}") if groups else "",
            *[quiet(safe(note)) for note in self.notes],
        )
        return head + "".join(hit._repr_html_() for hit in self.hits)

    def _shown(self) -> str:
        """Which of how many."""
        if not self.hits:
            return f"nothing of {self.total:,}" if self.total else "nothing found"
        return f"{self.hits[0].rank} to {self.hits[-1].rank} of {self.total:,}"


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
