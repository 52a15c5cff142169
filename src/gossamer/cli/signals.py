"""How does a command end when the system asks it to? As after Ctrl-C: files are closed, no folder is left.

A crawl answers SIGTERM and SIGHUP by itself, and stops well; this is for everything else.
"""

from __future__ import annotations

import logging
import signal
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
        if not callable(interrupt) or interrupt is signal.default_int_handler:
            raise Terminated(number)
        # An exception out of nowhere may lose a step of an event loop, which then waits for ever. The loop
        # that runs knows how to end its main task after Ctrl-C.
        interrupt(signal.SIGINT, frame)

    before = {number: signal.getsignal(number) for number in _ASKED}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, unwind)
    try:
        yield asked
    except KeyboardInterrupt:
        if asked:
            raise Terminated(asked[0]) from None
        raise
    else:
        if asked:  # it fell into code that swallows every exception, and the command went on to its end
            raise Terminated(asked[0])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
