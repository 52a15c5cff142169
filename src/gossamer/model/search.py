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
    """How much one term of the query adds to a score.

    Attributes:
        term: The term as it is indexed, or in parentheses another reason, such as "(close together)".
        weight: Weight of the term in the collection; rare terms have a high weight.
        impact: Weight of the term in the page.
        score: What this adds to the score.
        links: How much anchor text adds to the frequency of the term.
        near_links: How much the words near links add to it.
    """

    term: str
    weight: float
    impact: float
    score: float
    links: float = 0.0
    near_links: float = 0.0


@dataclass(frozen=True, slots=True)
class Explanation(NotebookTable):
    """How a score was computed: the sum of its contributions times all score factors.

    `engine.search(text, explain=True)` gives each hit its explanation.

    Attributes:
        contributions: How much each term adds.
        static_factor: Score factor for the link rank of the page.
        freshness: Score factor for its date.
        language: Score factor for its language.
        address: Score factor for a short URL.
        site: Score factor that the owner set for its site.
        links: How the score follows from links, if it follows from nothing else; or "".
        country: Score factor for the user's country.
        preferred: Score factor for the user's preferred sites.
        context: Score factor for similarity to the results of the user's earlier queries.
        support: Score factor for links from other results of the query.

    Example:
        >>> explanation = engine.search("hours", explain=True)[0].explanation
        >>> explanation.contributions[0].term, explanation.factor > 1
        ('hour', True)
    """

    contributions: tuple[Contribution, ...]
    static_factor: float
    freshness: float = 1.0
    language: float = 1.0
    address: float = 1.0
    site: float = 1.0
    links: str = ""
    country: float = 1.0
    preferred: float = 1.0
    context: float = 1.0
    support: float = 1.0

    @property
    def factor(self) -> float:
        """Product of all score factors."""
        of_page = self.static_factor * self.freshness * self.language * self.address * self.site
        return of_page * self.support * self.country * self.preferred * self.context


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage of a page that fits the query.

    Attributes:
        text: The passage, as plain text.
        highlights: The words of the query in it, as pairs (start, end) of positions in `text`.

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
    """One result of a search.

    Attributes:
        rank: Its position among all results, from 1.
        url: The URL of the page.
        title: Its title; may be empty.
        snippet: The passage that fits the query best.
        score: Its score, comparable within one query only.
        fingerprint: The 64-bit fingerprint of the URL.
        language: The code of its language, such as "en"; empty if it is not known.
        media_type: Such as "text/html".
        published: When it was published, in seconds since 1970, or None.
        fetched_at: When it was fetched, in seconds since 1970.
        explanation: How the score was computed, if the search asked for it.
        unfetched: Whether the page was never fetched and was found by anchor text alone.
        similar: URLs of further results with nearly the same text.
        more_from_host: How many further results of its host were moved behind those of other hosts.

    Example:
        >>> engine.search("hours")[0]
        <Hit 1: 'Visit us' https://example.org/visit>
    """

    rank: int
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
    unfetched: bool = False
    similar: tuple[str, ...] = ()
    more_from_host: int = 0

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
    """Declare an option of `SearchOptions`, with its descriptions for the API, the page and the command.

    `about` is the description in the API. `command` is the option of `gossamer search` and `usage` its help.
    `parameter` is the name of the URL parameter if it differs, and `typed` its type. `most` is the largest
    number of characters or values.
    """
    offered = {"about": about, "parameter": parameter, "command": command, "usage": usage}
    return field(default=default, metadata={**offered, "typed": typed, "most": most, "pattern": pattern})


