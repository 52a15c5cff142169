"""Detectors for crawler traps: floods, facets, calendars, session ids, paths.

Heydon and Najork ("Mercator: a scalable, extensible Web crawler", World Wide Web 2, 1999) knew of no
automatic way to recognise all crawler traps, and left them to people who notice hosts that grow without end.
But the pages of traps have something in common: they are copies, empty, or missing. So the last pages of each
URL pattern are watched. If nearly all of them are fruitless, the pattern falls asleep, which means that its
URLs are refused.

From time to time, one URL of a sleeping pattern is fetched as a try: first after 16 refusals, then after 32,
64, and so on, up to one in a thousand. Two tries in a row with new content wake the pattern. So a normal site
that was misjudged loses little, and an endless one costs almost nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from itertools import groupby
from time import gmtime

from gossamer.crawl.hosts.notes import State, drop_oldest
from gossamer.crawl.hosts.url_pattern import (
    DATE,
    ID,
    PROBED,
    EquivalenceEvidence,
    folder,
    segment_pattern,
    without_ids,
)
from gossamer.crawl.settings import TrapSettings
from gossamer.model import Url
from gossamer.model.url import fingerprint_of

FIRST_GAP = 16  # refusals before the first try
TRIED = 8  # tries of one pattern that are remembered
WAKING = 2  # pages with new content in a row that wake a pattern
HUBS = 300  # empty pages of a pattern with new links that are tolerated
CONTENTS = 64  # contents of one pattern whose copies are counted
EDITIONS = 2  # normal number of copies of one content, such as a page to print or a second edition


class PageKind(StrEnum):
    """The usefulness of a page. The last pages of a pattern are stored as a string of these."""

    FRESH = "."
    DUPLICATE = "d"
    EMPTY = "e"
    SOFT_404 = "s"
    BLANK = "b"  # a calendar page without entries


REASONS = {
    PageKind.DUPLICATE: "duplicate-flood",
    PageKind.EMPTY: "empty-flood",
    PageKind.SOFT_404: "soft-404",
    PageKind.BLANK: "calendar",
}


@dataclass(frozen=True, slots=True)
class FetchOutcome:
    """The properties of a successfully fetched page that trap detection needs."""

    fetched_at: float  # seconds since 1970
    words: int = 0
    new_links: int = 0  # links to new URLs
    duplicate_of: Url | None = None  # a kept page with the same content, or nearly the same
    soft_404: bool = False

    def copied(self, url: Url) -> Url | None:
        """Return the page of the same host that the page at `url` is a copy of, or None."""
        original = self.duplicate_of
        return original if original is not None and original.authority == url.authority else None

    def kind(self, empty_words: int) -> PageKind:
        if self.soft_404:
            return PageKind.SOFT_404
        if self.words < empty_words:
            return PageKind.EMPTY
        return PageKind.FRESH if self.duplicate_of is None else PageKind.DUPLICATE


@dataclass(frozen=True, slots=True)
class SuspendedPattern:
    """A URL pattern that is refused, as `status` shows it."""

    pattern: str
    reason: str
    since: float  # seconds since 1970
    refused: int
    example: str  # the URL that triggered the refusal


@dataclass(slots=True)
class PatternWatch:
    """The last pages of one URL pattern, and whether the pattern is asleep."""

    recent: str = ""
    reason: str = ""  # why it is asleep
    since: float = 0.0
    example: str = ""
    refused: int = 0
    gap: int = FIRST_GAP
    due: int = 0  # value of `refused` at the next try
    tried: list[int] = field(default_factory=list)  # fingerprints of URLs that were admitted as a try
    hubs: int = 0
    copies: dict[int, int] = field(default_factory=dict)  # number of copies of a content, the latest last

    def observe(self, kind: PageKind, at: float, address: str, settings: TrapSettings) -> None:
        """Record the kind of a page of this pattern."""
        self.recent = (self.recent + kind)[-settings.window :]
        if self.reason:
            if self.recent.endswith(PageKind.FRESH * WAKING):
                self.reason, self.recent = "", PageKind.FRESH * WAKING
        elif len(self.recent) >= settings.window and self._fruitless >= settings.copy_share * settings.window:
            self.reason = REASONS[max(REASONS, key=self.recent.count)]
            self.since, self.example, self.due = at, address, self.refused + self.gap

    @property
    def _fruitless(self) -> int:
        return len(self.recent) - self.recent.count(PageKind.FRESH)

    @property
    def is_suspicious(self) -> bool:
        """Whether most of the last pages were fruitless, or the pattern is asleep."""
        return bool(self.reason) or 2 * self._fruitless > len(self.recent)

    def refuses(self, url: Url, settings: TrapSettings) -> bool:
        """Count a URL of this sleeping pattern; return whether it is refused, or admitted as a try."""
        if url.fingerprint in self.tried:
            return False
        self.refused += 1
        if self.refused < self.due:
            return True
        self.gap = min(2 * self.gap, settings.probe_every)
        self.due = self.refused + self.gap
        self.tried = [*self.tried[1 - TRIED :], url.fingerprint]
        return False

    def is_edition(self, content: int, most: int) -> bool:
        """Return whether a copy is one of the first of its content; count it.

        Copies of the latest `most` contents are counted.
        """
        count = self.copies.pop(content, 0) + 1
        self.copies[content] = count
        drop_oldest(self.copies, most)
        return count <= EDITIONS

    def leads_on(self) -> bool:
        """Return whether an empty page with new links still counts as useful; count it."""
        self.hubs += 1
        return self.hubs <= HUBS

    def sleeping(self, pattern: str) -> SuspendedPattern:
        return SuspendedPattern(pattern, self.reason, self.since, self.refused, self.example)

    def state(self) -> State:
        """Return the fields as JSON."""
        return {name: getattr(self, name) for name in _KEPT} | {"copies": list(self.copies.items())}

    @classmethod
    def restored(cls, state: State) -> PatternWatch:
        return cls(**{name: state[name] for name in _KEPT} | {"copies": dict(state["copies"])})


_KEPT = sorted(one.name for one in fields(PatternWatch))


# Endless calendars
# -----------------
#
# A calendar links to the next month for ever. Its empty months are not copies of each other, because
# their dates and weeks differ. But they are short, nearly as short as the shortest page of the calendar.
# Such a page is blank. If nearly all of the last pages are blank, dates far from today and from every
# entry found are refused. An archive with entries on all days has no blank pages, so it has no limit.

BLANK_WORDS = 150  # a page with more words is never blank
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
class CalendarMonth:
    """The calendar that a URL belongs to, and its month, counted from the year 0."""

    calendar: str
    month: int


def dated(url: Url, shape: str) -> CalendarMonth | None:
    """Return the date in a URL of this pattern: in its path, in one parameter, or in two. None if none.

    >>> from gossamer.web.url import canonical
    >>> dated(canonical("http://example.com/events/2031/05/12"), "/events/<date>")
    CalendarMonth(calendar='/events/<date>', month=24376)
    """
    path, _, query = url.path.partition("?")
    before = shape.partition("?")[0]
    if DATE in before and (found := _DATE.search(path)):
        return CalendarMonth(before.partition(DATE)[0] + DATE, _named(found))
    return _dated_by_query(before, query) if query else None


def _dated_by_query(path: str, query: str) -> CalendarMonth | None:
    year, month = "", "1"
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        word = name.lower()
        if word in _YEARS and len(value) == 4 and value.isdecimal():
            year = value
        elif word in _MONTHS and len(value) <= 2 and value.isdecimal():
            month = value
        elif found := _DATE.match(value):
            return CalendarMonth(f"{path}?{name}={DATE}", _named(found))
        elif word in _MOMENTS and _SECONDS.match(value):
            return CalendarMonth(f"{path}?{name}={DATE}", _month_at(float(value)))
    return CalendarMonth(f"{path}?year={DATE}", 12 * int(year) + int(month) - 1) if year else None


def _named(found: re.Match[str]) -> int:
    return 12 * int(found[1] or found[3]) + int(found[2] or found[4]) - 1


def _month_at(seconds: float) -> int:
    moment = gmtime(min(seconds, LATEST - 1))
    return 12 * moment.tm_year + moment.tm_mon - 1


@dataclass(slots=True)
class Calendar:
    """One calendar of a host: how short its pages are, and between which months it has entries."""

    watch: PatternWatch = field(default_factory=PatternWatch)
    barest: int = BLANK_WORDS  # the fewest words of any page
    first: int = -1  # first and last month with entries, -1 if there are none
    last: int = -1
    today: int = 0

    def observe(self, url: Url, month: int, outcome: FetchOutcome, settings: TrapSettings) -> None:
        """Record a page of the calendar."""
        self.barest = min(self.barest, outcome.words)
        self.today = max(self.today, _month_at(outcome.fetched_at))
        bare = outcome.words <= min(BLANK_WORDS, 1.1 * self.barest + 10)
        kind = PageKind.BLANK if bare or outcome.copied(url) or outcome.soft_404 else PageKind.FRESH
        if kind is PageKind.FRESH:
            self.first = month if self.first < 0 else min(self.first, month)
            self.last = max(self.last, month)
        self.watch.observe(kind, outcome.fetched_at, url.text, settings)

    def refuses(self, url: Url, month: int, settings: TrapSettings) -> bool:
        """Return whether a date is refused: too far from today and from all entries in a blank calendar."""
        if not self.watch.reason:
            return False
        first = self.today if self.first < 0 else min(self.today, self.first)
        last = max(self.today, self.last)
        near = first - 12 * settings.calendar_years_back <= month <= last + 12 * settings.calendar_years_ahead
        return not near and self.watch.refuses(url, settings)

    def sleeping(self, pattern: str) -> SuspendedPattern | None:
        """Return what `status` shows, if a date was refused."""
        return self.watch.sleeping(pattern) if self.watch.reason and self.watch.refused else None

    def state(self) -> State:
        span = [self.first, self.last, self.today]
        return {"barest": self.barest, "span": span, "watch": self.watch.state()}

    @classmethod
    def restored(cls, state: State) -> Calendar:
        first, last, today = state["span"]
        return cls(PatternWatch.restored(state["watch"]), state["barest"], first, last, today)


# URL patterns with only copies
# -----------------------------
#
# The third copy of a content and all later ones are fruitless. Two are normal, such as a page to print or
# another edition of a manual. Two patterns of a page are watched: its own, such as `/list/<n>`, and that
# of its folder, `/list/*`, for servers that answer any name. In the folder, only the first page of each
# pattern counts, and only copies of the few most frequent contents. So a flood does not put
# neighbouring patterns to sleep, and an edition of a manual does not put the next edition to sleep.
#
# Watching begins with the first page of a pattern that is empty, missing or a copy. So for a normal host
# nothing is remembered.

MOST_SHAPES = 256  # patterns of one host; above it, the oldest one that is awake is dropped
CONTENTS_OF_FOLDER = 8  # contents of one folder whose copies are counted


@dataclass(slots=True)
class PatternFloods:
    """The watched patterns of one host."""

    _settings: TrapSettings
    _watches: dict[str, PatternWatch] = field(default_factory=dict)  # the latest last

    def __len__(self) -> int:
        return len(self._watches)

    def refusal(self, url: Url, shape: str) -> str:
        """Return `asleep: <pattern> <reason>`, or "" if the patterns of the URL are awake."""
        for one in _shapes(shape) if self._watches else ():
            watch = self._watches.get(one)
            if watch is not None and watch.reason and watch.refuses(url, self._settings):
                return f"asleep: {one} {watch.reason}"
        return ""

    def observe(self, url: Url, shape: str, outcome: FetchOutcome) -> bool:
        """Record a successfully fetched page; return whether anything changed."""
        kind = outcome.kind(self._settings.empty_words)
        if kind is PageKind.FRESH and not self._watches:
            return False
        is_watched = shape in self._watches
        self._note(shape, CONTENTS, kind, url, outcome)
        if kind is PageKind.FRESH or not is_watched:
            for beside in _shapes(shape)[1:]:
                self._note(beside, CONTENTS_OF_FOLDER, kind, url, outcome)
        return True

    def _note(self, shape: str, contents: int, kind: PageKind, url: Url, outcome: FetchOutcome) -> None:
        if kind is PageKind.FRESH and shape not in self._watches:
            return
        watch = self._watch(shape)
        if _is_fruitful(watch, contents, kind, outcome):
            kind = PageKind.FRESH
        watch.observe(kind, outcome.fetched_at, url.text, self._settings)

    def _watch(self, shape: str) -> PatternWatch:
        watch = self._watches.pop(shape, None) or PatternWatch()
        self._watches[shape] = watch
        if len(self._watches) > MOST_SHAPES:
            awake = (shape for shape, watch in self._watches.items() if not watch.reason)
            del self._watches[next(awake, next(iter(self._watches)))]
        return watch

    @property
    def is_suspicious(self) -> bool:
        """Whether a pattern is asleep or has mostly fruitless pages."""
        return any(watch.is_suspicious for watch in self._watches.values())

    def asleep(self) -> list[SuspendedPattern]:
        """Return the patterns that are refused now."""
        return [watch.sleeping(shape) for shape, watch in self._watches.items() if watch.reason]

    def state(self) -> State:
        return {shape: watch.state() for shape, watch in self._watches.items()}

    def restore(self, state: State) -> None:
        self._watches = {shape: PatternWatch.restored(one) for shape, one in state.items()}


def _shapes(shape: str) -> tuple[str, ...]:
    """Return a pattern and that of its folder; only the pattern itself if it has a query."""
    return (shape,) if "?" in shape else (shape, folder(shape))


def _is_fruitful(watch: PatternWatch, contents: int, kind: PageKind, outcome: FetchOutcome) -> bool:
    """Return whether an empty page or a copy is useful all the same."""
    if kind is PageKind.EMPTY:
        return outcome.new_links > 0 and watch.leads_on()
    original = outcome.duplicate_of
    return (
        kind is PageKind.DUPLICATE
        and original is not None
        and watch.is_edition(original.fingerprint, contents)
    )


# Repeating or long paths
# -----------------------
#
# If a page is served under any path, its relative links lead deeper with every step: `/a/b/a/b/a/b`.
# Such paths are recognised by repetitions (Heritrix also refuses three in a row) and by their length.
# Numbers may repeat: `/11/11/11` is a date, `/00/00/00` a directory in a tree of files.


def path_trap(url: Url, depth: int, found_on: Url | None, settings: TrapSettings) -> str:
    """Return why the URL itself looks like a trap, or "".

    Reasons: repeated-segments, growing-path, too-many-parameters. `depth` is the number of links from a seed
    to this URL; the last link is on `found_on`.
    """
    path, mark, query = url.path.partition("?")
    if mark and query.count("&") >= settings.max_parameters:
        return "too-many-parameters"
    segments = [segment for segment in path.split("/") if segment]
    if len(segments) > settings.max_segments:
        return "growing-path"
    if len(set(segments)) < len(segments) and repeats(segments, settings.repeats):
        return "repeated-segments"
    if len(segments) > settings.max_same_segments <= depth and found_on is not None:
        # Only a path that grew link by link is refused: a direct link to a deep page is normal.
        grew = path.startswith(found_on.path.partition("?")[0].rpartition("/")[0] + "/")
        if grew and longest_run(segments) > settings.max_same_segments:
            return "growing-path"
    return ""


def repeats(segments: list[str], times: int) -> bool:
    """Return whether segments repeat: a group `times` times in a row, or one segment more often, anywhere.

    >>> repeats(["a", "b", "a", "b", "a", "b"], 3), repeats(["a", "b", "a", "c", "a"], 3)
    (True, False)
    """
    named = Counter(segment for segment in segments if not segment.isdigit())
    if not named:
        return False
    if max(named.values()) > times:
        return True
    return any(_in_a_row(segments, size, times) for size in range(1, len(segments) // times + 1))


def _in_a_row(segments: list[str], size: int, times: int) -> bool:
    """Return whether a group of `size` segments occurs `times` times in a row.

    In such a row, each segment equals the one `size` places further on.
    """
    needed = size * (times - 1)
    run = named = 0
    for here, further in zip(segments, segments[size:], strict=False):
        run, named = (run + 1, named + (not here.isdigit())) if here == further else (0, 0)
        if run >= needed and named:
            return True
    return False


def longest_run(segments: list[str]) -> int:
    """Return the length of the longest run of segments that are equal or of one kind, such as numbers.

    >>> longest_run(["a", "1", "2", "3", "b"])
    3
    """
    return max((len(list(run)) for _, run in groupby(map(segment_pattern, segments))), default=0)


# Facet combinations and parameter orders
# ---------------------------------------
#
# A page with n filters (facets) has 2^n sets of parameters, each in any order, and mostly the same
# content. A URL is refused if the same parameters are known in another order. Combinations of facets are
# refused after many different sets of parameters of a path, if nearly every page is a copy. URLs with
# one or two parameters are always admitted, so that single facets and the pages of a list are found.

REMEMBERED = 1_024  # latest URLs of a host with several parameters
PLAIN_PARAMETERS = 2  # largest number of parameters that is always admitted


@dataclass(slots=True)
class ParameterOrders:
    """The first order in which the parameters of each URL were seen. Kept in memory only."""

    # By sorted URL, the fingerprint of the first one.
    _first: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._first)

    def is_permutation(self, url: Url) -> bool:
        """Return whether the same parameters are known in another order; remember new ones."""
        if "&" not in url.path:
            return False
        path, _, query = url.path.partition("?")
        in_order = f"{url.scheme} {path}?{'&'.join(sorted(query.split('&')))}"
        return _first(self._first, in_order, url) != url.fingerprint


@dataclass(slots=True)
class FacetCombinations:
    """The sets of parameters of one path, and whether its pages are copies of each other."""

    watch: PatternWatch = field(default_factory=PatternWatch)
    sets: set[int] = field(default_factory=set)

    def observe(self, url: Url, outcome: FetchOutcome, settings: TrapSettings) -> None:
        """Record a page of this path."""
        if len(self.sets) <= settings.max_facets:
            self.sets.add(fingerprint_of(" ".join(sorted(url.path.partition("?")[2].split("&")))))
        original = outcome.duplicate_of
        repeats = original is not None and not self.watch.is_edition(original.fingerprint, CONTENTS)
        kind = PageKind.DUPLICATE if repeats else PageKind.FRESH
        self.watch.observe(kind, outcome.fetched_at, url.text, settings)

    def refuses(self, url: Url, settings: TrapSettings) -> bool:
        """Return whether a URL is refused as one combination too many."""
        if not self.is_asleep(settings) or url.path.count("&") < PLAIN_PARAMETERS:
            return False
        return self.watch.refuses(url, settings)

    def is_asleep(self, settings: TrapSettings) -> bool:
        return bool(self.watch.reason) and len(self.sets) > settings.max_facets

    def sleeping(self, path: str, settings: TrapSettings) -> SuspendedPattern | None:
        """Return what `status` shows, if combinations are refused."""
        if not self.is_asleep(settings):
            return None
        return replace(self.watch.sleeping(f"{path}?*"), reason="parameter-permutation")

    def state(self) -> State:
        return {"sets": sorted(self.sets), "watch": self.watch.state()}

    @classmethod
    def restored(cls, state: State) -> FacetCombinations:
        return cls(PatternWatch.restored(state["watch"]), set(state["sets"]))


MOST_PLACES = 32  # places of identifiers of one host
_SEPARATOR = re.compile("([/?&])")


@dataclass(slots=True)
class IdentifierPlace:
    """A place of identifiers in URLs, and the evidence that they are session ids."""

    evidence: EquivalenceEvidence
    since: float = 0.0  # when the first copy was seen
    refused: int = 0

    def sleeping(self, text: str) -> SuspendedPattern:
        return SuspendedPattern(f"{text}{ID}", "session-id", self.since, self.refused, self.evidence.example)


@dataclass(slots=True)
class SessionIds:
    """The places in the URLs of one host that may hold session ids. Watching begins with the first copy."""

    _places: dict[str, IdentifierPlace] = field(default_factory=dict)
    # By URL without identifiers, the fingerprint of the first URL. Kept in memory only.
    _admitted: dict[int, int] = field(default_factory=dict)
    _fetched: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._places) + len(self._admitted) + len(self._fetched)

    def observe(self, url: Url, outcome: FetchOutcome) -> bool:
        """Record a fetched page with an identifier in its URL; return whether anything changed."""
        original = outcome.copied(url)
        if (not self._places and original is None) or outcome.soft_404:
            return False
        if original is None and outcome.duplicate_of is not None:
            return False  # a copy of another host proves nothing about the identifier
        masked = without_ids(url)
        if original is not None:
            return self._note_copy(masked, url, original, outcome.fetched_at)
        is_first = _first(self._fetched, masked, url) == url.fingerprint
        known = [] if is_first else self._known_places(masked)
        for place in known:
            place.evidence.disagree()
        return bool(known)

    def _note_copy(self, masked: str, url: Url, original: Url, at: float) -> bool:
        if url.path == original.path or masked != without_ids(original):
            return False
        for text in places(masked):
            if text not in self._places and len(self._places) < MOST_PLACES:
                self._places[text] = IdentifierPlace(EquivalenceEvidence(example=url.text), at)
        for place in self._known_places(masked):
            place.evidence.agree(fingerprint_of(masked))
        return True

    def refuses(self, url: Url) -> bool:
        """Return whether a URL differs from a known one only in session ids; remember new ones."""
        if not self._places:
            return False
        masked = without_ids(url)
        if _first(self._admitted, masked, url) == url.fingerprint:
            return False
        places = self._known_places(masked)
        if url.fingerprint % PROBED == 0 or len(places) < masked.count(ID):
            return False
        if not all(place.evidence.holds for place in places):
            return False
        for place in places:
            place.refused += 1
        return True

    def _known_places(self, masked: str) -> list[IdentifierPlace]:
        return [self._places[text] for text in places(masked) if text in self._places]

    def asleep(self) -> list[SuspendedPattern]:
        """Return the places that hold session ids."""
        return [place.sleeping(text) for text, place in self._places.items() if place.evidence.holds]

    def state(self) -> State:
        return {text: [one.evidence.state(), one.since, one.refused] for text, one in self._places.items()}

    def restore(self, state: State) -> None:
        self._places = {
            text: IdentifierPlace(EquivalenceEvidence(*evidence), since, refused)
            for text, (evidence, since, refused) in state.items()
        }


def places(masked: str) -> list[str]:
    """Return the places of identifiers in a masked URL: the parameter names or path segments before them.

    Between two separators, only the last identifier has a place; the text before it is part of that place.
    The time is linear, because URLs may be hostile.

    >>> places("/s/<id>/cart?sid=<id>&n=7")
    ['s/', 'sid=']
    """
    found: list[str] = []
    before, *pieces = _SEPARATOR.split(masked)
    for separator, piece in zip(pieces[::2], pieces[1::2], strict=True):
        if separator == "/" and ID in piece:
            inside, _, rest = piece.rpartition(ID)
            found.append(f"{before}/{inside}")
            before = rest
        else:
            if ID in before:
                found.append(before.rpartition(ID)[0])
            before = piece
    if ID in before:
        found.append(before.rpartition(ID)[0])
    return found


def _first(known: dict[int, int], common: str, url: Url) -> int:
    """Return the fingerprint of the first URL with this common text; remember a new one."""
    first = known.setdefault(fingerprint_of(common), url.fingerprint)
    drop_oldest(known, REMEMBERED)
    return first
