"""`gossamer import`: pages that somebody else fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli.failures import left_out
from gossamer.cli.options import Quiet, directory, is_collection, open_engine
from gossamer.cli.progress import step_watch
from gossamer.cli.show import counted
from gossamer.model import UsageError

EXAMPLES = (
    "gossamer -C my-search import crawl-2024.warc.gz",
    "gossamer -C my-search import corpus.jsonl.gz",
)

Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE...", help="WARC files (.warc, .warc.gz) or JSON lines (.jsonl, .jsonl.gz)."),
]
NoIndex = Annotated[
    bool,
    typer.Option("--no-index", help="Only take in; make the pages searchable later with `gossamer index`."),
]


def import_(context: typer.Context, files: Files, no_index: NoIndex = False, quiet: Quiet = False) -> None:
    """Takes in pages that somebody else fetched.

    Makes the collection if there is none, and makes the pages searchable. JSON lines hold
    `text`, and `url` or `_id`.
    """
    for file in files:
        if not file.is_file():
            raise UsageError(f"there is no file {file}")
    new = not is_collection(directory(context))
    with open_engine(context, create=new) as engine, step_watch(quiet) as observer:
        done = engine.import_files(files, index=not no_index, observer=observer)
    left_out(done.failed)
    print(
        f"imported {counted(done.pages, 'page')} ({done.kept:,} kept, {done.skipped:,} records skipped) "
        f"in {done.seconds:.1f} s"
    )
