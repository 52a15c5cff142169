"""Shape of a URL; evidence that a part is irrelevant.

Addresses that a program makes by counting, dating or numbering have one shape however many there are:
`/article/<n>`, `/calendar/<date>`, `/s/<id>/cart`. What is learned about a trap is learned about its shape.
Words are kept as they are: two sections of a site are two shapes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gossamer.model import Url

# Evidence that a URL part does not matter
# ----------------------------------------
#
# Pages are compared that differ in this part only. It does not matter when
#
#     same >= 5,   over at least 3 pages,   different <= same / 100
#
# of them agreed. One page that is the same for all values proves nothing: "no such article" is the
# answer to every number that is not given, and the numbers matter all the same.

LEAST_SAME = 5
LEAST_PAGES = 3
MOST_DIFFERENT = 0.01
PROBED = 50  # one address in so many is asked for all the same, to see whether it is still so


@dataclass(slots=True)
class EquivalenceEvidence:
    """The pairs of pages that were compared."""

    same: int = 0
    different: int = 0
    pages: list[int] = field(default_factory=list)  # fingerprints of the first few that were the same
    lean: int = 0  # above 0 when the longer address of a pair was the one to keep more often
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
        """JSON, in the order of the constructor."""
        return [self.same, self.different, self.pages, self.lean, self.example]


NUMBER, DATE, ID, WORDS = "<n>", "<date>", "<id>", "*"
LEAST_DIGITS = 3  # a long run of letters with fewer digits is a word, not an identifier
_MONTH = "(?:0?[1-9]|1[0-2])"
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_DATE = (
    rf"(?<![0-9])[12][0-9]{{3}}(?:/{_MONTH}(?:/{_DAY})?|-{_MONTH}(?:-{_DAY})?)(?![0-9A-Za-z])"
    r"|(?<![0-9])(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?![0-9A-Za-z])"
)
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"

# An escape stands for a character: its digits count nothing.
_SHAPES = re.compile(rf"(%[0-9A-F]{{2}})|({_DATE})|({_UUID})|([0-9A-Za-z]{{16,}})|[0-9]+")
_DIGITS = re.compile("[0-9]+")
_ESCAPE_GROUP, _DATE_GROUP, _UUID_GROUP, _RUN_GROUP = 1, 2, 3, 4


def pattern(url: Url) -> str:
    """The shape of an address: numbers, dates and identifiers by kind, parameters by name.

    Values that are words do not count, nor does the order of parameters.

    >>> from gossamer.web.url import canonical
    >>> pattern(canonical("http://example.com/news/2024/05/12/story-77?sort=asc&page=3"))
    '/news/<date>/story-<n>?page=<n>&sort=*'
    """
    path, mark, query = url.path.partition("?")
    shape = segment_pattern(path)
    return f"{shape}?{'&'.join(sorted(map(_parameter, query.split('&'))))}" if mark else shape


def path_pattern(url: Url) -> str:
    """The shape of the path alone.

    >>> from gossamer.web.url import canonical
    >>> path_pattern(canonical("http://example.com/shop/7?size=m"))
    '/shop/<n>'
    """
    return segment_pattern(url.path.partition("?")[0])


def folder(shape: str) -> str:
    """The shape of everything that stands beside an address of this shape.

    >>> folder("/shop/item-<n>.html?size=*")
    '/shop/*'
    """
    return shape.partition("?")[0].rpartition("/")[0] + "/*"


def without_ids(url: Url) -> str:
    """Path and query with identifiers masked and all else as it is: the page, whoever is visiting.

    >>> from gossamer.web.url import canonical
    >>> without_ids(canonical("http://example.com/s/8f14e45fceea167a5a36dedd4bea2543/cart?n=7"))
    '/s/<id>/cart?n=7'
    """
    return _SHAPES.sub(_masked, url.path)


def segment_pattern(text: str) -> str:
    """The shape of one piece of a path, or of a whole path.

    >>> segment_pattern("page12")
    'page<n>'
    """
    # Most paths hold no digit, and then there is nothing to find.
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
    """A long run of letters and digits: a number, an identifier, or a word with a number in it."""
    if text.isdigit():
        return NUMBER
    digits = sum(map(str.isdigit, text))
    return ID if digits >= LEAST_DIGITS else _DIGITS.sub(NUMBER, text)


def _masked(found: re.Match[str]) -> str:
    if found.lastindex not in {_UUID_GROUP, _RUN_GROUP}:
        return found[0]
    return ID if _shape(found) == ID else found[0]
