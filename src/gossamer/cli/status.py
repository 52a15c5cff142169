"""`gossamer status`: what is there, how far, how fresh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.host import print_host
from gossamer.cli.options import AsJson, open_engine
from gossamer.cli.show import counted, megabytes, print_json, print_table

if TYPE_CHECKING:
    from gossamer.engine.host_status import HostStatus
    from gossamer.engine.live_crawl import LiveCrawl
    from gossamer.engine.status import Status

EXAMPLES = (
    "gossamer -C my-search status",
    "gossamer -C my-search status --json",
    "gossamer -C my-search status --host www.example.org",
)

Host = Annotated[
    str | None,
    typer.Option("--host", metavar="H", help="Show what is known of this host; a URL names its host."),
]


def status(context: typer.Context, host: Host = None, as_json: AsJson = False) -> None:
    """Shows what is there, how far, how fresh.

    Pages kept and waiting, what went wrong and why, and when it was fetched. With --host, the same of one
    host, its robots.txt, and what was learned of its addresses.
    """
    with open_engine(context) as engine:
        if host is None:
            _show(engine.status(), engine.steering.live(), as_json)
        else:
            _show_host(engine.host_status(host), as_json)


def _show(found: Status, live: LiveCrawl | None, as_json: bool) -> None:
    if as_json:
        print_json({**found.as_dict(), "crawl": live.as_dict() if live else None})
    else:
        first, *rest = rows(found)
        print_table(("", ""), [first, ("crawl", crawl_line(live)), *rest], numbers=(1,))


def crawl_line(live: LiveCrawl | None) -> str:
    """What the crawl does that runs now, in a few words."""
    if live is None or not live.running:
        return "died: the next one goes on from its last commit" if live and live.died else "none is running"
    doing = "stopping" if live.stopping else "resting" if live.paused else "running"
    return f"{doing}, {counted(live.pages, 'page')}, {live.pages_per_second:.1f}/s"


def _show_host(found: HostStatus, as_json: bool) -> None:
    if as_json:
        print_json(found.as_dict())
    else:
        print_host(found)


def rows(found: Status) -> list[tuple[str, str]]:
    """The lines of the table."""
    return [
        ("collection", found.directory),
        ("pages kept", f"{found.pages:,}"),
        ("pages that can be searched", f"{found.documents:,}"),
        ("waiting to be fetched", f"{found.queued:,}"),
        ("failed", f"{found.failed:,}"),
        ("refused: robots.txt, traps, mirrors", f"{found.refused:,}"),
        ("redirects", f"{found.redirects:,}"),
        ("duplicates", f"{found.duplicates:,}"),
        ("hosts", f"{found.hosts:,}"),
        ("hosts that want longer pauses than are kept to", f"{found.slow_hosts:,}"),
        ("URL patterns asleep", f"{found.patterns_asleep:,}"),
        ("partitions", f"{found.partitions:,}"),
        ("segments", f"{found.segments:,}"),
        ("ranked by links", "yes" if found.ranked else "no: run gossamer rank"),
        ("texts of links that can be searched", f"{found.anchors:,}"),
        ("on disk", megabytes(found.bytes_on_disk)),
        ("oldest fetch", found.oldest_fetch or "never"),
        ("newest fetch", found.newest_fetch or "never"),
        *((f"reason: {reason}", f"{count:,}") for reason, count in found.reasons.items()),
        *((f"not indexed, {reason}", f"{count:,}") for reason, count in found.not_indexed.items()),
    ]
