"""SearchOptions, ResultPage, Hit, explanation; term statistics, candidates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from textwrap import fill
from typing import Any, TypedDict, Unpack, overload

from gossamer.model.errors import BadSetting
from gossamer.model.notebook import NotebookTable, day, link, marked, quiet, safe, section

# Search request, result page, hit, explanation
# ---------------------------------------------


@dataclass(frozen=True, slots=True)
class Contribution(NotebookTable):
    """Tell what one term of the query adds to a score.

    Attributes:
        term: The term as it is indexed, or in parentheses another reason, such as "(close together)".
        weight: How rare the term is in the collection.
        impact: How strongly the page holds the term.
        score: What this adds to the score.
        links: What anchor text adds to the frequency of the term.
        near_links: What the words near links add to it.
    """

    term: str
    weight: float  # the collection's side: how rare the term is
    impact: float  # the document's side: how strongly it holds the term
    score: float
    links: float = 0.0  # what the texts of links add to its frequency
    near_links: float = 0.0  # and the words near them


@dataclass(frozen=True, slots=True)
class Explanation(NotebookTable):
    """Explain a score: the sum of its contributions times all score factors.

    `engine.search(text, explain=True)` gives each hit its explanation.

    Attributes:
        contributions: What each term adds.
        static_factor: Score factor for the link rank of the page.
        freshness: Score factor for its date.
        language: Score factor for its language.
        address: Score factor for a short URL.
        site: Score factor of the rules for sites.
        links: If links alone made the score: how.
        country: Score factor for the person's country.
        preferred: Score factor for sites that the person prefers.
        context: Score factor for what it shares with the results of earlier queries.
        support: Score factor for links from other results of the query.

    Example:
        >>> explanation = engine.search("hours", explain=True)[0].explanation
        >>> explanation.contributions[0].term, explanation.factor > 1
        ('hour', True)
    """

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
    """Hold a passage of the page.

    Attributes:
        text: The passage, as plain text.
        highlights: The words of the query in it, as pairs (start, end) of places in `text`.

    Example:
        >>> snippet = engine.search("hours")[0].snippet
        >>> [snippet.text[start:end] for start, end in snippet.highlights]
        ['hours']
    """

    text: str
    highlights: tuple[tuple[int, int], ...] = ()

    def _repr_html_(self) -> str:
        return section(marked(self.text, self.highlights))


@dataclass(frozen=True, slots=True)
class Hit:
    """Hold one result of a search.

    Attributes:
        rank: Its place among all results, from 1.
        url: The URL of the page.
        title: Its title; may be empty.
        snippet: The passage that fits the query best.
        score: Its score, comparable within one query only.
        fingerprint: The 64-bit fingerprint of the URL.
        language: The code of its language, such as "en"; empty if it is not known.
        media_type: Such as "text/html".
        published: When it was published, in seconds since 1970, or None.
        fetched_at: When it was fetched, in seconds since 1970.
        explanation: How the score came about, if the search asked for it.
        unfetched: Whether the page was never fetched: it was found by anchor text alone.
        similar: URLs of further results with nearly the same text.
        more_from_host: How many further results of its host were put off for those of others.

    Example:
        >>> engine.search("hours")[0]
        <Hit 1: 'Visit us' https://example.org/visit>
    """

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


def option(
    default: Any,
    about: str,
    command: str = "",
    usage: str = "",
    *,
    parameter: str = "",
    typed: Any = None,
    most: int | None = None,
    pattern: str | None = None,
) -> Any:
    """A field of `SearchOptions` with all that the API, the page and the command say of it.

    `about` describes it in the API; `command` and `usage` are the option of `gossamer search` and its help.
    `parameter` is its name in addresses, where that is another, and `typed` its type there; `most` is how
    many characters or values it may have.
    """
    offered = {"about": about, "parameter": parameter, "command": command, "usage": usage}
    return field(default=default, metadata={**offered, "typed": typed, "most": most, "pattern": pattern})


@dataclass(frozen=True)
class SearchOptions:
    """Say how a query is answered: all options of a search, in one value."""

    k: int = 10
    offset: int = 0
    # None stands for what the settings say, here and below.
    scheme: str | None = option(
        None,
        "The weighting scheme.",
        "--scheme NAME",
        "Weighting scheme: bm25f, bm25, tfidf, tf, tfidf-norm, lnc.ltc or boolean. Default: bm25f.",
    )
    algorithm: str | None = option(
        None,
        "The retrieval algorithm.",
        "--algorithm NAME",
        "Retrieval algorithm: auto, blockmax, maxscore, exhaustive, threshold or champion. Default: auto.",
    )
    rank: str | None = option(
        None,
        "What links count by: auto, a rank that is stored, hits, hubs, salsa or none.",
        "--rank NAME",
        "Link rank: auto (the default), pagerank, editorial, indegree, popularity, harmonic, trust or none. "
        "Computed for the query: hits (authorities), hubs (pages that link to them), salsa (authorities of "
        "several communities).",
    )
    topic: str | None = option(
        None,
        "A topic of the collection, by which links count.",
        "--topic NAME",
        "Rank by the PageRank of this topic of the settings.",
    )
    languages: Sequence[str] = option(  # they win over the setting
        (),
        "Codes of the languages that the person prefers, such as de,en.",
        "--languages CODES",
        "Languages you prefer, as codes with commas: de,en.",
        typed=str,
        most=200,
    )
    explain: bool = option(
        False,
        "Whether to say how each score came about.",
        "--explain",
        "Show how each score is computed, and the guessed intent of the query.",
    )
    everything: bool = option(
        False,
        "Whether to list by score alone, with nothing put off or folded.",
        "--all",
        "List by score alone: do not limit results per host, do not fold near-duplicates.",
    )
    snippets: bool = True  # without, results come sooner and say nothing of what stands in them
    newest_first: bool = option(
        False,
        "Whether to list all that match by date, the newest first.",
        "--newest",
        "List all matching pages by date, newest first.",
        parameter="newest",
    )
    clusters: bool = option(
        False,
        "Whether to group the best results by what they are about.",
        "--clusters",
        "Group the best results by topic and show the groups.",
    )
    cluster: str = option(
        "",
        "The label of the only group whose results are wanted.",
        "--cluster LABEL",
        "List only the results of the group with this label.",
        most=200,
    )
    correct: bool = option(
        True,
        "Whether to answer a better spelling or an easier query where this one finds nothing.",
        "--no-correct",
        "Search as typed, even if nothing is found. Without it, a correction is searched.",
    )
    facets: bool = option(False, "Whether to count by what the results could be narrowed.")
    country: str | None = option(  # "" where that should not count
        None,
        "The country where the person is, by its two letters; none so that it does not count.",
        "--country CODE",
        "Country you are in, by two letters such as dk. Its pages rank slightly higher. none: no country.",
        typed=str,
        pattern="^([A-Za-z]{2}|none|auto|)$",
    )
    context: Sequence[str] = option(
        (),
        "What the person searched for before, the last first.",
        "--context QUERY",
        "Earlier query of yours. Pages like its results rank slightly higher. Repeatable.",
        typed=list[str],
        most=3,
    )
    sites: Sequence[str] = option(
        (), "Hosts that the person prefers.", parameter="prefer", typed=list[str], most=10
    )
    preferred_topic: str = option(  # nothing where the collection has no such topic
        "",
        "A topic that the person cares for: links count half by it, if it is known.",
        parameter="prefer_topic",
        most=200,
    )

    def __post_init__(self) -> None:
        if self.k < 0 or self.offset < 0:
            raise BadSetting(f"k and offset count results and cannot be negative: {self.k}, {self.offset}")
        for name in ("languages", "context", "sites"):
            one = getattr(self, name)
            if isinstance(one, str):  # would be taken for a sequence of letters
                object.__setattr__(self, name, (one,))

    def changed(
        self, k: int | None = None, offset: int | None = None, **others: Unpack[SearchKeywords]
    ) -> SearchOptions:
        """Copy these options with some of them changed.

        Args:
            k: How many results, if not as before.
            offset: How many results to skip, if not as before.
            **others: Any other fields, by name.

        Returns:
            The changed copy.

        Raises:
            BadSetting: `k` or `offset` is negative.

        Example:
            >>> SearchOptions(explain=True).changed(k=5).k
            5
        """
        given: dict[str, Any] = {**others}
        if k is not None:
            given["k"] = k
        if offset is not None:
            given["offset"] = offset
        return replace(self, **given)


class SearchKeywords(TypedDict, total=False):
    """Fields of `SearchOptions` as keyword arguments, all but `k` and `offset`.

    Type checkers need them written out. A test compares them with `SearchOptions`.
    """

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


OPTIONS = {one.name: one.metadata for one in fields(SearchOptions) if one.metadata}
_COUNTED = {
    "k": "How many results at most.",
    "offset": "How many results to skip.",
    "snippets": "Whether to make snippets. Without them, a search for many results is much faster.",
}


def _attribute(name: str, default: object) -> str:
    about = OPTIONS[name]["about"] if name in OPTIONS else _COUNTED[name]
    return fill(f"{name} ({default!r}): {about}", 100, initial_indent=" " * 8, subsequent_indent=" " * 12)


SearchOptions.__doc__ = f"""{SearchOptions.__doc__}

    None stands for the value in gossamer.toml.

    Attributes:
{chr(10).join(_attribute(one.name, one.default) for one in fields(SearchOptions))}

    Example:
        >>> options = SearchOptions(k=5, languages=["en"], newest_first=True)
        >>> options.changed(offset=5).offset
        5
    """


@dataclass(frozen=True, slots=True)
class Cluster(NotebookTable):
    """Name a group of results about the same thing.

    Attributes:
        label: The phrase that describes the group best.
        count: How many results are in the group.
        titles: Titles of the best of them.
    """

    label: str  # the most telling phrase
    count: int  # of the results that were grouped
    titles: tuple[str, ...] = ()  # of the best of them

    def is_called(self, label: str) -> bool:
        """Whether somebody means this group, in whichever capitals."""
        return self.label.casefold() == label.strip().casefold()


@dataclass(frozen=True, slots=True)
class InstantAnswer(NotebookTable):
    """Answer a query without any page, such as "12 * 3" or "5 km in miles".

    Attributes:
        kind: "arithmetic", "units" or another kind.
        question: How the query was understood.
        answer: The answer.
        detail: How it was computed.
        link: A URL with more about it, or "".

    Example:
        >>> engine.search("12 * 3").answers[0].answer
        '36'
    """

    kind: str  # "arithmetic", "units", ...
    question: str  # how the query was understood
    answer: str
    detail: str = ""
    link: str = ""  # where more is to be seen


@dataclass(frozen=True, slots=True)
class Facet(NotebookTable):
    """Name a property by which the results can be narrowed.

    Attributes:
        kind: "site", "language", "type", "time" or "topic".
        value: The value for the operator of that kind, such as `site:`. For a time, days before today.
        count: How many of the best results have it; 0 for topics, which are not counted.
    """

    kind: str  # "site", "language", "type", "time" or "topic"
    value: str  # as its operator takes it; of a time the days that have passed since
    count: int  # of the best results, those that have it; 0 for topics, which are not counted


@dataclass(frozen=True, slots=True)
class Sitelink(NotebookTable):
    """Name a page of the site that a navigational query leads to.

    Attributes:
        title: Its title.
        url: Its URL.
    """

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class CachedPage:
    """Hold a cached page: an indexed page as it was when it was fetched.

    Attributes:
        url: Its URL.
        title: Its title.
        language: The code of its language.
        media_type: Such as "text/html".
        fetched_at: When it was fetched, in seconds since 1970.
        text: Its text as it was indexed.
        html: Its HTML as it was received, with all scripts; empty if it is not HTML.
        words: The words of the query, as they are written in `text`.
    """

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
    """Hold a page of results: a sequence of hits, and what else the search found.

    It is false if it has no hits. `as_dict` in `gossamer.answer.as_dict` gives what the JSON API sends.

    Attributes:
        query: The query as it was typed.
        total: How many pages match.
        took_ms: How long the search took, in milliseconds.
        hits: The results, best first.
        offset: How many results were skipped.
        did_you_mean: A better spelling of the query, or None.
        language: The language of the query, if it is sure and the collection has several.
        notes: What the person should know, such as a word that was ignored.
        ranked_by: The link rank that counted.
        folded: How many matching pages were left out as near-duplicates of others.
        intent: "navigational", "informational", "transactional" or "".
        searched: The query that was searched in its place, if the one typed finds nothing.
        searched_because: "corrected" or "relaxed", if `searched` is set.
        clusters: Groups of results, if the search asked for them.
        answers: Instant answers.
        related: Queries to go on with.
        sitelinks: Pages of the site of the first hit, for a navigational query.
        facets: Counts of sites, languages, types and times, if the search asked for them.
        country: The country whose pages were preferred.
        context: The earlier queries that counted.
        preferred_topic: The topic of the person, if it counted.

    Example:
        >>> page = engine.search("hours")
        >>> page, len(page), page[0].title
        (<ResultPage 'hours': 1 to 2 of 2>, 2, 'Visit us')
    """

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


MAX_RESULTS = 1_000  # that can be paged through: whoever wants the 1,001st is not reading
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
