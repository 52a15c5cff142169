"""Commands rank and links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.cli.hints import runnable
from gossamer.cli.options import AS_JSON, QUIET, Context, argument, open_engine, option
from gossamer.cli.output import clean, counted, print_json, print_table, title_line
from gossamer.cli.progress import step_watch
from gossamer.model import UsageError

if TYPE_CHECKING:
    from gossamer.graph.ranks.explain import PageLinks
    from gossamer.graph.ranks.top_pages import RankedPage
    from gossamer.graph.reader import GraphLink
    from gossamer.jobs.rank import RankSummary


# Command links
# -------------

LINKS_EXAMPLES = (
    "gossamer -C my-search links https://example.org/",
    "gossamer -C my-search links example.org/cats.html -n 50",
    "gossamer -C my-search links https://example.org/ --json",
)


def links(
    context: Context,
    url: str = argument("URL", "URL of the page."),
    most: int = option("-n N", "Show at most N links of each kind.", 10, min=1),
    as_json: bool = AS_JSON,
) -> None:
    """Show the links of a page and explain its ranks.

    Shows the links to and from the page with their anchor text, the position of the page in each rank, and
    the sources of its PageRank.
    """
    with open_engine(context) as engine:
        found = engine.links(url, most)
    if as_json:
        print_json(found.as_dict())
    else:
        _print(found)


def _print(found: PageLinks) -> None:
    print(title_line(found.page.title) or "(no title: not in the index)")
    print(clean(found.page.name))
    for sentence in found.why:
        print(f"! {sentence}")
    print("\nRanks")
    print_table(
        ("", "value", "place", "percentile"),
        [
            (one.name, f"{one.value:.6g}", f"{one.place:,}", f"{one.percentile:.1f}")
            for one in found.standings
        ],
        numbers=(1, 2, 3),
    )
    print("\nWhere its PageRank comes from")
    print_table(
        ("share", "flows over", "its rank", "its links", "from"), list(_sources(found)), numbers=(0, 1, 2, 3)
    )
    arriving = "links" if found.in_degree == 1 else "link"
    _print_links(f"{counted(found.in_degree, 'page')} {arriving} here", found.in_links)
    _print_links(f"It links to {counted(found.out_degree, 'page')}", found.out_links)
    _print_links("Links here without a vote (nofollow, ugc, sponsored)", found.unvouched_in)
    _print_links("Its links without a vote (nofollow, ugc, sponsored)", found.unvouched_out)


def _sources(found: PageLinks) -> Iterator[Sequence[str]]:
    whole = found.pagerank or 1.0
    for flow in found.flows:
        numbers = (f"{flow.share:.1%}", f"{flow.flows:.3g}", f"{flow.rank:.3g}", f"{flow.out_degree:,}")
        yield (*numbers, flow.page.name)
    others = found.from_links - sum(flow.flows for flow in found.flows)
    more = found.in_degree - len(found.flows)
    if more:
        yield f"{others / whole:.1%}", f"{others:.3g}", "", "", f"({counted(more, 'more page')})"
    for flows, what in ((found.from_jumps, "jumps"), (found.from_dead_ends, "jumps out of dead ends")):
        yield f"{flows / whole:.1%}", f"{flows:.3g}", "", "", f"({what})"


def _print_links(heading: str, links: Sequence[GraphLink]) -> None:
    if links:
        print(f"\n{heading}")
        rows = [(f"{link.rank:.3g}", link.page.name, title_line(" | ".join(link.texts))) for link in links]
        print_table(("rank", "page", "anchor text"), rows, numbers=(0,))


RANK_EXAMPLES = (
    "gossamer -C my-search rank",
    "gossamer -C my-search rank --top 20",
    "gossamer -C my-search rank --stored --top 20 --by hosts:harmonic --json",
    "gossamer -C my-search rank --propose-seeds 30 --out my-search/trusted.txt",
    "gossamer -C my-search rank --from example.org --from https://example.com/cats.html --top 20",
    "gossamer -C my-search rank --only trust --only spam-mass",
)
SHOWN = 10  # pages without --top


def rank(
    context: Context,
    top: int | None = option("--top N", "Also show the N best pages.", min=1),
    by: str | None = option(
        "--by NAME",
        "Show the best pages by this rank: pagerank (the default), indegree, popularity, harmonic, "
        "editorial, degree, eigenvector, trust, spam-mass, distrust, topic:NAME. Add the prefix hosts: or "
        "domains: to show the best hosts or domains.",
    ),
    only: list[str] | None = option(
        "--only NAME", "Compute only this rank, on the existing graph. Repeatable."
    ),
    stored: bool = option("--stored", "Compute nothing. Show the stored ranks."),
    propose: int | None = option(
        "--propose-seeds N", "Show N pages that could be trusted. Compute no rank.", min=1
    ),
    out: Path | None = option(
        "--out FILE", "Write the list of --propose-seeds to this file, for you to edit."
    ),
    liked: list[str] | None = option(
        "--from PAGE",
        "Show the best pages for a person who likes this page or host. Compute no other rank. Repeatable.",
    ),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Rank pages by their links.

    Computes PageRank and the other ranks of pages, hosts and domains. Searches use them at once.
    """
    if stored + bool(only) + bool(propose) + bool(liked) > 1:
        raise UsageError(
            "--only, --stored, --from and --propose-seeds exclude each other; choose one of them"
        )
    if liked and by:
        raise UsageError("--from shows a rank of its own; leave out --by")
    if out and not propose:
        raise UsageError("--out needs --propose-seeds N")
    if out and out.exists():
        raise UsageError(f"{out} exists already and may contain your edits; name another file")
    with open_engine(context) as engine:
        if propose:
            _print_proposals(engine.propose_seeds(propose), out, as_json)
            return
        done, count = None, top or (SHOWN if by or stored or liked else 0)
        if liked:
            best, by = engine.personal(liked, count), "personal"
        else:
            with step_watch(quiet or as_json, needs=[] if stored else ["crawl"]) as observer:
                done = None if stored else engine.rank(only=only or (), observer=observer)
            best = engine.top(count, by or "pagerank") if count else []
    if as_json:
        print_json({**(asdict(done) if done else {}), "top": [asdict(page) for page in best]})
    else:
        if done:
            _print_done(done, alone=bool(only))
        if count:
            _print_best(best, by or "pagerank")


