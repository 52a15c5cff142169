"""When does a shape of addresses bring nothing new any more?

Heydon and Najork ("Mercator: a scalable, extensible Web crawler", World Wide Web 2, 1999) knew of no way to
recognise all crawler traps by machine, and left them to people who notice hosts that grow without end. What
traps share is what they give: pages that repeat, say nothing, or are not there. So the last pages of each
shape are watched. When nearly all of them are fruitless the shape falls asleep: its addresses are refused.

A sleeping shape is tried now and then, at first after 16 refusals, then 32, 64, up to one in a thousand. Two
pages in a row with something new wake it. So an honest site that was misjudged loses little, and an endless
one costs next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gossamer.frontier.traps.settings import TrapSettings
from gossamer.model import Url
from gossamer.web.hostbook import State

FIRST_GAP = 16  # refusals before the first try
TRIED = 8  # addresses let through that may be waiting
WAKING = 2  # pages with something new, in a row
HUBS = 300  # so many pages without words may lead on to others before they count as empty
CONTENTS = 64  # whose copies are counted, of one shape
EDITIONS = 2  # so many copies of one content are honest: a page to print, a second edition


class Kind(StrEnum):
    """What a page brought. The last pages of a shape are a string of these."""

    FRESH = "."
    DUPLICATE = "d"
    EMPTY = "e"
    SOFT_404 = "s"
    BLANK = "b"  # a calendar's page without entries


REASONS = {
    Kind.DUPLICATE: "duplicate-flood",
    Kind.EMPTY: "empty-flood",
    Kind.SOFT_404: "soft-404",
    Kind.BLANK: "calendar",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a fetch brought, as far as traps are concerned."""

    fetched_at: float  # seconds since 1970
    status: int = 200
    words: int = 0
    new_links: int = 0  # addresses that nobody had seen before
    duplicate_of: Url | None = None  # the page whose content it has, or nearly has
    soft_404: bool = False  # the server's way to say that there is no such page

    def copied(self, url: Url) -> Url | None:
        """The page of the same host whose content the page at `url` has."""
        original = self.duplicate_of
        return original if original is not None and original.authority == url.authority else None

    def kind(self, empty_words: int) -> Kind:
        if self.soft_404:
            return Kind.SOFT_404
        if self.words < empty_words:
            return Kind.EMPTY
        return Kind.FRESH if self.duplicate_of is None else Kind.DUPLICATE


@dataclass(frozen=True, slots=True)
class Sleeping:
    """A shape of addresses that is refused, as `status` shows it."""

    pattern: str
    reason: str
    since: float  # seconds since 1970
    refused: int
    example: str  # the address that decided it


class Watch:
    """The last pages of one shape of addresses, and whether it is asleep."""

    __slots__ = ("copies", "due", "example", "gap", "hubs", "reason", "recent", "refused", "since", "tried")

    def __init__(self) -> None:
        self.recent = ""
        self.reason = ""  # why it is asleep
        self.since = 0.0
        self.example = ""
        self.refused = 0
        self.gap = FIRST_GAP
        self.due = 0  # how many refusals bring the next try
        self.tried: list[int] = []  # fingerprints of addresses that were let through
        self.hubs = 0
        self.copies: dict[int, int] = {}  # how often the content of a page came again, the newest last

    def observe(self, kind: Kind, at: float, address: str, settings: TrapSettings) -> None:
        """Notes what a page of this shape brought."""
        self.recent = (self.recent + kind)[-settings.window :]
        if self.reason:
            if self.recent.endswith(Kind.FRESH * WAKING):
                self.reason, self.recent = "", Kind.FRESH * WAKING
        elif self.is_flooded(settings):
            self.reason = REASONS[max(REASONS, key=self.recent.count)]
            self.since, self.example, self.due = at, address, self.refused + self.gap

    @property
    def is_suspicious(self) -> bool:
        """Whether most of the last pages were fruitless, or the shape is asleep."""
        return bool(self.reason) or 2 * self.recent.count(Kind.FRESH) < len(self.recent)

    def is_flooded(self, settings: TrapSettings) -> bool:
        """Whether the window is full, and nearly all of it fruitless."""
        fruitless = len(self.recent) - self.recent.count(Kind.FRESH)
        return len(self.recent) >= settings.window and fruitless >= settings.share * settings.window

    def refuses(self, url: Url, settings: TrapSettings) -> bool:
        """Whether an address is refused. Counts it; the one that is due is let through, and again later."""
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
        """Whether a copy is one of the first of its content; counts it, among the `most` that came last."""
        count = self.copies.pop(content, 0) + 1
        self.copies[content] = count
        if len(self.copies) > most:
            del self.copies[next(iter(self.copies))]
        return count <= EDITIONS

    def leads_on(self) -> bool:
        """Whether a page without words may still count as one that leads to others."""
        self.hubs += 1
        return self.hubs <= HUBS

    def sleeping(self, pattern: str) -> Sleeping:
        return Sleeping(pattern, self.reason, self.since, self.refused, self.example)

    def state(self) -> State:
        """JSON."""
        state = {name: getattr(self, name) for name in self.__slots__}
        return state | {"copies": list(self.copies.items())}

    @classmethod
    def restored(cls, state: State) -> Watch:
        watch = cls()
        for name in cls.__slots__:
            setattr(watch, name, state[name])
        watch.copies = dict(state["copies"])
        return watch
