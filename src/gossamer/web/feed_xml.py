"""Where do the entries of an RSS or Atom feed point, and what do they say of themselves?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gossamer.model import Url
from gossamer.web import xml
from gossamer.web.url import canonical

MAX_ELEMENTS = 200  # looked at in one entry; entries that hold more say it in the first ones
LONGEST_BLOCK = 1 << 20  # bytes of one entry

_ITEM = re.compile(rb"<((?:[^\s<>/:]++:)?(?:item|entry))(?=[\s/>])([^<>]*+)", re.IGNORECASE)
# The elements of other vocabularies that bear the same names (media:title, itunes:summary) say other things.
_PREFIXES = frozenset(
    (b"", b"atom", b"atom03", b"atom10", b"a10", b"rss", b"dc", b"dcterms", b"content", b"feedburner")
)
_KINDS = {
    b"title": "title",
    b"description": "summary",
    b"summary": "summary",
    b"encoded": "content",
    b"content": "content",
    b"pubdate": "published",
    b"published": "published",
    b"issued": "published",
    b"date": "published",
    b"created": "published",
    b"updated": "updated",
    b"modified": "updated",
    b"link": "link",
    b"guid": "guid",
    b"id": "id",
    b"origlink": "original",
    b"language": "language",
    b"lastbuilddate": "updated",
    b"subtitle": "summary",
    b"tagline": "summary",
    b"managingeditor": "author",
    b"creator": "author",
}
# What stands in these belongs to a picture, a person or another feed; but for names, it is passed over.
_FOREIGN = frozenset((b"image", b"textinput", b"source", b"author", b"contributor"))
_ELEMENT = re.compile(
    rb"<((?:([^\s<>/:]++):)?(" + b"|".join((*_KINDS, *_FOREIGN)) + rb"))(?=[\s/>])([^<>]*+)>", re.IGNORECASE
)
_MARKUP = re.compile(rb"<[^<>]*+>")
_NAME = re.compile(rb"<(?:[^\s<>/:]++:)?name[^<>]*+>([^<]*+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Item:
    """One entry: where it points, if anywhere, and its fields as text or HTML."""

    link: Url | None
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Element:
    kind: str  # a value of _KINDS
    attributes: dict[str, str]
    content: str


def read(data: bytes, url: Url) -> tuple[dict[str, str], Iterator[Item]]:
    """The fields of the feed itself, and its entries one by one, of a prepared document."""
    name, written = xml.root(data)
    prefixes = _PREFIXES | {name.rpartition(b":")[0].lower()}
    base = _base(url, xml.attributes(written))
    first = _ITEM.search(data)
    head = data[: first.start() if first else LONGEST_BLOCK]
    fields = _fields(list(_elements(head[:LONGEST_BLOCK], prefixes)))
    fields.setdefault("language", xml.attributes(written).get("xml:lang", ""))
    return fields, _items(data, base, prefixes)


def _items(data: bytes, base: Url, prefixes: frozenset[bytes]) -> Iterator[Item]:
    """What stands in each entry: until the next begins, for some are never closed."""
    starts = _ITEM.finditer(data)
    this = next(starts, None)
    while this is not None:
        following = next(starts, None)
        end = min(following.start() if following else len(data), this.end() + LONGEST_BLOCK)
        block = data[this.end() : end]
        closed = block.find(b"</" + this[1])
        elements = list(_elements(block[:closed] if closed >= 0 else block, prefixes))
        own = xml.attributes(this[2].decode("utf-8", "replace"))
        yield Item(_link(elements, own, _base(base, own)), _fields(elements))
        this = following


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
            # One that is never closed ends with the next tag; without any, the file was cut within it.
            content = block[at : end if end >= 0 else max(block.find(b"<", at), at)]
            at += len(content)
        name = match[3].lower()
        if name == b"author":
            named = _NAME.search(content)
            yield _Element(
                "author", {}, xml.text_of(_MARKUP.sub(b" ", named[1] if named else content)).strip()
            )
        elif name in _KINDS and (match[2] or b"").lower() in prefixes:
            written = xml.attributes(match[4].decode("utf-8", "replace"))
            yield _Element(_KINDS[name], written, xml.text_of(_MARKUP.sub(b" ", content)).strip())


def _fields(elements: list[_Element]) -> dict[str, str]:
    """The first of each kind that is not empty."""
    fields: dict[str, str] = {}
    for element in elements:
        if element.content:
            fields.setdefault(element.kind, element.content)
    return fields


def _link(elements: list[_Element], own: dict[str, str], base: Url) -> Url | None:
    """Where an entry points: the best of its addresses that can be crawled.

    Feedburner keeps the page's own address in `origLink`. Then count Atom's `link` with rel=alternate (HTML
    first), the text of RSS's `link`, a `guid` unless it is said to be no permalink, Atom's `id`, `rdf:about`.
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
    """What relative addresses are relative to, inside an element with these attributes."""
    stated = written.get("xml:base", "")
    return (canonical(stated, outer) if stated else None) or outer
