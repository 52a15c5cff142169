"""OpenAPI schema and examples."""

from __future__ import annotations

from typing import Any

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


# Response descriptions
# ---------------------

Responses = dict[int | str, dict[str, Any]]
JSON = "application/json"

# What each status may say; the codes are those of `problems`.
ERRORS = {
    400: (
        "The query or the address cannot be read.",
        {
            "bad_query": "cannot read the query at character 5: this quotation mark is never closed",
            "bad_request": "not a web address: 'http://' (it names no host)",
        },
    ),
    404: ("Nobody knows that page.", {"unknown_page": "http://example.org/ is not known here"}),
    409: ("Links were not counted yet.", {"not_ranked": "nothing is ranked yet; run: gossamer rank"}),
    413: (
        "The request's body is too large.",
        {"body_too_large": "the body of a request may have 65,536 bytes"},
    ),
    414: ("The request's address is too long.", {"url_too_long": "an address may have 32,768 bytes"}),
    421: (
        "The header Host names a host for which this server does not speak.",
        {
            "unknown_host": "this server does not answer to the host example.org; where it should, add the "
            'host to the setting serve.hosts, in [serve] of gossamer.toml: hosts = ["example.org"]'
        },
    ),
    422: ("A parameter is missing, or has a wrong value.", {"bad_parameter": "q is missing"}),
    429: (
        "Too many requests; Retry-After says when to come back.",
        {"too_many_requests": "too many requests from this address"},
    ),
    431: ("The request's headers are too large.", {"headers_too_large": "headers may have 16,384 bytes"}),
    500: (
        "The server failed.",
        {
            "engine_error": "the collection cannot be read just now; the log says more",
            "internal_error": "a fault of this server, not of what was asked; its log says more",
        },
    ),
    503: (
        "The server is busy, or this took too long; Retry-After says when to come back.",
        {
            "too_busy": "too many requests are on their way; please try again",
            "too_slow": "this took too long and was given up",
        },
    ),
}

# By reference: FastAPI would make a validator for each model of each route, which takes a third of a second.
_SCHEMA = {"$ref": "#/components/schemas/ErrorAnswer"}
DEFINED = {"model": ErrorAnswer}  # on one route, so that the reference leads somewhere
ALWAYS = (413, 414, 421, 429, 431, 500, 503)  # statuses with which any request may be answered


def responses(example: object, *statuses: int, kind: str = JSON, schema: object = None) -> Responses:
    """The answer of an endpoint, and its errors."""
    content: dict[str, Any] = {"example": example} | ({} if schema is None else {"schema": schema})
    told: Responses = {200: {"content": {kind: content}}}
    return told | {status: _error(status) for status in sorted({*statuses, *ALWAYS})}


def _error(status: int) -> dict[str, Any]:
    description, messages = ERRORS[status]
    examples = {code: {"value": _example(code, message)} for code, message in messages.items()}
    return {"description": description, "content": {JSON: {"schema": _SCHEMA, "examples": examples}}}


def _example(code: str, message: str) -> dict[str, Any]:
    where = {"position": 4} if code == "bad_query" else {}
    return {"error": {"code": code, "message": message, **where}}


# Response examples
# -----------------

URL = "http://wildcats.example/jaguar.html"
HIT = {
    "rank": 1,
    "url": URL,
    "title": "The jaguar",
    "snippet": "The jaguar is the largest cat of the Americas.",
    "highlights": [[4, 10]],
    "score": 6.25,
    "language": "en",
    "media_type": "text/html",
    "published": None,
    "fetched": "2026-11-15T21:02:01+00:00",
    "unfetched": False,
    "similar": [],
    "more_from_host": 0,
}
SEARCH = {
    "query": "jaguar",
    "total": 12,
    "folded": 0,
    "took_ms": 2.4,
    "offset": 0,
    "hits": [HIT],
    "did_you_mean": None,
    "searched": "",
    "searched_because": "",
    "language": "",
    "ranked_by": "editorial",
    "related": ["jaguar habitat"],
    "notes": [],
    "intent": "informational",
    "answers": [],
    "clusters": [{"label": "Jaguar cars", "count": 5, "titles": ["The Jaguar E-Type"]}],
    "sitelinks": [],
    "facets": [{"kind": "language", "value": "en", "count": 9}],
    "country": "",
    "context": [],
    "preferred_topic": "",
    "next": "/api/search?q=jaguar&k=1&offset=1",
    "previous": None,
}
SIMILAR = {
    **SEARCH,
    "query": "jaguar cat americas rainforest",
    "related": [],
    "clusters": [],
    "facets": [],
    "country": "",
    "context": [],
    "preferred_topic": "",
    "next": None,
}
SUGGEST = {"query": "jag", "suggestions": ["jaguar", "jaguar habitat"]}
OPENSEARCH_SUGGEST = ["jag", ["jaguar", "jaguar habitat"]]
STANDING = {"name": "pagerank", "value": 0.0123, "percentile": 98.5, "place": 5}
PAGE = {
    "url": URL,
    "state": "indexed",
    "reason": "",
    "title": "The jaguar",
    "description": "",
    "author": "",
    "language": "en",
    "media_type": "text/html",
    "published": None,
    "fetched": "2026-11-15T21:02:01+00:00",
    "text": "The jaguar is the largest cat of the Americas.",
    "in_degree": 7,
    "out_degree": 3,
    "standings": [STANDING],
}
LINK = {
    "url": "http://zoo.example/",
    "fingerprint": "09b0b929b3d1ae5d",
    "title": "The zoo",
    "rank": 0.002,
    "texts": ["our jaguar"],
}
LINKS = {
    "url": URL,
    "title": "The jaguar",
    "in_degree": 7,
    "out_degree": 3,
    "unvouched_in_degree": 0,
    "unvouched_out_degree": 0,
    "in_links": [LINK],
    "out_links": [],
    "unvouched_in": [],
    "unvouched_out": [],
    "standings": [STANDING],
    "next": "/api/links?url=http%3A%2F%2Fwildcats.example%2Fjaguar.html&k=1&offset=1",
    "previous": None,
}
STATUS = {"partitions": 1, "pages": 304, "documents": 304, "queued": 0, "segments": 1, "ranked": True}
HEALTH = {"status": "ok"}
METRICS = "# TYPE gossamer_documents gauge\ngossamer_documents 304\n"
RSS = '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">…</rss>\n'
ATOM = '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">…</feed>\n'
CSV = "rank,url,title,snippet,score,language,media_type,published,fetched\r\n"
