"""How many searches run at once; worker threads.

Searches that share a processor all end late: each waits for the others at every step. One after the other
they end sooner on average, and none later. But nobody waits long for a slow one: who has waited for a while
may go beside it, one at a time. What takes no time (suggestions, files) never waits here.
"""

from __future__ import annotations

import asyncio
import os
import time
import weakref
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial, wraps
from queue import SimpleQueue
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from starlette.exceptions import HTTPException

# Worker threads for searches
# ---------------------------
#
# The framework's own hand-over takes three times as long: it counts, shields and copies what is of no
# use here.

T = TypeVar("T")
_Told = Callable[[Any, BaseException | None], None]
_Work = tuple[Callable[[], Any], _Told]


class WorkerThreads:
    """As many as were ever busy at once; they end with whoever keeps this."""

    def __init__(self) -> None:
        self._work: SimpleQueue[_Work | None] = SimpleQueue()
        self._idle: deque[None] = deque()  # one for each thread that can take work
        self._finish = weakref.finalize(self, _end, self._work)

    async def run(self, call: Callable[[], T]) -> T:
        """What a call returns or raises on another thread; it goes on when nobody waits for it any more."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def tell(value: Any, error: BaseException | None) -> None:
            with suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(_settle, answer, value, error)

        try:
            self._idle.pop()
        except IndexError:
            # Whoever ends the process need not wait for an answer that nobody gets.
            Thread(target=_serve, args=(self._work, self._idle), name="search", daemon=True).start()
        self._work.put((call, tell))
        return await answer


def _serve(work: SimpleQueue[_Work | None], idle: deque[None]) -> None:
    while (given := work.get()) is not None:
        call, tell = given
        value, error = None, None
        try:
            value = call()
        except BaseException as raised:  # whoever waits for it is told
            error = raised
        idle.append(None)  # before it is told: what comes next needs no further thread
        tell(value, error)
        del given, call, tell, value, error  # which may be large
    work.put(None)  # to the others


def _settle(answer: asyncio.Future[T], value: T, error: BaseException | None) -> None:
    if answer.done():  # given up
        return
    if error is None:
        answer.set_result(value)
    else:
        # The one exception that nobody can wait for.
        answer.set_exception(RuntimeError(repr(error)) if isinstance(error, StopIteration) else error)


def _end(work: SimpleQueue[_Work | None]) -> None:
    work.put(None)


PATIENCE = 0.1  # seconds, in which many searches end
P = ParamSpec("P")


def at_once() -> int:
    """As many as the processors of this process, which may change."""
    known = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return len(known)


class SearchQueue:
    """Who comes first is searched for first; used from one event loop."""

    def __init__(self, timeout: float) -> None:
        """`timeout` is after how many seconds nobody waits for an answer any more."""
        self._timeout = timeout
        self._threads = WorkerThreads()
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
