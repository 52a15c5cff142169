"""What does the API promise? Only for /openapi.json: answers are written as `results.show` makes them."""

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
    links: str = Field(description="Where links alone made the score, how; empty elsewhere.")


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
    did_you_mean: str | None
    language: str = Field(description="In which the query surely is; empty where that is not sure.")
    ranked_by: str = Field(description="The rank by links that counted.")
    notes: list[str] = Field(description="What the person should know of the query.")
    facets: list[FacetAnswer] = Field(description="By what the results can be narrowed, where asked for.")


class ErrorDetail(_Promise):
    """Why there is no answer."""

    code: str
    message: str
    position: int | None = Field(None, description="Where in the query, in characters from 0.")


class ErrorAnswer(_Promise):
    """What comes instead of an answer."""

    error: ErrorDetail
