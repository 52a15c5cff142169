"""Read RSS, Atom and JSON feeds.

RSS: https://www.rssboard.org/rss-specification and https://web.resource.org/rss/1.0/spec; Atom: RFC 4287;
JSON Feed: https://www.jsonfeed.org/version/1.1/. `gossamer.web.xml` describes how broken files are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any

from gossamer.model import Url
from gossamer.web import xml
from gossamer.web.dates import moment
from gossamer.web.url import canonical

# Entries of RSS and Atom as XML
# ------------------------------

MAX_ELEMENTS = 200  # read in one entry; what matters comes first
_ITEM = re.compile(rb"<((?:[^\s<>/:]++:)?(?:item|entry))(?=[\s/>])([^<>]*+)", re.IGNORECASE)

# Elements of other vocabularies with the same names (media:title, itunes:summary) have other meanings.
_PREFIXES = frozenset(
    (b"", b"atom", b"atom03", b"atom10", b"a10", b"rss", b"dc", b"dcterms", b"content", b"feedburner")
)
_NAMES = {
    "summary": b"description summary subtitle tagline",
    "content": b"encoded content",
    "published": b"pubdate published issued date created",
    "updated": b"updated modified lastbuilddate",
    "original": b"origlink",
    "author": b"managingeditor creator",
    **{name: name.encode() for name in ("title", "link", "guid", "id", "language")},
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}

# The content of these elements belongs to a picture, a person or another feed. Only the names of authors are
# read.
_FOREIGN = frozenset((b"image", b"textinput", b"source", b"author", b"contributor"))
_ELEMENT = re.compile(
    rb"<((?:([^\s<>/:]++):)?(" + b"|".join((*_KINDS, *_FOREIGN)) + rb"))(?=[\s/>])([^<>]*+)>", re.IGNORECASE
)
_MARKUP_BYTES = re.compile(rb"<[^<>]*+>")
_NAME = re.compile(rb"<(?:[^\s<>/:]++:)?name[^<>]*+>([^<]*+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Item:
    """One entry: its link, if any, and its fields as text or HTML."""

    link: Url | None
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Element:
    kind: str  # a value of _KINDS
    attributes: dict[str, str]
    content: str


def read(data: bytes, url: Url) -> tuple[dict[str, str], Iterator[Item]]:
    """Return the fields of the feed in a prepared document, and an iterator over its entries."""
    name, written = xml.root(data)
    prefixes = _PREFIXES | {name.rpartition(b":")[0].lower()}
    base = _base(url, xml.attributes(written))
    first = _ITEM.search(data)
    head = data[: first.start() if first else xml.LONGEST_BLOCK]
    fields = _fields(list(_elements(head[: xml.LONGEST_BLOCK], prefixes)))
    fields.setdefault("language", xml.attributes(written).get("xml:lang", ""))
    return fields, _items(data, base, prefixes)


def _items(data: bytes, base: Url, prefixes: frozenset[bytes]) -> Iterator[Item]:
    for opening, block in xml.blocks(data, _ITEM):
        closed = block.find(b"</" + opening[1])
        elements = list(_elements(block[:closed] if closed >= 0 else block, prefixes))
        own = xml.attributes(opening[2].decode("utf-8", "replace"))
        yield Item(_link(elements, own, _base(base, own)), _fields(elements))


def _elements(block: bytes, prefixes: frozenset[bytes]) -> Iterator[_Element]:
    at = 0
    for _ in range(MAX_ELEMENTS):
        match = _ELEMENT.search(block, at)
        if match is None:
            return
        at = match.end()
        content = b""
        if not match[4].endswith(b"/"):
            end = block.find(b"</" + match[1], at)
            # An element that is not closed ends at the next tag. Without one, the file was cut here.
            content = block[at : end if end >= 0 else max(block.find(b"<", at), at)]
            at += len(content)
        name = match[3].lower()
        if name == b"author":
            named = _NAME.search(content)
            yield _Element("author", {}, _text(named[1] if named else content))
        elif name in _KINDS and (match[2] or b"").lower() in prefixes:
            written = xml.attributes(match[4].decode("utf-8", "replace"))
            yield _Element(_KINDS[name], written, _text(content))


def _text(content: bytes) -> str:
    return xml.text_of(_MARKUP_BYTES.sub(b" ", content)).strip()


def _fields(elements: list[_Element]) -> dict[str, str]:
    """Return the first element of each kind that is not empty."""
    fields: dict[str, str] = {}
    for element in elements:
        if element.content:
            fields.setdefault(element.kind, element.content)
    return fields


def _link(elements: list[_Element], own: dict[str, str], base: Url) -> Url | None:
    """Return the best link of an entry that can be crawled.

    In this order: Feedburner's `origLink` (the original URL), Atom's `link` with rel=alternate (HTML first),
    the text of RSS's `link`, a `guid` that may be a permalink, Atom's `id`, `rdf:about`.
    """
    candidates: list[tuple[int, str, Url]] = [(7, own.get("rdf:about", ""), base)]
    for element in elements:
        written = element.attributes
        if element.kind == "original":
            candidates.append((1, element.content, base))
        elif element.kind == "link" and "href" in written:
            if written.get("rel", "alternate") == "alternate":
                is_html = written.get("type", "text/html") == "text/html"
                candidates.append((2 if is_html else 3, written["href"], _base(base, written)))
        elif element.kind == "link":
            candidates.append((4, element.content, _base(base, written)))
        elif element.kind == "guid" and written.get("ispermalink", "true").lower() != "false":
            candidates.append((5, element.content if "://" in element.content else "", base))
        elif element.kind == "id":
            candidates.append((6, element.content if "://" in element.content else "", base))
    ordered = sorted(candidates, key=lambda one: one[0])
    targets = (canonical(text, against) for _, text, against in ordered if text)
    return next((target for target in targets if target is not None), None)


def _base(outer: Url, written: dict[str, str]) -> Url:
    """Return the base of relative URLs inside an element with these attributes."""
    stated = written.get("xml:base", "")
    return (canonical(stated, outer) if stated else None) or outer


MAX_ENTRIES = 10_000
MAX_JSON = 5 * 1024 * 1024  # bytes; parsed JSON can take thirty times as much memory
SUMMARY_LENGTH = 1_000  # characters
_LONGEST_MARKUP = 20_000  # characters of a content that are read for its summary
_TYPES = frozenset(("application/rss+xml", "application/atom+xml", "application/feed+json"))
_HEAD = 4_000  # bytes that are enough to recognise a feed
_JSON_FEED = re.compile(rb"jsonfeed\.org\\?/version")
_RSS_1 = (b"purl.org/rss/1.0", b"my.netscape.com/rdf")
_MARKUP = re.compile(r"<(?:/?[A-Za-z]|!)[^<>]*+>")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A page in a feed."""

    url: Url
    title: str = ""
    published: float | None = None  # seconds since 1970
    updated: float | None = None
    summary: str = ""  # text without markup


