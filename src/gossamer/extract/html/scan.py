"""Run the scanner; tables of element, attribute and entity names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html import head, tags
from gossamer.extract.html import scanner as element
from gossamer.extract.html import text_writer as writing
from gossamer.extract.html.main_text import hint_words
from gossamer.extract.html.open_elements import ELEMENT, TRAIT
from gossamer.extract.html.tags import ATTRIBUTE, TABLE
from gossamer.web.url import AMBIGUOUS_PARAMETERS, DROPPED_PARAMETERS, OWN, TRACKING_PREFIXES, other_schemes

# Traits of HTML elements
# -----------------------
#
# The kernels represent an element by its code and its traits. The lists for implied end tags follow
# WHATWG HTML, 13.2.4.2 "The stack of open elements" and 13.2.6.4.


_TRAITS = {
    # Elements whose content is not read: metadata, code, embedded media and their fallbacks, and
    # pronunciations (rt), which would interrupt words.
    TRAIT.unseen: """
        title script style noscript template svg iframe frame noframes noembed object video audio canvas map
        datalist rp rt rtc
    """,
    TRAIT.block: """
        address article aside blockquote body br caption center col dd details dialog dir div dl dt fieldset
        figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main
        menu nav ol optgroup option p plaintext pre search section select summary table tbody td textarea
        tfoot th thead tr ul xmp
    """,
    # Visible, but not the topic of the page.
    TRAIT.chrome: "nav aside footer search menu dialog button select textarea",
    TRAIT.void: """
        area base basefont bgsound br col embed frame hr image img input keygen link meta param source track
        wbr
    """,
    TRAIT.special: """
        address applet article aside blockquote body button caption center colgroup dd details dir div dl dt
        fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html iframe li
        listing main marquee menu nav noembed noframes noscript object ol p plaintext pre script search
        section select style summary table tbody td template textarea tfoot th thead title tr ul xmp
    """,
    TRAIT.scope: "applet caption html table td th marquee object template noscript",
    TRAIT.button_scope: "applet button caption html table td th marquee object template noscript",
    TRAIT.closes_p: """
        address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer
        header hgroup main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form li dd dt
        plaintext table hr xmp
    """,
    TRAIT.raw: "script style xmp iframe noembed noframes plaintext",
    TRAIT.rcdata: "title textarea",
    TRAIT.heading: "h1 h2 h3 h4 h5 h6",
    TRAIT.breakout: """
        b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing
        menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var
    """,
    TRAIT.marker: "applet caption marquee object td template th",
    TRAIT.list: "ol ul",
    TRAIT.table_scope: "html table template",
    TRAIT.emphatic: "b big dfn em i mark strong",
}
CHROME_ROLES = """
    navigation banner contentinfo complementary search menu menubar toolbar dialog alertdialog button
