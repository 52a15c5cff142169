"""Limit concurrent searches; worker threads.

Searches that share a processor slow each other down, and all finish late. One after the other, they finish
sooner on average, and none finishes later. But nobody should wait long behind a slow search: after a short
wait, one more search may run beside it. Fast requests (suggestions, files) do not wait here.
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
# Starlette's `run_in_threadpool` takes three times as long: it counts, shields and copies things
# that are not needed here.

T = TypeVar("T")
_Callback = Callable[[Any, BaseException | None], None]
_Work = tuple[Callable[[], Any], _Callback]


class WorkerThreads:
    """A pool of threads that grows to the largest number of concurrent calls. It ends with this object."""

    def __init__(self) -> None:
        self._work: SimpleQueue[_Work | None] = SimpleQueue()
        self._idle: deque[None] = deque()  # one entry per idle thread
        self._finish = weakref.finalize(self, self._work.put, None)

    async def run(self, call: Callable[[], T]) -> T:
        """Call a function on another thread and return or raise its result. A call is never interrupted."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def tell(value: Any, error: BaseException | None) -> None:
            with suppress(RuntimeError):  # the event loop was closed
                loop.call_soon_threadsafe(_settle, answer, value, error)

        try:
            self._idle.pop()
        except IndexError:
            # A daemon thread: the process can end before its call does.
            Thread(target=_serve, args=(self._work, self._idle), name="search", daemon=True).start()
        self._work.put((call, tell))
        return await answer


def _serve(work: SimpleQueue[_Work | None], idle: deque[None]) -> None:
    while (given := work.get()) is not None:
        call, tell = given
        value, error = None, None
        try:
            value = call()
        except BaseException as raised:  # passed on to the caller
            error = raised
        idle.append(None)  # first, so that the next call finds this thread
        tell(value, error)
        del given, call, tell, value, error  # they may be large
    work.put(None)  # ends the other threads


def _settle(answer: asyncio.Future[T], value: T, error: BaseException | None) -> None:
    if answer.done():  # cancelled
        return
    if error is None:
        answer.set_result(value)
    else:
        # A future does not accept StopIteration.
        answer.set_exception(RuntimeError(repr(error)) if isinstance(error, StopIteration) else error)


PATIENCE = 0.1  # seconds; many searches take less
P = ParamSpec("P")


def at_once() -> int:
    """Return the number of processors that this process may use; it may change."""
    known = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return len(known)


class SearchQueue:
    """First-in, first-out queue of searches. Use it from one event loop."""

    def __init__(self, timeout: float) -> None:
        """`timeout`: seconds after which a request has been answered with an error."""
        self._timeout = timeout
        self._threads = WorkerThreads()
        self._running = 0
        self._waiting: deque[tuple[asyncio.Future[None], float]] = deque()  # (future, time of arrival)

    def taking(self, handler: Callable[P, T]) -> Callable[P, Awaitable[T]]:
        """Wrap a handler: it waits in the queue, then runs on a thread."""

        @wraps(handler)
        async def queued(*args: P.args, **kwargs: P.kwargs) -> T:
            await self._wait_for_turn()
            try:
                return await self._threads.run(partial(handler, *args, **kwargs))
            finally:
                self._running -= 1
                self._start_next()

        return queued

    async def _wait_for_turn(self) -> None:
        if self._running < at_once() and not self._waiting:
            self._running += 1
            return
        loop = asyncio.get_running_loop()
        place: asyncio.Future[None] = loop.create_future()
        begun = time.monotonic()
        self._waiting.append((place, begun))
        hurry = loop.call_later(1.1 * PATIENCE, self._start_next)  # timers may fire slightly early
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # cancelled after its turn had come
                self._running -= 1
                self._start_next()
            raise
        finally:
            hurry.cancel()
        if time.monotonic() - begun > self._timeout:  # the error was sent long ago
            self._running -= 1
            self._start_next()
            raise HTTPException(503)

    def _start_next(self) -> None:
        """Start the searches whose turn has come: one more than usual if the first has waited for a while."""
        while self._waiting:
            place, since = self._waiting[0]
            if self._running >= at_once() + (time.monotonic() - since >= PATIENCE):
                return
            self._waiting.popleft()
            if not place.done():
                self._running += 1
                place.set_result(None)
