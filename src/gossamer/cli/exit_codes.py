"""Errors and signals to messages and exit codes.

1 for a run that failed; 2 for a usage error: the command line, a setting or a file that was given is wrong.
130 after Ctrl-C, 143 after SIGTERM.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from types import FrameType
from typing import Any

from click import ClickException

from gossamer.cli.hints import runnable
from gossamer.cli.output import clean
from gossamer.model import (
    BadQuery,
    CollectionBusy,
    CollectionError,
    GossamerError,
    NotRanked,
    RenamedSetting,
    UsageError,
    WrongFormat,
)

FAILED = 1
USAGE = 2
STOPPED = 130  # 128 + SIGINT, as shells have it
DEBUG = "GOSSAMER_DEBUG"
MOST_NAMED = 10  # pages that were left out


def complain(text: str) -> None:
    """One line on standard error."""
    print(f"gossamer: {clean(runnable(' '.join(text.split())))}", file=sys.stderr)


def left_out(pages: Mapping[str, str]) -> None:
    """Names the first of the pages that errors of ours have cost: URLs and reasons."""
    for url, reason in islice(pages.items(), MOST_NAMED):
        complain(f"{url} was left out; {reason}")


def show_warnings_plainly() -> None:
    """Shows a renamed setting as one line on standard error; other warnings as Python does."""
    others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **how: Any) -> None:
        if issubclass(category, RenamedSetting):
            print(f"warning: {clean(str(message))}", file=sys.stderr)
        else:
            others(message, category, *place, **how)

    warnings.simplefilter("always", RenamedSetting)
    warnings.showwarning = show


def stopped(code: int = STOPPED) -> int:
    """Ctrl-C, or a signal of the system."""
    complain("stopped")
    return code


def report(error: Exception) -> int:
    """Says what went wrong and what to do; the exit code."""
    if isinstance(error, ClickException):
        return _bad_command_line(error)
    if isinstance(error, GossamerError):
        complain(str(error))
        if isinstance(error, BadQuery):
            _point(error)
        return USAGE if _can_be_put_right(error) else FAILED
    return _unexpected(error)


def _can_be_put_right(error: GossamerError) -> bool:
    """Whether it is a usage error. A folder that is no collection is one: -C can name another."""
    if isinstance(error, CollectionError):
        return not isinstance(error, CollectionBusy | NotRanked | WrongFormat)
    return isinstance(error, UsageError)


def _bad_command_line(error: ClickException) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "gossamer"
    complain(f"{error.format_message().rstrip('.')}{_hint(error, command)}; see: {command} --help")
    return error.exit_code


def _hint(error: ClickException, command: str) -> str:
    """An unknown option of one letter is most often a word to exclude."""
    option = str(getattr(error, "option_name", ""))
    excluded = command.endswith(" search") and option.startswith("-") and not option.startswith("--")
    return "; put -- before a query that begins with a minus" if excluded else ""


def _point(error: BadQuery) -> None:
    for line in error.pointer().split("\n"):
        print(f"  {clean(line)}", file=sys.stderr)


def _unexpected(error: Exception) -> int:
    """The outside world's refusals name the file; anything else is a bug of ours."""
    if os.environ.get(DEBUG):
        import traceback

        traceback.print_exception(error)
    hint = f"run it again with {DEBUG}=1 to see where"
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        complain(f"{where}{error.strerror} ({hint})")
    else:
        complain(f"unexpected {type(error).__name__}: {error} ({hint})")
    return FAILED


def hang_up() -> int:
    """Whoever read our output has gone: nothing more is written, not even when Python ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED


# SIGTERM and SIGHUP
# ------------------
#
# A crawl answers SIGTERM and SIGHUP by itself, and stops well; this is for everything else.

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
        import logging

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
