"""What is said of a crawl when it is over?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.cli.show import counted

if TYPE_CHECKING:
    from gossamer.engine.progress import CrawlProgress


def summary(progress: CrawlProgress, indexed: bool) -> str:
    """A crawl in one line."""
    more = indexed and progress.indexed > progress.kept  # pages of earlier crawls too
    indexed_too = f"{counted(progress.indexed, 'page')} indexed, " if more else ""
    return (
        f"fetched {counted(progress.pages, 'page')} ({_became(progress, indexed and not more)})"
        + f" from {counted(progress.hosts, 'host')}"
        + f" in {progress.seconds:.1f} s ({progress.pages_per_second:.1f} pages/s), {indexed_too}"
        + f"{counted(progress.failed, 'error')}, {progress.queue:,} waiting"
    )


def _became(progress: CrawlProgress, indexed: bool) -> str:
    """What became of the pages; the rest holds no text, or does not want to be found."""
    parts = [f"{progress.indexed:,} indexed" if indexed else f"{progress.kept:,} kept"]
    parts.append(counted(progress.duplicates, "duplicate"))
    rest = progress.pages - progress.kept - progress.duplicates
    if rest > 0:
        parts.append(f"{rest:,} not {'indexed' if indexed else 'kept'}")
    return ", ".join(parts)


def nothing_new(progress: CrawlProgress, had_seeds: bool, refresh: bool) -> str:
    """Why a crawl fetched no page, in one line."""
    if progress.failed or progress.refused:
        refused = f"{progress.refused:,} forbidden by robots.txt"
        return f"fetched no page: {counted(progress.failed, 'error')}, {refused}"
    if progress.queue:
        waiting = f"nothing may be fetched yet: {progress.queue:,} waiting"
        return f"{waiting}; try again later ('gossamer status --host HOST' says why, and until when)"
    if refresh:
        return "no known page is due ('gossamer status --host HOST' says when the next is)"
    if had_seeds:
        return "everything was already there: nothing new was fetched"
    return "nothing is queued: give a URL to begin at"
