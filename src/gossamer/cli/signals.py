"""How does a command end when the system asks it to? As after Ctrl-C: files are closed, no folder is left.

A crawl answers SIGTERM and SIGHUP by itself, and stops well; this is for everything else.
"""

from __future__ import annotations

import logging
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ASKED = (signal.SIGTERM, signal.SIGHUP)


class Terminated(SystemExit):
    """The system asked the process to end; the exit code is what a shell makes of that signal."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.exit_code = 128 + number


def is_an_end(error: BaseException) -> bool:
    """Whether somebody wanted it so: Ctrl-C, or what an event loop was doing has been cancelled."""
    asyncio = sys.modules.get("asyncio")  # a command without a loop need not load it
    return isinstance(error, KeyboardInterrupt) or (
        asyncio is not None and isinstance(error, asyncio.CancelledError)
    )


@contextmanager
def ending_well() -> Iterator[list[int]]:
    """Lets SIGTERM and SIGHUP unwind what runs inside; what is ignored (nohup) stays so.

    Gives the list of those that came.
    """
    asked: list[int] = []

    def unwind(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # asked a second time, the process ends at once
        # Tasks that are left behind would be told of with a traceback each.
        warnings.simplefilter("ignore", RuntimeWarning)
        logging.getLogger("asyncio").disabled = True
        asked.append(number)
        interrupt = signal.getsignal(signal.SIGINT)
        # An exception out of nowhere may lose a step of an event loop, which then waits for ever. The loop
        # that runs knows how to end its main task after Ctrl-C, unless that is ignored, as in the background.
        if callable(interrupt) and interrupt is not signal.default_int_handler:
            interrupt(signal.SIGINT, frame)
        elif not _cancel_running():
            raise Terminated(number)

    before = {number: signal.getsignal(number) for number in _ASKED}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, unwind)
    try:
        yield asked
    except BaseException as end:
        if asked and is_an_end(end):
            raise Terminated(asked[0]) from None
        raise
    else:
        if asked:  # it fell into code that swallows every exception, and the command went on to its end
            raise Terminated(asked[0])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _cancel_running() -> bool:
    """Cancels what an event loop is doing in this thread; whether there is one."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return False
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return False
    for task in asyncio.all_tasks(loop):
        loop.call_soon_threadsafe(task.cancel)
    return True
