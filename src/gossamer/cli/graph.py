"""Command graph."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.cli.exit_codes import USAGE
from gossamer.cli.options import AS_JSON, QUIET, Context, Exit, directory, open_engine, option
from gossamer.cli.output import clean, counted, print_json, print_table, title_line
from gossamer.cli.progress import step_watch

if TYPE_CHECKING:
    from gossamer.graph.structure.report import GraphReport, NamedPage
    from gossamer.graph.structure.spam_farm import FarmGain

GRAPH_EXAMPLES = (
    "gossamer -C my-search graph report",
    "gossamer -C my-search graph report --out structure.html",
    "gossamer graph farm --pages 1000000 --supporters 1000",
)
REPORT_EXAMPLES = (*GRAPH_EXAMPLES[:2], "gossamer -C my-search graph report --level hosts --json")
FARM_EXAMPLES = (
    GRAPH_EXAMPLES[2],
    "gossamer graph farm --pages 1000000 --supporters 1000 --accessible 0.001",
)
SHOWN = 5  # dead ends, traps and communities


def graph(context: Context) -> None:
    """Analyse the structure of the link graph."""
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise Exit(USAGE)


def report(
    context: Context,
    out: Path | None = option(
        "--out FILE.html", "Also write the report to this file, as a page with charts."
    ),
    level: str = option("--level NAME", "Nodes of the graph: pages, hosts or domains.", "pages"),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Report on the structure of the link graph.

    Shows the bow tie, dead ends, spider traps, convergence of the random walk, power laws, communities, and
    the gain of a spam farm.
    """
    with open_engine(context) as engine, step_watch(quiet or as_json) as observer:
        found = engine.graph_report(level, observer=observer)
    if out is not None:
        from gossamer.graph_report.html import render
        from gossamer.storage.files import write_atomically

        write_atomically(out, render(found, directory(context).resolve().name).encode("utf-8", "replace"))
    if as_json:
        print_json(asdict(found))
    else:
        _print(found)
        if out is not None:
            print(f"\nwritten to {out}")


def farm(
    pages: int = option(
        "--pages N", "Number of pages of the whole web, including the farm.", required=True, min=2
    ),
    supporters: int = option(
        "--supporters M", "Pages of the farm that link to the target.", required=True, min=1
    ),
    accessible: float = option(
        "--accessible X",
        "Accessible pages that link to the target. A value of 1 or more is the number of these pages. A "
        "value below 1 is the rank that they pass on.",
        0.0,
        min=0,
    ),
    beta: float = option("--beta B", "Probability of following a link, between 0 and 1.", 0.85),
    as_json: bool = AS_JSON,
) -> None:
    """Compute the gain of a spam farm, by formula and by simulation."""
    from gossamer.graph.structure.spam_farm import calculate

    gain = calculate(pages, supporters, accessible, beta)
    if as_json:
        print_json({**asdict(gain), "times_average": gain.times_average})
    else:
        _print_farm(gain)


def _print(found: GraphReport) -> None:
    from gossamer.graph.structure.report import NOUNS
    from gossamer.graph_report.pictures import NAMES
    from gossamer.graph_report.wording import core_sentence, law_sentence, percent, unfetched_sentence

    one, many = NOUNS[found.level]
    print(f"{counted(found.pages, one, many)}, {counted(found.links, 'link')}\n\nBow tie")
    print(core_sentence(found))
    parts = [(NAMES[part.name], f"{part.pages:,}", percent(part.share)) for part in found.bow_tie]
    print_table(("part", many, "share"), parts, numbers=(1, 2))
    print("\nRandom walk")
    for finding in found.findings:
        print(f"{finding.question} {finding.sentence}")
        for page in finding.pages:
            print(f"    {_name(page)}")
    if found.unfetched_dead_ends:
        print(unfetched_sentence(found))
    print(f"\nIn-links: {law_sentence(found.in_degrees)}\nOut-links: {law_sentence(found.out_degrees)}")
    _print_communities(found, many)
    _print_farms(found, many)


def _print_communities(found: GraphReport, many: str) -> None:
    print(
        f"\n{counted(found.community_count, 'community', 'communities')} of two {many} or more,"
        f" modularity {found.modularity:.2f}"
    )
    rows = [
        (
            number,
            f"{one.pages:,}",
            ", ".join(f"{host} {share:.0%}" for host, share in one.hosts) or _name(one.first[0]),
        )
        for number, one in enumerate(found.communities[:SHOWN], 1)
    ]
    if rows:
        print_table(("", many, "who"), rows, numbers=(0, 1))


def _print_farms(found: GraphReport, many: str) -> None:
    from gossamer.graph_report.wording import farm_sentence, percent

    rows = [
        (f"{one.supporters:,}", percent(one.exact), percent(one.simulated), f"{one.place:,} of {one.pages:,}")
        for one in found.farms
    ]
    if rows:
        print("\nA spam farm in this graph, to which nobody links")
        print_table((f"supporting {many}", "formula", "simulated", "place"), rows, numbers=(0, 1, 2, 3))
    if farm_sentence(found):
        print(farm_sentence(found))


def _print_farm(gain: FarmGain) -> None:
    rows = [
        ("flows in (x)", f"{gain.flow:.6g}"),
        ("its factor, 1 / (1 - beta²)", f"{gain.factor:.4f}"),
        ("c = beta / (1 + beta)", f"{gain.c:.4f}"),
        ("textbook, x / (1 - beta²) + c m / n", f"{gain.textbook:.8g}"),
        ("exact, with 1 / ((1 + beta) n)", f"{gain.exact:.8g}"),
        ("simulated", f"{gain.simulated:.8g}"),
        ("times an average page", f"{gain.times_average:,.2f}"),
    ]
    print_table(("rank of the target", ""), rows, numbers=(1,))


def _name(page: NamedPage) -> str:
    return f"{title_line(page.title)}  {clean(page.url)}" if page.title else clean(page.url)
