"""Run the scanner; tables of element, attribute and entity names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html import head
from gossamer.extract.html import open_elements as tree
from gossamer.extract.html import scanner as element
from gossamer.extract.html import tags as reference
from gossamer.extract.html import tags as tag
from gossamer.extract.html import text_writer as writing
from gossamer.extract.html.head import SCRIPT_IS
from gossamer.extract.html.main_text import hint_words
from gossamer.extract.html.scanner import scan
from gossamer.web.url import AMBIGUOUS_PARAMETERS, DROPPED_PARAMETERS, OWN, TRACKING_PREFIXES, other_schemes

# Traits of HTML elements
# -----------------------
#
# The kernels know an element by its code and its traits; here is what each trait is given to. The
# lists that decide what is closed are those of WHATWG HTML, 13.2.4.2 "The stack of open elements" and
# 13.2.6.4.


# Neither they nor what is in them is read: metadata, code, embedded media and their replacements; and how
# characters are pronounced (rt), which would stand in the middle of the words that they spell.
UNSEEN = """
    title script style noscript template svg iframe frame noframes noembed object video audio canvas map
    datalist rp rt rtc
"""

# They begin and end a line.
BLOCKS = """
    address article aside blockquote body br caption center col dd details dialog dir div dl dt fieldset
    figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu
    nav ol optgroup option p plaintext pre search section select summary table tbody td textarea tfoot th
    thead tr ul xmp
"""

# Navigation, side matter and controls: seen, but not what the page is about.
CHROME = "nav aside footer search menu dialog button select textarea"
CHROME_ROLES = """
    navigation banner contentinfo complementary search menu menubar toolbar dialog alertdialog button
"""
VOID = """
    area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr
"""
SPECIAL = """
    address applet article aside blockquote body button caption center colgroup dd details dir div dl dt
    fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html iframe li
    listing main marquee menu nav noembed noframes noscript object ol p plaintext pre script search section
    select style summary table tbody td template textarea tfoot th thead title tr ul xmp
"""
SCOPE = "applet caption html table td th marquee object template noscript"
CLOSES_P = """
    address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header
    hgroup main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form li dd dt plaintext
    table hr xmp
"""
BREAKOUT = """
    b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu
    meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var
