"""Suggested commands that work as they are shown."""

from __future__ import annotations

import re
import shlex
from contextvars import ContextVar
from pathlib import Path

# Commands of a collection. A command that names its folder already (`gossamer -C ...`) does not match.
_COMMAND = re.compile(
    r"\bgossamer (?=(?:check|crawl|import|index|links|pause|rank|resume|search|sites|status|stop)\b)"
)
_folder: ContextVar[Path] = ContextVar("folder", default=Path())


def remember_folder(folder: Path) -> None:
    """Note the folder of -C for the commands that are suggested from now on."""
    _folder.set(folder)


def runnable(text: str) -> str:
    """The text, each suggested command with the `-C DIR` that the user typed.

    >>> remember_folder(Path("my search")); runnable("run: gossamer rank")
    "run: gossamer -C 'my search' rank"
    >>> remember_folder(Path()); runnable("run: gossamer rank")
    'run: gossamer rank'
    """
    folder = _folder.get()
    if folder == Path():
        return text
    return _COMMAND.sub(lambda _: f"gossamer -C {shlex.quote(str(folder))} ", text)
