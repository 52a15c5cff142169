"""How many searches run at once? As many as there are processors; the others wait in line.

Searches that share a processor all end late: each waits for the others at every step. One after the other
they end sooner on average, and none later. But nobody waits long for a slow one: who has waited for a while
may go beside it, one at a time. What takes no time (suggestions, files) never waits here.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from starlette.exceptions import HTTPException

from gossamer.serve.threads import Threads

PATIENCE = 0.1  # seconds, in which many searches end

P = ParamSpec("P")
T = TypeVar("T")


def at_once() -> int:
    """As many as the processors of this process, which may change."""
    known = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return len(known)


class Turns:
    """Who comes first is searched for first; used from one event loop."""

    def __init__(self, timeout: float) -> None:
        """`timeout` is after how many seconds nobody waits for an answer any more."""
        self._timeout = timeout
        self._threads = Threads()
        self._running = 0
        self._line: deque[tuple[asyncio.Future[None], float]] = deque()  # and since when each waits

    def taking(self, handler: Callable[P, T]) -> Callable[P, Awaitable[T]]:
        """A handler that runs on a thread when its turn has come."""

        @wraps(handler)
        async def in_turn(*args: P.args, **kwargs: P.kwargs) -> T:
            await self._turn()
            try:
                return await self._threads.run(partial(handler, *args, **kwargs))
            finally:
                self._running -= 1
                self._call()

        return in_turn

    async def _turn(self) -> None:
        if self._running < at_once() and not self._line:
            self._running += 1
            return
        loop = asyncio.get_running_loop()
        place: asyncio.Future[None] = loop.create_future()
        begun = time.monotonic()
        self._line.append((place, begun))
        hurry = loop.call_later(1.1 * PATIENCE, self._call)  # timers may be early by a bit
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # it was called, and then given up
                self._running -= 1
                self._call()
            raise
        finally:
            hurry.cancel()
        if time.monotonic() - begun > self._timeout:  # it was answered long ago that this took too long
            self._running -= 1
            self._call()
            raise HTTPException(503)

    def _call(self) -> None:
        """Lets those go whose turn has come; for whoever waited for a while there is room for one more."""
        while self._line:
            place, since = self._line[0]
            if self._running >= at_once() + (time.monotonic() - since >= PATIENCE):
                return
            self._line.popleft()
            if not place.done():
                self._running += 1
                place.set_result(None)
