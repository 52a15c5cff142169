"""Decide which URLs are refused as crawler traps.

`Traps` has the notes about one host, `HostTraps` those about all hosts. `refusal` checks a new URL, and
`observe` learns from a fetched page. The detectors of the kinds of traps are in `trap_detectors`.
"""

from __future__ import annotations

from collections import Counter
from typing import TypeVar

from gossamer.crawl.hosts.notes import HostNotes, State, drop_oldest
from gossamer.crawl.hosts.trap_detectors import (
    BLANK_WORDS,
    Calendar,
    FacetCombinations,
    FetchOutcome,
    PageKind,
    ParameterOrders,
    PatternFloods,
    SessionIds,
    SuspendedPattern,
    dated,
    path_trap,
)
from gossamer.crawl.hosts.url_pattern import ID, pattern
from gossamer.crawl.settings import TrapSettings
from gossamer.model import Url

MOST_PLACES = 64  # calendars of one host; also paths with facets of one host
MOST_ENTRIES = 30_000  # of all hosts, about 30 MB
LIGHT = 8  # remembered URLs that count as one entry
T = TypeVar("T")


class Traps:
    """The notes about the URL patterns of one host."""

    def __init__(self, settings: TrapSettings) -> None:
        self.changed = False
        self._settings = settings
        self._floods = PatternFloods(settings)
        self._calendars: dict[str, Calendar] = {}
        self._facets: dict[str, FacetCombinations] = {}
        self._sessions = SessionIds()
        self._orders = ParameterOrders()
        self._refused: Counter[str] = Counter()

    def __len__(self) -> int:
        watched = len(self._floods) + len(self._calendars) + len(self._facets) + len(self._refused)
        return watched + (len(self._orders) + len(self._sessions)) // LIGHT

    def refusal(self, url: Url, depth: int = 0, found_on: Url | None = None) -> str:
        """Return why a new URL is refused, or "".

        Reasons: repeated-segments, growing-path, too-many-parameters, parameter-permutation, session-id,
        calendar, and `asleep: <pattern> <reason>`. Call it again when the URL leaves its queue, because the
        trap may have been recognised meanwhile.
        """
        reason = path_trap(url, depth, found_on, self._settings) or self._learned_refusal(url)
        if reason:
            self.leave_out(reason)
        return reason

    def leave_out(self, reason: str) -> None:
        """Count a refused URL."""
        self._refused[reason.partition(":")[0]] += 1
        self.changed = True

    def _learned_refusal(self, url: Url) -> str:
        if self._floods or self._calendars or self._facets or self._sessions:
            reason = self._refusal_of_shape(url, pattern(url))
            if reason:
                return reason
        return "parameter-permutation" if self._orders.is_permutation(url) else ""

    def _refusal_of_shape(self, url: Url, shape: str) -> str:
        if asleep := self._floods.refusal(url, shape):
            return asleep
        if self._calendars and self._is_far_date(url, shape):
            return "calendar"
        if ID in shape and self._sessions.refuses(url):
            return "session-id"
        facets = self._facets.get(shape.partition("?")[0]) if self._facets else None
        return "parameter-permutation" if facets and facets.refuses(url, self._settings) else ""

    def _is_far_date(self, url: Url, shape: str) -> bool:
        date = dated(url, shape)
        calendar = self._calendars.get(date.calendar) if date else None
        return bool(date and calendar and calendar.refuses(url, date.month, self._settings))

    def observe(self, url: Url, outcome: FetchOutcome) -> None:
        """Learn from a successfully fetched page."""
        shape = pattern(url)
        changes = [
            self._floods.observe(url, shape, outcome),
            self._observe_calendar(url, shape, outcome),
            self._observe_facets(url, shape.partition("?")[0], outcome),
            ID in shape and self._sessions.observe(url, outcome),
        ]
        self.changed = self.changed or any(changes)

    def _observe_calendar(self, url: Url, shape: str, outcome: FetchOutcome) -> bool:
        is_copy = outcome.duplicate_of is not None
        may_be_blank = outcome.words <= BLANK_WORDS or is_copy or outcome.soft_404
        date = dated(url, shape) if may_be_blank or self._calendars else None
        if date is None or not (may_be_blank or date.calendar in self._calendars):
            return False
        _kept(self._calendars, date.calendar, Calendar()).observe(url, date.month, outcome, self._settings)
        return True

    def _observe_facets(self, url: Url, path: str, outcome: FetchOutcome) -> bool:
        is_copy = outcome.duplicate_of is not None
        if "?" not in url.path or not (is_copy or path in self._facets):
            return False
        _kept(self._facets, path, FacetCombinations()).observe(url, outcome, self._settings)
        return True

    @property
    def is_suspicious(self) -> bool:
        """Whether there is any evidence of a trap on this host; one or two copies are none."""
        watches = (one.watch for places in (self._calendars, self._facets) for one in places.values())
        return self._floods.is_suspicious or any(watch.is_suspicious for watch in watches)

    def asleep(self) -> list[SuspendedPattern]:
        """Return the patterns that are refused now, those with the most refusals first."""
        calendars = (calendar.sleeping(shape) for shape, calendar in self._calendars.items())
        facets = (facets.sleeping(path, self._settings) for path, facets in self._facets.items())
        found = [
            *self._floods.asleep(),
            *self._sessions.asleep(),
            *filter(None, calendars),
            *filter(None, facets),
        ]
        return sorted(found, key=lambda one: (-one.refused, one.pattern))

    def refused(self) -> dict[str, int]:
        """Return the number of refused URLs by reason."""
        return dict(self._refused.most_common())

    def state(self) -> State:
        """Return the notes as JSON, without the parameter orders, which are only cached."""
        return {
            "floods": self._floods.state(),
            "calendars": {shape: one.state() for shape, one in self._calendars.items()},
            "facets": {path: one.state() for path, one in self._facets.items()},
            "sessions": self._sessions.state(),
            "refused": dict(self._refused),
        }

    def restore(self, state: State) -> None:
        self._floods.restore(state["floods"])
        self._calendars = {shape: Calendar.restored(one) for shape, one in state["calendars"].items()}
        self._facets = {path: FacetCombinations.restored(one) for path, one in state["facets"].items()}
        self._sessions.restore(state["sessions"])
        self._refused = Counter(state["refused"])