@dataclass(frozen=True, slots=True)
class Feed:
    """The readable part of a feed; `problem` says why the rest could not be read ("" if all was read)."""

    title: str = ""
    entries: tuple[FeedEntry, ...] = ()
    problem: str = ""
    description: str = ""
    author: str = ""
    language: str = ""
    updated: float | None = None  # seconds since 1970


def is_feed(media_type: str, body: bytes) -> bool:
    """Return whether a response is a feed.

    Feeds are served as text/xml, text/html and other types, and error pages are served as feeds. So the root
    element decides.
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
    """Read the feed found at `url`, up to the first place that is damaged.

    Entries without a link are left out.
    """
    stripped = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    return _from_json(stripped, url, most) if stripped.startswith(b"{") else _from_xml(body, url, most)


def _from_xml(body: bytes, url: Url, most: int) -> Feed:
    data = xml.prepared(body)
    name, _ = xml.root(data)
    if xml.local(name) not in {b"rss", b"feed", b"rdf", b"channel", b"item", b"entry"}:
        return Feed(problem=f"not a feed: its root is <{name[:40].decode('utf-8', 'replace')}>")
    head, items = read(data, url)
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
    """Return the text of a title or content, which may be HTML, cut to the length of a summary."""
    text = _MARKUP.sub(" ", markup[:_LONGEST_MARKUP]) if "<" in markup else markup[:_LONGEST_MARKUP]
    return " ".join(unescape(text).split())[:SUMMARY_LENGTH]


def _from_json(body: bytes, url: Url, most: int) -> Feed:
    if len(body) > MAX_JSON:
        return Feed(problem="larger than 5 MB")
    try:
        feed = json.loads(body)
    except (ValueError, RecursionError) as error:
        return Feed(problem=f"the JSON is invalid ({type(error).__name__})")
    items = feed.get("items") if isinstance(feed, dict) else None
    if not isinstance(items, list):
        return Feed(problem="not a feed: it has no items")
    problem = f"more than {most:,} entries" if len(items) > most else ""
    head = {name: _string(feed, name) for name in ("title", "language")}
    head |= {"summary": _string(feed, "description"), "author": _json_authors(feed)}
    return _feed(head, _json_entries(items[:most], url), problem)


def _json_authors(feed: dict[str, Any]) -> str:
    """Return the names of the authors: several in version 1.1, one in version 1."""
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
