"""Dead ends, spider traps, ergodicity.

A dead end is a page without out-links. A spider trap is a strongly connected set of pages with no link to any
page outside it; the whole web does not count as one. A component is periodic if the lengths of all its cycles
have a common divisor above 1: a walker can then visit a page at certain steps only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.structure.bow_tie import Components, find_periods
from gossamer.model.graph import LinkGraph, OutLinks

Nodes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SpiderTrap:
    """A spider trap."""

    nodes: Nodes  # its pages, the most linked first
    entrances: int  # links into it
    period: int


@dataclass(frozen=True, slots=True)
class WalkReport:
    """Properties of the random walk without teleport."""

    pages: int
    components: int  # strongly connected components
    dead_ends: Nodes  # the most linked first
    traps: tuple[SpiderTrap, ...]  # the largest first
    period: int  # of the core: 1 if it is aperiodic, 0 if there is no cycle

    @property
    def irreducible(self) -> bool:
        """Whether every page can be reached from every page."""
        return self.components == 1

    @property
    def ergodic(self) -> bool:
        """Whether the walk has the same limit from every start, with all pages above 0."""
        return self.irreducible and self.period == 1

    @property
    def settles(self) -> bool:
        """Whether the walk has the same limit from every start.

        All rank may end in a single spider trap, or be lost at dead ends.
        """
        ends = len(self.traps) + (len(self.dead_ends) > 0)
        return self.ergodic or (ends == 1 and all(trap.period == 1 for trap in self.traps))


def walk(graph: LinkGraph, onward: OutLinks, strong: Components, core: int | None) -> WalkReport:
    """Find dead ends, traps and periods; `core` is the component of the bow tie's core, if there is one."""
    components = len(strong.sizes)
    leaving, entering, inside = _links(graph, strong)
    periods = find_periods(onward, strong.labels, components)
    closed = (leaving == 0) & (inside > 0) & (strong.sizes < graph.pages)
    members = _members(graph, strong, np.flatnonzero(closed))
    traps = [SpiderTrap(nodes, int(entering[label]), int(periods[label])) for label, nodes in members.items()]
    traps.sort(key=lambda trap: (-len(trap.nodes), int(graph.fingerprints[trap.nodes].min())))
    stuck = most_linked(graph, np.flatnonzero(graph.out_degrees == 0))
    period = 0 if core is None else int(periods[core])
    return WalkReport(graph.pages, components, stuck, tuple(traps), period)


def most_linked(graph: LinkGraph, nodes: Nodes) -> Nodes:
    """Sort nodes by their number of in-links, the most first."""
    return nodes[np.lexsort((graph.fingerprints[nodes], -graph.in_degrees(nodes)))]


def _links(graph: LinkGraph, strong: Components) -> tuple[Nodes, Nodes, Nodes]:
    """Count the links that leave each component, enter it, and stay inside it."""
    count = len(strong.sizes)
    origins = strong.labels[graph.sources]
    ends = np.repeat(strong.labels, np.diff(graph.starts))
    crossing = origins != ends
    leaving = np.bincount(origins[crossing], minlength=count)
    entering = np.bincount(ends[crossing], minlength=count)
    return leaving, entering, np.bincount(ends[~crossing], minlength=count)


def _members(graph: LinkGraph, strong: Components, chosen: Nodes) -> dict[int, Nodes]:
    """Return the nodes of each chosen component, the most linked first."""
    wanted = np.zeros(len(strong.sizes), np.bool_)
    wanted[chosen] = True
    nodes = most_linked(graph, np.flatnonzero(wanted[strong.labels]))
    nodes = nodes[np.argsort(strong.labels[nodes], kind="stable")]
    bounds = np.flatnonzero(np.diff(strong.labels[nodes])) + 1
    return {int(strong.labels[part[0]]): part for part in np.split(nodes, bounds) if len(part)}


# Is the random walk ergodic
# --------------------------
#
# An ergodic walk has the same limit from every start. It is irreducible (every page can be reached
# from every page) and aperiodic (no page is bound to certain steps). Three walks are examined: along
# links only; with jumps from dead ends; and with teleport, which is PageRank.

SHOWN = 5  # pages listed with a finding
CLOSE = 1e-6  # distance to the limit for which the number of steps is reported


@dataclass(frozen=True, slots=True)
class Finding:
    """An answer about the walk, with the pages that cause it."""

    question: str
    good: bool | None  # None if the question has no answer
    sentence: str
    nodes: NDArray[np.int64]


Answer = tuple[bool | None, str, Nodes]
NO_PAGES = np.empty(0, np.int64)


def findings(found: WalkReport, beta: float) -> tuple[Finding, ...]:
    """Answer questions about the walk, causes first, consequences last."""
    if not found.pages:
        return ()
    answers = (
        ("Are there dead ends?", _dead_ends(found)),
        ("Are there spider traps?", _traps(found)),
        ("Is the walk irreducible?", _irreducible(found)),
        ("Is it aperiodic?", _aperiodic(found)),
        ("Does a walk along links alone settle?", _plain(found)),
        ("Is it enough to jump from dead ends to any page?", _jumping(found)),
        ("What makes PageRank's walk ergodic?", _teleport(found, beta)),
    )
    return tuple(Finding(question, good, said, nodes[:SHOWN]) for question, (good, said, nodes) in answers)


