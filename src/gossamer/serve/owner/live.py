"""What does the owner see of a crawl? The same for the page and for the script that keeps it fresh."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gossamer.serve.owner.pictures import sparkline
from gossamer.serve.speech import Speech

if TYPE_CHECKING:
    from gossamer.engine.live_crawl import LiveCrawl

MOST_ROWS = 10
LONGEST_CELL = 200  # characters
MEGABYTE = 1_000_000
STILL = ("none", "idle", "ended", "died", "starting")  # no process runs

Row = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LiveView:
    """A crawl in words; nothing of it is markup."""

    states: tuple[str, ...]  # of a crawl, as `state_of` names it, or starting; and resting
    said: str  # the state as a sentence
    figures: Mapping[str, str]  # by the name of their phrase
    line: str  # the path of the sparkline
    peak: str  # what its highest point stands for
    lists: Mapping[str, list[Row]]
    current: str

    def hides(self, states: str) -> bool:
        """Whether what is there for these states has no place now."""
        return set(states.split()).isdisjoint(self.states)

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def state_of(live: LiveCrawl | None) -> str:
    """none, running, paused, stopping, finishing, died, ended, or idle: it ended with nothing to ask for."""
    if live is None:
        return "none"
    if not live.running:
        asked = live.pages or live.errors or live.queue or live.failed or live.stopping
        return "died" if live.died else "ended" if asked else "idle"
    states = {"finishing": live.finishing, "stopping": live.stopping, "paused": live.paused}
    return next((state for state, holds in states.items() if holds), "running")


def live_view(
    live: LiveCrawl | None,
    paused: bool,
    speech: Speech,
    now: Callable[[], float] = time.time,
    *,
    starting: bool = False,
    problem: str = "",
) -> LiveView:
    """How a crawl is shown; `paused` says whether the next one would rest, `problem` why it did not begin."""
    state = state_of(live)
    if starting and state in STILL:  # what stands there is of the last one
        live, state = None, "starting"
    states = (state, "resting") if paused and state in STILL else (state,)
    failed = {"live_troubles": _rows([(problem, "")])} if problem and state in STILL else {}
    if live is None:
        return LiveView(states, speech.say(f"crawl_{state}").unescape(), {}, "", "", failed, "")
    return LiveView(
        states,
        speech.say(
            f"crawl_{state}", since=_moment(live.started, speech), last=_moment(live.updated, speech)
        ).unescape(),
        _figures(live, speech, now() if live.running else live.finished or live.updated),
        sparkline(live.history),
        speech.decimals(max(live.history, default=0.0), 1),
        {**_lists(live, speech), **failed},
        live.current[:LONGEST_CELL] if state == "running" else "",
    )


def _figures(live: LiveCrawl, speech: Speech, until: float) -> dict[str, str]:
    return {
        "live_rate": speech.decimals(live.pages_per_second, 1),
        "live_pages": speech.number(live.pages),
        "live_kept": speech.number(live.kept),
        "live_hosts": speech.number(live.hosts),
        "live_queue": speech.number(live.queue),
        "live_active": speech.number(live.active),
        "live_errors": speech.number(sum(live.errors.values())),
        "live_traps": speech.number(len(live.traps)),
        "live_bytes": f"{speech.decimals(live.bytes / MEGABYTE, 1)} MB",
        "live_time": _clock(until - live.started),
    }


def _lists(live: LiveCrawl, speech: Speech) -> dict[str, list[Row]]:
    errors = sorted(live.errors.items(), key=lambda one: -one[1])
    return {
        "live_errors": _rows((reason, speech.number(count)) for reason, count in errors),
        "live_slowest": _rows((host, f"{speech.decimals(seconds, 2)} s") for host, seconds in live.slowest),
        "live_busiest": _rows((host, speech.number(count)) for host, count in live.busiest),
        "live_traps": _rows((f"{trap.host} {trap.pattern}", trap.reason) for trap in live.traps),
        "live_seed_errors": _rows((error, "") for error in live.seed_errors.values()),
        "live_troubles": _rows((trouble, "") for trouble in live.troubles),
    }


def _rows(pairs: Iterable[Row]) -> list[Row]:
    return [(one[:LONGEST_CELL], other[:LONGEST_CELL]) for one, other in list(pairs)[:MOST_ROWS]]


def _moment(seconds: float, speech: Speech) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{speech.day(moment)}, {moment:%H:%M:%S} UTC"


def _clock(seconds: float) -> str:
    """
    >>> _clock(3725.4)
    '1:02:05'
    """
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
