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
# The kernels know an element by its code and its traits; here is what each trait is given to. The
# lists that decide what is closed are those of WHATWG HTML, 13.2.4.2 "The stack of open elements" and
# 13.2.6.4.


_TRAITS = {
    # Neither they nor what is in them is read: metadata, code, embedded media and their replacements; and how
    # characters are pronounced (rt), which would stand in the middle of the words that they spell.
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
    # Seen, but not what the page is about.
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

# Their end tags end what is left open in them.
KEPT = "ruby rb"

# Elements that share a code, and so have the same traits; any other code is that of the element of its name.
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
    """The code of each known element."""
    shared = (_SHARING.get(name, name).split() for name in ELEMENT._fields)
    codes = {name: code for code, names in enumerate(shared) for name in names}
    others = dict.fromkeys(name for names in _TRAITS.values() for name in names.split() if name not in codes)
    return codes | {name: len(ELEMENT) + number for number, name in enumerate(others)}


def element_traits() -> dict[int, int]:
    """The traits of each code; an element with none that matters to its neighbours is inert."""
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
# They are made once a process, and once for each name under which authors speak to this crawler.

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
    """Make the table of a scanner that looks for these names of <meta>; k is reported as METAS + k + 1.

    Links of these schemes are taken down besides those of http and https.
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
    """The names that every document is read with, by kind."""
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
    """The one or two characters of a reference as one number."""
    return ord(characters[0]) | (ord(characters[1]) << 21 if len(characters) > 1 else 0)


def _with_names(fixed: NDArray[np.int64], names: Mapping[int, Mapping[str, int]]) -> NDArray[np.int64]:
    """Append a hash table for each kind of name, then all spellings, eight bytes a word."""
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


MOST_TEXT = 2_000_000  # characters of a document; what comes behind is not kept
LONGEST_WORD = 1_000  # characters; where none ends in so many, a text has no spaces


class ScannedText(NamedTuple):
    """One thing that the head says; kinds are those of `extract/html/head.py`."""

    kind: int
    value: str
    second: str = ""


@dataclass(frozen=True, slots=True)
class Scan:
    """A document, read once."""

    text: str  # the main content, a line for each block
    surroundings: str
    headings: tuple[str, ...]
    first_heading: str  # the first h1
    emphasised: str  # of the main text, a line for each run of words
    # Addresses as written but for references, fragments and spaces, each once a flag.
    hrefs: NDArray[np.uint8]
    words: NDArray[np.uint8]  # the anchors, of each address the first one that has any
    near: NDArray[np.uint8]  # the words near the link, likewise
    nofollow: NDArray[np.uint8]  # 1 for an address that no link endorses
    said: tuple[ScannedText, ...]

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses; in `hrefs` a line feed divides them."""
        return _lines(self.hrefs)

    @property
    def anchors(self) -> tuple[str, ...]:
        """The anchors, divided likewise in `words`."""
        return tuple(decoded(self.words).split("\n")) if len(self.nofollow) else ()  # one may be empty

    @property
    def nearby(self) -> tuple[str, ...]:
        """The words near the links, divided likewise in `near`."""
        return tuple(decoded(self.near).split("\n")) if len(self.nofollow) else ()


def scan_html(html: bytes, metas: tuple[str, ...], is_xml: bool = False) -> Scan:
    """Reads an HTML document in UTF-8; `metas` are the names of <meta> that are wanted.

    Where it `is_xml`, as XHTML may be, an element can be closed by `/>`, and CDATA sections are text.

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
    """Whitespace runs become one space; soft hyphens, which a reader does not see, go.

    >>> collapse(" Do\\u00adnau \\n schiff ")
    'Donau schiff'
    """
    return " ".join(text.replace("\u00ad", "").replace("\ufeff", "").split())


def shortened(text: str) -> str:
    """As much of a text as is kept of a document, if possible in whole words."""
    if len(text) <= MOST_TEXT:
        return text
    end = max(text.rfind(blank, MOST_TEXT - LONGEST_WORD, MOST_TEXT + 1) for blank in " \n")
    return text[: MOST_TEXT if end < 0 else end]


def decoded(array: NDArray[np.uint8]) -> str:
    """The text of an array of bytes in UTF-8."""
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
