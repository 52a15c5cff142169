"""Results as RSS, Atom and CSV."""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from email.utils import formatdate
from typing import Any
from urllib.parse import urlencode
from xml.sax.saxutils import escape, quoteattr

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from gossamer.model import Hit, ResultPage
from gossamer.model.notebook import iso
from gossamer.serve.api.openapi import add_endpoint
from gossamer.serve.i18n import BY_LANGUAGE
from gossamer.serve.middleware import base_of
from gossamer.serve.rendering import link_of
from gossamer.serve.request import Count, Offset, QueryText, options, parameters, read
from gossamer.serve.search_queue import SearchQueue
from gossamer.serve.searchable import SearchEngine

# Write RSS and Atom
# ------------------
#
# RSS 2.0; Atom (RFC 4287); OpenSearch 1.1, response elements.

OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
ATOM = "http://www.w3.org/2005/Atom"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NEVER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # not allowed in XML


@dataclass(frozen=True, slots=True)
class Feed:
    """The results for a feed."""

    page: ResultPage
    base: str  # URL of the server, without a slash at the end
    own: str  # URL of the feed
    at_once: int  # requested number of results
    newest: bool = False  # whether the newest results come first

    @property
    def html(self) -> str:
        """URL of the results page."""
        order = {"newest": "true"} if self.newest else {}
        return f"{self.base}/search?{urlencode({'q': self.page.query} | order)}"

    @property
    def title(self) -> str:
        return f"{self.page.query} - Gossamer"


def rss(feed: Feed) -> str:
    """The results as RSS."""
    channel = (
        _element("title", feed.title)
        + _element("link", feed.html)
        + _element("description", f"Pages found for: {feed.page.query}")
        + _found(feed)
        + _empty("atom:link", rel="self", type="application/rss+xml", href=feed.own)
        + "".join(f"<item>{''.join(_item(hit))}</item>\n" for hit in feed.page.hits)
    )
    return (
        f'{_HEAD}<rss version="2.0" xmlns:opensearch="{OPENSEARCH}" xmlns:atom="{ATOM}">\n'
        f"<channel>\n{channel}</channel>\n</rss>\n"
    )


def atom(feed: Feed, now: float) -> str:
    """The results as Atom. A feed without results has the current time as its date."""
    newest = max((_moment(hit) for hit in feed.page.hits), default=now)
    content = (
        _element("title", feed.title)
        + _element("id", feed.own)
        + _element("updated", iso(newest) or iso(now))
        + _element("generator", "Gossamer")
        + "<author><name>Gossamer</name></author>\n"
        + _empty("link", rel="self", type="application/atom+xml", href=feed.own)
        + _empty("link", rel="alternate", type="text/html", href=feed.html)
        + _found(feed, "")
        + "".join(f"<entry>{''.join(_entry(hit, now))}</entry>\n" for hit in feed.page.hits)
    )
    return f'{_HEAD}<feed xmlns="{ATOM}" xmlns:opensearch="{OPENSEARCH}">\n{content}</feed>\n'


def _item(hit: Hit) -> Iterator[str]:
    yield _element("title", hit.title)
    if link := link_of(hit.url):
        yield _element("link", link)
    yield f'<guid isPermaLink="false">{_text(hit.url)}</guid>\n'
    yield _element("description", hit.snippet.text)
    if hit.published is not None and iso(hit.published):
        yield _element("pubDate", formatdate(hit.published, usegmt=True))


def _entry(hit: Hit, now: float) -> Iterator[str]:
    yield _element("title", hit.title)
    yield _element("id", hit.url)
    yield _element("updated", iso(_moment(hit)) or iso(now))
    if hit.published is not None and iso(hit.published):
        yield _element("published", iso(hit.published))
    if link := link_of(hit.url):
        yield _empty("link", rel="alternate", href=link)
    yield _element("summary", hit.snippet.text)


def _moment(hit: Hit) -> float:
    return hit.fetched_at if hit.published is None else hit.published


