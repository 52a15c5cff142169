"""What does long work show while it runs? Live lines on a terminal, a plain line now and then elsewhere.

Everything goes to standard error: standard output is for results.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gossamer.cli.show import clean, counted

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from gossamer.engine.progress import CrawlObserver, CrawlProgress, StepObserver

EVERY = 5.0  # seconds between plain lines


class Now:
    """Says yes once every few seconds, the first time after the first few seconds."""

    def __init__(self, every: float = EVERY, clock: Callable[[], float] = time.monotonic) -> None:
        self._every = every
        self._clock = clock
        self._next = clock() + every

    def __call__(self) -> bool:
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + self._every
        return True


def megabytes(size: float) -> str:
    """A size for people.

    >>> megabytes(1_234_567), megabytes(2_500_000_000), megabytes(900)
    ('1.2 MB', '2.50 GB', '0.0 MB')
    """
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def crawl_line(progress: CrawlProgress) -> str:
    """How a crawl is going, in a line."""
    parts = [
        counted(progress.pages, "page"),
        f"{progress.pages_per_second:.1f} pages/s",
        megabytes(progress.bytes),
        f"{progress.queue:,} waiting",
        f"{progress.active} active",
        counted(progress.failed, "error"),
    ]
    if progress.stopping:
        parts.append("stopping: Ctrl-C again lets go of what is in flight")
    return ", ".join(parts)


def step_line(what: str, done: int, total: int) -> str:
    """How a step is going; a total of 0 is one that nobody knows."""
    if total:
        return f"{what}: {done:,} of {total:,}"
    return f"{what}: {done:,}" if done else what


@contextmanager
def crawl_watch(quiet: bool) -> Iterator[CrawlObserver | None]:
    """An observer for a crawl."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _live() as update:
            yield lambda progress: update(crawl_line(progress), progress.current)
    else:
        now = Now()
        yield lambda progress: _plain(crawl_line(progress)) if now() else None


@contextmanager
def step_watch(quiet: bool = False) -> Iterator[StepObserver | None]:
    """An observer for work in steps."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _live() as update:
            yield lambda what, done, total: update(step_line(what, done, total), "", done, total)
    else:
        now = Now()
        yield lambda what, done, total: _plain(step_line(what, done, total)) if now() else None


def _plain(line: str) -> None:
    print(clean(line), file=sys.stderr, flush=True)


@contextmanager
def _live() -> Iterator[Callable[..., None]]:
    """Lines at the foot of the terminal that vanish in the end."""
    from rich.console import Console
    from rich.live import Live

    console = Console(file=sys.stderr, highlight=False, markup=False)
    with Live(console=console, transient=True, auto_refresh=False) as live:

        def update(line: str, below: str = "", done: int = 0, total: int = 0) -> None:
            live.update(_lines(console, clean(line), clean(below), done, total), refresh=True)

        yield update


def _lines(console: Console, line: str, below: str, done: int, total: int) -> RenderableType:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    parts: list[RenderableType] = [Text(line, no_wrap=True, overflow="ellipsis")]
    if below:
        parts.append(Text(below, "dim", no_wrap=True, overflow="ellipsis"))
    if total:
        parts.append(ProgressBar(total=total, completed=done, width=min(60, console.width)))
    return Group(*parts)
