"""Crawler traps: verdict per URL and host.

`Traps` is what one host has taught, `HostTraps` that of all hosts. New addresses are checked by `refusal`;
what a fetch brought is told to `observe`. What each kind of trap is recognised by stands in `trap_detectors`.
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

MOST_PLACES = 64  # calendars, and paths with facets, of one host
MOST_ENTRIES = 30_000  # of all hosts: about 30 MB
LIGHT = 8  # remembered addresses that weigh as much as a watched shape
T = TypeVar("T")


class Traps:
    """What one host has taught about its addresses."""

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
        """Why a new address is left out, or "" when it is not.

        Reasons: repeated-segments, growing-path, too-many-parameters, parameter-permutation, session-id,
        calendar, and `asleep: <pattern> <reason>`. It may be asked again when the address leaves its queue:
        then it is refused if what it belongs to was recognised meanwhile.
        """
        reason = path_trap(url, depth, found_on, self._settings) or self._learned_refusal(url)
        if reason:
            self.leave_out(reason)
        return reason

    def leave_out(self, reason: str) -> None:
        """Counts an address that is refused."""
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
        """Learns from a page that came; failures, redirects and honest errors are not told."""
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
        """Whether anything speaks against this host yet; a copy or two do not."""
        watches = (one.watch for places in (self._calendars, self._facets) for one in places.values())
        return self._floods.is_suspicious or any(watch.is_suspicious for watch in watches)

    def asleep(self) -> list[SuspendedPattern]:
        """The shapes that are refused now, those with the most refusals first."""
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
        """How many addresses were left out, by reason."""
        return dict(self._refused.most_common())

    def state(self) -> State:
        """JSON. Orders are left out: they are a cache."""
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
    """The place of that name, made when it is new; the oldest goes when there are too many."""
    place = places.setdefault(name, new)
    drop_oldest(places, MOST_PLACES)
    return place


class HostTraps(HostNotes[Traps]):
    """The traps of all hosts, by authority."""

    def __init__(self, settings: TrapSettings, most_entries: int = MOST_ENTRIES) -> None:
        super().__init__(lambda: Traps(settings), most_entries)
        self._settings = settings

    def refusal(self, url: Url, depth: int = 0, found_on: Url | None = None) -> str:
        """As `Traps.refusal`, for the host of the address."""
        host = url.authority
        traps = self.get(host)
        is_plain = "&" not in url.path
        # Most hosts are honest: for them there is nothing to look up, nor to remember.
        if traps is None and is_plain and not path_trap(url, depth, found_on, self._settings):
            return ""
        reason = (self.of(host) if traps is None else traps).refusal(url, depth, found_on)
        if reason or not is_plain:  # else nothing was remembered
            self.of(host)
            self.account(host)
        return reason

    def leave_out(self, authority: str, reason: str) -> None:
        """Counts an address of a host that is refused for a reason that is none of its traps."""
        self.of(authority).leave_out(reason)
        self.account(authority)

    def observe(self, url: Url, outcome: FetchOutcome) -> None:
        """As `Traps.observe`, for the host of the address."""
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