def _print_done(done: RankSummary, alone: bool) -> None:
    print(_computed(done) if alone else _ranked(done))
    for note in done.notes:
        print(f"note: {clean(runnable(note))}")


def _computed(done: RankSummary) -> str:
    """Return what `--only` computed. The notes name ranks that did not converge."""
    parts = []
    for noun, many in (("page", done.pages), ("host", done.hosts), ("domain", done.domains)):
        names = [name for name in done.ranks if _noun(name) == noun]
        parts += [f"{', '.join(names)} of {counted(many, noun)}"] if names else []
    return f"computed {', '.join(parts)}, {done.seconds:.1f} s"


def _noun(column: str) -> str:
    """Return the noun of what a rank ranks.

    >>> _noun("domains:topic:cats"), _noun("topic:cats")
    ('domain', 'page')
    """
    return {"hosts": "host", "domains": "domain"}.get(column.partition(":")[0], "page")


def _ranked(done: RankSummary) -> str:
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
    """Return why no page is shown. Spam mass lists only pages with a high PageRank."""
    noun = _noun(by)
    if by.endswith("spam-mass"):
        return f"no {noun} is suspicious: none has ten times the lowest PageRank"
    return f"there is no {noun} to show by {by}"


def _print_proposals(pages: list[RankedPage], out: Path | None, as_json: bool) -> None:
    if out:
        from gossamer.storage.files import write_atomically

        write_atomically(out, _as_list(pages).encode("utf-8", "replace"))
    if as_json:
        print_json({"proposed": [asdict(page) for page in pages]})
        return
    _print_best(pages, "reaches")
    print("Spam farms can rank high in this list too. Check each page, then name those that you trust")
    print("in gossamer.toml, as `trusted` in [rank].")
    if out:
        print(f"written to {out}: remove the first # from the pages that you trust, and name the file as")
        print(f'`trusted = ["@{out.name}"]`; it must be in the folder of the collection.')


def _as_list(pages: list[RankedPage]) -> str:
    """Return the pages in the format of trusted.txt, each in a comment, for the owner to confirm."""
    lines = [f"# {clean(page.url)} # {title_line(page.title)}".rstrip(" #") for page in pages]
    return "\n".join(["# Remove the first # from the pages that you trust.", *lines, ""])