"""

# Elements that are kept on the stack, so that their end tags close the elements in them.
KEPT = "ruby rb"

# Elements that share a code, and so their traits. Every other code belongs to the element of its name.
_SHARING = {
    "other": "",
    "dd": "dd dt",
    "tbody": "tbody thead tfoot",
    "td": "td th",
    "h4": "h4 h5 h6",
    "rt": "rt rtc",
    "svg_point": "desc foreignobject",
    "math_point": "mi mo mn ms mtext annotation-xml",
}


@lru_cache(maxsize=1)
def element_codes() -> Mapping[str, int]:
    """Return the code of each known element."""
    shared = (_SHARING.get(name, name).split() for name in ELEMENT._fields)
    codes = {name: code for code, names in enumerate(shared) for name in names}
    others = dict.fromkeys(name for names in _TRAITS.values() for name in names.split() if name not in codes)
    return codes | {name: len(ELEMENT) + number for number, name in enumerate(others)}


def element_traits() -> dict[int, int]:
    """Return the traits of each code. An element whose traits do not affect its neighbours is inert."""
    traits = dict.fromkeys((ELEMENT.other, *element_codes().values()), 0)
    for trait, names in _TRAITS.items():
        for name in names.split():
            traits[element_codes()[name]] |= trait
    telling = ~(TRAIT.breakout | TRAIT.closes_p | TRAIT.emphatic)
    kept = {ELEMENT.head, *(element_codes()[name] for name in KEPT.split())}
    return {
        code: found if found & telling or code in kept else found | TRAIT.inert
        for code, found in traits.items()
    }


# Hash table of names for the scanner
# -----------------------------------
#
# Each process makes one table for each crawler name that may occur in <meta>.

_SPELLINGS = {"http_equiv": "http-equiv", "xml_lang": "xml:lang", "class_": "class"}
_ATTRIBUTES = {_SPELLINGS.get(name, name): code for name, code in ATTRIBUTE._asdict().items()}
_RELS = dict.fromkeys(("nofollow", "ugc", "sponsored"), head.NO_ENDORSEMENT) | {
    "canonical": head.CANONICAL,
    "alternate": head.ALTERNATE,
}
_TYPES = {f"application/{name}": head.FEED_TYPE for name in ("rss+xml", "atom+xml", "feed+json")} | {
    "application/ld+json": head.LINKED_DATA
}
_HIDING = ("display:none", "visibility:hidden")
_STYLES = {"font-size": tags.FONT_SIZE} | {
    written: tags.HIDES for one in _HIDING for written in (one, f"{one}!important")
}
_ROLES = {"main": element.ROLE_MAIN, "article": element.ROLE_ARTICLE} | dict.fromkeys(
    CHROME_ROLES.split(), element.ROLE_CHROME
)


@lru_cache(maxsize=8)
def scanner_table(metas: tuple[str, ...], schemes: frozenset[str] = frozenset()) -> NDArray[np.int64]:
    """Make the table of a scanner that reads <meta> elements with these names.

    The name with index k is reported as kind METAS + k + 1. Links with these `schemes` are kept besides http
    and https.
    """
    names = {
        **_fixed_names(),
        TABLE.meta: {name: number + 1 for number, name in enumerate(metas)},
        TABLE.scheme: dict.fromkeys(sorted(schemes.union(OWN)), 1),
    }
    fixed = np.zeros(tags.NAMES, np.int64)
    fixed[tags.KINDS : tags.KINDS + 256] = [_kind(byte) for byte in range(256)]
    for code, traits in element_traits().items():
        fixed[tags.TRAITS + code] = traits
    for number in range(32):
        meant = bytes([128 + number]).decode("cp1252", "ignore")
        fixed[tags.WINDOWS + number] = ord(meant) if meant else 128 + number
    table = _with_names(fixed, names)
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
    """Return the names that are the same for all scanners, by kind."""
    return {
        TABLE.tag: element_codes(),
        TABLE.attribute: _ATTRIBUTES,
        TABLE.role: _ROLES,
        TABLE.rel: _RELS,
        TABLE.type: _TYPES,
        TABLE.style: _STYLES,
        TABLE.hint: hint_words(),
        TABLE.parameter: dict.fromkeys(DROPPED_PARAMETERS | AMBIGUOUS_PARAMETERS, 1),
        TABLE.prefix: dict.fromkeys(TRACKING_PREFIXES, 1),
        TABLE.reference: {name: _packed(characters) for name, characters in html5.items()},
    }


def _packed(characters: str) -> int:
    """Pack the one or two characters of a character reference into one number."""
    return ord(characters[0]) | (ord(characters[1]) << 21 if len(characters) > 1 else 0)


def _with_names(fixed: NDArray[np.int64], names: Mapping[int, Mapping[str, int]]) -> NDArray[np.int64]:
    """Append a hash table for each kind of name, then the spellings of all names, eight bytes per word."""
    slots = {kind: 2 << len(of_kind).bit_length() for kind, of_kind in names.items()}
    first = len(fixed)
    table = np.zeros(first + tags.SLOT_WIDTH * sum(slots.values()), np.int64)
    table[:first] = fixed
    spellings: list[bytes] = []
    word = len(table)
    for kind, of_kind in names.items():
        table[tags.DIRECTORY + 2 * kind] = first
        table[tags.DIRECTORY + 2 * kind + 1] = slots[kind] - 1
        for name, value in of_kind.items():
            written = name.encode()
            packed = int.from_bytes(written[-tags.PACKED :], "big")
            slot = (packed + len(written)) * int(tags.SPREAD) % 2**64 >> int(tags.UPPER)
            while table[at := first + tags.SLOT_WIDTH * (slot % slots[kind]) + 1]:
                slot += 1
            table[at - 1 : at + 3] = packed - (packed >> 63 << 64), len(written), value, word
            spellings.append(written + bytes(-len(written) % 8))
            word += len(spellings[-1]) // 8
        first += tags.SLOT_WIDTH * slots[kind]
    return np.concatenate((table, np.frombuffer(b"".join(spellings), "<i8")))


MOST_TEXT = 2_000_000  # characters of a document that are kept
LONGEST_WORD = 1_000  # characters; without a space in so many, a text is cut anywhere


class ScannedText(NamedTuple):
    """A value from the head; its kind is one of `extract/html/head.py`."""

    kind: int
    value: str
    second: str = ""


@dataclass(frozen=True, slots=True)
class Scan:
    """Content of an HTML document."""

    text: str  # the main content, one line for each block
    surroundings: str
    headings: tuple[str, ...]
    first_heading: str  # the first h1
    emphasised: str  # in the main text, one line for each run of words
    # Addresses in order, separated by line feeds, with character references resolved, without fragments and
    # surrounding spaces. An address appears twice if only some of its links are nofollow.
    hrefs: NDArray[np.uint8]
    words: NDArray[np.uint8]  # for each address the first anchor that is not empty, separated by line feeds
    near: NDArray[np.uint8]  # for each address the words near its first link that has any, likewise
    nofollow: NDArray[np.uint8]  # 1 for an address whose links are nofollow
    said: tuple[ScannedText, ...]

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses as strings."""
        return _lines(self.hrefs)

    @property
    def anchors(self) -> tuple[str, ...]:
        """The anchor of each address."""
        return tuple(decoded(self.words).split("\n")) if len(self.nofollow) else ()  # all may be empty


