"""What does this feed announce? RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed 1.x.

RSS: https://www.rssboard.org/rss-specification and https://web.resource.org/rss/1.0/spec; Atom: RFC 4287;
JSON Feed: https://www.jsonfeed.org/version/1.1/. How broken files are read says `gossamer.web.xml`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any

from gossamer.model import Url
from gossamer.web import feed_xml, xml
from gossamer.web.dates import moment
from gossamer.web.url import canonical

MAX_ENTRIES = 10_000
MAX_JSON = 5 * 1024 * 1024  # bytes; what they become in memory can be thirty times as much
SUMMARY_LENGTH = 1_000  # characters

_LONGEST_MARKUP = 20_000  # characters of a content that are looked at for its summary
_TYPES = frozenset(("application/rss+xml", "application/atom+xml", "application/feed+json"))
_HEAD = 4_000  # bytes in which a feed has shown itself
_JSON_FEED = re.compile(rb"jsonfeed\.org\\?/version")
_RSS_1 = (b"purl.org/rss/1.0", b"my.netscape.com/rdf")
_MARKUP = re.compile(r"<(?:/?[A-Za-z]|!)[^<>]*+>")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A page that a feed announces."""

    url: Url
    title: str = ""
    published: float | None = None  # seconds since 1970
    updated: float | None = None
    summary: str = ""  # text without markup


@dataclass(frozen=True, slots=True)
class Feed:
    """What could be read of a feed; `problem` says why it is not all of it, "" when it is."""

    title: str = ""
    entries: tuple[FeedEntry, ...] = ()
    problem: str = ""
    description: str = ""
    author: str = ""
    language: str = ""
    updated: float | None = None  # seconds since 1970


def is_feed(media_type: str, body: bytes) -> bool:
    """Whether an answer of that media type is a feed.

    Feeds come as text/xml, text/html and whatever else, and error pages come as feeds: the root tells.
    """
    head = body[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"{"):
        return _JSON_FEED.search(head) is not None or media_type == "application/feed+json"
    name, _ = xml.root(xml.prepared(head))
    kind = xml.local(name)
    if kind == b"rdf":
        return any(namespace in head for namespace in _RSS_1)
    return kind in {b"rss", b"feed"} or (media_type in _TYPES and kind in {b"channel", b"item", b"entry"})


def read_feed(body: bytes, url: Url, most: int = MAX_ENTRIES) -> Feed:
    """The entries of a feed that was found at `url`; whatever stands before a damage counts.

    Entries that point nowhere are left out.
    """
    stripped = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    return _from_json(stripped, url, most) if stripped.startswith(b"{") else _from_xml(body, url, most)


def _from_xml(body: bytes, url: Url, most: int) -> Feed:
    data = xml.prepared(body)
    name, _ = xml.root(data)
    if xml.local(name) not in {b"rss", b"feed", b"rdf", b"channel", b"item", b"entry"}:
        return Feed(problem=f"not a feed: its root is <{name[:40].decode('utf-8', 'replace')}>")
    head, items = feed_xml.read(data, url)
    entries: list[FeedEntry] = []
    for number, item in enumerate(items):
        if number == most:
            return _feed(head, entries, f"more than {most:,} entries")
        if item.link is not None:
            entries.append(_entry(item.link, item.fields))
    problem = "" if data.rfind(b"</" + name) >= 0 else "the file ends too early"
    return _feed(head, entries, problem)


def _feed(head: dict[str, str], entries: Iterable[FeedEntry], problem: str) -> Feed:
    updated = head.get("updated") or head.get("published", "")
    return Feed(
        _plain(head.get("title", "")),
        tuple(entries),
        problem,
        _plain(head.get("summary", "")),
        _plain(head.get("author", "")),
        head.get("language", ""),
        moment(updated) if updated else None,
    )


def _entry(url: Url, fields: dict[str, str]) -> FeedEntry:
    return FeedEntry(
        url,
        _plain(fields.get("title", "")),
        moment(fields["published"]) if "published" in fields else None,
        moment(fields["updated"]) if "updated" in fields else None,
        _plain(fields.get("summary") or fields.get("content", "")),
    )


def _plain(markup: str) -> str:
    """The text of a title or a content, which may be HTML, cut to the length of a summary."""
    text = _MARKUP.sub(" ", markup[:_LONGEST_MARKUP]) if "<" in markup else markup[:_LONGEST_MARKUP]
    return " ".join(unescape(text).split())[:SUMMARY_LENGTH]


def _from_json(body: bytes, url: Url, most: int) -> Feed:
    if len(body) > MAX_JSON:
        return Feed(problem="larger than 5 MB")
    try:
        feed = json.loads(body)
    except (ValueError, RecursionError) as error:
        return Feed(problem=f"the JSON is broken ({type(error).__name__})")
    items = feed.get("items") if isinstance(feed, dict) else None
    if not isinstance(items, list):
        return Feed(problem="not a feed: it has no items")
    problem = f"more than {most:,} entries" if len(items) > most else ""
    head = {name: _string(feed, name) for name in ("title", "language")}
    head |= {"summary": _string(feed, "description"), "author": _json_authors(feed)}
    return _feed(head, _json_entries(items[:most], url), problem)


def _json_authors(feed: dict[str, Any]) -> str:
    """The names of version 1.1, or the one of version 1."""
    people = feed.get("authors")
    listed = people if isinstance(people, list) else [feed.get("author")]
    return ", ".join(filter(None, (_string(one, "name") for one in listed if isinstance(one, dict))))


def _json_entries(items: list[Any], url: Url) -> Iterator[FeedEntry]:
    for item in items:
        if not isinstance(item, dict):
            continue
        written = _string(item, "url") or _string(item, "external_url")
        target = canonical(written, url) if written else canonical(_string(item, "id"))
        if target is not None:
            fields = {"title": _string(item, "title"), "published": _string(item, "date_published")}
            fields["updated"] = _string(item, "date_modified")
            fields["summary"] = _string(item, "summary") or _string(item, "content_text")
            fields["content"] = _string(item, "content_html")
            yield _entry(target, fields)


def _string(item: dict[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""
