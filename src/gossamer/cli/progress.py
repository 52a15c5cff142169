"""Live progress on standard error.

Everything goes to standard error: standard output is for results.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gossamer.cli.hints import runnable
from gossamer.cli.output import clean, counted, megabytes
from gossamer.model.progress import CrawlProgress, CrawlRate, Observer, StepProgress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gossamer.kernels.warm_up import WarmUp

    Tell = Callable[[CrawlProgress, float, float], None]  # with pages and bytes a second


# Panel of a running crawl
# ------------------------

LABEL = 10  # columns
SLOWEST = 3
LONGEST_NAME = 16  # characters of a host's name: three of them fit into a line
Row = tuple[str, str]  # a label and its text


def rows(progress: CrawlProgress, pages_now: float, bytes_now: float) -> list[Row]:
    """Return the lines of the panel, without those that have no text."""
    said = [
        _headline(progress),
        ("pages", _pages(progress, pages_now, bytes_now)),
        ("hosts", _hosts(progress)),
        ("answers", _answers(progress)),
        ("kept", _kept(progress)),
        ("again", _again(progress)),
        ("slowest", _slowest(progress)),
        ("delays", long_delays(progress)),
        ("asleep", _asleep(progress)),
        ("trouble", progress.troubles[-1] if progress.troubles else ""),
    ]
    shown = [(label, clean(text)) for label, text in said if text]
    return shown if progress.finishing else [*shown, ("asking", clean(progress.current))]


def panel(lines: list[Row]) -> RenderableType:
    """Format the lines for the terminal. The end of a line that does not fit is cut off."""
    from rich.console import Group
    from rich.text import Text

    first, *rest = lines
    drawn = [Text.assemble((first[0].ljust(LABEL), "bold"), first[1])]
    drawn += [Text.assemble((label.ljust(LABEL), "dim"), text) for label, text in rest]
    for line in drawn:
        line.no_wrap, line.overflow = True, "ellipsis"
    return Group(*drawn)


def ending(progress: CrawlProgress) -> str:
    """Describe the remaining work of a crawl that is stopping."""
    if progress.active:
        flight = f"{counted(progress.active, 'request')} in flight"
        return f"{flight}; Ctrl-C again cancels {'it' if progress.active == 1 else 'them'}"
    return "indexing the new pages; Ctrl-C again leaves this to the next command"


def long_delays(progress: CrawlProgress) -> str:
    """Count the hosts whose Crawl-delay exceeds the limit; "" if there are none."""
    count = len(progress.long_delays)
    if not count:
        return ""
    want = "wants" if count == 1 else "want"
    pause = f"more than {progress.max_crawl_delay:g} s between requests"
    return f"{counted(count, 'host')} {want} {pause}"


def _headline(progress: CrawlProgress) -> Row:
    if progress.stopping:
        return "stopping:", ending(progress)
    if progress.paused and not progress.finishing:
        return (
            "paused",
            f"{runnable('until gossamer resume')} ({_clock(progress.seconds)}), Ctrl-C stops it",
        )
    if progress.finishing:
        return "indexing", f"the new pages ({_clock(progress.seconds)})"
    return "crawling", f"{_clock(progress.seconds)}, Ctrl-C stops it"


def _pages(progress: CrawlProgress, pages_now: float, bytes_now: float) -> str:
    pace = f"{pages_now:.1f}/s now, {progress.pages_per_second:.1f}/s on average"
    return f"{progress.pages:,}, {pace}; {megabytes(progress.bytes)}, {megabytes(bytes_now)}/s"


def _hosts(progress: CrawlProgress) -> str:
    waiting = f"{counted(progress.queue, 'URL')} {'waits' if progress.queue == 1 else 'wait'}"
    return f"{progress.active:,} being asked, {progress.hosts:,} gave pages; {waiting}"


def _answers(progress: CrawlProgress) -> str:
    """Count responses by class of status, and requests without a response by reason."""
    classes = [f"{count:,} {digit}xx" for digit, count in enumerate(progress.statuses) if count]
    reasons = [f"{count:,} {reason}" for reason, count in progress.unanswered.most_common()]
    if reasons:
        classes.append(f"{sum(progress.unanswered.values()):,} none ({', '.join(reasons)})")
    return ", ".join(classes) or "none yet"


def _kept(progress: CrawlProgress) -> str:
    near = f" ({progress.near_duplicates:,} near)" if progress.near_duplicates else ""
    duplicates = counted(progress.duplicates, "duplicate")
    return f"{progress.kept:,}, {duplicates}{near}, {progress.indexed:,} indexed"


def _again(progress: CrawlProgress) -> str:
    if not progress.revisits:
        return ""
    left = f", {counted(progress.left, 'page')} left the index" if progress.left else ""
    return f"{counted(progress.revisits, 'known page')} asked for, {progress.unchanged:,} unchanged{left}"


def _slowest(progress: CrawlProgress) -> str:
    return ", ".join(f"{_name(host)} {_time(seconds)}" for host, seconds in progress.slowest.top(SLOWEST))


def _asleep(progress: CrawlProgress) -> str:
    if progress.fell_asleep is None:
        return ""
    host, pattern, reason = progress.fell_asleep
    patterns = counted(len(progress.sleeping), "URL pattern")
    return f"{patterns}; latest, for {reason}: {_name(host)}{pattern}"


def _name(host: str) -> str:
    """Shorten a host's name to its end, which is the most distinctive part."""
    return host if len(host) <= LONGEST_NAME else f"…{host[1 - LONGEST_NAME :]}"


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _clock(seconds: float) -> str:
    """Format a duration.

    >>> _clock(75), _clock(3 * 3600 + 61)
    ('1:15', '3:01:01')
    """
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"