def scan_html(html: bytes, metas: tuple[str, ...], is_xml: bool = False) -> Scan:
    """Read an HTML document in UTF-8; `metas` are the names of <meta> elements to read.

    If it `is_xml`, as XHTML may be, `/>` closes an element, and CDATA sections are text.

    >>> found = scan_html(b"<h1>Cats</h1><p>See <a href=/dogs#top>dogs</a>", ())
    >>> found.text, found.addresses, found.anchors
    ('Cats\\nSee dogs', ('/dogs',), ('dogs',))
    """
    source, table = np.frombuffer(html, np.uint8), scanner_table(metas, other_schemes())
    found = element.Scanned(*element.scan(source, table, is_xml, np.zeros(1, writing.STATE)))
    titles = _lines(found.headings)
    return Scan(
        text=shortened(decoded(found.text)),
        surroundings=shortened(decoded(found.surroundings)),
        headings=tuple(dict.fromkeys(titles)),
        first_heading=titles[found.first_heading] if found.first_heading >= 0 else "",
        emphasised=shortened(decoded(found.emphasised)),
        hrefs=found.addresses,
        words=found.anchors,
        near=found.nearby,
        nofollow=found.nofollow,
        said=_said(found.values.tobytes(), found.heads.tolist(), html),
    )


def collapse(text: str) -> str:
    """Replace each run of whitespace by one space, and remove soft hyphens and byte order marks.

    >>> collapse(" Do\\u00adnau \\n schiff ")
    'Donau schiff'
    """
    return " ".join(text.replace("\u00ad", "").replace("\ufeff", "").split())


def shortened(text: str) -> str:
    """Cut a text at the limit for documents, if possible between words."""
    if len(text) <= MOST_TEXT:
        return text
    end = max(text.rfind(blank, MOST_TEXT - LONGEST_WORD, MOST_TEXT + 1) for blank in " \n")
    return text[: MOST_TEXT if end < 0 else end]


def decoded(array: NDArray[np.uint8]) -> str:
    """Decode an array of UTF-8 bytes."""
    return str(array.data, "utf-8", "replace") if len(array) else ""


def _lines(array: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(decoded(array).split("\n")) if len(array) else ()


def _said(values: bytes, heads: list[list[int]], html: bytes) -> tuple[ScannedText, ...]:
    return tuple(
        ScannedText(
            kind,
            (html if kind == head.HEAD.script else values)[start:end].decode("utf-8", "replace"),
            values[second:last].decode("utf-8", "replace") if last > second else "",
        )
        for kind, start, end, second, last in heads
    )
