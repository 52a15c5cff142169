"""What do answers look like? The examples of /openapi.json."""

from __future__ import annotations

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
