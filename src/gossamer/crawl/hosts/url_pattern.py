"""URL patterns, and the evidence that a part of a URL is irrelevant.

All URLs that a program makes with numbers, dates or identifiers have one pattern, also called shape:
`/article/<n>`, `/calendar/<date>`, `/s/<id>/cart`. Traps are recognised by pattern. Words are kept, so two
sections of a site have two patterns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gossamer.model import Url

# Evidence that a part of a URL is irrelevant
# -------------------------------------------
#
# Pairs of pages whose URLs differ only in this part are compared. The part is irrelevant if
#
#     same >= 5,   over at least 3 pages,   different <= same / 100
#
# where `same` and `different` count the pairs. One page that is the same for all values proves nothing:
# "no such article" is the response for every unknown number, but the numbers are relevant.

LEAST_SAME = 5
LEAST_PAGES = 3
MOST_DIFFERENT = 0.01
PROBED = 50  # one in so many URLs is fetched unchanged, to check whether the rule still holds


@dataclass(slots=True)
class EquivalenceEvidence:
    """The results of comparing pairs of pages."""

    same: int = 0
    different: int = 0
    pages: list[int] = field(default_factory=list)  # fingerprints of the first few pages that were the same
    lean: int = 0  # above 0 if the longer URL of a pair was kept more often
    example: str = ""

    def agree(self, page: int) -> None:
        self.same += 1
        if page not in self.pages and len(self.pages) < LEAST_PAGES:
            self.pages.append(page)

    def disagree(self) -> None:
        self.different += 1

    @property
    def holds(self) -> bool:
        enough = self.same >= LEAST_SAME and len(self.pages) >= LEAST_PAGES
        return enough and self.different <= MOST_DIFFERENT * self.same

    def state(self) -> list[object]:
        """Return the fields as JSON, in the order of the constructor."""
        return [self.same, self.different, self.pages, self.lean, self.example]


NUMBER, DATE, ID, WORDS = "<n>", "<date>", "<id>", "*"
LEAST_DIGITS = 3  # a long run of letters and digits with fewer digits is a word, not an identifier
_MONTH = "(?:0?[1-9]|1[0-2])"
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_DATE = (
    rf"(?<![0-9])[12][0-9]{{3}}(?:/{_MONTH}(?:/{_DAY})?|-{_MONTH}(?:-{_DAY})?)(?![0-9A-Za-z])"
    r"|(?<![0-9])(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?![0-9A-Za-z])"
)
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"

# The digits of an escape are not numbers.
_SHAPES = re.compile(rf"(%[0-9A-F]{{2}})|({_DATE})|({_UUID})|([0-9A-Za-z]{{16,}})|[0-9]+")
_DIGITS = re.compile("[0-9]+")
_ESCAPE_GROUP, _DATE_GROUP, _UUID_GROUP, _RUN_GROUP = 1, 2, 3, 4


def pattern(url: Url) -> str:
    """Return the pattern of a URL: numbers, dates and identifiers by kind, parameters by name.

    Parameters are sorted, and values that are words are masked.

    >>> from gossamer.web.url import canonical
    >>> pattern(canonical("http://example.com/news/2024/05/12/story-77?sort=asc&page=3"))
    '/news/<date>/story-<n>?page=<n>&sort=*'
    """
    path, mark, query = url.path.partition("?")
    shape = segment_pattern(path)
    return f"{shape}?{'&'.join(sorted(map(_parameter, query.split('&'))))}" if mark else shape


def path_pattern(url: Url) -> str:
    """Return the pattern of the path without the query.

    >>> from gossamer.web.url import canonical
    >>> path_pattern(canonical("http://example.com/shop/7?size=m"))
    '/shop/<n>'
    """
    return segment_pattern(url.path.partition("?")[0])


def folder(shape: str) -> str:
    """Return the pattern of the folder of a URL pattern.

    >>> folder("/shop/item-<n>.html?size=*")
    '/shop/*'
    """
    return shape.partition("?")[0].rpartition("/")[0] + "/*"


def without_ids(url: Url) -> str:
    """Return the path and query of a URL with only the identifiers masked.

    >>> from gossamer.web.url import canonical
    >>> without_ids(canonical("http://example.com/s/8f14e45fceea167a5a36dedd4bea2543/cart?n=7"))
    '/s/<id>/cart?n=7'
    """
    return _SHAPES.sub(_masked, url.path)


def segment_pattern(text: str) -> str:
    """Return the pattern of one segment of a path, or of a whole path.

    >>> segment_pattern("page12")
    'page<n>'
    """
    # Most paths have no digit, and then there is nothing to mask.
    return _SHAPES.sub(_shape, text) if _DIGITS.search(text) else text


def _parameter(piece: str) -> str:
    name, mark, value = piece.partition("=")
    return f"{segment_pattern(name)}={_value(value)}" if mark else segment_pattern(name)


def _value(value: str) -> str:
    if value.isascii() and value.isdigit():
        return DATE if _is_date(value) else NUMBER
    shape = segment_pattern(value)
    return shape if shape in {"", DATE, ID} else WORDS


def _is_date(digits: str) -> bool:
    return len(digits) == 8 and segment_pattern(digits) == DATE


def _shape(found: re.Match[str]) -> str:
    text, kind = found[0], found.lastindex
    if kind is None:
        return NUMBER
    if kind == _RUN_GROUP:
        return _run(text)
    return text if kind == _ESCAPE_GROUP else DATE if kind == _DATE_GROUP else ID


def _run(text: str) -> str:
    """Return the pattern of a long run of letters and digits: number, identifier, or word with numbers."""
    if text.isdigit():
        return NUMBER
    return ID if sum(map(str.isdigit, text)) >= LEAST_DIGITS else _DIGITS.sub(NUMBER, text)


def _masked(found: re.Match[str]) -> str:
    if found.lastindex not in {_UUID_GROUP, _RUN_GROUP}:
        return found[0]
    return ID if _shape(found) == ID else found[0]