def _dead_ends(found: WalkReport) -> Answer:
    count = len(found.dead_ends)
    if not count:
        return True, "No: every page has links.", NO_PAGES
    said = "1 page has" if count == 1 else f"{count:,} pages have"
    sentence = (
        f"{said} no links, {count / found.pages:.1%} of all: a walker who arrives there cannot continue, and"
        " its rank is lost."
    )
    return False, sentence, found.dead_ends


def _traps(found: WalkReport) -> Answer:
    if not found.traps:
        return True, "No: a walker can leave every group of pages.", NO_PAGES
    count, pages = len(found.traps), sum(len(trap.nodes) for trap in found.traps)
    said = "1 group" if count == 1 else f"{count:,} groups"
    verb = "traps" if count == 1 else "trap"
    kept = "all rank that is not lost at dead ends" if len(found.dead_ends) else "all rank"
    sentence = (
        f"{said} of {pages:,} {'page' if pages == 1 else 'pages'} {verb} every walker: no link leads out,"
        f" and in the end {kept} is there."
    )
    return False, sentence, _firsts(found.traps)


def _firsts(traps: Sequence[SpiderTrap]) -> Nodes:
    return np.array([trap.nodes[0] for trap in traps])


def _irreducible(found: WalkReport) -> Answer:
    if found.irreducible and not found.period:
        return None, "There is no answer: the graph has one page and no link.", NO_PAGES
    if found.irreducible:
        return True, "Yes: every page can be reached from every page.", NO_PAGES
    sentence = (
        f"No: the pages form {found.components:,} strongly connected components, and a walker who leaves one"
        " cannot come back."
    )
    return False, sentence, NO_PAGES


def _aperiodic(found: WalkReport) -> Answer:
    closed = [trap for trap in found.traps if trap.period > 1]
    if found.irreducible and found.period > 1:
        sentence = f"No: the length of every cycle is a multiple of {found.period}, so the walk is periodic."
        return False, sentence, NO_PAGES
    if closed:
        periods = ", ".join(str(period) for period in sorted({trap.period for trap in closed})[:SHOWN])
        some = "one spider trap" if len(closed) == 1 else f"{len(closed):,} spider traps"
        sentence = (
            f"No: in {some} the walk is periodic (period {periods}); the walker's position after many steps"
            " depends on when it entered."
        )
        return False, sentence, _firsts(closed)
    if (found.period and found.irreducible) or found.traps:
        return True, "Yes: the parts in which a walker can stay for ever are aperiodic.", NO_PAGES
    return None, "There is no answer: a walker cannot stay for ever in any part.", NO_PAGES


def _plain(found: WalkReport) -> Answer:
    if found.ergodic:
        return True, "Yes: it is ergodic, that is, irreducible and aperiodic.", NO_PAGES
    if found.irreducible and found.period > 1:
        sentence = "No: it is periodic. The walker's position depends on the start."
    elif not found.traps:
        sentence = "Yes, but at 0: dead ends lose rank until none is left."
    elif found.settles:
        sentence = (
            "Yes, but in one place: from every start, in the end all rank is in the spider trap, and every"
            " other page has none."
        )
    elif len(found.traps) == 1 and not len(found.dead_ends):
        sentence = "No: in the end all rank is in the spider trap, where the walk is periodic."
    else:
        traps = "a spider trap" if len(found.traps) == 1 else "one of the spider traps"
        lost = " or is lost at a dead end" if len(found.dead_ends) else ""
        sentence = f"No: all rank ends in {traps}{lost}, and the proportions depend on the start."
    return False, sentence, NO_PAGES


def _jumping(found: WalkReport) -> Answer:
    if not len(found.dead_ends):
        return found.ergodic, "It changes nothing: there are no dead ends.", NO_PAGES
    if found.traps:
        return False, "No: spider traps do not lead to a dead end, so a walker in them never jumps.", NO_PAGES
    sentence = (
        "Yes: every page leads to a dead end, and from there the walker jumps to any page, including the dead"
        " end itself. So the walk is irreducible and aperiodic. It may still converge slowly."
    )
    return True, sentence, NO_PAGES


def _teleport(found: WalkReport, beta: float) -> Answer:
    if beta == 1:
        return *_without_teleport(found), NO_PAGES
    if beta == 0:
        return True, "Teleport: with beta 0 the walker jumps at every step.", NO_PAGES
    steps = ceil(log(CLOSE) / log(beta))
    sentence = (
        f"Teleport: with probability {1 - beta:.2g} the walker jumps to any page, including the current one."
        " Every page can be reached from every page in one step, so the walk is irreducible and aperiodic."
        f" Each step multiplies the distance to the limit by {beta:g} or less, so that it falls to {CLOSE:g}"
        f" within {steps:,} steps."
    )
    return True, sentence, NO_PAGES


def _without_teleport(found: WalkReport) -> tuple[bool, str]:
    """Answer for beta 1, where PageRank's walk follows links and jumps only from dead ends."""
    if found.ergodic:
        return True, "Links alone: with beta 1 the walker never jumps, and does not need to."
    if not len(found.dead_ends):
        return False, "Nothing does: with beta 1 the walker never jumps."
    if found.traps:
        return False, (
            "Nothing does: with beta 1 the walker jumps only from dead ends, and spider traps do not lead to"
            " one."
        )
    return True, (
        "Jumps from dead ends: with beta 1 there are no other jumps, but every page leads to a dead end, and"
        " from there to any page. The speed of convergence depends on the links."
    )
