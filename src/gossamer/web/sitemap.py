"""Read sitemaps and sitemap indexes.

Accepted formats are plain text with one URL per line, RSS, Atom and JSON feeds, and `urlset` and
`sitemapindex` with their extensions for images and languages. Each may be compressed. `priority` and
`changefreq` are ignored, because visits to the pages give better estimates. `gossamer.web.xml` describes how
broken and hostile files are read. Tags are matched by their local name, with any prefix.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gossamer.model import Url
from gossamer.web import xml
from gossamer.web.content_coding import BadEncoding, Body
from gossamer.web.dates import moment
from gossamer.web.feed import is_feed, read_feed
from gossamer.web.url import canonical

MAX_BYTES = 50 * 1024 * 1024  # of one uncompressed sitemap; limit of the protocol
MAX_ENTRIES = 50_000  # limit of the protocol
_GZIP = b"\x1f\x8b"
_PREFIX = rb"(?:[^\s<>/:]++:)?"
_BLOCK = re.compile(rb"<" + _PREFIX + rb"(url|sitemap)(?=[\s/>])", re.IGNORECASE)
_FIELD = re.compile(rb"<" + _PREFIX + rb"(loc|lastmod)(?:\s[^<>]*+)?>([^<]*+)<", re.IGNORECASE)
_IMAGE = re.compile(
    rb"<" + _PREFIX + rb"image(?:\s[^<>]*+)?>(.*?)(?:</" + _PREFIX + rb"image\s*+>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_LINK = re.compile(rb"<" + _PREFIX + rb"link\s([^<>]*+)>", re.IGNORECASE)
_LINE = re.compile(rb"[^\r\n]++")


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page in a sitemap."""

    url: Url
    lastmod: float | None = None  # seconds since 1970
    images: tuple[str, ...] = ()  # URLs as written
    alternates: tuple[tuple[str, str], ...] = ()  # translations of the page: language, URL as written


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The readable part of a sitemap; `problem` says why the rest could not be read ("" if all was read)."""

    entries: tuple[SitemapEntry, ...] = ()
    children: tuple[tuple[Url, float | None], ...] = ()  # sitemaps in a sitemap index, with their lastmod
    problem: str = ""


def speaks_for(sitemap: Url, named_by: str | None, url: Url) -> bool:
    """Return whether a sitemap may list a URL: one on its own host or on the host that names the sitemap.

    `named_by` is the authority (the host, and the port if it is not the default) whose robots.txt names the
    sitemap, or None. The protocol also demands the sitemap's folder and scheme. Few sites follow this rule,
    and a URL on the sitemap's own host does no harm.
    """
    return url.authority in {sitemap.authority, named_by}


def read_sitemap(body: bytes, url: Url, most: int = MAX_ENTRIES) -> Sitemap:
    """Read the sitemap found at `url`, up to the first place that is damaged."""
    content, problem = _uncompressed(body)
    if is_feed("", content):
        return _from_feed(content, url, most, problem)
    if b"<" not in content[:1_000]:
        return _from_text(content, most, problem)
    data = xml.prepared(content)
    name, _ = xml.root(data)
    if xml.local(name) not in {b"urlset", b"sitemapindex", b"url", b"sitemap"}:
        return Sitemap(
            problem=problem or f"not a sitemap: its root is <{name[:40].decode('utf-8', 'replace')}>"
        )
    if data.rfind(b"</" + name) < 0:
        problem = problem or "the file ends too early"
    return _from_xml(data, url, most, problem)


def _uncompressed(body: bytes) -> tuple[bytes, str]:
    """Return the uncompressed body and its problem ("" if none). Some servers compress a sitemap twice."""
    content, problem = body, ""
    for _ in range(2):
        if not content.startswith(_GZIP):
            break
        unpacked = Body("gzip", MAX_BYTES)
        try:
            unpacked.add(content)
            unpacked.content()
        except BadEncoding as error:
            problem = str(error)
        content = unpacked.so_far()
        problem = "larger than 50 MB" if unpacked.is_full else problem
    return content[:MAX_BYTES], "larger than 50 MB" if len(content) > MAX_BYTES else problem


def _from_xml(data: bytes, url: Url, most: int, problem: str) -> Sitemap:
    entries: list[SitemapEntry] = []
    children: list[tuple[Url, float | None]] = []
    dates: dict[bytes, float | None] = {}  # one generator writes one date for thousands of pages
    for number, (opening, block) in enumerate(xml.blocks(data, _BLOCK)):
        if number == most:
            problem = problem or f"more than {most:,} entries"
            break
        images = _IMAGE.findall(block) if b"image" in block else []
        fields = _fields(_IMAGE.sub(b"", block) if images else block)
        target = _address(fields.get(b"loc", b""), url)
        if target is None:
            continue
        stated = fields.get(b"lastmod", b"")[:100]
        if stated not in dates:
            dates[stated] = moment(xml.text_of(stated))
        if opening[1].lower() == b"url":
            addresses = tuple(xml.text_of(_fields(image).get(b"loc", b"")) for image in images)
            alternates = _alternates(block) if b"hreflang" in block else ()
            entries.append(SitemapEntry(target, dates[stated], addresses, alternates))
        else:
            children.append((target, dates[stated]))
    return Sitemap(tuple(entries), tuple(children), problem)


def _address(written: bytes, url: Url) -> Url | None:
    """Return the URL in a `loc`. It should be absolute, but many sites leave out the host."""
    text = xml.text_of(written)
    return canonical(text, url if text.startswith("/") else None) if text else None


def _fields(block: bytes) -> dict[bytes, bytes]:
    """Return the first value of each field in a block."""
    fields: dict[bytes, bytes] = {}
    for name, value in _FIELD.findall(block):
        fields.setdefault(name.lower(), value.strip())
    return fields


def _alternates(block: bytes) -> tuple[tuple[str, str], ...]:
    links = (xml.attributes(link.decode("utf-8", "replace")) for link in _LINK.findall(block))
    return tuple((link["hreflang"], link["href"]) for link in links if "hreflang" in link and "href" in link)


def _from_text(content: bytes, most: int, problem: str) -> Sitemap:
    entries: list[SitemapEntry] = []
    for number, line in enumerate(_LINE.finditer(content.removeprefix(b"\xef\xbb\xbf"))):
        if number == most:
            problem = problem or f"more than {most:,} lines"
            break
        url = canonical(line[0].decode("utf-8", "replace").strip())
        if url is not None:
            entries.append(SitemapEntry(url))
    return Sitemap(tuple(entries), problem=problem or ("" if entries else "it holds no URL"))


def _from_feed(content: bytes, url: Url, most: int, problem: str) -> Sitemap:
    feed = read_feed(content, url, most)
    entries = (SitemapEntry(one.url, one.updated or one.published) for one in feed.entries)
    return Sitemap(tuple(entries), problem=problem or feed.problem)
