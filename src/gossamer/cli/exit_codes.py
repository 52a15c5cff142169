"""Turn errors and signals into messages and exit codes.

1: the run failed. 2: usage error; the command line, a setting or a named file is wrong. 130: Ctrl-C.
129: SIGHUP. 143: SIGTERM.
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
STOPPED = 130  # 128 + SIGINT, as in shells
DEBUG = "GOSSAMER_DEBUG"
MOST_NAMED = 10  # failed pages that are reported one by one


def complain(text: str) -> None:
    """Print a message as one line on standard error."""
    print(f"gossamer: {clean(runnable(' '.join(text.split())))}", file=sys.stderr)


def left_out(pages: Mapping[str, str]) -> None:
    """Report the first pages that were lost to a bug of Gossamer: URLs and reasons."""
    for url, reason in islice(pages.items(), MOST_NAMED):
        complain(f"{url} was left out; {reason}")


def show_warnings_plainly() -> None:
    """Show the warning about a renamed setting as one line; show other warnings as Python does."""
    others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **how: Any) -> None:
        if issubclass(category, RenamedSetting):
            print(f"warning: {clean(str(message))}", file=sys.stderr)
        else:
            others(message, category, *place, **how)

    warnings.simplefilter("always", RenamedSetting)
    warnings.showwarning = show


def stopped(code: int = STOPPED) -> int:
    """Print that the command was stopped, and return the exit code."""
    complain("stopped")
    return code


def report(error: Exception) -> int:
    """Print what went wrong and what to do, and return the exit code."""
    if isinstance(error, ClickException):
        return _bad_command_line(error)
    if isinstance(error, GossamerError):
        complain(str(error))
        if isinstance(error, BadQuery):
            for line in error.pointer().split("\n"):
                print(f"  {clean(line)}", file=sys.stderr)
        return USAGE if _is_usage_error(error) else FAILED
    return _unexpected(error)


def _is_usage_error(error: GossamerError) -> bool:
    """Return whether the command line is wrong. It is if the folder of -C is not a collection."""
    if isinstance(error, CollectionError):
        return not isinstance(error, CollectionBusy | NotRanked | WrongFormat)
    return isinstance(error, UsageError)


def _bad_command_line(error: ClickException) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "gossamer"
    complain(f"{error.format_message().rstrip('.')}{_hint(error, command)}; see: {command} --help")
    return error.exit_code


def _hint(error: ClickException, command: str) -> str:
    """Return a hint for an unknown option of `search`: the user usually wants to exclude this word."""
    option = str(getattr(error, "option_name", ""))
    excluded = command.endswith(" search") and option.startswith("-") and not option.startswith("--")
    return "; put -- before a query that begins with a minus" if excluded else ""


def _unexpected(error: Exception) -> int:
    """Report an error of the system, with its file, or a bug of Gossamer; return the exit code."""
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
    """Discard all further output, because its reader has closed the pipe; return the exit code."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED


# SIGTERM and SIGHUP
# ------------------
#
# A crawl has its own handlers for SIGTERM and SIGHUP. These are for all other commands.

_ENDING = (signal.SIGTERM, signal.SIGHUP)


class Terminated(SystemExit):
    """A signal asked the process to end. The exit code is 128 + the signal, as in shells."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.exit_code = 128 + number


def is_an_end(error: BaseException) -> bool:
    """Return whether an exception means a requested end: Ctrl-C, or a cancelled task of an event loop."""
    asyncio = sys.modules.get("asyncio")  # without an event loop it need not be imported
    return isinstance(error, KeyboardInterrupt) or (
        asyncio is not None and isinstance(error, asyncio.CancelledError)
    )


@contextmanager
def ending_well() -> Iterator[list[int]]:
    """Let SIGTERM and SIGHUP end the code inside cleanly. A signal that is ignored (nohup) stays ignored.

    Gives a list to which each signal that arrives is added.
    """
    asked: list[int] = []

    def unwind(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # the second signal ends the process at once
        # Without this, each task that is left over would print a traceback.
        warnings.simplefilter("ignore", RuntimeWarning)
        import logging

        logging.getLogger("asyncio").disabled = True
        asked.append(number)
        interrupt = signal.getsignal(signal.SIGINT)
        # An exception in a signal handler may skip a step of a running event loop, which then waits forever.
        # So use the loop's own handler of Ctrl-C, which ends its main task. Ctrl-C may be ignored, as in
        # background jobs: then cancel the tasks.
        if callable(interrupt) and interrupt is not signal.default_int_handler:
            interrupt(signal.SIGINT, frame)
        elif not _cancel_running():
            raise Terminated(number)

    before = {number: signal.getsignal(number) for number in _ENDING}
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
        if asked:  # the exception was raised in code that swallows all exceptions, and the command ended
            raise Terminated(asked[0])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _cancel_running() -> bool:
    """Cancel all tasks of the event loop in this thread. Return whether a loop is running."""
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
