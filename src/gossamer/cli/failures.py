"""Which line and which exit code does an error become?

2 for what the caller can put right in the command line, 1 for a run that failed, 130 for Ctrl-C, 143 when the
system asked for the end.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice

import typer

from gossamer.cli.show import clean
from gossamer.model import BadQuery, CollectionBusy, CollectionError, GossamerError, UsageError, WrongFormat

FAILED = 1
USAGE = 2
STOPPED = 130  # 128 + SIGINT, as shells have it
DEBUG = "GOSSAMER_DEBUG"
MOST_NAMED = 10  # pages that were left out


def complain(text: str) -> None:
    """One line on standard error."""
    print(f"gossamer: {clean(' '.join(text.split()))}", file=sys.stderr)


def left_out(pages: Mapping[str, str]) -> None:
    """Names the first of the pages that errors of ours have cost: URLs and reasons."""
    for url, reason in islice(pages.items(), MOST_NAMED):
        complain(f"{url} was left out; {reason}")


def stopped(code: int = STOPPED) -> int:
    """Ctrl-C, or a signal of the system."""
    complain("stopped")
    return code


def report(error: Exception) -> int:
    """Says what went wrong and what to do; the exit code."""
    if isinstance(error, typer.TyperException):
        return _bad_command_line(error)
    if isinstance(error, GossamerError):
        complain(str(error))
        if isinstance(error, BadQuery):
            _point(error)
        return USAGE if _can_be_put_right(error) else FAILED
    return _unexpected(error)


def _can_be_put_right(error: GossamerError) -> bool:
    """Whether another command line would help; of a folder that is no collection, -C can name another."""
    if isinstance(error, CollectionError):
        return not isinstance(error, CollectionBusy | WrongFormat)
    return isinstance(error, UsageError)


def _bad_command_line(error: typer.TyperException) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "gossamer"
    complain(f"{error.format_message().rstrip('.')}{_hint(error, command)}; see: {command} --help")
    return error.exit_code


def _hint(error: typer.TyperException, command: str) -> str:
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
