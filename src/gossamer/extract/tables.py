"""Names that the HTML scanner knows, of elements, attributes, references and more, as tables for its kernels.

They are made once a process, and once for each name under which authors speak to this crawler.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
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
    """Make the table of a scanner that looks for these names of <meta>; k is reported as METAS + k + 1.

    Links of these schemes are taken down besides those of http and https.
    """
    names = {
        **_fixed_names(),
        reference.META: {name: number + 1 for number, name in enumerate(metas)},
        reference.SCHEME: dict.fromkeys(sorted(schemes.union(OWN)), 1),
    }
    fixed = np.zeros(reference.NAMES, np.int64)
    fixed[reference.KINDS : reference.KINDS + 256] = [_kind(byte) for byte in range(256)]
    for code, traits in element_traits().items():
        fixed[reference.TRAITS + code] = traits
    for number in range(32):
        meant = bytes([128 + number]).decode("cp1252", "ignore")
        fixed[reference.WINDOWS + number] = ord(meant) if meant else 128 + number
    table = _with_names(fixed, names)
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


@lru_cache(maxsize=1)
def _fixed_names() -> Mapping[int, Mapping[str, int]]:
    """The names that every document is read with, by kind."""
    return {
        reference.TAG: element_codes(),
        reference.ATTRIBUTE: _ATTRIBUTES,
        reference.ROLE: _ROLES,
        reference.REL: _RELS,
        reference.TYPE: _TYPES,
        reference.STYLE: _STYLES,
        reference.HINT: hint_words(),
        reference.PARAMETER: dict.fromkeys(DROPPED_PARAMETERS | AMBIGUOUS_PARAMETERS, 1),
        reference.PREFIX: dict.fromkeys(TRACKING_PREFIXES, 1),
        reference.REFERENCE: {name: _packed(characters) for name, characters in html5.items()},
    }


def _packed(characters: str) -> int:
    """The one or two characters of a reference as one number."""
    return ord(characters[0]) | (ord(characters[1]) << 21 if len(characters) > 1 else 0)


def _with_names(fixed: NDArray[np.int64], names: Mapping[int, Mapping[str, int]]) -> NDArray[np.int64]:
    """Append a hash table for each kind of name, then all spellings, eight bytes a word."""
    slots = {kind: 2 << len(of_kind).bit_length() for kind, of_kind in names.items()}
    first = len(fixed)
    table = np.zeros(first + reference.SLOT_WIDTH * sum(slots.values()), np.int64)
    table[:first] = fixed
    spellings: list[bytes] = []
    word = len(table)
    for kind, of_kind in names.items():
        table[reference.DIRECTORY + 2 * kind] = first
        table[reference.DIRECTORY + 2 * kind + 1] = slots[kind] - 1
        for name, value in of_kind.items():
            written = name.encode()
            packed = int.from_bytes(written[-reference.PACKED :], "big")
            slot = (packed + len(written)) * int(reference.SPREAD) % 2**64 >> int(reference.UPPER)
            while table[at := first + reference.SLOT_WIDTH * (slot % slots[kind]) + 1]:
                slot += 1
            table[at - 1 : at + 3] = packed - (packed >> 63 << 64), len(written), value, word
            spellings.append(written + bytes(-len(written) % 8))
            word += len(spellings[-1]) // 8
        first += reference.SLOT_WIDTH * slots[kind]
    return np.concatenate((table, np.frombuffer(b"".join(spellings), "<i8")))
