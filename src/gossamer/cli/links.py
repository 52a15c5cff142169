"""`gossamer links`: who links to a page, where it links to, and why it ranks as it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.options import AsJson, open_engine
from gossamer.cli.show import clean, counted, print_json, print_table, title_line

if TYPE_CHECKING:
    from gossamer.engine.graph import GraphLink
    from gossamer.engine.page_links import PageLinks

EXAMPLES = (
    "gossamer -C my-search links https://example.org/",
    "gossamer -C my-search links example.org/cats.html -n 50",
    "gossamer -C my-search links https://example.org/ --json",
)

Address = Annotated[str, typer.Argument(metavar="URL", help="The page's address.")]
Most = Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many links of each kind to show.")]


def links(context: typer.Context, url: Address, most: Most = 10, as_json: AsJson = False) -> None:
    """Shows the links of a page and why it ranks as it does.

    Who links to it and where it links to, with what the links say; its place by every rank; which pages give
    it the most of its PageRank.
    """
    with open_engine(context) as engine:
        found = engine.links(url, most)
    if as_json:
        print_json(found.as_dict())
    else:
        _print(found)


def _print(found: PageLinks) -> None:
    print(title_line(found.page.title) or "(no title: it is not in the index)")
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
    _print_links("Links here that nobody vouches for (nofollow, ugc, sponsored)", found.unvouched_in)
    _print_links("Its links for which it does not vouch", found.unvouched_out)


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
        print_table(("rank", "page", "the link says"), rows, numbers=(0,))
