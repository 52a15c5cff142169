"""Does this calendar have an end?

A calendar links to the next month for ever. Its empty months are not copies of each other: they have other
dates and other weeks. What tells them is that they are short, and as short as the barest page of the same
calendar. Where nearly all of the last pages are such blanks, dates far from today and from every entry that
was found are refused. An archive whose days all have something to say has no blanks, and so no end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from time import gmtime

from gossamer.frontier.traps.settings import TrapSettings
from gossamer.frontier.traps.watch import Kind, Outcome, Sleeping, Watch
from gossamer.model import Url
from gossamer.web.hostbook import State
from gossamer.web.pattern import DATE

BLANK_WORDS = 150  # a page with more words says something, whatever its date
LATEST = 253_402_300_800.0  # the first second of the year 10000, where dates end

_MONTH = "(0?[1-9]|1[0-2])"
_DATE = re.compile(
    rf"(?<![0-9])(?:([12][0-9]{{3}})[/-]{_MONTH}"
    r"|((?:19|20)[0-9]{2})(0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))(?![0-9A-Za-z])"
)
_SECONDS = re.compile(r"[1-9][0-9]{8,10}$")
_MOMENTS = frozenset({"time", "timestamp", "ts", "t", "date", "start", "from", "when"})
_YEARS = frozenset({"year", "yr", "y", "jahr", "annee", "ano", "anno"})
_MONTHS = frozenset({"month", "mon", "m", "monat", "mois", "mes", "mese"})


@dataclass(frozen=True, slots=True)
class Dated:
    """The calendar that an address belongs to, and its month, counted from the year 0."""

    calendar: str
    month: int


def dated(url: Url, shape: str) -> Dated | None:
    """The date that an address of this shape names: in its path, in one parameter, or in two.

    >>> from gossamer.web.url import canonical
    >>> dated(canonical("http://example.com/events/2031/05/12"), "/events/<date>")
    Dated(calendar='/events/<date>', month=24376)
    """
    path, _, query = url.path.partition("?")
    before = shape.partition("?")[0]
    if DATE in before and (found := _DATE.search(path)):
        return Dated(before.partition(DATE)[0] + DATE, _named(found))
    return _dated_by_query(before, query) if query else None


def _dated_by_query(path: str, query: str) -> Dated | None:
    year, month = "", "1"
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        word = name.lower()
        if word in _YEARS and len(value) == 4 and value.isdecimal():
            year = value
        elif word in _MONTHS and len(value) <= 2 and value.isdecimal():
            month = value
        elif found := _DATE.match(value):
            return Dated(f"{path}?{name}={DATE}", _named(found))
        elif word in _MOMENTS and _SECONDS.match(value):
            return Dated(f"{path}?{name}={DATE}", _month_at(float(value)))
    return Dated(f"{path}?year={DATE}", 12 * int(year) + int(month) - 1) if year else None


def _named(found: re.Match[str]) -> int:
    return 12 * int(found[1] or found[3]) + int(found[2] or found[4]) - 1


def _month_at(seconds: float) -> int:
    moment = gmtime(min(seconds, LATEST - 1))
    return 12 * moment.tm_year + moment.tm_mon - 1


class Calendar:
    """One calendar of a host: how bare its pages are, and between which months it has entries."""

    __slots__ = ("_barest", "_first", "_last", "_today", "watch")

    def __init__(self) -> None:
        self.watch = Watch()
        self._barest = BLANK_WORDS  # the fewest words of any page
        self._first = self._last = -1  # months with entries, once there are any
        self._today = 0

    def observe(self, url: Url, month: int, outcome: Outcome, settings: TrapSettings) -> None:
        """Notes a page: an entry, or a blank."""
        self._barest = min(self._barest, outcome.words)
        self._today = max(self._today, _month_at(outcome.fetched_at))
        bare = outcome.words <= min(BLANK_WORDS, 1.1 * self._barest + 10)
        kind = Kind.BLANK if bare or outcome.copied(url) or outcome.soft_404 else Kind.FRESH
        if kind is Kind.FRESH:
            self._first = month if self._first < 0 else min(self._first, month)
            self._last = max(self._last, month)
        self.watch.observe(kind, outcome.fetched_at, url.text, settings)

    def refuses(self, url: Url, month: int, settings: TrapSettings) -> bool:
        """Whether a date lies too far from today and from all entries, in a calendar of blanks."""
        if not self.watch.reason:
            return False
        first = self._today if self._first < 0 else min(self._today, self._first)
        last = max(self._today, self._last)
        near = first - 12 * settings.calendar_years_back <= month <= last + 12 * settings.calendar_years_ahead
        return not near and self.watch.refuses(url, settings)

    def sleeping(self, pattern: str) -> Sleeping | None:
        """What `status` shows, once a date was refused."""
        return self.watch.sleeping(pattern) if self.watch.reason and self.watch.refused else None

    def state(self) -> State:
        span = [self._first, self._last, self._today]
        return {"barest": self._barest, "span": span, "watch": self.watch.state()}

    @classmethod
    def restored(cls, state: State) -> Calendar:
        calendar = cls()
        calendar._barest = state["barest"]
        calendar._first, calendar._last, calendar._today = state["span"]
        calendar.watch = Watch.restored(state["watch"])
        return calendar
