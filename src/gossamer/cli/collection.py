"""Commands index, import, export, check."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.cli.exit_codes import FAILED, left_out
from gossamer.cli.hints import runnable
from gossamer.cli.options import QUIET, Context, Exit, argument, directory, is_collection, open_engine, option
from gossamer.cli.output import clean, counted
from gossamer.cli.progress import step_watch
from gossamer.model import GossamerError, UsageError

if TYPE_CHECKING:
    from gossamer import Engine
    from gossamer.jobs.check import CheckReport, Problem
    from gossamer.model.progress import Observer, StepProgress


# Command check
# -------------

CHECK_EXAMPLES = ("gossamer -C my-search check", "gossamer -C my-search check --repair")
MOST_ALIKE = 10  # similar problems in a file that get a line each
ADVICE = "; run: gossamer check --repair"
_PARTICULARS = re.compile(r"\w+://\S+|\d+")  # URLs and numbers: they differ between problems of one kind


def check(
    context: Context,
    repair: bool = option("--repair", "Repair what can be rebuilt from the stored pages."),
    quiet: bool = QUIET,
) -> None:
    """Verify every file of the collection.

    Prints one line per problem. The exit code is 1 if a problem is not repaired.
    """
    with open_engine(context) as engine, step_watch(quiet) as observer:
        report = engine.check(repair=repair, observer=observer)
    for line in lines(report, repair):
        print(runnable(line))
    if any(not problem.repaired for problem in report.problems):
        raise Exit(FAILED)


def lines(report: CheckReport, repair: bool = False) -> list[str]:
    """Return a line for each problem, or for many similar ones, and the totals."""
    if not report.problems:
        return [f"no problem found in {counted(report.files, 'file')}", *report.notes]
    kinds: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in report.problems:
        kind = _PARTICULARS.sub("", _what(problem))
        kinds.setdefault((problem.path, kind, _remedy(problem)), []).append(problem)
    found = [line for alike in kinds.values() for line in _lines(alike)]
    return [*map(clean, found), _totals(report, repair), *report.notes]


def _lines(alike: list[Problem]) -> list[str]:
    """Return the lines for problems of one kind in one file."""
    first = alike[0]
    end = f" ({_remedy(first)})" if first.repaired else ""
    if len(alike) > MOST_ALIKE:
        return [f"{first.path}: {len(alike):,} problems like this: {_what(first)}{end}"]
    return [f"{_where(problem)}{_what(problem)}{end}" for problem in alike]


def _where(problem: Problem) -> str:
    """Return the file as a prefix; "" if the text of the problem already begins with it."""
    return "" if _what(problem).startswith(problem.path) else f"{problem.path}: "


def _what(problem: Problem) -> str:
    """Return the text of a problem without its file and its advice: `_where` and `_totals` print these."""
    said = problem.what.replace(ADVICE, "").removeprefix("damaged file ").removeprefix(f"{problem.path}: ")
    url, _, rest = said.partition(": ")
    return rest if "://" in url and url in rest else said


def _remedy(problem: Problem) -> str:
    """Return what was done about a problem; "" for nothing."""
    return problem.remedy if problem.repaired else ""


def _totals(report: CheckReport, repair: bool) -> str:
    done = Counter(_remedy(problem) for problem in report.problems)
    left = done.pop("", 0)
    mended = ", ".join(f"{count:,} {remedy}" for remedy, count in (done or {"repaired": 0}).items())
    advice = "" if done or repair else ADVICE
    found = f"{counted(len(report.problems), 'problem')} in {counted(report.files, 'file')}"
    return f"{found}: {mended}, {left:,} left{advice}"


# Command export
# --------------

EXPORT_EXAMPLES = (
    "gossamer -C my-search export pages.jsonl",
    "gossamer -C my-search export --format text pages/",
    "gossamer -C my-search export --format warc pages.warc.gz",
    "gossamer -C my-search export - | head",
)
STANDARD_OUTPUT = Path("-")
FOLDER = "text"  # the format that writes one file per page


def export(
    context: Context,
    out: Path = argument("OUT", "File to write, or the folder for --format text. - means standard output."),
    form: str = option(
        "--format NAME", "jsonl, csv, warc (as fetched) or text (one file per page).", "jsonl"
    ),
    force: bool = option("--force", "Overwrite an existing file, or write into a folder that is not empty."),
    quiet: bool = QUIET,
) -> None:
    """Export all pages to one file, or to one file per page."""
    _check(out, form, force)
    piped = out == STANDARD_OUTPUT
    with open_engine(context) as engine, step_watch(quiet) as observer:
        written = _pour(engine, form, observer) if piped else engine.export(out, form, observer=observer)
    where = "standard output" if piped else out
    print(f"wrote {counted(written, 'page')} to {where}", file=sys.stderr if piped else sys.stdout)


def _check(out: Path, form: str, force: bool) -> None:
    """Raise UsageError if the export would overwrite files without --force."""
    if out == STANDARD_OUTPUT:
        if form == FOLDER:
            raise UsageError(f"--format {FOLDER} writes one file per page; name a folder instead of -")
    elif force:
        return
    elif form != FOLDER and out.is_file():
        raise UsageError(f"{out} exists already; add --force to overwrite it")
    elif form == FOLDER and out.is_dir() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty; add --force to write into it")


def _pour(engine: Engine, form: str, observer: Observer[StepProgress] | None) -> int:
    """Export to standard output, through a temporary file.

    Opening /dev/stdout would truncate the file to which a shell appends with `>>`.
    """
    with tempfile.TemporaryDirectory(prefix="gossamer-export-") as folder:
        file = Path(folder) / "pages"
        written = engine.export(file, form, observer=observer)
        with file.open("rb") as pages:
            shutil.copyfileobj(pages, sys.stdout.buffer, 1 << 20)
    return written


# Command import
# --------------

IMPORT_EXAMPLES = (
    "gossamer -C my-search import crawl-2024.warc.gz",
    "gossamer -C my-search import corpus.jsonl.gz",
)


def import_(
    context: Context,
    files: list[Path] = argument("FILE...", "WARC file (.warc, .warc.gz) or JSON lines (.jsonl, .jsonl.gz)."),
    no_index: bool = option(
        "--no-index", "Import only. Run `gossamer index` later to make the pages searchable."
    ),
    quiet: bool = QUIET,
) -> None:
    """Import pages from WARC or JSON-lines files.

    Creates the collection if needed, and makes the pages searchable. Each JSON line needs `text`, and
    either `url` or `_id`.
    """
    for file in files:
        if not file.is_file():
            raise UsageError(f"there is no file {file}")
    folder = directory(context)
    new = not is_collection(folder)
    with (
        removed_if_empty(folder) if new else nullcontext(),
        open_engine(context, create=new) as engine,
        step_watch(quiet, needs=["crawl"]) as observer,
    ):
        done = engine.import_files(files, index=not no_index, observer=observer)
    left_out(done.failed)
    kept = f"{done.kept:,} kept, {counted(done.skipped, 'record')} skipped"
    print(f"imported {counted(done.pages, 'page')} ({kept}) in {done.seconds:.1f} s")


@contextmanager
def removed_if_empty(folder: Path) -> Iterator[None]:
    """Remove the new collection if the import fails before the first page."""
    before = set(folder.iterdir()) if folder.exists() else None
    try:
        yield
    except GossamerError:
        if is_collection(folder) and not _holds_pages(folder):
            made = [folder] if before is None else [path for path in folder.iterdir() if path not in before]
            for path in made:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        raise


def _holds_pages(folder: Path) -> bool:
    from gossamer import Engine

    with Engine.open(folder) as engine:
        return engine.status().pages > 0


# Command index
# -------------

INDEX_EXAMPLES = (
    "gossamer -C my-search index",
    "gossamer -C my-search index --rebuild",
    "gossamer -C my-search index --merge",
)


def index(
    context: Context,
    rebuild: bool = option(
        "--rebuild", "Rebuild the index from the stored pages, with the current settings."
    ),
    merge: bool = option("--merge", "Merge all segments into one, for the fastest searches."),
    quiet: bool = QUIET,
) -> None:
    """Make fetched pages searchable.

    Crawls and imports do this themselves, unless you give them --no-index.
    """
    with open_engine(context) as engine, step_watch(quiet, needs=["crawl"]) as observer:
        done = engine.index(rebuild=rebuild, merge=merge, observer=observer)
    left_out(done.failed)
    print(
        f"{counted(done.documents, 'page')} can be searched: {done.added:,} added, {done.removed:,} removed, "
        f"{counted(done.segments, 'segment')}, in {done.seconds:.1f} s"
    )
