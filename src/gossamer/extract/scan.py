"""What did one pass over an HTML document find, as Python sees it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.head_kernel import SCRIPT_IS
from gossamer.extract.scan_kernel import scan
from gossamer.extract.tables import scanner_table
from gossamer.web.schemes import other_schemes

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
