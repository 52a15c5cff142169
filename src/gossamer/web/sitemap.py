"""Read sitemaps and sitemap indexes.

Read are `urlset` and `sitemapindex` with the extensions for images and languages, plain text with one address
a line, RSS, Atom and JSON feeds; each also compressed. Passed over are `priority` and `changefreq`: visits
tell better. How broken files are read, and hostile ones, says `gossamer.web.xml`; here tags are known by
their local name, whatever their prefix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gossamer.model import Url
from gossamer.web import xml
from gossamer.web.content_coding import BadEncoding, Body
from gossamer.web.dates import moment
from gossamer.web.feed import is_feed, read_feed
from gossamer.web.url import canonical

MAX_BYTES = 50 * 1024 * 1024  # of one sitemap, not compressed, as the protocol says
MAX_ENTRIES = 50_000  # likewise
LONGEST_BLOCK = 1 << 20  # bytes for one page: enough for the thousand images that the extension allows
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
    """A page that a sitemap names."""

    url: Url
    lastmod: float | None = None  # seconds since 1970
    images: tuple[str, ...] = ()  # addresses as written
    alternates: tuple[tuple[str, str], ...] = ()  # language and address as written of its translations


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What could be read of a sitemap; `problem` says why it is not all of it, "" when it is."""

    entries: tuple[SitemapEntry, ...] = ()
    children: tuple[tuple[Url, float | None], ...] = ()  # sitemaps that an index names, and their lastmod
    problem: str = ""


def speaks_for(sitemap: Url, named_by: str | None, url: Url) -> bool:
    """Whether a sitemap may name this URL: one on its own host, or on the one that vouches for it.

    `named_by` is the authority (host, and port where it is not the usual one) whose robots.txt named the
    sitemap, None when none did. The protocol would also have it lie below the sitemap's folder and have its
    scheme; few sites keep to that, and a page that names itself on its own host does no harm.
    """
    return url.authority in {sitemap.authority, named_by}


def read_sitemap(body: bytes, url: Url, most: int = MAX_ENTRIES) -> Sitemap:
    """The entries of a sitemap that was found at `url`; whatever stands before a damage counts."""
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
    """What the body stands for, and what is wrong with it; servers compress what is compressed already."""
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
    for number, (is_page, block) in enumerate(_blocks(data)):
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
        if is_page:
            entries.append(_entry(target, dates[stated], images, block))
        else:
            children.append((target, dates[stated]))
    return Sitemap(tuple(entries), tuple(children), problem)


def _blocks(data: bytes) -> Iterator[tuple[bool, bytes]]:
    """What stands in each `url` (True) or `sitemap`: until the next begins, for some are never closed."""
    start, is_page = -1, False
    for match in _BLOCK.finditer(data):
        if start >= 0:
            yield is_page, data[start : min(match.start(), start + LONGEST_BLOCK)]
        start, is_page = match.end(), match[1].lower() == b"url"
    if start >= 0:
        yield is_page, data[start : start + LONGEST_BLOCK]


def _address(written: bytes, url: Url) -> Url | None:
    """Addresses are whole by the protocol, but many leave out the host; anything else is no address."""
    text = xml.text_of(written)
    return canonical(text, url if text.startswith("/") else None) if text else None


def _fields(block: bytes) -> dict[bytes, bytes]:
    """The first value of each field."""
    fields: dict[bytes, bytes] = {}
    for name, value in _FIELD.findall(block):
        fields.setdefault(name.lower(), value.strip())
    return fields


def _entry(url: Url, lastmod: float | None, images: list[bytes], block: bytes) -> SitemapEntry:
    return SitemapEntry(
        url,
        lastmod,
        tuple(xml.text_of(_fields(image).get(b"loc", b"")) for image in images) if images else (),
        _alternates(block) if b"hreflang" in block else (),
    )


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
    return Sitemap(tuple(entries), problem=problem or ("" if entries else "no address stands in it"))


def _from_feed(content: bytes, url: Url, most: int, problem: str) -> Sitemap:
    feed = read_feed(content, url, most)
    entries = (SitemapEntry(one.url, one.updated or one.published) for one in feed.entries)
    return Sitemap(tuple(entries), problem=problem or feed.problem)