EVERY = 5.0  # seconds between plain lines
COMPILING_EVERY = 2.0  # the same for the first command of all, when a person wonders whether it works
COMPILING = "compiling kernels (once per version, {:.0f} s so far)"
REDRAWN_EVERY = 0.4  # seconds; drawing more often would slow down the crawl
LONGEST_BAR = 60  # columns
LEFT_FREE = 5  # columns for the ^C that a terminal shows at the cursor, so that it does not begin a new line


class Ticker:
    """Returns True once in `every` seconds, for the first time after `every` seconds."""

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
    """Describe the progress of a crawl in one line."""
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
        parts.append(runnable("paused until: gossamer resume"))
    if progress.stopping:
        parts.append(f"stopping: {ending(progress)}")
    return ", ".join(parts)


def step_line(what: str, done: int, total: int) -> str:
    """Describe the progress of a step; a total of 0 is unknown."""
    if total:
        return f"{what}: {done:,} of {total:,}"
    return f"{what}: {done:,}" if done else what


@contextmanager
def crawl_watch(quiet: bool) -> Iterator[Observer[CrawlProgress] | None]:
    """Yield an observer for a crawl. Compile its kernels first."""
    compile_kernels(["crawl"], quiet)
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _live() as draw:
            yield _crawl_observer(lambda *state: draw(panel(rows(*state))), Ticker(REDRAWN_EVERY))
    else:
        yield _crawl_observer(lambda progress, pages, _: _plain(crawl_line(progress, pages)), Ticker())


def _crawl_observer(tell: Tell, now: Callable[[], bool]) -> Observer[CrawlProgress]:
    """Make an observer that reports when `now` returns True, and at once when the crawl is asked to stop."""
    pace = CrawlRate()
    stopping = False

    def observer(progress: CrawlProgress) -> None:
        nonlocal stopping
        speed = pace.look(progress)
        is_news = progress.stopping and not stopping
        stopping = progress.stopping
        if now() or is_news:
            tell(progress, *speed)

    return observer


def compile_kernels(stages: Sequence[str], quiet: bool = False) -> None:
    """Compile the missing kernels of some stages, in several processes, with a progress bar."""
    from gossamer.kernels.kernel import cache_folder, ready_mark

    try:
        if not all(ready_mark(stage).exists() for stage in stages):
            warm_up(stages, quiet)
    except OSError as error:
        if not quiet:
            why = f"compiled code cannot be stored in {cache_folder()}: {error.strerror or error}"
            _plain(f"{why}; it is compiled again by each command. Name another folder: XDG_CACHE_HOME=DIR")


