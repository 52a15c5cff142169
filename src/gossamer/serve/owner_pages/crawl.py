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
from gossamer.serve.rendering import Templates

if TYPE_CHECKING:
    from gossamer.crawl.control import CrawlController, LiveCrawl


# Live view of the crawl
# ----------------------

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
    translation: Translation,
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
# A crawl is a process of its own, which loads for seconds before it can be seen. Whoever started it
# waits for what it says at once, and is told later of what it says then.

START_PATIENCE = 5.0  # seconds


class CrawlStarter:
    """Starts crawls, one after the other, and shows the one that there is."""

    def __init__(self, crawl: CrawlController, patience: float = START_PATIENCE) -> None:
        self._crawl = crawl
        self._patience = patience
        self._threads = ThreadPoolExecutor(1, "starting a crawl")
        self._last: Future[None] | None = None

    def start(self, seeds: Sequence[str], continuous: bool) -> None:
        """Waits for what the new process says at once, if it cannot begin; not for all that it loads."""
        if self.under_way:
            raise CollectionBusy("a crawl is being started already; wait a moment")
        last = self._threads.submit(self._crawl.start, seeds, continuous)
        with suppress(TimeoutError):
            last.result(self._patience)
        self._last = last  # not where it failed: that was told at once

    @property
    def under_way(self) -> bool:
        return self._last is not None and not self._last.done()

    @property
    def problem(self) -> str:
        """Why the last one could not begin; "" where it did, or was not tried."""
        if self._last is None or not self._last.done():
            return ""
        error = self._last.exception()
        return str(error) if isinstance(error, GossamerError) else ""

    def view(self, translation: Translation) -> LiveView:
        """The crawl as it is shown."""
        return live_view(
            self._crawl.live(),
            self._crawl.is_paused,
            translation,
            starting=self.under_way,
            problem=self.problem,
        )


MOST_SEEDS = 1000  # of one form
LIVE = "/owner/live.json"
CONTROL_PATIENCE = (
    3.0  # seconds: a crawl looks once a second for what is wanted, and tells as often what it does
)
LOOK_EVERY = 0.05


class CrawlPage:
    """The first page of the owner's."""

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
        """Whether the crawl is out of these states. It gets a moment for that, else its page denies it."""
        until = time.monotonic() + self._patience
        while state_of(self._crawl.live()) in states:
            if time.monotonic() >= until:
                return False
            time.sleep(LOOK_EVERY)
        return True

    def _seeds(self, form: Mapping[str, str]) -> str:
        urls = _lines(form.get("seeds", ""))
        if not urls:
            raise UsageError("name at least one address, a line each")
        self._crawl.add_seeds(urls)
        return "seeds"


class LiveFeed:
    """The page's figures for the script that keeps them fresh."""

    def __init__(self, starting: CrawlStarter, sessions: OwnerSessions, templates: Templates) -> None:
        self._starting = starting
        self._sessions = sessions
        self._templates = templates

    def routes(self) -> APIRouter:
        router = APIRouter(include_in_schema=False)
        router.add_api_route(LIVE, self.live, methods=["GET", "HEAD"])
        return router

    def live(self, request: Request) -> Response:
        if session_of(request, self._sessions) is None:
            raise HTTPException(401, "log in first")
        return private(JSONResponse(self._starting.view(self._templates.translation(request)).as_dict()))


def _lines(text: str) -> list[str]:
    """The addresses of a field, a line each."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_SEEDS:
        raise UsageError(
            f"name at most {MOST_SEEDS:,} addresses at once; for more: gossamer crawl --seeds FILE"
        )
    return lines
