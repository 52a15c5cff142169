"""Was the crawler polite, obedient and complete? Judged from the server's own log and nothing else.

The pause between two requests to a host is taken from the end of an answer to the beginning of the next
request, both as the server sees them. That is never less than what the crawler waited, because an answer
reaches it after it was written, and a question leaves it before it is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sites.serving import GIVEN_UP, Request
from sites.web import ROBOTS, Kind, Place, Web

TOLERANCE = 0.010  # seconds: two clocks, that of the loop that waits and that of the server
EXAMPLES = 3


@dataclass(slots=True)
class Complaints:
    """How often a rule was broken, and the first times."""

    rule: str
    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, example: str) -> None:
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(example)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the log says."""

    requests: int
    pages: int  # fetched for the first time, traps not counted
    hosts: int
    shortest: float  # seconds by which the shortest pause was longer than it had to be
    trapped: int  # requests for pages of traps
    given_up: int  # requests whose asker had hung up before the answer came
    others: Counter[str]  # paths that no link leads to, such as those of sitemaps
    complaints: list[Complaints]

    @property
    def clean(self) -> bool:
        return not any(complaints.count for complaints in self.complaints)


class Audit:
    """Hears every request once, in the order of the log."""

    def __init__(self, web: Web, expected: Mapping[Place, Kind], delay: float, trap_limit: int) -> None:
        self._web = web
        self._expected = expected
        self._delay = delay
        self._trap_limit = trap_limit
        self._asked: Counter[Place] = Counter()
        self._ended: dict[str, int] = {}
        self._trapped: Counter[str] = Counter()
        self._others: Counter[str] = Counter()
        self._shortest = float("inf")
        self._requests = 0
        self._given_up = 0
        self._soon = Complaints("asked before its delay was over")
        self._together = Complaints("asked while another request to the host was under way")
        self._lawless = Complaints("asked before its robots.txt")
        self._robots = Complaints("asked for robots.txt again within a day")
        self._forbidden = Complaints("fetched although robots.txt forbids it")
        self._twice = Complaints("fetched more than once")
        self._missed = Complaints("never fetched")
        self._deep = Complaints(f"more than {trap_limit} pages of a trap fetched")

    def hear(self, requests: Iterable[Request]) -> None:
        for request in requests:
            self._requests += 1
            self._time(request)
            if request.status == GIVEN_UP:
                self._given_up += 1
                if request.place.path == ROBOTS or request.place in self._expected:
                    continue  # nobody got it: it may, and must, be asked for again
            self._place(request.place)

    def _time(self, request: Request) -> None:
        host = request.place.host
        before = self._ended.get(host)
        self._ended[host] = max(request.ended, before or 0)
        if before is None:
            if request.place.path != ROBOTS:
                self._lawless.add(_told(request.place))
            return
        pause = (request.begun - before) / 1e9
        delay = max(self._delay, self._web.crawl_delay(host))
        self._shortest = min(self._shortest, pause - delay)
        if pause < 0:
            self._together.add(_told(request.place))
        elif pause < delay - TOLERANCE:
            self._soon.add(f"{_told(request.place)} after {pause:.3f} s instead of {delay:g} s")

    def _place(self, place: Place) -> None:
        self._asked[place] += 1
        again = self._asked[place] > 1
        if place.path == ROBOTS:
            if again:
                self._robots.add(place.host)
        elif place in self._expected:
            if again:
                self._twice.add(_told(place))
        else:
            self._unexpected(place)

    def _unexpected(self, place: Place) -> None:
        match self._web.kind(place):
            case Kind.FORBIDDEN:
                self._forbidden.add(_told(place))
            case Kind.TRAP:
                self._trapped[place.host] += 1
                if self._trapped[place.host] == self._trap_limit + 1:
                    self._deep.add(place.host)
            case _:
                self._others[place.path] += 1

    def verdict(self) -> Verdict:
        """What is to be said when the crawl is over."""
        for place in self._expected:
            if place not in self._asked:
                self._missed.add(_told(place))
        pages = sum(place in self._asked for place, kind in self._expected.items() if kind is Kind.PAGE)
        return Verdict(
            self._requests,
            pages,
            len(self._ended),
            self._shortest,
            self._trapped.total(),
            self._given_up,
            self._others,
            [
                self._soon,
                self._together,
                self._lawless,
                self._robots,
                self._forbidden,
                self._twice,
                self._missed,
                self._deep,
            ],
        )


def _told(place: Place) -> str:
    return place.host + place.path
