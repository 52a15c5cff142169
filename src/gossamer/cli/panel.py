"""How does a crawl look while it runs? A few calm lines that fit a terminal of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.cli.show import clean, counted, megabytes

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gossamer.engine.progress import CrawlProgress

LABEL = 10  # columns
SLOWEST = 3
LONGEST_NAME = 16  # characters of a host's name: three of them fit into a line

Row = tuple[str, str]  # a label, and what is said


def rows(progress: CrawlProgress, pages_now: float, bytes_now: float) -> list[Row]:
    """The lines of the panel; what there is nothing to say about is left out."""
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
    """The lines as they are drawn; what does not fit is cut off."""
    from rich.console import Group
    from rich.text import Text

    first, *rest = lines
    drawn = [Text.assemble((first[0].ljust(LABEL), "bold"), first[1])]
    drawn += [Text.assemble((label.ljust(LABEL), "dim"), text) for label, text in rest]
    for line in drawn:
        line.no_wrap, line.overflow = True, "ellipsis"
    return Group(*drawn)


def ending(progress: CrawlProgress) -> str:
    """What a crawl that was asked to stop still does."""
    if progress.active:
        flight = f"{counted(progress.active, 'request')} in flight"
        return f"{flight}; Ctrl-C again lets go of {'it' if progress.active == 1 else 'them'}"
    return "indexing what came in; Ctrl-C again leaves that for the next command"


def long_delays(progress: CrawlProgress) -> str:
    """How many hosts go on slowly because they want to."""
    count = len(progress.long_delays)
    if not count:
        return ""
    want, go = ("wants", "goes") if count == 1 else ("want", "go")
    pause = f"more than {progress.max_crawl_delay:g} s between requests"
    return f"{counted(count, 'host')} {want} {pause} and {go} on slowly"


def _headline(progress: CrawlProgress) -> Row:
    if progress.stopping:
        return "stopping:", ending(progress)
    if progress.paused and not progress.finishing:
        return "resting", f"until gossamer resume ({_clock(progress.seconds)}), Ctrl-C ends it well"
    if progress.finishing:
        return "indexing", f"what came in ({_clock(progress.seconds)})"
    return "crawling", f"{_clock(progress.seconds)}, Ctrl-C ends it well"


def _pages(progress: CrawlProgress, pages_now: float, bytes_now: float) -> str:
    pace = f"{pages_now:.1f}/s now, {progress.pages_per_second:.1f}/s on average"
    return f"{progress.pages:,}, {pace}; {megabytes(progress.bytes)}, {megabytes(bytes_now)}/s"


def _hosts(progress: CrawlProgress) -> str:
    waiting = f"{counted(progress.queue, 'URL')} {'waits' if progress.queue == 1 else 'wait'}"
    return f"{progress.active:,} being asked, {progress.hosts:,} gave pages; {waiting}"


def _answers(progress: CrawlProgress) -> str:
    """By class of status; then how many requests had none, and why."""
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
    """A host's name; the end tells most."""
    return host if len(host) <= LONGEST_NAME else f"…{host[1 - LONGEST_NAME :]}"


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _clock(seconds: float) -> str:
    """A duration.

    >>> _clock(75), _clock(3 * 3600 + 61)
    ('1:15', '3:01:01')
    """
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"
