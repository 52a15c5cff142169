"""`gossamer rank`: which pages matter, by the links between them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.options import AsJson, Quiet, open_engine
from gossamer.cli.progress import step_watch
from gossamer.cli.show import clean, counted, print_json, print_table, title_line
from gossamer.disk import write_atomically
from gossamer.model import UsageError

if TYPE_CHECKING:
    from gossamer.engine.rank_summary import RankSummary
    from gossamer.engine.ranked import RankedPage

EXAMPLES = (
    "gossamer -C my-search rank",
    "gossamer -C my-search rank --top 20",
    "gossamer -C my-search rank --stored --top 20 --by hosts:harmonic --json",
    "gossamer -C my-search rank --propose-seeds 30 --out my-search/trusted.txt",
    "gossamer -C my-search rank --from example.org --from https://example.com/cats.html --top 20",
    "gossamer -C my-search rank --only trust --only spam-mass",
)
SHOWN = 10  # pages, when only --by is given

Top = Annotated[
    int | None, typer.Option("--top", metavar="N", min=1, help="Show this many of the best pages afterwards.")
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="NAME",
        help="Show the best by this rank: pagerank, indegree, popularity, harmonic, editorial, degree, "
        "eigenvector, trust, spam-mass, distrust, topic:NAME; with hosts: or domains: before it, the best of "
        "these.",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="NAME", help="Compute only this rank, on the graph that is there."),
]
Stored = Annotated[bool, typer.Option("--stored", help="Compute nothing: show what is there.")]
Propose = Annotated[
    int | None,
    typer.Option(
        "--propose-seeds", metavar="N", min=1, help="Show pages that could be trusted, and compute no rank."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FILE", help="Write what --propose-seeds proposes as a list, for you to confirm."
    ),
]
From = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="PAGE",
        help="Show the best pages for somebody who likes this page, or host, and compute no other rank.",
    ),
]


def rank(
    context: typer.Context,
    top: Top = None,
    by: By = None,
    only: Only = None,
    stored: Stored = False,
    propose: Propose = None,
    out: Out = None,
    liked: From = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Computes which pages matter, by their links.

    PageRank and the other ranks, of pages, hosts and domains; searches use the new ones at once.
    """
    if stored + bool(only) + bool(propose) + bool(liked) > 1:
        raise UsageError("--only, --stored, --from and --propose-seeds are four ways: choose one of them")
    if liked and by:
        raise UsageError("--from is a rank of its own: leave --by out")
    if out and not propose:
        raise UsageError("--out is where --propose-seeds writes")
    if out and out.exists():
        raise UsageError(f"{out} is there already, and may hold what you have confirmed: name another file")
    with open_engine(context) as engine:
        if propose:
            _print_proposals(engine.propose_seeds(propose), out, as_json)
            return
        if liked:
            _print_personal(engine.personal(liked, top or SHOWN), as_json)
            return
        with step_watch(quiet or as_json) as observer:
            done = None if stored else engine.rank(only=only or (), observer=observer)
        count = top or (SHOWN if by or stored else 0)
        best = engine.top(count, by or "pagerank") if count else []
    if as_json:
        print_json({**(asdict(done) if done else {}), "top": [asdict(page) for page in best]})
    else:
        if done:
            _print_done(done, alone=bool(only))
        if count:
            _print_best(best, by or "pagerank")


def _print_done(done: RankSummary, alone: bool) -> None:
    print(_computed(done) if alone else _said(done))
    for note in done.notes:
        print(f"note: {clean(note)}")


def _computed(done: RankSummary) -> str:
    """What was computed alone; what did not come to rest stands in the notes."""
    parts = []
    for noun, many in (("page", done.pages), ("host", done.hosts), ("domain", done.domains)):
        names = [name for name in done.ranks if _noun(name) == noun]
        parts += [f"{', '.join(names)} of {counted(many, noun)}"] if names else []
    return f"computed {', '.join(parts)}, {done.seconds:.1f} s"


def _noun(column: str) -> str:
    """What a rank is one of.

    >>> _noun("domains:topic:cats"), _noun("topic:cats")
    ('domain', 'page')
    """
    level = column.partition(":")[0]
    return {"hosts": "host", "domains": "domain"}.get(level, "page")


def _said(done: RankSummary) -> str:
    state = "" if done.converged else f", {done.diagnosis}"
    return (
        f"ranked {counted(done.pages, 'page')} by {counted(done.links, 'link')} "
        f"in {counted(done.steps, 'step')}, {done.seconds:.1f} s{state}"
    )


def _print_best(best: list[RankedPage], by: str) -> None:
    if not best:
        print(_nothing(by))
        return
    rows = [(page.rank, f"{page.value:.6g}", title_line(page.title), page.url) for page in best]
    if by.startswith(("hosts:", "domains:")):
        print_table(("", by, "site"), [(place, value, url) for place, value, _, url in rows], numbers=(0, 1))
    else:
        print_table(("", by, "title", "url"), rows, numbers=(0, 1))


def _nothing(by: str) -> str:
    """Why no page is shown: by spam mass only such are that stand high."""
    noun = _noun(by)
    if by.endswith("spam-mass"):
        return f"no {noun} has a PageRank of ten times the least there is, so none is worth a suspicion"
    return f"there is no {noun} to show by {by}"


def _print_personal(pages: list[RankedPage], as_json: bool) -> None:
    if as_json:
        print_json({"top": [asdict(page) for page in pages]})
    else:
        _print_best(pages, "personal")


def _print_proposals(pages: list[RankedPage], out: Path | None, as_json: bool) -> None:
    if out:
        write_atomically(out, _as_list(pages).encode("utf-8", "replace"))
    if as_json:
        print_json({"proposed": [asdict(page) for page in pages]})
        return
    _print_best(pages, "reaches")
    print("Spam farms stand high on this list too: look at each page, and name those that you trust")
    print("in gossamer.toml, as `trusted` in [rank].")
    if out:
        print(f"written to {out}: take the first # away before those that you trust, and name the file as")
        print(f'`trusted = ["@{out.name}"]`; it is looked for in the folder of the collection.')


def _as_list(pages: list[RankedPage]) -> str:
    """One a line, as settings read it; each is a remark until somebody has confirmed it."""
    lines = [f"# {clean(page.url)} # {title_line(page.title)}".rstrip(" #") for page in pages]
    return "\n".join(["# Take the first # away before the pages that you trust.", *lines, ""])
