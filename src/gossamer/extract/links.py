"""Where does an HTML document point, and in which words?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from gossamer.extract.walk import text_of
from gossamer.model import Link, Url
from gossamer.web.url import canonical

MOST_LINKS = 5_000  # a page; what has more is a trap or a dump
LONGEST_ANCHOR = 500  # characters

_POINTERS = "a[href],area[href],frame[src],iframe[src]"
_NO_ENDORSEMENT = frozenset({"nofollow", "ugc", "sponsored"})
_NOT_WEB = ("#", "javascript:", "mailto:", "tel:", "data:", "about:", "blob:")


class _Pointer(NamedTuple):
    address: str
    node: LexborNode
    nofollow: bool


def read_links(tree: LexborHTMLParser, url: Url, base: Url, nofollow: bool) -> tuple[Link, ...]:
    """Each target once, in document order, with its first anchor that has words.

    A target is nofollow when every link to it is, or when the whole page says so. Links of the page to itself
    are left out.
    """
    links: dict[int, Link] = {}  # by fingerprint
    resolved: dict[str, Url | None] = {}
    for pointer in _pointers(tree):
        address = pointer.address
        if address not in resolved:
            resolved[address] = canonical(address, base)
        target = resolved[address]
        if target is None or target.fingerprint == url.fingerprint:
            continue
        known = links.get(target.fingerprint)
        if known is not None:
            links[target.fingerprint] = _merged(known, pointer, nofollow)
        elif len(links) < MOST_LINKS:
            links[target.fingerprint] = Link(target, _anchor(pointer.node), nofollow or pointer.nofollow)
    return tuple(links.values())


def _pointers(tree: LexborHTMLParser) -> Iterator[_Pointer]:
    for node in tree.css(_POINTERS):
        attributes = node.attributes
        framed = node.tag in {"frame", "iframe"}
        address = (attributes.get("src" if framed else "href") or "").strip()
        if not address or address[:11].lower().startswith(_NOT_WEB) or (framed and _is_unscripted(node)):
            continue
        rel = attributes.get("rel") or ""
        yield _Pointer(address, node, bool(rel) and not _NO_ENDORSEMENT.isdisjoint(rel.lower().split()))


def _is_unscripted(frame: LexborNode) -> bool:
    """Frames in <noscript> count visitors; readers never see them."""
    parent = frame.parent
    return parent is not None and parent.tag == "noscript"


def _anchor(node: LexborNode) -> str:
    if node.tag == "a":
        return text_of(node)[:LONGEST_ANCHOR].rstrip()
    attributes = node.attributes
    return " ".join((attributes.get("alt") or attributes.get("title") or "").split())[:LONGEST_ANCHOR]


def _merged(link: Link, pointer: _Pointer, nofollow: bool) -> Link:
    followed = link.nofollow and not nofollow and not pointer.nofollow
    if link.anchor and not followed:
        return link
    return Link(link.target, link.anchor or _anchor(pointer.node), link.nofollow and not followed)
