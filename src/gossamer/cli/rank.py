"""`gossamer rank`: which pages matter, by the links between them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.options import AsJson, Quiet, open_engine
from gossamer.cli.progress import step_watch
from gossamer.cli.show import counted, print_json, print_table, title_line
from gossamer.model import BadSetting

if TYPE_CHECKING:
    from gossamer.engine.ranking import RankedPage, RankSummary

EXAMPLES = (
    "gossamer -C my-search rank",
    "gossamer -C my-search rank --top 20",
    "gossamer -C my-search rank --top 20 --by indegree --json",
)
SHOWN = 10  # pages, when only --by is given

Top = Annotated[
    int | None, typer.Option("--top", metavar="N", min=1, help="Show this many of the best pages afterwards.")
]
By = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="Show the best by this rank: pagerank or indegree.")
]


def rank(
    context: typer.Context, top: Top = None, by: By = None, as_json: AsJson = False, quiet: Quiet = False
) -> None:
    """Computes which pages matter, by their links.

    PageRank and the number of pages that link to a page; searches use the new ranks at once.
    """
    count = top or (SHOWN if by else 0)
    _check(by or "pagerank")
    with open_engine(context) as engine:
        with step_watch(quiet or as_json) as observer:
            done = engine.rank(observer=observer)
        best = engine.top(count, by or "pagerank") if count else []
    if as_json:
        print_json({**asdict(done), "top": [asdict(page) for page in best]})
    else:
        _print(done, best, by or "pagerank")


def _check(by: str) -> None:
    """A wrong name is said before the work, not after it."""
    from gossamer.engine.ranking import RANKS

    if by not in RANKS:
        raise BadSetting(f"there is no rank {by!r}; there are: {', '.join(RANKS)}")


def _print(done: RankSummary, best: list[RankedPage], by: str) -> None:
    state = "" if done.converged else f", not converged: {done.diagnosis}"
    print(
        f"ranked {counted(done.pages, 'page')} by {counted(done.links, 'link')} "
        f"in {counted(done.steps, 'step')}, {done.seconds:.1f} s{state}"
    )
    if best:
        rows = [(page.rank, f"{page.value:.6g}", title_line(page.title), page.url) for page in best]
        print_table(("", by, "title", "url"), rows, numbers=(0, 1))
