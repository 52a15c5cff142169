"""`gossamer check`: is every file what was written?"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.failures import FAILED
from gossamer.cli.options import Quiet, open_engine
from gossamer.cli.progress import step_watch
from gossamer.cli.show import clean, counted

if TYPE_CHECKING:
    from gossamer.engine.checking import CheckReport, Problem

EXAMPLES = ("gossamer -C my-search check", "gossamer -C my-search check --repair")
MOST_ALIKE = 10  # problems of a kind in a file that get a line each
ADVICE = "; run: gossamer check --repair"

_PARTICULARS = re.compile(r"\w+://\S+|\d+")  # what differs between problems of one kind

Repair = Annotated[bool, typer.Option("--repair", help="Bring back what the stored pages allow.")]


def check(context: typer.Context, repair: Repair = False, quiet: Quiet = False) -> None:
    """Verifies every file and says what is wrong.

    A line a problem; the exit code is 1 when something is wrong and not repaired.
    """
    with open_engine(context) as engine, step_watch(quiet) as observer:
        report = engine.check(repair=repair, observer=observer)
    for line in lines(report, repair):
        print(line)
    if any(not problem.repaired for problem in report.problems):
        raise typer.Exit(FAILED)


def lines(report: CheckReport, repair: bool = False) -> list[str]:
    """A line a problem, or for many alike; and the sum."""
    if not report.problems:
        return [f"everything is in order: {counted(report.files, 'file')}", *report.notes]
    kinds: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in report.problems:
        kind = _PARTICULARS.sub("", _what(problem))
        kinds.setdefault((problem.path, kind, _remedy(problem)), []).append(problem)
    found = [line for alike in kinds.values() for line in _lines(alike)]
    return [*map(clean, found), _sum(report, repair), *report.notes]


def _lines(alike: list[Problem]) -> list[str]:
    """Problems of one kind in one file."""
    first = alike[0]
    end = f" ({_remedy(first)})" if first.repaired else ""
    if len(alike) > MOST_ALIKE:
        return [f"{first.path}: {len(alike):,} problems like this: {_what(first)}{end}"]
    return [f"{_where(problem)}{_what(problem)}{end}" for problem in alike]


def _where(problem: Problem) -> str:
    """The file, unless what is wrong begins with a file inside of it."""
    return "" if _what(problem).startswith(problem.path) else f"{problem.path}: "


def _what(problem: Problem) -> str:
    """What is wrong, without the file, which stands before it, and the advice, which stands in the sum."""
    said = problem.what.replace(ADVICE, "").removeprefix("damaged file ").removeprefix(f"{problem.path}: ")
    url, _, rest = said.partition(": ")
    return rest if "://" in url and url in rest else said


def _remedy(problem: Problem) -> str:
    """What was done about it; empty for nothing."""
    return str(getattr(problem, "remedy", "repaired")) if problem.repaired else ""


def _sum(report: CheckReport, repair: bool) -> str:
    done = Counter(_remedy(problem) for problem in report.problems)
    left = done.pop("", 0)
    mended = ", ".join(f"{count:,} {remedy}" for remedy, count in (done or {"repaired": 0}).items())
    advice = "" if done or repair else ADVICE
    found = f"{counted(len(report.problems), 'problem')} in {counted(report.files, 'file')}"
    return f"{found}: {mended}, {left:,} left{advice}"
