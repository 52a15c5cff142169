"""`gossamer export`: pages out of the collection."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.options import Quiet, open_engine
from gossamer.cli.progress import step_watch
from gossamer.cli.show import counted
from gossamer.model import UsageError

if TYPE_CHECKING:
    from gossamer import Engine
    from gossamer.engine.progress import StepObserver

EXAMPLES = (
    "gossamer -C my-search export pages.jsonl",
    "gossamer -C my-search export --format text pages/",
    "gossamer -C my-search export --format warc pages.warc.gz",
    "gossamer -C my-search export - | head",
)
STANDARD_OUTPUT = Path("-")
FOLDER = "text"  # the format that writes a file a page

Out = Annotated[
    Path,
    typer.Argument(
        metavar="OUT",
        help="The file to write; for the format text, the folder. A minus writes to standard output.",
    ),
]
Format = Annotated[
    str,
    typer.Option("--format", metavar="NAME", help="text (a file a page), jsonl, warc (as fetched) or csv."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite what is there.")]


def export(
    context: typer.Context, out: Out, form: Format = "jsonl", force: Force = False, quiet: Quiet = False
) -> None:
    """Writes all pages to a file, or one file each."""
    _check(out, form, force)
    piped = out == STANDARD_OUTPUT
    with open_engine(context) as engine, step_watch(quiet) as observer:
        written = _pour(engine, form, observer) if piped else engine.export(out, form, observer=observer)
    where = "standard output" if piped else out
    print(f"wrote {counted(written, 'page')} to {where}", file=sys.stderr if piped else sys.stdout)


def _check(out: Path, form: str, force: bool) -> None:
    """What is there is overwritten only when that is wished."""
    if out == STANDARD_OUTPUT:
        if form == FOLDER:
            raise UsageError(f"the format {FOLDER} writes a file a page: name a folder for them")
    elif force:
        return
    elif form != FOLDER and out.is_file():
        raise UsageError(f"{out} exists already; give --force to overwrite it")
    elif form == FOLDER and out.is_dir() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty; give --force to overwrite what is in it")


def _pour(engine: Engine, form: str, observer: StepObserver | None) -> int:
    """By way of a file: opening /dev/stdout anew would cut off what `>>` should keep."""
    with tempfile.TemporaryDirectory(prefix="gossamer-export-") as folder:
        file = Path(folder) / "pages"
        written = engine.export(file, form, observer=observer)
        with file.open("rb") as pages:
            shutil.copyfileobj(pages, sys.stdout.buffer, 1 << 20)
    return written
