"""Sitemaps and feeds as documents with links.

A feed is also indexed as a page. Its description is the main text. Titles and summaries of its entries are
surroundings, so that a feed does not rank above the pages that it announces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

import numpy as np

from gossamer.extract.html.scan import shortened
from gossamer.extract.media_type import HTML_TYPES, PDF_TYPES
from gossamer.model import LinkFlag, Links, Page, Url
from gossamer.text.language_codes import canonical_code
from gossamer.web.dates import TOLERANCE
from gossamer.web.feed import Feed, is_feed, read_feed
from gossamer.web.sitemap import MAX_ENTRIES, Sitemap, read_sitemap
from gossamer.web.url import canonical

# Media types of compressed sitemaps. Other documents have them too.
XML_TYPES = frozenset({"application/xml", "text/xml", "application/gzip", "application/x-gzip"})
LOOKED_AT = 2_048  # bytes in which the root element must begin
GZIP_MAGIC = b"\x1f\x8b\x08"


def is_listing(body: bytes, kind: str, url: Url) -> bool:
    """Whether the document is a sitemap or a feed."""
    if kind in HTML_TYPES or kind in PDF_TYPES:
        return False
    if is_feed(kind, body):
        return True
    if body.startswith(GZIP_MAGIC):
        return kind in XML_TYPES or url.path.endswith((".xml.gz", ".xml"))
    head = body[:LOOKED_AT].lower()
    return b"<urlset" in head or b"<sitemapindex" in head


def read_listing(body: bytes, url: Url, fetched_at: float, kind: str) -> Page:
    """Return the page of a sitemap or feed: links and dates, and for a feed also title and text."""
    if is_feed(kind, body):
        return _feed_page(read_feed(body, url), url, fetched_at, kind)
    sitemap = read_sitemap(body, url)
    maps = frozenset(child for child, _ in sitemap.children)
    return _page(url, fetched_at, kind, "sitemap", _dated_urls(sitemap, url), sitemap.problem, maps)


def _feed_page(feed: Feed, url: Url, fetched_at: float, kind: str) -> Page:
    dated = {entry.url: entry.updated or entry.published for entry in feed.entries}
    days = [day for day in dated.values() if day is not None and day <= fetched_at + TOLERANCE]
    texts = (part for entry in feed.entries for part in (entry.title, entry.summary))
    return replace(
        _page(url, fetched_at, kind, "feed", dated, feed.problem),
        title=feed.title,
        text=feed.description,
        surroundings=shortened("\n".join(filter(None, texts))),
        author=feed.author,
        language=canonical_code(feed.language),
        published=feed.updated or max(days, default=None),
    )


def _dated_urls(sitemap: Sitemap, url: Url) -> dict[Url, float | None]:
    dated = dict([*sitemap.children, *((entry.url, entry.lastmod) for entry in sitemap.entries)])
    for other in _translations(sitemap, url):
        dated.setdefault(other, None)
    return dated


def _translations(sitemap: Sitemap, url: Url) -> Iterable[Url]:
    """Return the versions of the pages in other languages, each once: usually every version lists all."""
    addresses = dict.fromkeys(address for entry in sitemap.entries for _, address in entry.alternates)
    targets = (canonical(address, url) for address in islice(addresses, MAX_ENTRIES))
    return (target for target in targets if target is not None)


def _page(
    url: Url,
    fetched_at: float,
    media_type: str,
    kind: str,
    dated: dict[Url, float | None],
    problem: str,
    maps: frozenset[Url] = frozenset(),
) -> Page:
    dated.pop(url, None)
    targets = list(dated)
    modified = np.array([np.nan if when is None else when for when in dated.values()], "<f8")
    flags = bytes(LinkFlag.SITEMAP if target in maps else LinkFlag.ORDINARY for target in targets)
    return Page(
        url,
        fetched_at,
        media_type,
        kind,
        links=Links.packed(targets, [""] * len(targets), flags),
        modified=modified.tobytes(),
        problem="" if targets else problem,
    )
