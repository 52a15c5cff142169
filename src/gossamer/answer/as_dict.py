"""Result page as JSON-ready dict."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime

from gossamer.model import Hit, ResultPage


def as_dict(page: ResultPage) -> dict[str, object]:
    """An answer as JSON shows it."""
    return {
        "query": page.query,
        "total": page.total,
        "folded": page.folded,
        "took_ms": page.took_ms,
        "offset": page.offset,
        "hits": [_hit(hit) for hit in page.hits],
        "did_you_mean": page.did_you_mean,
        "searched": page.searched,
        "searched_because": page.searched_because,
        "language": page.language,
        "ranked_by": page.ranked_by,
        "related": list(page.related),
        "notes": list(page.notes),
        "intent": page.intent,
        "answers": [asdict(answer) for answer in page.answers],
        "clusters": [asdict(cluster) for cluster in page.clusters],
        "sitelinks": [asdict(link) for link in page.sitelinks],
        "facets": [asdict(facet) for facet in page.facets],
        "country": page.country,
        "context": list(page.context),
        "preferred_topic": page.preferred_topic,
    }


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


def iso(moment: float) -> str:
    """A moment in ISO 8601, UTC, to the second.

    >>> iso(1714557600.0)
    '2024-05-01T10:00:00+00:00'
    """
    try:
        return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):  # a page may claim any date
        return ""
