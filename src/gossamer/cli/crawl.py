"""Command crawl."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from gossamer.cli.exit_codes import FAILED, STOPPED, complain
from gossamer.cli.hints import runnable
from gossamer.cli.options import (
    QUIET,
    Context,
    Exit,
    argument,
    directory,
    is_collection,
    open_engine,
    option,
)
from gossamer.cli.output import counted
from gossamer.cli.progress import crawl_watch, nothing_new, summary
from gossamer.model import BadUrl, NotACollection, Url, UsageError
from gossamer.model.progress import CrawlProgress
from gossamer.web.url import repair

CRAWL_EXAMPLES = (
    "gossamer -C my-search crawl https://example.org/ --max-pages 500",
    "gossamer -C my-search crawl example.org --stay --exclude '/tag/' --delay 2",
    "gossamer -C my-search crawl              continue with the queued URLs",
    "gossamer -C my-search crawl --continuous keep pages fresh until Ctrl-C",
)


def crawl(
    context: Context,
    urls: list[str] | None = argument(
        "URL...", "URL to start from. Without one, the crawl continues with the queued URLs.", required=False
    ),
    seeds: Path | None = option("--seeds FILE", "Start from the URLs in this file, one per line."),
    max_pages: int | None = option("--max-pages N", "Stop after N pages. Default: no limit.", min=1),
    depth: int | None = option(
        "--depth N", "Follow at most N links from a start URL. Default: no limit.", min=0
    ),
    include: list[str] | None = option(
        "--include RE", "Fetch only URLs that match this regular expression. Repeatable."
    ),
    exclude: list[str] | None = option(
        "--exclude RE", "Skip URLs that match this regular expression. Repeatable."
    ),
    delay: float | None = option(
        "--delay S", "Wait S seconds between two requests to a host. Default: 1.", min=0
    ),
    resolve: list[str] | None = option(
        "--resolve PATTERN=ADDR[:PORT]",
        "Connect to this IP address for hosts that match PATTERN, such as *.example.org. Repeatable.",
    ),
    allow_private: bool = option(
        "--allow-private", "Allow IP addresses of private networks and of this machine."
    ),
    user_agent: str | None = option("--user-agent S", "Send this User-Agent header."),
    no_index: bool = option(
        "--no-index", "Fetch only. Run `gossamer index` later to make the pages searchable."
    ),
    stay: bool = option("--stay", "Stay on the sites of the start URLs."),
    continuous: bool = option(
        "--continuous", "Crawl until stopped: fetch new pages, and fetch known pages again when they are due."
    ),
    refresh: bool = option("--refresh", "Fetch all known pages that are due, once, then end."),
    partitions: int | None = option(
        "--partitions N", "Divide a new collection into N partitions. Default: 1.", min=1
    ),
    quiet: bool = QUIET,
) -> None:
    """Fetch pages from the web and make them searchable.

    Creates the collection if needed. Obeys robots.txt and limits the rate of requests to each host. Ctrl-C
    stops the crawl; the next crawl continues it.
    """
    from gossamer.crawl.options import CrawlOptions

    begin = _seeds(urls or [], seeds)
    limits = CrawlOptions(  # checks the options before a folder is created
        max_pages, depth, stay or None, include, exclude, delay, resolve, allow_private or None, user_agent
    )
    new = _is_new(directory(context), begin, partitions)
    with (
        open_engine(context, create=new, partitions=partitions or 1) as engine,
        crawl_watch(quiet) as observer,
    ):
        progress = engine.crawl(
            begin,
            **vars(limits),
            continuous=continuous,
            refresh=refresh,
            index=not no_index,
            observer=observer,
        )
    _print_outcome(progress, bool(begin), refresh, indexed=not no_index)


def _is_new(folder: Path, begin: Sequence[Url], partitions: int | None) -> bool:
    """Return whether the crawl creates the collection. Raise an error if that is impossible."""
    if not is_collection(folder):
        if not begin:
            raise NotACollection(folder)
        return True
    if partitions is not None:
        from gossamer.collection.collection import Collection

        existing = Collection.open(folder).partitions
        if partitions != existing:
            held = counted(existing, "partition")
            raise UsageError(f"{folder} exists already, with {held}; --partitions cannot change that")
    return False


def _seeds(typed: Sequence[str], file: Path | None) -> list[Url]:
    """Return the start URLs, and report what was changed in typed URLs."""
    found = []
    for text in typed:
        url, note = repair(text)
        if note:
            print(f"{text} {note}", file=sys.stderr)
        found.append(url)
    return [*found, *(_listed(file) if file else [])]


def _listed(file: Path) -> list[Url]:
    """Return the URLs in a file with one URL per line."""
    found = []
    for number, line in enumerate(_lines(file), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                found.append(repair(line)[0])
            except BadUrl as error:
                raise UsageError(f"{file}, line {number}: {error}") from error
    if not found:
        raise UsageError(f"{file} contains no URL; write one URL per line")
    return found


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from error


def _print_outcome(progress: CrawlProgress, had_seeds: bool, refresh: bool, indexed: bool) -> None:
    for seed, why in progress.seed_errors.items():
        complain(f"{seed}: {why}")
    for trouble in progress.troubles:
        complain(trouble)
    if progress.revisits:
        outcome = f"{progress.unchanged:,} unchanged, {progress.left:,} removed from the index"
        print(f"fetched {counted(progress.revisits, 'known page')} again: {outcome}")
    if progress.pages or progress.stopping:
        print(summary(progress, indexed))
    elif progress.seed_errors:
        raise Exit(FAILED)
    elif not progress.revisits:
        print(runnable(nothing_new(progress, had_seeds, refresh)))
    if progress.stopping:
        raise Exit(STOPPED)
