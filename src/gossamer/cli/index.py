"""`gossamer index`: makes fetched pages searchable."""

from __future__ import annotations

from typing import Annotated

import typer

from gossamer.cli.failures import left_out
from gossamer.cli.options import Quiet, open_engine
from gossamer.cli.progress import step_watch
from gossamer.cli.show import counted

EXAMPLES = (
    "gossamer -C my-search index",
    "gossamer -C my-search index --rebuild",
    "gossamer -C my-search index --merge",
)

Rebuild = Annotated[
    bool,
    typer.Option("--rebuild", help="Index everything anew from the stored pages, with today's settings."),
]
Merge = Annotated[
    bool,
    typer.Option("--merge", help="Merge all segments into one: searches are quickest then."),
]


def index(
    context: typer.Context, rebuild: Rebuild = False, merge: Merge = False, quiet: Quiet = False
) -> None:
    """Makes fetched pages searchable.

    A crawl does so by itself, unless --no-index is given. Segments that have become many are merged.
    """
    with open_engine(context) as engine, step_watch(quiet) as observer:
        done = engine.index(rebuild=rebuild, merge=merge, observer=observer)
    left_out(done.failed)
    print(
        f"{counted(done.documents, 'page')} can be searched: {done.added:,} added, {done.removed:,} removed, "
        f"{counted(done.segments, 'segment')}, in {done.seconds:.1f} s"
    )
