"""Command status."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gossamer.cli.hints import runnable
from gossamer.cli.options import AS_JSON, Context, open_engine, option
from gossamer.cli.output import counted, megabytes, print_json, print_table

if TYPE_CHECKING:
    from gossamer.crawl.control import LiveCrawl
    from gossamer.owner.status import HostPause, HostStatus, RobotsStatus, Status


# status --host
# -------------

STATES = {"redirect": "redirects"}  # names of states in the table, where they differ
Row = tuple[str, str]


def print_host(found: HostStatus) -> None:
    """Print a table of what is known of a host, then its latest fetches."""
    print_table(("", ""), host_rows(found))
    if found.fetches:
        print()
        latest = ((one.asked_at, one.status or "none", one.reason, one.url) for one in found.fetches)
        print_table(("last requested", "status", "reason", "URL"), latest, numbers=(1,))


def host_rows(found: HostStatus) -> list[Row]:
    """Return the rows of the table of a host."""
    return [
        ("host", found.host),
        *((STATES.get(state, state), f"{count:,}") for state, count in found.urls.items()),
        ("pages kept", f"{found.pages:,}"),
        ("duplicates", f"{found.duplicates:,}"),
        *((f"reason: {reason}", f"{count:,}") for reason, count in found.reasons.items()),
        *((f"not indexed, {reason}", f"{count:,}") for reason, count in found.not_indexed.items()),
        *_robots(found.robots),
        *_silence(found),
        *_pause(found.pause),
        ("next due", found.next_due or "nothing is queued"),
        ("next visit of a known page", found.next_visit or "not planned"),
        *_learned(found),
    ]


def _robots(robots: RobotsStatus | None) -> Iterator[Row]:
    if robots is None:
        yield "robots.txt", "not requested yet"
        return
    yield "robots.txt", f"answered {robots.status} at {robots.fetched_at}"
    if robots.reason:
        yield "", robots.reason
    yield "crawl delay", _delay(robots.crawl_delay, robots.followed_delay)
    for address in robots.sitemaps:
        yield "sitemap", address


def _delay(wanted: float | None, followed: float | None) -> str:
    if wanted is None or followed is None:
        return "none"
    if followed == wanted:
        return f"{wanted:g} s"
    return f"{wanted:g} s in robots.txt; max_crawl_delay limits it to {followed:g} s"


def _silence(found: HostStatus) -> Iterator[Row]:
    if found.silent_crawls:
        crawls = counted(found.silent_crawls, "crawl")
        yield "no answer", f"in {crawls} in a row, last at {found.silent_since}"


def _pause(pause: HostPause | None) -> Iterator[Row]:
    """Describe the circuit breaker of the host, unless it is closed."""
    if pause is not None:
        end = f"until {pause.until}" if pause.state == "open" else "until its next answer"
        failed = f"{counted(pause.failures, 'page')} in a row failed since {pause.since}"
        pauses = counted(pause.pauses, "pause")
        yield "paused", f"{end}: {failed}, the last with {pause.reason} ({pauses}; breaker {pause.state})"


def _learned(found: HostStatus) -> Iterator[Row]:
    """Describe what crawls learned about the URLs of the host."""
    for one in found.asleep:
        refused = f"{one.refused:,} refused since {one.since}"
        yield "asleep", f"{one.pattern}: {one.reason}, {refused}, such as {one.example}"
    if found.left_out:
        yield "left out", ", ".join(f"{count:,} {reason}" for reason, count in found.left_out.items())
    for rule in found.equivalences:
        pairs = f"{counted(rule.same, 'pair')} of pages agreed, {rule.different:,} did not"
        yield "equivalent URLs", f"{rule.difference}: {pairs}, such as {rule.example}"
    for folder in found.soft_404:
        yield "soft 404", f"{folder}: a missing page is answered with a success status"
    if found.mirror:
        yield "mirror", found.mirror
    for other in found.mirrors:
        yield "mirrored by", other


STATUS_EXAMPLES = (
    "gossamer -C my-search status",
    "gossamer -C my-search status --json",
    "gossamer -C my-search status --host www.example.org",
)


def status(
    context: Context,
    host: str | None = option("--host H", "Show the state of this host. A URL means the host of this URL."),
    as_json: bool = AS_JSON,
) -> None:
    """Show the state of the collection.

    Shows counts of pages, reasons of failures, and times of fetches. With --host, shows the same for one
    host, and also its robots.txt and URL patterns.
    """
    with open_engine(context) as engine:
        if host is None:
            _show(engine.status(), engine.steering.live(), as_json)
        elif as_json:
            print_json(engine.host_status(host).as_dict())
        else:
            print_host(engine.host_status(host))


def _show(found: Status, live: LiveCrawl | None, as_json: bool) -> None:
    if as_json:
        print_json({**found.as_dict(), "crawl": live.as_dict() if live else None})
    else:
        print_table(("", ""), status_rows(found, live), numbers=(1,))


def crawl_line(live: LiveCrawl | None) -> str:
    """Describe the running crawl in a few words."""
    if live is None or not live.running:
        died = live is not None and live.died
        return "died; the next crawl continues from its last commit" if died else "none is running"
    doing = "stopping" if live.stopping else "paused" if live.paused else "running"
    return f"{doing}, {counted(live.pages, 'page')}, {live.pages_per_second:.1f}/s"


def status_rows(found: Status, live: LiveCrawl | None) -> list[Row]:
    """Return the rows of the table of a collection."""
    return [
        ("collection", found.directory),
        ("crawl", crawl_line(live)),
        ("pages kept", f"{found.pages:,}"),
        ("searchable pages", f"{found.documents:,}"),
        ("queued", f"{found.queued:,}"),
        ("failed", f"{found.failed:,}"),
        ("refused: robots.txt, traps, mirrors", f"{found.refused:,}"),
        ("redirects", f"{found.redirects:,}"),
        ("duplicates", f"{found.duplicates:,}"),
        ("hosts", f"{found.hosts:,}"),
        ("hosts whose Crawl-delay exceeds the limit", f"{found.slow_hosts:,}"),
        ("URL patterns asleep", f"{found.patterns_asleep:,}"),
        ("partitions", f"{found.partitions:,}"),
        ("segments", f"{found.segments:,}"),
        ("ranked by links", "yes" if found.ranked else runnable("no; run: gossamer rank")),
        ("searchable anchor texts", f"{found.anchors:,}"),
        ("on disk", megabytes(found.bytes_on_disk)),
        ("oldest fetch", found.oldest_fetch or "never"),
        ("newest fetch", found.newest_fetch or "never"),
        *((f"reason: {reason}", f"{count:,}") for reason, count in found.reasons.items()),
        *((f"not indexed, {reason}", f"{count:,}") for reason, count in found.not_indexed.items()),
    ]
