"""What the API promises of its answers, as types: each has these fields, and no others."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Promise(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ContributionAnswer(_Promise):
    """One addend of a score."""

    term: str
    weight: float = Field(description="How rare the term is in the collection.")
    impact: float = Field(description="How strongly the page holds the term.")
    score: float
    links: float = Field(description="What the texts of links add to the term's frequency.")
    near_links: float = Field(description="What the words near links add to it.")


class ExplanationAnswer(_Promise):
    """How a score came about: the sum of the contributions times all the factors."""

    contributions: list[ContributionAnswer]
    static_factor: float
    freshness: float
    language: float = Field(description="What the page counts by its language.")
    address: float = Field(description="How far a short address lifts it.")
    site: float = Field(description="What the owner's rules make of its site.")
    links: str = Field(description="Where links alone made the score, how; empty elsewhere.")
    country: float = Field(description="How far it is lifted for belonging to the person's country.")
    preferred: float = Field(description="How far it is lifted for being on a site that the person prefers.")
    context: float = Field(description="How far it is lifted by the person's earlier queries.")
    support: float = Field(description="What links from other answers make of it.")


class HitAnswer(_Promise):
    """One result."""

    rank: int = Field(description="From 1.")
    url: str
    title: str
    snippet: str
    highlights: list[tuple[int, int]] = Field(
        description="Places in the snippet: start and end, in characters."
    )
    score: float
    language: str
    media_type: str
    published: str | None = Field(description="ISO 8601, when the page says so.")
    fetched: str | None = Field(description="ISO 8601; null for a page that was not fetched yet.")
    unfetched: bool = Field(
        description="Nobody has fetched the page yet: title and snippet are what links say."
    )
    similar: list[str] = Field(description="Addresses of results that say nearly the same, folded behind it.")
    more_from_host: int = Field(description="How many results of its host were put off for those of others.")
    explanation: ExplanationAnswer | None = None


class ClusterAnswer(_Promise):
    """Results that are about the same."""

    label: str = Field(description="The phrase that tells them best from the others.")
    count: int = Field(description="How many of the best results they are.")
    titles: list[str] = Field(description="Of the best of them.")


class InstantAnswerAnswer(_Promise):
    """What can be said at once, without any page."""

    kind: str = Field(description="Such as arithmetic, units or time.")
    question: str = Field(description="How the query was understood.")
    answer: str
    detail: str
    link: str = Field(description="Where more is to be seen; empty where that is nowhere.")


class SitelinkAnswer(_Promise):
    """A page of the site that a navigational query leads to."""

    title: str
    url: str


class FacetAnswer(_Promise):
    """Something by which the results can be narrowed."""

    kind: str = Field(description="site, language, type, time or topic.")
    value: str = Field(description="As the operator takes it; of a time the days that have passed since.")
    count: int = Field(description="How many of the best results have it; 0 for topics.")


class SearchAnswer(_Promise):
    """The results of a search."""

    query: str
    total: int = Field(description="Pages that match.")
    folded: int = Field(description="How many of them are folded behind others that say nearly the same.")
    took_ms: float
    offset: int
    hits: list[HitAnswer]
    did_you_mean: str | None = Field(description="A better spelling of the query, where one is likely.")
    searched: str = Field(
        description="What was searched for instead, as the query finds nothing; else empty."
    )
    searched_because: str = Field(description="Why: corrected or relaxed; else empty.")
    language: str = Field(description="In which the query surely is; empty where that is not sure.")
    ranked_by: str = Field(description="The rank by links that counted.")
    related: list[str] = Field(description="Queries that others might go on with.")
    notes: list[str] = Field(description="What the person should know of the query.")
    facets: list[FacetAnswer] = Field(description="By what the results can be narrowed, where asked for.")
    clusters: list[ClusterAnswer] = Field(
        description="Groups of the best results, where they were asked for."
    )
    intent: str = Field(description="navigational, informational or transactional, as far as can be guessed.")
    answers: list[InstantAnswerAnswer] = Field(
        description="What can be said at once; on the first page only."
    )
    sitelinks: list[SitelinkAnswer] = Field(description="Pages of the site whose home page is the first hit.")
    country: str = Field(description="The country whose pages were lifted, by its two letters; else empty.")
    context: list[str] = Field(description="The earlier queries that counted.")
    preferred_topic: str = Field(description="The topic of the person, where it counted; else empty.")
    next: str | None = Field(None, description="Where the results behind these are.")
    previous: str | None = Field(None, description="Where those before them are.")


class SuggestAnswer(_Promise):
    """How a query might go on."""

    query: str
    suggestions: list[str]


class StandingAnswer(_Promise):
    """Where a page stands by one rank."""

    name: str
    value: float
    percentile: float = Field(description="Of all pages, how many in a hundred stand lower.")
    place: int = Field(description="1 for the best; equals share one.")


class PageAnswer(_Promise):
    """What is known of a page."""

    url: str
    state: str = Field(
        description="indexed, or where its address stands: queued, fetched, failed, refused..."
    )
    reason: str = Field(description="Why it is not indexed.")
    title: str
    description: str
    author: str
    language: str
    media_type: str
    published: str | None = Field(description="ISO 8601, when the page says so.")
    fetched: str | None = Field(description="ISO 8601; null for a page that was not fetched yet.")
    text: str
    in_degree: int | None = Field(description="Pages that link to it; null where links were not counted yet.")
    out_degree: int | None = Field(description="Pages that it links to.")
    standings: list[StandingAnswer]


class LinkAnswer(_Promise):
    """A link, seen from one of its ends: the page at the other one."""

    url: str | None = Field(description="Null where it is not known: the crawl left the page out.")
    fingerprint: str = Field(description="16 hexadecimal digits that stand for the address.")
    title: str
    rank: float = Field(description="The PageRank of that page.")
    texts: list[str] = Field(description="What the link says.")


class LinksAnswer(_Promise):
    """The links of a page."""

    url: str
    title: str
    in_degree: int
    out_degree: int
    unvouched_in_degree: int = Field(description="Links marked nofollow, ugc or sponsored that lead to it.")
    unvouched_out_degree: int = Field(description="Such links of its own.")
    in_links: list[LinkAnswer]
    out_links: list[LinkAnswer]
    unvouched_in: list[LinkAnswer] = Field(description="Links marked nofollow, ugc or sponsored.")
    unvouched_out: list[LinkAnswer]
    standings: list[StandingAnswer]
    next: str | None = Field(description="Where the links behind these are.")
    previous: str | None = Field(description="Where those before them are.")


class ErrorDetail(_Promise):
    """Why there is no answer."""

    code: str
    message: str
    position: int | None = Field(None, description="Where in the query, in characters from 0.")


class ErrorAnswer(_Promise):
    """What comes instead of an answer."""

    error: ErrorDetail
