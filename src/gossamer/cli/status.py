"""`gossamer status`: what is there, how far, how fresh."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from gossamer.cli.options import AsJson, open_engine
from gossamer.cli.progress import megabytes
from gossamer.cli.show import print_json, print_table

if TYPE_CHECKING:
    from gossamer.engine.status import Status

EXAMPLES = ("gossamer -C my-search status", "gossamer -C my-search status --json")


def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Shows what is there, how far, how fresh.

    Pages kept and waiting, what went wrong and why, and when it was fetched.
    """
    with open_engine(context) as engine:
        found = engine.status()
    if as_json:
        print_json(found.as_dict())
    else:
        print_table(("", ""), rows(found), numbers=(1,))


def rows(found: Status) -> list[tuple[str, str]]:
    """The lines of the table."""
    return [
        ("collection", found.directory),
        ("pages kept", f"{found.pages:,}"),
        ("pages that can be searched", f"{found.documents:,}"),
        ("waiting to be fetched", f"{found.queued:,}"),
        ("failed", f"{found.failed:,}"),
        ("forbidden by robots.txt", f"{found.refused:,}"),
        ("redirects", f"{found.redirects:,}"),
        ("duplicates", f"{found.duplicates:,}"),
        ("hosts", f"{found.hosts:,}"),
        ("partitions", f"{found.partitions:,}"),
        ("segments", f"{found.segments:,}"),
        ("ranked by links", "yes" if found.ranked else "no: run gossamer rank"),
        ("on disk", megabytes(found.bytes_on_disk)),
        ("oldest fetch", found.oldest_fetch or "never"),
        ("newest fetch", found.newest_fetch or "never"),
        *((f"reason: {reason}", f"{count:,}") for reason, count in found.reasons.items()),
        *((f"not indexed, {reason}", f"{count:,}") for reason, count in found.not_indexed.items()),
    ]
