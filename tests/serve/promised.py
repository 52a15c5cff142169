"""The responses of the API as types: each has these fields and no others."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Promise(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ContributionAnswer(_Promise):
    """How much one term adds to a score."""

    term: str
    weight: float = Field(description="Weight of the term in the collection; rare terms have a high weight.")
    impact: float = Field(description="Weight of the term in the page.")
    score: float
    links: float = Field(description="How much anchor text adds to the frequency of the term.")
    near_links: float = Field(description="How much the words near links add to it.")


class ExplanationAnswer(_Promise):
    """How a score was computed: the sum of the contributions times all score factors."""

    contributions: list[ContributionAnswer]
    static_factor: float
    freshness: float
    language: float = Field(description="Score factor for its language.")
    address: float = Field(description="Score factor for a short URL.")
    site: float = Field(description="Score factor that the owner set for its site.")
    links: str = Field(
        description="How the score follows from links, if it follows from nothing else; else empty."
    )
    country: float = Field(description="Score factor for the user's country.")
    preferred: float = Field(description="Score factor for the user's preferred sites.")
    context: float = Field(
        description="Score factor for similarity to the results of the user's earlier queries."
    )
    support: float = Field(description="Score factor for links from other results of the query.")


class HitAnswer(_Promise):
    """One result."""

    rank: int = Field(description="Position among all results, from 1.")
    url: str
    title: str
    snippet: str
    highlights: list[tuple[int, int]] = Field(
        description="Positions in the snippet: start and end, in characters."
    )
    score: float
    language: str
    media_type: str
    published: str | None = Field(description="ISO 8601; null if the page does not give a date.")
    fetched: str | None = Field(description="ISO 8601; null if the page was never fetched.")
    unfetched: bool = Field(description="The page was never fetched: title and snippet are anchor texts.")
    similar: list[str] = Field(description="URLs of near-duplicates that are folded into this result.")
    more_from_host: int = Field(
        description="How many further results of its host were moved behind those of other hosts."
    )
    explanation: ExplanationAnswer | None = None


class ClusterAnswer(_Promise):
    """A group of results about the same topic."""

    label: str = Field(description="The most descriptive phrase.")
    count: int = Field(description="How many of the best results are in the group.")
    titles: list[str] = Field(description="Titles of the best results of the group.")


class InstantAnswerAnswer(_Promise):
    """An answer that is computed without any page."""

    kind: str = Field(description="Such as arithmetic, units or time.")
    question: str = Field(description="How the query was understood.")
    answer: str
    detail: str
    link: str = Field(description="URL with more about it; empty if there is none.")


class SitelinkAnswer(_Promise):
    """A page of the site that a navigational query looks for."""

    title: str
    url: str


class FacetAnswer(_Promise):
    """A property by which the results can be filtered."""

    kind: str = Field(description="site, language, type, time or topic.")
    value: str = Field(
        description="The value for the operator of that kind, such as site:. For a time, days before today."
    )
    count: int = Field(
        description="How many of the best results have it; 0 for topics, which are not counted."
    )


class SearchAnswer(_Promise):
    """The results of a search."""

    query: str
    total: int = Field(description="Number of matching pages.")
    folded: int = Field(description="How many of them are folded into others as near-duplicates.")
    took_ms: float
    offset: int
    hits: list[HitAnswer]
    did_you_mean: str | None = Field(
        description="A better spelling of the query, if one is likely; else null."
    )
    searched: str = Field(
        description="The query that was searched instead, if the one typed finds nothing; else empty."
    )
    searched_because: str = Field(description="Why: corrected or relaxed; else empty.")
    language: str = Field(description="Language of the query; empty if it is not clear.")
    ranked_by: str = Field(description="The link rank that was used.")
    related: list[str] = Field(description="Related queries.")
    notes: list[str] = Field(description="Notes for the user, such as that a word was ignored.")
    facets: list[FacetAnswer] = Field(
        description="Counts by which the results can be filtered, if requested."
    )
    clusters: list[ClusterAnswer] = Field(description="Groups of the best results, if requested.")
    intent: str = Field(
        description="navigational, informational or transactional, if it can be guessed; else empty."
    )
    answers: list[InstantAnswerAnswer] = Field(description="Instant answers; on the first page only.")
    sitelinks: list[SitelinkAnswer] = Field(
        description="Pages of the site, if its home page is the first hit."
    )
    country: str = Field(description="Two-letter code of the country whose pages ranked higher; else empty.")
    context: list[str] = Field(description="The earlier queries that affected the results.")
    preferred_topic: str = Field(
        description="The user's preferred topic, if it affected the results; else empty."
    )
    next: str | None = Field(None, description="URL of the next results; null if these are the last.")
    previous: str | None = Field(None, description="URL of the previous ones; null if these are the first.")


class SuggestAnswer(_Promise):
    """Completions of a query."""

    query: str
    suggestions: list[str]


class StandingAnswer(_Promise):
    """Position of a page by one link rank."""

    name: str
    value: float
    percentile: float = Field(description="Percentage of all pages with a lower rank.")
    place: int = Field(description="1 for the best; equal ranks share a position.")


class PageAnswer(_Promise):
    """What the collection knows about a page."""

    url: str
    state: str = Field(description="indexed, or the state of the URL: queued, fetched, failed, refused...")
    reason: str = Field(description="Why it is not indexed.")
    title: str
    description: str
    author: str
    language: str
    media_type: str
    published: str | None = Field(description="ISO 8601; null if the page does not give a date.")
    fetched: str | None = Field(description="ISO 8601; null if the page was never fetched.")
    text: str
    in_degree: int | None = Field(
        description="Number of pages that link to it; null if link ranks were not computed yet."
    )
    out_degree: int | None = Field(description="Number of pages that it links to.")
    standings: list[StandingAnswer]


class LinkAnswer(_Promise):
    """A link to or from the requested page: the page at its other end."""

    url: str | None = Field(description="Null if the URL is unknown because the crawl left the page out.")
    fingerprint: str = Field(description="Fingerprint of the URL: 16 hexadecimal digits.")
    title: str
    rank: float = Field(description="PageRank of that page.")
    texts: list[str] = Field(description="Anchor texts of the link.")


class LinksAnswer(_Promise):
    """The links of a page."""

    url: str
    title: str
    in_degree: int
    out_degree: int
    unvouched_in_degree: int = Field(
        description="Number of links to it that are marked nofollow, ugc or sponsored."
    )
    unvouched_out_degree: int = Field(description="Number of such links from it.")
    in_links: list[LinkAnswer]
    out_links: list[LinkAnswer]
    unvouched_in: list[LinkAnswer] = Field(description="Links marked nofollow, ugc or sponsored.")
    unvouched_out: list[LinkAnswer]
    standings: list[StandingAnswer]
    next: str | None = Field(description="URL of the next links; null if these are the last.")
    previous: str | None = Field(description="URL of the previous ones; null if these are the first.")


class ErrorDetail(_Promise):
    """Why the request failed."""

    code: str
    message: str
    position: int | None = Field(
        None, description="Position of the error in the query, in characters from 0."
    )


class ErrorAnswer(_Promise):
    """The response to a request that failed."""

    error: ErrorDetail