"""

# They stress the words in them.
EMPHATIC = "b big dfn em i mark strong"

# Their end tags end what is left open in them.
KEPT = "ruby rb"
_TRAITS = {
    tree.UNSEEN: UNSEEN,
    tree.BLOCK: BLOCKS,
    tree.CHROME: CHROME,
    tree.VOID: VOID,
    tree.SPECIAL: SPECIAL,
    tree.SCOPE: SCOPE,
    tree.CLOSES_P: CLOSES_P,
    tree.RAW: "script style xmp iframe noembed noframes plaintext",
    tree.RCDATA: "title textarea",
    tree.IS_HEADING: "h1 h2 h3 h4 h5 h6",
    tree.BREAKOUT: BREAKOUT,
    tree.MARKER: "applet caption marquee object td template th",
    tree.LIST: "ol ul",
    tree.TABLE_SCOPE: "html table template",
    tree.EMPHATIC: EMPHATIC,
}

# Elements of which a rule of the kernels speaks. Those that share a code have the same traits.
_CODES = {
    tree.A: "a",
    tree.AREA: "area",
    tree.FRAME: "frame",
    tree.IFRAME: "iframe",
    tree.IMG: "img",
    tree.BASE: "base",
    tree.META_TAG: "meta",
    tree.LINK_TAG: "link",
    tree.TIME: "time",
    tree.HTML: "html",
    tree.HEAD: "head",
    tree.BODY: "body",
    tree.TITLE: "title",
    tree.SCRIPT: "script",
    tree.PLAINTEXT: "plaintext",
    tree.P: "p",
    tree.LI: "li",
    tree.DD: "dd dt",
    tree.TABLE: "table",
    tree.TBODY: "tbody thead tfoot",
    tree.TR: "tr",
    tree.TD: "td th",
    tree.CAPTION: "caption",
    tree.OPTION: "option",
    tree.OPTGROUP: "optgroup",
    tree.SELECT: "select",
    tree.BUTTON: "button",
    tree.FORM: "form",
    tree.BR: "br",
    tree.SVG: "svg",
    tree.MATH: "math",
    tree.H1: "h1",
    tree.H2: "h2",
    tree.H3: "h3",
    tree.H4: "h4 h5 h6",
    tree.MAIN: "main",
    tree.ARTICLE: "article",
    tree.HEADER: "header",
    tree.NOSCRIPT: "noscript",
    tree.TEMPLATE: "template",
    tree.RUBY_BASE: "rb",
    tree.RUBY_TEXT: "rt rtc",
    tree.RP: "rp",
    tree.SVG_POINT: "desc foreignobject",
    tree.MATH_POINT: "mi mo mn ms mtext annotation-xml",
    tree.DIV: "div",
    tree.ADDRESS: "address",
    tree.COLGROUP: "colgroup",
    tree.COL: "col",
    tree.FIGURE: "figure",
    tree.FIGCAPTION: "figcaption",
    tree.QUOTE: "blockquote",
}


def element_codes() -> dict[str, int]:
    """The code of each known element."""
    codes = {name: code for code, names in _CODES.items() for name in names.split()}
    others = dict.fromkeys(name for names in _TRAITS.values() for name in names.split() if name not in codes)
    return codes | {name: tree.NAMED + number for number, name in enumerate(others)}


def element_traits() -> dict[int, int]:
    """The traits of each code; an element with none that matters to its neighbours is inert."""
    traits = dict.fromkeys((tree.OTHER, *element_codes().values()), 0)
    for name, code in element_codes().items():
        for trait, names in _TRAITS.items():
            if name in names.split():
                traits[code] |= trait
    telling = ~(tree.BREAKOUT | tree.CLOSES_P | tree.EMPHATIC)
    kept = {tree.HEAD, *(element_codes()[name] for name in KEPT.split())}
    return {
        code: found if found & telling or code in kept else found | tree.INERT
        for code, found in traits.items()
    }


# Hash table of names for the scanner
# -----------------------------------
#
# They are made once a process, and once for each name under which authors speak to this crawler.

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


MOST_TEXT = 2_000_000  # characters of a document; what comes behind is not kept
LONGEST_WORD = 1_000  # characters; where none ends in so many, a text has no spaces
_SCRIPT = int(SCRIPT_IS)  # NumPy's integers take their time to compare


class Said(NamedTuple):
    """One thing that the head says; kinds are those of `head_kernel`."""

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
    hrefs: NDArray[
        np.uint8
    ]  # addresses as written but for references, fragments and spaces, each once a flag
    words: NDArray[np.uint8]  # the anchors, of each address the first one that has any
    near: NDArray[np.uint8]  # the words near the link, likewise
    nofollow: NDArray[np.uint8]  # 1 for an address that no link endorses
    said: tuple[Said, ...]

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses; in `hrefs` a line feed divides them."""
        return _lines(self.hrefs)

    @property
    def anchors(self) -> tuple[str, ...]:
        """The anchors, divided likewise in `words`."""
        return tuple(_decoded(self.words).split("\n")) if len(self.nofollow) else ()  # one may be empty

    @property
    def nearby(self) -> tuple[str, ...]:
        """The words near the links, divided likewise in `near`."""
        return tuple(_decoded(self.near).split("\n")) if len(self.nofollow) else ()


def scan_html(html: bytes, metas: tuple[str, ...], is_xml: bool = False) -> Scan:
    """Reads an HTML document in UTF-8; `metas` are the names of <meta> that are wanted.

    Where it `is_xml`, as XHTML may be, an element can be closed by `/>`, and CDATA sections are text.

    >>> found = scan_html(b"<h1>Cats</h1><p>See <a href=/dogs#top>dogs</a>", ())
    >>> found.text, found.addresses, found.anchors
    ('Cats\\nSee dogs', ('/dogs',), ('dogs',))
    """
    source = np.frombuffer(html, np.uint8)
    text, around, headings, first, stressed, addresses, anchors, near, nofollow, values, heads = scan(
        source, scanner_table(metas, other_schemes()), is_xml
    )
    titles = _lines(headings)
    return Scan(
        text=shortened(_decoded(text)),
        surroundings=shortened(_decoded(around)),
        headings=tuple(dict.fromkeys(titles)),
        first_heading=titles[first] if first >= 0 else "",
        emphasised=shortened(_decoded(stressed)),
        hrefs=addresses,
        words=anchors,
        near=near,
        nofollow=nofollow,
        said=_said(values.tobytes(), heads.tolist(), html),
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


def _decoded(array: NDArray[np.uint8]) -> str:
    return str(array.data, "utf-8", "replace") if len(array) else ""


def _lines(array: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(_decoded(array).split("\n")) if len(array) else ()


def _said(values: bytes, heads: list[list[int]], html: bytes) -> tuple[Said, ...]:
    return tuple(
        Said(
            kind,
            (html if kind == _SCRIPT else values)[start:end].decode("utf-8", "replace"),
            values[second:last].decode("utf-8", "replace") if last > second else "",
        )
        for kind, start, end, second, last in heads
    )
