"""`gossamer export`: pages out of the collection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli.options import Quiet, open_engine
from gossamer.cli.progress import step_watch
from gossamer.cli.show import counted

EXAMPLES = (
    "gossamer -C my-search export pages.jsonl",
    "gossamer -C my-search export --format text pages/",
    "gossamer -C my-search export --format warc pages.warc.gz",
)

Out = Annotated[
    Path, typer.Argument(metavar="OUT", help="The file to write; for the format text, the folder.")
]
Format = Annotated[
    str,
    typer.Option("--format", metavar="NAME", help="text (a file a page), jsonl, warc (as fetched) or csv."),
]


def export(context: typer.Context, out: Out, form: Format = "jsonl", quiet: Quiet = False) -> None:
    """Writes all pages to a file, or one file each."""
    with open_engine(context) as engine, step_watch(quiet) as observer:
        written = engine.export(out, form, observer=observer)
    print(f"wrote {counted(written, 'page')} to {out}")
