"""Page of the running crawl."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gossamer.model import CollectionBusy, GossamerError, UsageError
from gossamer.serve.i18n import Translation
from gossamer.serve.owner_pages.base import Action, private, session_of
from gossamer.serve.owner_pages.charts import sparkline
from gossamer.serve.owner_pages.sessions import OwnerSessions
from gossamer.serve.rendering import Templates, page_routes

if TYPE_CHECKING:
    from gossamer.crawl.control import CrawlController, LiveCrawl


# Live view of the crawl
# ----------------------

MOST_ROWS = 10
LONGEST_CELL = 200  # characters
MEGABYTE = 1_000_000
STILL = ("none", "idle", "ended", "died", "starting")  # states without a running process
Row = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LiveView:
    """A crawl as plain text, without markup."""

    states: tuple[str, ...]  # a state of `state_of`, or "starting"; and "resting"
    said: str  # the state as a sentence
    figures: Mapping[str, str]  # by phrase
    line: str  # SVG path of the sparkline
    peak: str  # value of its highest point
    lists: Mapping[str, list[Row]]
    current: str

    def hides(self, states: str) -> bool:
        """Return whether an element for these states is hidden in the current state."""
        return set(states.split()).isdisjoint(self.states)


def state_of(live: LiveCrawl | None) -> str:
    """Return none, running, paused, stopping, finishing, died, ended or idle.

    idle: the last crawl ended because there was nothing to fetch.
    """
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
    translation: Translation,
    now: Callable[[], float] = time.time,
    *,
    starting: bool = False,
    problem: str = "",
) -> LiveView:
    """Return the view of a crawl.

    `paused`: whether a new crawl would wait. `problem`: why the last crawl could not start.
    """
    state = state_of(live)
    if starting and state in STILL:  # ignore the last crawl
        live, state = None, "starting"
    states = (state, "resting") if paused and state in STILL else (state,)
    failed = {"live_troubles": _rows([(problem, "")])} if problem and state in STILL else {}
    if live is None:
        return LiveView(states, translation.say(f"crawl_{state}").unescape(), {}, "", "", failed, "")
    return LiveView(
        states,
        translation.say(
            f"crawl_{state}",
            since=_moment(live.started, translation),
            last=_moment(live.updated, translation),
        ).unescape(),
        _figures(live, translation, now() if live.running else live.finished or live.updated),
        sparkline(live.history),
        translation.decimals(max(live.history, default=0.0), 1),
        {**_lists(live, translation), **failed},
        live.current[:LONGEST_CELL] if state == "running" else "",
    )


def _figures(live: LiveCrawl, translation: Translation, until: float) -> dict[str, str]:
    return {
        "live_rate": translation.decimals(live.pages_per_second, 1),
        "live_pages": translation.number(live.pages),
        "live_kept": translation.number(live.kept),
        "live_hosts": translation.number(live.hosts),
        "live_queue": translation.number(live.queue),
        "live_active": translation.number(live.active),
        "live_errors": translation.number(sum(live.errors.values())),
        "live_traps": translation.number(len(live.traps)),
        "live_bytes": f"{translation.decimals(live.bytes / MEGABYTE, 1)} MB",
        "live_time": _clock(until - live.started),
    }


def _lists(live: LiveCrawl, translation: Translation) -> dict[str, list[Row]]:
    errors = sorted(live.errors.items(), key=lambda one: -one[1])
    return {
        "live_errors": _rows((reason, translation.number(count)) for reason, count in errors),
        "live_slowest": _rows(
            (host, f"{translation.decimals(seconds, 2)} s") for host, seconds in live.slowest
        ),
        "live_busiest": _rows((host, translation.number(count)) for host, count in live.busiest),
        "live_traps": _rows((f"{trap.host} {trap.pattern}", trap.reason) for trap in live.traps),
        "live_seed_errors": _rows((error, "") for error in live.seed_errors.values()),
        "live_troubles": _rows((trouble, "") for trouble in live.troubles),
    }


def _rows(pairs: Iterable[Row]) -> list[Row]:
    return [(one[:LONGEST_CELL], other[:LONGEST_CELL]) for one, other in list(pairs)[:MOST_ROWS]]


def _moment(seconds: float, translation: Translation) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{translation.day(moment)}, {moment:%H:%M:%S} UTC"


def _clock(seconds: float) -> str:
    """
    >>> _clock(3725.4)
    '1:02:05'
    """
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


# Start of a crawl from the page
# ------------------------------
#
# A crawl is a process of its own, and loading it takes seconds. The page waits a moment for early
# errors of the process. Later errors are shown later.

START_PATIENCE = 5.0  # seconds


class CrawlStarter:
    """Start crawls, one at a time, and show the current one."""

    def __init__(self, crawl: CrawlController, patience: float = START_PATIENCE) -> None:
        self._crawl = crawl
        self._patience = patience
        self._threads = ThreadPoolExecutor(1, "starting a crawl")
        self._last: Future[None] | None = None

    def start(self, seeds: Sequence[str], continuous: bool) -> None:
        """Start a crawl. Raise its error if the process fails at once; do not wait until it has loaded."""
        if self.under_way:
            raise CollectionBusy("a crawl is already starting; wait a moment")
        last = self._threads.submit(self._crawl.start, seeds, continuous)
        with suppress(TimeoutError):
            last.result(self._patience)
        self._last = last  # not if it failed: that was raised above

    @property
    def under_way(self) -> bool:
        return self._last is not None and not self._last.done()

    @property
    def problem(self) -> str:
        """Why the last crawl could not start; "" if it started or there was none."""
        if self._last is None or not self._last.done():
            return ""
        error = self._last.exception()
        return str(error) if isinstance(error, GossamerError) else ""

    def view(self, translation: Translation) -> LiveView:
        """Return the view of the current crawl."""
        return live_view(
            self._crawl.live(),
            self._crawl.is_paused,
            translation,
            starting=self.under_way,
            problem=self.problem,
        )


MOST_SEEDS = 1000  # per form
LIVE = "/owner/live.json"
CONTROL_PATIENCE = 3.0  # seconds: a crawl reads its commands and writes its state once a second
LOOK_EVERY = 0.05


class CrawlPage:
    """The first of the owner's pages."""

    name = "crawl"
    path = "/owner"

    def __init__(
        self, crawl: CrawlController, starting: CrawlStarter, patience: float = CONTROL_PATIENCE
    ) -> None:
        self._crawl = crawl
        self._starting = starting
        self._patience = patience
        self.actions: Mapping[str, Action] = {
            "start": self._start,
            "pause": self._pause,
            "resume": self._resume,
            "stop": self._stop,
            "seeds": self._seeds,
        }

    def shown(self, translation: Translation) -> Mapping[str, Any]:
        return {"view": self._starting.view(translation)}

    def _start(self, form: Mapping[str, str]) -> str:
        self._starting.start(_lines(form.get("seeds", "")), form.get("continuous") == "on")
        return "started"

    def _pause(self, _: Mapping[str, str]) -> str:
        self._crawl.pause()
        return "paused" if self._left("running") else "asked"

    def _resume(self, _: Mapping[str, str]) -> str:
        self._crawl.resume()
        return "resumed" if self._left("paused") else "asked"

    def _stop(self, _: Mapping[str, str]) -> str:
        self._crawl.stop()
        self._left("running", "paused")
        return "stopped"

    def _left(self, *states: str) -> bool:
        """Wait a moment for the crawl to leave these states, and return whether it did.

        Without the wait, the page would show the old state.
        """
        until = time.monotonic() + self._patience
        while state_of(self._crawl.live()) in states:
            if time.monotonic() >= until:
                return False
            time.sleep(LOOK_EVERY)
        return True

    def _seeds(self, form: Mapping[str, str]) -> str:
        urls = _lines(form.get("seeds", ""))
        if not urls:
            raise UsageError("enter at least one URL, one per line")
        self._crawl.add_seeds(urls)
        return "seeds"


def live_feed(starting: CrawlStarter, sessions: OwnerSessions, templates: Templates) -> APIRouter:
    """Return the route of the page's values as JSON, for the script that updates it."""

    def live(request: Request) -> Response:
        if session_of(request, sessions) is None:
            raise HTTPException(401, "log in first")
        return private(JSONResponse(asdict(starting.view(templates.translation(request)))))

    return page_routes({LIVE: live})


def _lines(text: str) -> list[str]:
    """Return the URLs of a form field, one per line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_SEEDS:
        raise UsageError(
            f"enter at most {MOST_SEEDS:,} URLs at once; for more, run: gossamer crawl --seeds FILE"
        )
    return lines