def _kept(places: dict[str, T], name: str, new: T) -> T:
    """Return the entry with a name, or add a new one; drop the oldest if there are too many."""
    place = places.setdefault(name, new)
    drop_oldest(places, MOST_PLACES)
    return place


class HostTraps(HostNotes[Traps]):
    """The notes about the traps of all hosts, by authority."""

    def __init__(self, settings: TrapSettings, most_entries: int = MOST_ENTRIES) -> None:
        super().__init__(lambda: Traps(settings), most_entries)
        self._settings = settings

    def refusal(self, url: Url, depth: int = 0, found_on: Url | None = None) -> str:
        """Return why a URL is refused, or ""; see `Traps.refusal`."""
        host = url.authority
        traps = self.get(host)
        is_plain = "&" not in url.path
        # For most hosts there are no notes, and none are made.
        if traps is None and is_plain and not path_trap(url, depth, found_on, self._settings):
            return ""
        reason = (self.of(host) if traps is None else traps).refusal(url, depth, found_on)
        if reason or not is_plain:  # otherwise the notes did not change
            self.of(host)
            self.account(host)
        return reason

    def leave_out(self, authority: str, reason: str) -> None:
        """Count a URL that is refused for another reason than a trap."""
        self.of(authority).leave_out(reason)
        self.account(authority)

    def observe(self, url: Url, outcome: FetchOutcome) -> None:
        """Learn from a successfully fetched page; see `Traps.observe`."""
        host = url.authority
        if self.get(host) is None and self._is_plain(url, outcome):
            return
        self.of(host).observe(url, outcome)
        self.account(host)

    def _would_be_missed(self, notes: Traps) -> bool:
        return notes.is_suspicious

    def _is_plain(self, url: Url, outcome: FetchOutcome) -> bool:
        is_fresh = outcome.kind(self._settings.empty_words) is PageKind.FRESH
        return is_fresh and (outcome.words > BLANK_WORDS or dated(url, pattern(url)) is None)
