"""`gossamer check`: is every file what was written?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.failures import FAILED
from gossamer.cli.options import Quiet, open_engine
from gossamer.cli.progress import step_watch
from gossamer.cli.show import clean, counted

if TYPE_CHECKING:
    from gossamer.engine.checking import CheckReport, Problem

EXAMPLES = ("gossamer -C my-search check", "gossamer -C my-search check --repair")

Repair = Annotated[bool, typer.Option("--repair", help="Bring back what the stored pages allow.")]


def check(context: typer.Context, repair: Repair = False, quiet: Quiet = False) -> None:
    """Verifies every file and says what is wrong.

    A line a problem; the exit code is 1 when something is wrong and not repaired.
    """
    with open_engine(context) as engine, step_watch(quiet) as observer:
        report = engine.check(repair=repair, observer=observer)
    for line in lines(report):
        print(line)
    if any(not problem.repaired for problem in report.problems):
        raise typer.Exit(FAILED)


def _said(problem: Problem) -> str:
    """The file and what is wrong with it, each once."""
    return problem.what if problem.path in problem.what else f"{problem.path}: {problem.what}"


def lines(report: CheckReport) -> list[str]:
    """A line a problem, and the sum."""
    if not report.problems:
        return [f"everything is in order: {counted(report.files, 'file')}"]
    found = [
        clean(f"{_said(problem)}{' (repaired)' if problem.repaired else ''}") for problem in report.problems
    ]
    left = sum(not problem.repaired for problem in report.problems)
    advice = "; run: gossamer check --repair" if left == len(found) else ""
    mended = f"{len(found) - left:,} repaired, {left:,} left{advice}"
    return [*found, f"{counted(len(found), 'problem')} in {counted(report.files, 'file')}: {mended}"]
