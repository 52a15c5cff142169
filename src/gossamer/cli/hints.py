"""Complete suggested commands with the folder of -C, so that they can be copied."""

from __future__ import annotations

import re
import shlex
from contextvars import ContextVar
from pathlib import Path

# Commands that need a collection. A command that already has a folder (`gossamer -C ...`) does not match.
_COMMAND = re.compile(
    r"\bgossamer (?=(?:check|crawl|import|index|links|pause|rank|resume|search|sites|status|stop)\b)"
)
_folder: ContextVar[Path] = ContextVar("folder", default=Path())


def remember_folder(folder: Path) -> None:
    """Set the folder of -C for all suggested commands from now on."""
    _folder.set(folder)


def runnable(text: str) -> str:
    """Return the text, and add to each suggested command the `-C DIR` that the user typed.

    >>> remember_folder(Path("my search")); runnable("run: gossamer rank")
    "run: gossamer -C 'my search' rank"
    >>> remember_folder(Path()); runnable("run: gossamer rank")
    'run: gossamer rank'
    """
    folder = _folder.get()
    if folder == Path():
        return text
    return _COMMAND.sub(lambda _: f"gossamer -C {shlex.quote(str(folder))} ", text)
