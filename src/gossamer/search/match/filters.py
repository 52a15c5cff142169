"""Site, type, language and date filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import Columns
from gossamer.model import FileType, Language, Site
from gossamer.query.conditions import DateRange
from gossamer.search.match.phrases import Docs
from gossamer.text.language_codes import primary

# Document dates, newest first
# ----------------------------

_BELOW_THE_SIGN = np.int64(0x7FFF_FFFF_FFFF_FFFF)


def moments(columns: Columns, docs: Docs | None = None) -> NDArray[np.float64]:
    """Return the publication date of some or all documents, or the fetch date if that is unknown."""
    chosen = slice(None) if docs is None else docs
    published = columns.published[chosen]
    return np.where(np.isnan(published), columns.fetched_at[chosen], published)


def in_order(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Map numbers to integers with exactly the same order.

    The bits of a positive float ascend with its value. Those of a negative float descend, so all bits but the
    sign are inverted.
    """
    bits = (values + 0.0).view(np.int64)  # + 0.0 turns -0.0 into 0.0
    return np.where(bits < 0, bits ^ _BELOW_THE_SIGN, bits)


ColumnFilter = Site | FileType | Language | DateRange
FEW_NUMBERS = 4  # the largest number of values that are compared one by one

# File types with a name that is not in their media type.
_MEDIA_TYPES = {
    "txt": "text/plain",
    "htm": "text/html",
    "md": "text/markdown",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "epub": "application/epub+zip",
    "srt": "application/x-subrip",
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
}
_NAMES = {media_type: name for name, media_type in _MEDIA_TYPES.items()} | {"text/html": "html"}


def passing(columns: Columns, condition: ColumnFilter, docs: Docs | None = None) -> NDArray[np.bool_]:
    """Return which of some or all documents satisfy a filter."""
    chosen = slice(None) if docs is None else docs
    match condition:
        case Site(host):
            return _any_of(hosts_below(columns.host_names, host), columns.host_ids[chosen])
        case FileType(name):
            return _named(columns.types(), columns.type_ids[chosen], lambda one: _is_of_type(one, name))
        case Language(code):
            return _named(columns.languages(), columns.language_ids[chosen], lambda one: primary(one) == code)
        case DateRange(first, end):
            found = moments(columns, docs)
            return (first <= found) & (found < end)


def _named(
    names: Sequence[str], ids: NDArray[np.uint32], matches: Callable[[str], bool]
) -> NDArray[np.bool_]:
    """Return which documents have a matching name; each name is tested once, as documents are many."""
    return _any_of(np.array([*map(matches, names), False], dtype=np.bool_), ids)


def _any_of(wanted: NDArray[np.bool_], ids: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which ids are wanted.

    If only a few numbers are wanted, comparing with each is ten times as fast as a look-up.
    """
    numbers = np.flatnonzero(wanted)
    if len(numbers) > FEW_NUMBERS:
        return wanted[ids]
    mask = np.zeros(len(ids), np.bool_)
    for number in numbers:
        mask |= ids == number
    return mask


def _is_of_type(kind: str, name: str) -> bool:
    """Return whether a file type matches the value of `filetype:`.

    >>> _is_of_type("application/pdf ", "pdf"), _is_of_type("text/plain log", "txt")
    (True, True)
    """
    media_type, _, extension = kind.partition(" ")
    return (
        name in {extension, media_type, media_type.partition("/")[2]} or _MEDIA_TYPES.get(name) == media_type
    )


def type_name(kind: str) -> str:
    """Return the value of `filetype:` for a file type, see `file_type`.

    >>> type_name("application/pdf pdf"), type_name("text/plain log"), type_name("text/html ")
    ('pdf', 'txt', 'html')
    """
    media_type = kind.partition(" ")[0]
    return _NAMES.get(media_type, media_type.partition("/")[2])


def hosts_below(host_names: NDArray[np.uint8], site: str) -> NDArray[np.bool_]:
    """Return which hosts equal a site or are below it, by searching the joined names: hosts may be many."""
    joined = b"\n" + host_names.tobytes() + b"\n"
    breaks = np.flatnonzero(np.frombuffer(joined, np.uint8) == ord("\n"))
    mask = np.zeros(len(breaks), np.bool_)
    wanted = site.lower().strip(".").encode()
    has_port = b":" in wanted.rpartition(b"]")[2]
    place = joined.find(wanted)
    while place >= 0:
        end = place + len(wanted)
        port_may_follow = joined[end : end + 1] == b":" and not has_port
        if joined[place - 1 : place] in {b"\n", b"."} and (joined[end : end + 1] == b"\n" or port_may_follow):
            mask[np.searchsorted(breaks, place) - 1] = True
        place = joined.find(wanted, place + 1)  # hosts such as co.co.co overlap themselves
    return mask
