"""The table from which the kernels of the scanner learn names: of elements, attributes and references.

It is made once a process, and once for each name under which authors speak to this crawler.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from html.entities import html5

import numpy as np
from numpy.typing import NDArray

from gossamer.extract import element_kernel as element
from gossamer.extract import head_kernel as head
from gossamer.extract import reference_kernel as reference
from gossamer.extract import tag_kernel as tag
from gossamer.extract import target_kernel as target
from gossamer.extract import writing_kernel as writing
from gossamer.extract.elements import CHROME_ROLES, element_codes, element_traits
from gossamer.extract.hints import hint_words
from gossamer.web.schemes import OWN
from gossamer.web.url import AMBIGUOUS_PARAMETERS, DROPPED_PARAMETERS, TRACKING_PREFIXES

_ATTRIBUTES = {
    "href": tag.HREF,
    "src": tag.SRC,
    "rel": tag.REL_OF,
    "alt": tag.ALT,
    "title": tag.TITLE_TEXT,
    "name": tag.NAME,
    "property": tag.PROPERTY,
    "itemprop": tag.ITEMPROP,
    "http-equiv": tag.HTTP_EQUIV,
    "content": tag.CONTENT,
    "lang": tag.LANG,
    "xml:lang": tag.XML_LANG,
    "hreflang": tag.HREFLANG,
    "type": tag.TYPE_OF,
    "datetime": tag.DATETIME,
    "role": tag.ROLE_OF,
    "hidden": tag.HIDDEN_IS,
    "style": tag.STYLE_OF,
    "id": tag.ID,
    "class": tag.CLASS_OF,
}
_RELS = {
    "nofollow": head.NO_ENDORSEMENT,
    "ugc": head.NO_ENDORSEMENT,
    "sponsored": head.NO_ENDORSEMENT,
    "canonical": head.CANONICAL,
    "alternate": head.ALTERNATE,
}
_TYPES = {
    "application/rss+xml": head.FEED_TYPE,
    "application/atom+xml": head.FEED_TYPE,
    "application/feed+json": head.FEED_TYPE,
    "application/ld+json": head.LINKED_DATA,
}
_STYLES = {
    "font-size": tag.FONT_SIZE,
    "display:none": tag.HIDES,
    "display:none!important": tag.HIDES,
    "visibility:hidden": tag.HIDES,
    "visibility:hidden!important": tag.HIDES,
}
_ROLES = {"main": element.ROLE_MAIN, "article": element.ROLE_ARTICLE} | dict.fromkeys(
    CHROME_ROLES.split(), element.ROLE_CHROME
)


@lru_cache(maxsize=8)
def scanner_table(metas: tuple[str, ...], schemes: frozenset[str] = frozenset()) -> NDArray[np.int64]:
    """The table of a scanner that looks for these names of <meta>; number k is reported as METAS + k + 1.

    Links of these schemes are taken down besides those of http and https.
    """
    table = _fixed_table().copy()
    _insert(table, _hashed_metas(metas))
    _insert(table, ((hashed(reference.SCHEME, scheme), 1) for scheme in sorted(schemes.union(OWN))))
    table.setflags(write=False)
    return table


@lru_cache(maxsize=1)
def address_table() -> NDArray[np.uint8]:
    """What each byte may do in a plain address; the classes of `web.url`."""
    table = np.zeros(256, np.uint8)
    word = string.ascii_letters + string.digits + "_"
    for meaning, characters in (
        (target.BEGINS, word + "~@!$&'()*+,=-"),
        (target.GOES_ON, word + ".~@!$&'()*+,=-"),
        (target.IN_QUERY, word + ".~@!$&()*+,=/:-"),
        (target.IN_HOST, string.ascii_lowercase + string.digits + "_-"),
    ):
        table[list(characters.encode())] |= meaning
    table.setflags(write=False)
    return table


def hashed(kind: int, name: str) -> int:
    """The hash under which the kernels know a name, as a signed 64-bit integer.

    >>> hashed(1, "a") == 1 * 1_099_511_628_211 + ord("a")
    True
    """
    number = int(kind)
    for byte in name.encode():
        number = number * int(reference.PRIME) + byte
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


@lru_cache(maxsize=1)
def _fixed_table() -> NDArray[np.int64]:
    table = np.zeros(reference.TABLE_SIZE, np.int64)
    table[reference.KINDS : reference.KINDS + 256] = [_kind(byte) for byte in range(256)]
    for code, traits in element_traits().items():
        table[reference.TRAITS + code] = traits
    for number in range(32):
        meant = bytes([128 + number]).decode("cp1252", "ignore")
        table[reference.WINDOWS + number] = ord(meant) if meant else 128 + number
    _insert(table, _hashed_names())
    _insert(table, _hashed_references())
    return table


def _kind(byte: int) -> int:
    if byte in b" \t\n\v\f\r":
        return writing.SPACE
    if byte < 0x20 or byte == 0x7F:
        return writing.CONTROL
    if 0x80 <= byte < 0xC0:
        return writing.CONTINUES
    special = {ord("<"): writing.LESS, ord("&"): writing.AMPERSAND}
    leads = (0xC2, 0xE1, 0xE2, 0xE3, 0xEF)
    return special.get(byte, writing.LEADS if byte in leads else writing.STARTS)


def _hashed_names() -> Iterator[tuple[int, int]]:
    kinds: dict[int, Mapping[str, int]] = {
        reference.TAG: element_codes(),
        reference.ATTRIBUTE: _ATTRIBUTES,
        reference.ROLE: _ROLES,
        reference.REL: _RELS,
        reference.TYPE: _TYPES,
        reference.STYLE: _STYLES,
        reference.HINT: hint_words(),
        reference.PARAMETER: dict.fromkeys(DROPPED_PARAMETERS | AMBIGUOUS_PARAMETERS, 1),
        reference.PREFIX: dict.fromkeys(TRACKING_PREFIXES, 1),
    }
    for kind, names in kinds.items():
        for name, value in names.items():
            yield hashed(kind, name), value


def _hashed_metas(metas: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    for number, name in enumerate(metas):
        yield hashed(reference.META, name), number + 1


def _hashed_references() -> Iterator[tuple[int, int]]:
    for name, characters in html5.items():
        codes = [ord(character) for character in characters]
        yield hashed(reference.REFERENCE, name), codes[0] | (codes[1] << 21 if len(codes) > 1 else 0)


def _insert(table: NDArray[np.int64], pairs: Iterable[tuple[int, int]]) -> None:
    for name, value in pairs:
        slot = (name ^ (name >> 32)) & (reference.SLOTS - 1)
        while table[reference.NAMES + 2 * slot]:
            slot = (slot + 1) & (reference.SLOTS - 1)
        table[reference.NAMES + 2 * slot] = name
        table[reference.NAMES + 2 * slot + 1] = value
