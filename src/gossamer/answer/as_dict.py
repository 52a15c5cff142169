"""Result page as JSON-ready dict."""

from __future__ import annotations

from dataclasses import asdict

from gossamer.model import Cluster, Facet, Hit, InstantAnswer, ResultPage, Sitelink
from gossamer.model.notebook import iso

# The keys of a result page in JSON, in this order.
FIELDS = (
    "query", "total", "folded", "took_ms", "offset", "hits", "did_you_mean", "searched", "searched_because",
    "language", "ranked_by", "related", "notes", "intent", "answers", "clusters", "sitelinks", "facets",
    "country", "context", "preferred_topic",
)  # fmt: skip


def as_dict(page: ResultPage) -> dict[str, object]:
    """Convert a result page to plain values for JSON."""
    return {name: _plain(getattr(page, name)) for name in FIELDS}


def _plain(value: object) -> object:
    """Convert tuples to lists and dataclasses to dictionaries."""
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Hit):
        return _hit(value)
    return asdict(value) if isinstance(value, InstantAnswer | Cluster | Sitelink | Facet) else value


def _hit(hit: Hit) -> dict[str, object]:
    shown: dict[str, object] = {
        "rank": hit.rank,
        "url": hit.url,
        "title": hit.title,
        "snippet": hit.snippet.text,
        "highlights": [list(place) for place in hit.snippet.highlights],
        "score": hit.score,
        "language": hit.language,
        "media_type": hit.media_type,
        "published": None if hit.published is None else iso(hit.published),
        "fetched": None if hit.unfetched else iso(hit.fetched_at),
        "unfetched": hit.unfetched,
        "similar": list(hit.similar),
        "more_from_host": hit.more_from_host,
    }
    if hit.explanation is not None:
        shown["explanation"] = asdict(hit.explanation)
    return shown
