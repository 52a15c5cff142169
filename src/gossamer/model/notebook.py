"""Display of results: safe HTML for notebooks, plain values for JSON.

All text is escaped, and only http and https URLs become links. The HTML has no scripts, style sheets or
colours, so it fits both light and dark notebooks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any, ClassVar

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  # plus a timedelta: not all systems convert times before 1970
MOST_ROWS = 10  # shown of a list
LONGEST = 300  # characters shown of a text
QUIET = "opacity:.75;font-size:90%"
_CELL = "text-align:left;vertical-align:top;padding:.15em 1em .15em 0"
_MARKUP = re.compile("[&<>\"']")
_WEB = re.compile(r"https?://[^\s]+\Z")


def safe(text: str) -> str:
    """Escape text for HTML.

    >>> safe('<b>"cats" & dogs</b>')
    '&lt;b&gt;&quot;cats&quot; &amp; dogs&lt;/b&gt;'
    """
    return escape(text.encode("utf-8", "replace").decode())


def marked(text: str, places: Iterable[tuple[int, int]]) -> str:
    """Escape text for HTML, with some of its spans in <mark>.

    >>> marked("cats & dogs", [(0, 4)])
    '<mark>cats</mark> &amp; dogs'
    """
    plain = text if text.isascii() else text.encode("utf-8", "replace").decode()  # has the same length
    pieces: list[str] = []
    reached = 0
    for start, end in places:
        pieces += (plain[reached:start], "<mark>", plain[start:end], "</mark>")
        reached = end
    pieces.append(plain[reached:])
    if _MARKUP.search(plain):  # most texts have no markup characters
        pieces[::2] = map(escape, pieces[::2])
    return "".join(pieces)


def link(address: str, words: str) -> str:
    """Return a link as HTML; only its text if the URL is not http or https.

    >>> link("javascript:alert(1)", "Free cats")
    '<bdi>Free cats</bdi>'
    """
    shown = f"<bdi>{safe(words)}</bdi>"
    if not _WEB.match(address):
        return shown
    return f'<a href="{safe(address)}" target="_blank" rel="noopener noreferrer nofollow">{shown}</a>'


def date_of(moment: float | None) -> datetime | None:
    """Return a time as a datetime; None if there is none, or a page claims one outside of the calendar."""
    if moment is None:
        return None
    try:
        return EPOCH + timedelta(seconds=moment)
    except (OverflowError, ValueError):
        return None


def iso(moment: float | None) -> str:
    """Format a time, in seconds since 1970, as ISO 8601 in UTC; "" for one outside of the calendar.

    >>> iso(1714557600.0)
    '2024-05-01T10:00:00+00:00'
    """
    found = date_of(moment)
    return found.isoformat(timespec="seconds") if found else ""


def day(moment: float | None) -> str:
    """Return the date of a time; "" for None and for a time outside of the calendar."""
    return iso(moment)[: len("2024-05-01")]


def section(*lines: str) -> str:
    """Return lines of HTML, one below the other. Empty lines are left out."""
    return "".join(['<div style="margin:0 0 .8em;max-width:48em">', *_lines(lines), "</div>"])


def quiet(words: str) -> str:
    """Return HTML in a smaller, paler font; "" if it would be empty."""
    return f'<span style="{QUIET}">{words}</span>' if words else ""


class NotebookTable:
    """A dataclass that notebooks show as a table of its fields."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as plain values, for JSON."""
        return asdict(self)

    def _repr_html_(self) -> str:
        return tabled(type(self).__name__, _named(self))


def tabled(name: str, values: Mapping[str, object]) -> str:
    """Return a table of values, with a heading."""
    return f"<div><b>{safe(name)}</b>{_rows(values)}</div>"


def _lines(lines: Iterable[str]) -> list[str]:
    return [f'<div dir="auto">{line}</div>' for line in lines if line]


def _named(value: Any) -> dict[str, object]:
    return {one.name: getattr(value, one.name) for one in fields(value)}


def _rows(values: Mapping[str, object]) -> str:
    rows = [
        f'<tr><th style="{_CELL};font-weight:normal;{QUIET}">{safe(name.replace("_", " "))}</th>'
        f'<td style="{_CELL}">{shown}</td></tr>'
        for name, value in values.items()
        if (shown := _shown(value))
    ]
    return f'<table style="border-collapse:collapse">{"".join(rows)}</table>'


def _shown(value: object) -> str:
    """Return a value as HTML; "" for an empty value."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.4g}"
        case str():
            short = value if len(value) <= LONGEST else value[: LONGEST - 1] + "…"
            return link(value, short) if value else ""
        case Mapping():
            return _listed([f"{safe(str(key))}: {_shown(own)}" for key, own in _first(value.items())], value)
        case Sequence() if value and is_dataclass(value[0]):
            return _table(value)
        case Sequence() | set() | frozenset():
            return _listed([_part(own) for own in _first(value)], value)
    if is_dataclass(value) and not isinstance(value, type):
        return _rows(_named(value))
    return "" if value is None else safe(str(value))


def _part(value: object) -> str:
    """Return one of several values as HTML. The parts of a tuple are separated by colons."""
    return ": ".join(map(_shown, value)) if isinstance(value, tuple) else _shown(value)


def _first(values: Iterable[Any]) -> list[Any]:
    return [own for own, _ in zip(values, range(MOST_ROWS), strict=False)]


def _listed(parts: list[str], everything: Any) -> str:
    return ", ".join([*parts, *_and_more(len(everything))])


def _and_more(count: int) -> list[str]:
    return [f"… {count - MOST_ROWS:,} more"] if count > MOST_ROWS else []


def _table(rows: Sequence[Any]) -> str:
    """Return a table with a row for each of the first values and a column for each field."""
    names = [one.name for one in fields(rows[0])]
    head = "".join(f'<th style="{_CELL};{QUIET}">{safe(name.replace("_", " "))}</th>' for name in names)
    lines = [
        "".join(f'<td style="{_CELL}">{_shown(getattr(row, name, None))}</td>' for name in names)
        for row in rows[:MOST_ROWS]
    ]
    body = "".join(f"<tr>{line}</tr>" for line in [head, *lines])
    return f'<table style="border-collapse:collapse">{body}</table>{"".join(_and_more(len(rows)))}'
