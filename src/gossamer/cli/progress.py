"""What does long work show while it runs? Live lines on a terminal, a plain line now and then elsewhere.

Everything goes to standard error: standard output is for results.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gossamer.cli.panel import ending, panel, rows
from gossamer.cli.show import clean, counted, megabytes
from gossamer.kernel import kernels_are_compiled

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gossamer.engine.progress import CrawlObserver, CrawlProgress, StepObserver

    Tell = Callable[[CrawlProgress, float, float], None]  # with pages and bytes a second

EVERY = 5.0  # seconds between plain lines
REDRAWN_EVERY = 0.4  # seconds; a crawl has better things to do
LONGEST_BAR = 60  # columns
LEFT_FREE = 5  # columns: a terminal shows ^C where the cursor stands, and must not begin a line for it


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


def crawl_line(progress: CrawlProgress, pages_now: float) -> str:
    """How a crawl is going, in a line."""
    parts = [
        counted(progress.pages, "page"),
        f"{pages_now:.1f} pages/s now and {progress.pages_per_second:.1f} on average",
        megabytes(progress.bytes),
        f"{progress.queue:,} waiting",
        f"{progress.active:,} active",
        counted(progress.failed, "error"),
    ]
    if progress.sleeping:
        parts.append(f"{counted(len(progress.sleeping), 'URL pattern')} asleep")
    if progress.paused:
        parts.append("resting until: gossamer resume")
    if progress.stopping:
        parts.append(f"stopping: {ending(progress)}")
    return ", ".join(parts)


def step_line(what: str, done: int, total: int) -> str:
    """How a step is going; a total of 0 is one that nobody knows."""
    if total:
        return f"{what}: {done:,} of {total:,}"
    return f"{what}: {done:,}" if done else what


@contextmanager
def crawl_watch(quiet: bool) -> Iterator[CrawlObserver | None]:
    """An observer for a crawl; a new version that has to be compiled first is said so."""
    if not quiet and not kernels_are_compiled():
        _plain("compiling kernels, once per version (about half a minute)")
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _live() as draw:
            yield _crawl_observer(lambda *state: draw(panel(rows(*state))), Now(REDRAWN_EVERY))
    else:
        yield _crawl_observer(lambda progress, pages, _: _plain(crawl_line(progress, pages)), Now())


def _crawl_observer(tell: Tell, now: Callable[[], bool]) -> CrawlObserver:
    """Tells of a crawl whenever it is time, and at once when the crawl is asked to stop."""
    from gossamer.engine.progress import Pace

    pace = Pace()
    stopping = False

    def observer(progress: CrawlProgress) -> None:
        nonlocal stopping
        speed = pace.look(progress)
        is_news = progress.stopping and not stopping
        stopping = progress.stopping
        if now() or is_news:
            tell(progress, *speed)

    return observer


@contextmanager
def step_watch(quiet: bool = False) -> Iterator[StepObserver | None]:
    """An observer for work in steps."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _live() as draw:
            yield lambda what, done, total: draw(_step(what, done, total))
    else:
        now = Now()
        yield lambda what, done, total: _plain(step_line(what, done, total)) if now() else None


def _plain(line: str) -> None:
    print(clean(line), file=sys.stderr, flush=True)


@contextmanager
def _live() -> Iterator[Callable[[RenderableType], None]]:
    """Lines at the foot of the terminal that vanish in the end."""
    from rich.console import Console
    from rich.constrain import Constrain
    from rich.live import Live

    console = Console(file=sys.stderr, highlight=False, markup=False)
    with Live(console=console, transient=True, auto_refresh=False) as live:

        def draw(drawn: RenderableType) -> None:
            live.update(Constrain(drawn, max(console.width - LEFT_FREE, 1)), refresh=True)

        yield draw


def _step(what: str, done: int, total: int) -> RenderableType:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    line = Text(clean(step_line(what, done, total)), no_wrap=True, overflow="ellipsis")
    return Group(line, ProgressBar(total=total, completed=done, width=LONGEST_BAR)) if total else line
