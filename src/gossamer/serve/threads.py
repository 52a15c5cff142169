"""On which thread does a search run? On one that waits for work, and gets it with as little ado as can be.

The framework's own hand-over takes three times as long: it counts, shields and copies what is of no use here.
"""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

_Told = Callable[[Any, BaseException | None], None]
_Work = tuple[Callable[[], Any], _Told]


class Threads:
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