def _found(feed: Feed, atom_prefix: str = "atom:") -> str:
    """Write the number of results, their positions, and the URL of the search description."""
    return (
        _element("opensearch:totalResults", str(feed.page.total))
        + _element("opensearch:startIndex", str(feed.page.offset + 1))
        + _element("opensearch:itemsPerPage", str(feed.at_once))
        + _empty("opensearch:Query", role="request", searchTerms=feed.page.query)
        + _empty(
            f"{atom_prefix}link",
            rel="search",
            type="application/opensearchdescription+xml",
            href=f"{feed.base}/opensearch.xml",
        )
    )


def _element(name: str, text: str) -> str:
    return f"<{name}>{_text(text)}</{name}>\n"


def _empty(name: str, **attributes: str) -> str:
    given = " ".join(f"{key}={quoteattr(_legal(value))}" for key, value in attributes.items())
    return f"<{name} {given}/>\n"


def _text(text: str) -> str:
    return escape(_legal(text))


def _legal(text: str) -> str:
    return _NEVER.sub("\ufffd", text)


# Write CSV
# ---------

COLUMNS = ("rank", "url", "title", "snippet", "score", "language", "media_type", "published", "fetched")
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def as_csv(page: ResultPage) -> str:
    """Write a line of column names and one line per result (RFC 4180)."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows(map(_row, page.hits))
    return out.getvalue()


def _row(hit: Hit) -> list[str]:
    texts = [harmless(text) for text in (hit.url, hit.title, hit.snippet.text)]
    kinds = [harmless(text) for text in (hit.language, hit.media_type)]
    published = "" if hit.published is None else iso(hit.published)
    fetched = "" if hit.unfetched else iso(hit.fetched_at)
    return [str(hit.rank), *texts, str(hit.score), *kinds, published, fetched]


def harmless(text: str) -> str:
    """Return the text on one line. A spreadsheet must not run it as a formula.

    >>> harmless("=1+1"), harmless("a title"), harmless(" \\t@x")
    ("'=1+1", 'a title', "'@x")
    """
    line = " ".join(text.replace("\0", " ").split())
    return f"'{line}" if line.startswith(_FORMULA) else line


FEED = parameters("newest", q=(QueryText, ...), k=(Count, 10), offset=(Offset, 0))
TABLE = parameters("newest", q=(QueryText, ...), k=(Count, 100), offset=(Offset, 0))


class Feeds:
    """Handlers of the feeds. They run on threads, because searching releases the GIL."""

    def __init__(self, engine: SearchEngine, search_queue: SearchQueue) -> None:
        self._engine = engine
        self._search_queue = search_queue

    def routes(self) -> APIRouter:
        router = APIRouter()
        for path, handler, taken in (
            ("/search.rss", self.rss, FEED),
            ("/search.atom", self.atom, FEED),
            ("/search.csv", self.csv, TABLE),
        ):
            searching = self._search_queue.taking(handler)
            add_endpoint(router, path, searching, 400, 422, parameters=taken, response_class=Response)
        return router

    def rss(self, request: Request) -> Response:
        """The results as RSS."""
        return _sent(rss(self._feed(request)), "application/rss+xml")

    def atom(self, request: Request) -> Response:
        """The results as Atom."""
        return _sent(atom(self._feed(request), time.time()), "application/atom+xml")

    def csv(self, request: Request) -> Response:
        """The results as comma-separated values."""
        answer = _sent(as_csv(self._found(read(TABLE, request), request)), "text/csv")
        answer.headers["Content-Disposition"] = 'attachment; filename="results.csv"'
        return answer

    def _feed(self, request: Request) -> Feed:
        given = read(FEED, request)
        found = self._found(given, request)
        return Feed(found, base_of(request), str(request.url), given["k"], given["newest"])

    def _found(self, given: Mapping[str, Any], request: Request) -> ResultPage:
        """Search without spelling correction: feeds and tables cannot show that the query was corrected."""
        chosen = replace(options(given, request), correct=False)
        return self._engine.search(given["q"], options=chosen)


def _sent(text: str, kind: str) -> Response:
    body = text.encode("utf-8", "replace")
    return Response(body, headers=BY_LANGUAGE, media_type=f"{kind}; charset=utf-8")