@dataclass(frozen=True)
class SearchOptions:
    """Options of a search."""

    k: int = 10
    offset: int = 0
    # None: the value in gossamer.toml, here and below.
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
        "The link rank: auto, a stored rank, hits, hubs, salsa or none.",
        "--rank NAME",
        "Link rank: auto (the default), pagerank, editorial, indegree, popularity, harmonic, trust or none. "
        "Computed for the query: hits (authorities), hubs (pages that link to them), salsa (authorities of "
        "several communities).",
    )
    topic: str | None = option(
        None,
        "A topic of the collection. Its PageRank is the link rank.",
        "--topic NAME",
        "Use the PageRank of this topic as the link rank. Topics are defined in the settings.",
    )
    languages: Sequence[str] = option(  # they take precedence over the setting
        (),
        "Codes of the languages that the user prefers, such as de,en.",
        "--languages CODES",
        "Codes of the languages that you prefer, separated by commas: de,en.",
        typed=str,
        most=200,
    )
    explain: bool = option(
        False,
        "Whether to explain how each score is computed.",
        "--explain",
        "Show how each score is computed, and the guessed intent of the query.",
    )
    everything: bool = option(
        False,
        "Whether to list by score alone: no limit of results per host, no folding of near-duplicates.",
        "--all",
        "List by score alone: do not limit results per host, do not fold near-duplicates.",
    )
    snippets: bool = True
    newest_first: bool = option(
        False,
        "Whether to list all matching pages by date, newest first.",
        "--newest",
        "List all matching pages by date, newest first.",
        parameter="newest",
    )
    clusters: bool = option(
        False,
        "Whether to group the best results by topic.",
        "--clusters",
        "Group the best results by topic and show the groups.",
    )
    cluster: str = option(
        "",
        "List only the results of the group with this label.",
        "--cluster LABEL",
        "List only the results of the group with this label.",
        most=200,
    )
    correct: bool = option(
        True,
        "Whether to search for a corrected query, or for one without filters, if the query finds nothing.",
        "--no-correct",
        "Do not search for a correction if nothing is found.",
    )
    facets: bool = option(False, "Whether to count the sites, languages, types and dates of the results.")
    country: str | None = option(  # "": no country
        None,
        "Two-letter code of the user's country. Its pages rank slightly higher. none: no country.",
        "--country CODE",
        "Country that you are in, as a two-letter code such as dk. Its pages rank slightly higher. "
        "none: no country.",
        typed=str,
        pattern="^([A-Za-z]{2}|none|auto|)$",
    )
    context: Sequence[str] = option(
        (),
        "Earlier queries of the user, the latest first.",
        "--context QUERY",
        "Earlier query of yours. Pages similar to its results rank slightly higher. Repeatable.",
        typed=list[str],
        most=3,
    )
    sites: Sequence[str] = option(
        (), "Hosts that the user prefers.", parameter="prefer", typed=list[str], most=10
    )
    preferred_topic: str = option(  # ignored if the collection has no such topic
        "",
        "A topic that the user prefers. Its PageRank is half of the link rank, if the collection has it.",
        parameter="prefer_topic",
        most=200,
    )

    def __post_init__(self) -> None:
        if self.k < 0 or self.offset < 0:
            raise BadSetting(f"k and offset count results and cannot be negative: {self.k}, {self.offset}")
        for name in ("languages", "context", "sites"):
            one = getattr(self, name)
            if isinstance(one, str):  # a string is a sequence too, of its letters
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
    """Fields of `SearchOptions` as keyword arguments, except `k` and `offset`.

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
_ABOUT_OTHERS = {
    "k": "How many results at most.",
    "offset": "How many results to skip.",
    "snippets": "Whether to make snippets. A search for many results is much faster without them.",
}


def _attribute(name: str, default: object) -> str:
    about = OPTIONS[name]["about"] if name in OPTIONS else _ABOUT_OTHERS[name]
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
    """A group of results about the same topic.

    Attributes:
        label: The most descriptive phrase.
        count: How many results are in the group.
        titles: Titles of the best of them.
    """

    label: str
    count: int
    titles: tuple[str, ...] = ()

    def is_called(self, label: str) -> bool:
        """Return whether a label means this group, regardless of case."""
        return self.label.casefold() == label.strip().casefold()


@dataclass(frozen=True, slots=True)
class InstantAnswer(NotebookTable):
    """An answer that is computed without any page, such as for "12 * 3" or "5 km in miles".

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

    kind: str
    question: str
    answer: str
    detail: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Facet(NotebookTable):
    """A property by which the results can be filtered.

    Attributes:
        kind: "site", "language", "type", "time" or "topic".
        value: The value for the operator of that kind: `site:`, `lang:` or `filetype:`. For a time, a number
            of days: search with `after:` and the date of that many days ago. For a topic, the option `topic`.
        count: How many of the best results have it; 0 for topics, which are not counted.
    """

    kind: str
    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Sitelink(NotebookTable):
    """A page of the site that a navigational query looks for.

    Attributes:
        title: Its title.
        url: Its URL.
    """

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page as it was when it was fetched.

    Attributes:
        url: Its URL.
        title: Its title.
        language: The code of its language.
        media_type: Such as "text/html".
        fetched_at: When it was fetched, in seconds since 1970.
        text: Its text as it was indexed.
        html: Its HTML as it was received, with all scripts; empty if it is not HTML.
        words: The words of the query, as `text` spells them.
    """

    url: str
    title: str
    language: str
    media_type: str
    fetched_at: float
    text: str
    html: str = ""
    words: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"<CachedPage {self.url} of {day(self.fetched_at)}, {len(self.text):,} characters>"

    def _repr_html_(self) -> str:
        """Show the text of the page, but not its HTML, which is not trusted."""
        about = quiet(f"{safe(self.url)} · fetched {day(self.fetched_at)}")
        return section(link(self.url, self.title or self.url), about, safe(self.text))


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A page of results: a sequence of hits, and what else the search found.

    Its truth value is False if it has no hits. `as_dict` in `gossamer.answer.as_dict` converts it to the JSON
    of the API.

    Attributes:
        query: The query as it was typed.
        total: How many pages match.
        took_ms: How long the search took, in milliseconds.
        hits: The results, best first.
        offset: How many results were skipped.
        did_you_mean: A better spelling of the query, or None.
        language: The language of the query, if it is clear and the collection has several.
        notes: Notes for the user, such as that a word was ignored.
        ranked_by: The link rank that was used.
        folded: How many matching pages were left out as near-duplicates of others.
        intent: "navigational", "informational", "transactional" or "".
        searched: The query that was searched instead, because the one typed finds nothing; or "". The hits
            and `total` are those of this query. The option `correct=False` prevents it.
        searched_because: "corrected" if `searched` has another spelling, "relaxed" if it asks for less, such
            as the words without `site:`; or "".
        clusters: Groups of results, if the search asked for them.
        answers: Instant answers.
        related: Related queries.
        sitelinks: Pages of the site of the first hit, for a navigational query.
        facets: Counts of sites, languages, types and times, if the search asked for them.
        country: The two-letter code of the country whose pages ranked higher.
        context: The earlier queries that affected the results.
        preferred_topic: The preferred topic of the user, if it affected the results.

    Example:
        >>> page = engine.search("hours")
        >>> page, len(page), page[0].title
        (<ResultPage 'hours': 1 to 2 of 2>, 2, 'Visit us')
    """

    query: str
    total: int
    took_ms: float
    hits: tuple[Hit, ...] = ()
    offset: int = 0
    did_you_mean: str | None = None
    language: str = ""
    notes: tuple[str, ...] = ()
    ranked_by: str = ""
    folded: int = 0
    intent: str = ""
    searched: str = ""
    searched_because: str = ""
    clusters: tuple[Cluster, ...] = ()
    answers: tuple[InstantAnswer, ...] = ()
    related: tuple[str, ...] = ()
    sitelinks: tuple[Sitelink, ...] = ()
    facets: tuple[Facet, ...] = ()  # by kind, the most frequent first
    country: str = ""
    context: tuple[str, ...] = ()
    preferred_topic: str = ""

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
        """Return the positions of the results on this page, and their total number."""
        if not self.hits:
            return f"nothing of {self.total:,}" if self.total else "nothing found"
        return f"{self.hits[0].rank} to {self.hits[-1].rank} of {self.total:,}"


@dataclass(frozen=True, slots=True)
class TermStats:
    """Document frequencies of the query's terms, summed over all partitions before any of them ranks."""

    documents: int
    frequencies: Mapping[str, int]  # term -> documents that contain it

    def __add__(self, other: TermStats) -> TermStats:
        summed = dict(self.frequencies)
        for term, count in other.frequencies.items():
            summed[term] = summed.get(term, 0) + count
        return TermStats(self.documents + other.documents, summed)


MAX_RESULTS = 1_000  # results that can be paged through
UNFETCHED = -1  # in place of a segment: the page was never fetched and is known from links only


@dataclass(frozen=True, slots=True, order=True)
class DocAddress:
    """Position of a document; valid only in the snapshot that it comes from."""

    partition: int
    segment: int
    doc: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked document before anything else of it is read."""

    score: int
    fingerprint: int
    address: DocAddress
