"""The crawl as it runs: what it does now, and how it is started, paused, ended and given seeds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gossamer.model import UsageError
from gossamer.serve.owner.live import state_of
from gossamer.serve.owner.owned import Steered
from gossamer.serve.owner.rooms import Action, private, session_of
from gossamer.serve.owner.sessions import Sessions
from gossamer.serve.owner.starting import Starting
from gossamer.serve.speech import Speech
from gossamer.serve.templating import Templates

MOST_SEEDS = 1000  # of one form
LIVE = "/owner/live.json"
PATIENCE = 3.0  # seconds: a crawl looks once a second for what is wanted, and tells as often what it does
LOOK_EVERY = 0.05


class CrawlRoom:
    """The first page of the owner's."""

    name = "crawl"
    path = "/owner"

    def __init__(self, crawl: Steered, starting: Starting, patience: float = PATIENCE) -> None:
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

    def shown(self, speech: Speech) -> Mapping[str, Any]:
        return {"view": self._starting.view(speech)}

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

    def __init__(self, starting: Starting, sessions: Sessions, templates: Templates) -> None:
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
        return private(JSONResponse(self._starting.view(self._templates.speech(request)).as_dict()))


def _lines(text: str) -> list[str]:
    """The addresses of a field, a line each."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_SEEDS:
        raise UsageError(
            f"name at most {MOST_SEEDS:,} addresses at once; for more: gossamer crawl --seeds FILE"
        )
    return lines