def warm_up(stages: Sequence[str], quiet: bool) -> WarmUp:
    """Compile the kernels of some stages, with a progress bar; return the result."""
    from gossamer.kernels import warm_up as kernels

    with step_watch(quiet, every=COMPILING_EVERY) as observer:
        if observer is None:
            return kernels.warm_up(stages)
        return kernels.warm_up(
            stages,
            lambda done, total, seconds: observer(StepProgress(COMPILING.format(seconds), done, total)),
        )


@contextmanager
def step_watch(
    quiet: bool = False, needs: Sequence[str] = (), every: float = EVERY
) -> Iterator[Observer[StepProgress] | None]:
    """Yield an observer for work in steps. Compile the kernels that it needs first."""
    compile_kernels(needs, quiet)
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _live() as draw:
            yield lambda progress: draw(_step(progress))
    else:
        now = Ticker(every)
        yield lambda progress: _plain(step_line(*progress)) if now() else None


def _plain(line: str) -> None:
    print(clean(line), file=sys.stderr, flush=True)


@contextmanager
def _live() -> Iterator[Callable[[RenderableType], None]]:
    """Yield a function that draws lines at the bottom of the terminal. They vanish at the end."""
    from rich.console import Console
    from rich.constrain import Constrain
    from rich.live import Live

    console = Console(file=sys.stderr, highlight=False, markup=False)
    with Live(console=console, transient=True, auto_refresh=False) as live:

        def draw(drawn: RenderableType) -> None:
            live.update(Constrain(drawn, max(console.width - LEFT_FREE, 1)), refresh=True)

        yield draw


def _step(progress: StepProgress) -> RenderableType:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    what, done, total = progress
    line = Text(clean(step_line(what, done, total)), no_wrap=True, overflow="ellipsis")
    return Group(line, ProgressBar(total=total, completed=done, width=LONGEST_BAR)) if total else line


# Summary after a crawl
# ---------------------


def summary(progress: CrawlProgress, indexed: bool) -> str:
    """Summarise a finished crawl in one line."""
    more = indexed and progress.indexed > progress.kept  # pages of earlier crawls too
    indexed_too = f"{counted(progress.indexed, 'page')} indexed, " if more else ""
    return (
        f"fetched {counted(progress.pages, 'page')} ({_became(progress, indexed and not more)})"
        + f" from {counted(progress.hosts, 'host')}"
        + f" in {progress.seconds:.1f} s ({progress.pages_per_second:.1f} pages/s), {indexed_too}"
        + f"{counted(progress.failed, 'error')}, {progress.queue:,} waiting"
    )


def _became(progress: CrawlProgress, indexed: bool) -> str:
    """Count the indexed or kept pages, the duplicates, and the rest: pages without text, or with noindex."""
    parts = [f"{progress.indexed:,} indexed" if indexed else f"{progress.kept:,} kept"]
    parts.append(counted(progress.duplicates, "duplicate"))
    rest = progress.pages - progress.kept - progress.duplicates
    if rest > 0:
        parts.append(f"{rest:,} not {'indexed' if indexed else 'kept'}")
    return ", ".join(parts)


def nothing_new(progress: CrawlProgress, had_seeds: bool, refresh: bool) -> str:
    """Explain in one line why a crawl fetched no page."""
    if progress.failed or progress.refused:
        refused = f"{progress.refused:,} forbidden by robots.txt"
        return f"fetched no page: {counted(progress.failed, 'error')}, {refused}"
    if progress.queue:
        waiting = f"no queued URL is due yet: {progress.queue:,} waiting"
        return f"{waiting}; try again later (gossamer status --host HOST shows why, and until when)"
    if refresh:
        return "no known page is due (gossamer status --host HOST shows when the next one is)"
    if had_seeds:
        return "nothing new: all these URLs were fetched before"
    return "nothing is queued; name a URL to start from"
