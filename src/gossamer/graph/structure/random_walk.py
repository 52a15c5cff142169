"""Dead ends, spider traps, ergodicity.

A dead end has no links out. A spider trap is a set of pages that can all be reached from each other and that
no link leaves; the whole web is none, as there is nothing outside of it. A component is periodic when the
lengths of all its circles have a common divisor: a walker is then on some of its pages at certain steps only.
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
    """A spider trap; its pages with the most linked first."""

    nodes: Nodes
    entrances: int  # links into it
    period: int


@dataclass(frozen=True, slots=True)
class WalkReport:
    """What the links do to a walk without teleport."""

    pages: int
    components: int  # strongly connected ones
    dead_ends: Nodes  # the most linked first
    traps: tuple[SpiderTrap, ...]  # the largest first
    period: int  # of the core: 1 when it is aperiodic, 0 when it has no circle at all

    @property
    def irreducible(self) -> bool:
        """Whether every page can be reached from every page."""
        return self.components == 1

    @property
    def ergodic(self) -> bool:
        """Whether the plain walk has one limit, whatever its start, in which every page has a part."""
        return self.irreducible and self.period == 1

    @property
    def settles(self) -> bool:
        """Whether it has one limit, whatever its start: in one trap, or nothing where all drains away."""
        ends = len(self.traps) + (len(self.dead_ends) > 0)
        return self.ergodic or (ends == 1 and all(trap.period == 1 for trap in self.traps))


def walk(graph: LinkGraph, onward: OutLinks, strong: Components, core: int | None) -> WalkReport:
    """Finds dead ends, traps and periods; `core` is the component that counts as the web's own, if any is."""
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
    """These nodes by falling number of in-links."""
    return nodes[np.lexsort((graph.fingerprints[nodes], -graph.in_degrees(nodes)))]


def _links(graph: LinkGraph, strong: Components) -> tuple[Nodes, Nodes, Nodes]:
    """How many links leave each component, enter it, stay inside."""
    count = len(strong.sizes)
    origins = strong.labels[graph.sources]
    ends = np.repeat(strong.labels, np.diff(graph.starts))
    crossing = origins != ends
    leaving = np.bincount(origins[crossing], minlength=count)
    entering = np.bincount(ends[crossing], minlength=count)
    return leaving, entering, np.bincount(ends[~crossing], minlength=count)


def _members(graph: LinkGraph, strong: Components, chosen: Nodes) -> dict[int, Nodes]:
    """The nodes of the chosen components."""
    wanted = np.zeros(len(strong.sizes), np.bool_)
    wanted[chosen] = True
    nodes = most_linked(graph, np.flatnonzero(wanted[strong.labels]))
    nodes = nodes[np.argsort(strong.labels[nodes], kind="stable")]
    bounds = np.flatnonzero(np.diff(strong.labels[nodes])) + 1
    return {int(strong.labels[part[0]]): part for part in np.split(nodes, bounds) if len(part)}


# Is the random walk ergodic
# --------------------------
#
# A walk has one limit, whatever its start, when it is ergodic: irreducible, from every page to every
# page, and aperiodic, not bound to certain pages at certain steps. Three walks are asked: along links
# alone; with jumps from dead ends; with teleport, which is PageRank.

SHOWN = 5  # pages that a finding names
CLOSE = 1e-6


@dataclass(frozen=True, slots=True)
class Finding:
    """An answer in a sentence, with the pages that cause it; `good` is None where nothing can be said."""

    question: str
    good: bool | None
    sentence: str
    nodes: NDArray[np.int64]


Answer = tuple[bool | None, str, Nodes]
NOBODY = np.empty(0, np.int64)


def findings(found: WalkReport, beta: float) -> tuple[Finding, ...]:
    """What can be said of the walk, the causes first and what follows from them last."""
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
        return True, "No: every page links on.", NOBODY
    said = "1 page has" if count == 1 else f"{count:,} pages have"
    sentence = (
        f"{said} no links out, {count / found.pages:.1%} of all: a walker who comes there cannot go on, and"
        " rank drains away."
    )
    return False, sentence, found.dead_ends


def _traps(found: WalkReport) -> Answer:
    if not found.traps:
        return True, "No: no group of pages keeps a walker for ever.", NOBODY
    count, pages = len(found.traps), sum(len(trap.nodes) for trap in found.traps)
    said = "1 group" if count == 1 else f"{count:,} groups"
    verb = "holds" if count == 1 else "hold"
    kept = "all rank that no dead end drains" if len(found.dead_ends) else "all rank"
    sentence = (
        f"{said} of {pages:,} {'page' if pages == 1 else 'pages'} {verb} whoever enters: no link leads out,"
        f" and in the end {kept} is there."
    )
    return False, sentence, _firsts(found.traps)


def _firsts(traps: Sequence[SpiderTrap]) -> Nodes:
    return np.array([trap.nodes[0] for trap in traps])


def _irreducible(found: WalkReport) -> Answer:
    if found.irreducible and not found.period:
        return None, "Nothing can be said: there is one page, and no link to walk along.", NOBODY
    if found.irreducible:
        return True, "Yes: every page can be reached from every page.", NOBODY
    sentence = (
        f"No: the pages fall into {found.components:,} strongly connected components, and whoever has left"
        " one does not come back."
    )
    return False, sentence, NOBODY


def _aperiodic(found: WalkReport) -> Answer:
    closed = [trap for trap in found.traps if trap.period > 1]
    if found.irreducible and found.period > 1:
        sentence = f"No: all circles have a length that {found.period} divides; the walk goes round for ever."
        return False, sentence, NOBODY
    if closed:
        periods = ", ".join(str(period) for period in sorted({trap.period for trap in closed})[:SHOWN])
        some = "one spider trap" if len(closed) == 1 else f"{len(closed):,} spider traps"
        sentence = (
            f"No: in {some} a walker goes round in step for ever (period {periods}); where it is after many"
            " steps depends on when it came."
        )
        return False, sentence, _firsts(closed)
    if (found.period and found.irreducible) or found.traps:
        return True, "Yes: wherever a walker can stay for ever, circles have all lengths.", NOBODY
    return None, "Nothing can be said: there is no place where a walker can stay for ever.", NOBODY


def _plain(found: WalkReport) -> Answer:
    if found.ergodic:
        return True, "Yes: it is ergodic as it is, irreducible and aperiodic.", NOBODY
    if found.irreducible and found.period > 1:
        sentence = "No: it is periodic. Where the walker is depends on the start."
    elif not found.traps:
        sentence = "Only on nothing: dead ends drain it, until no rank is left."
    elif found.settles:
        sentence = (
            "Yes, but in one place: whatever the start, in the end all rank is in the one spider trap, and"
            " every other page has none."
        )
    elif len(found.traps) == 1 and not len(found.dead_ends):
        sentence = "No: in the end all rank is in the one spider trap, and goes round there in step for ever."
    else:
        traps = "a spider trap" if len(found.traps) == 1 else "one of the spider traps"
        drained = " or drains away at a dead end" if len(found.dead_ends) else ""
        sentence = f"No: all rank ends in {traps}{drained}, and how much where depends on the start."
    return False, sentence, NOBODY


def _jumping(found: WalkReport) -> Answer:
    if not len(found.dead_ends):
        return found.ergodic, "It changes nothing: there are no dead ends.", NOBODY
    if found.traps:
        return False, "No: from the spider traps no dead end is reached, so nobody jumps.", NOBODY
    sentence = (
        "Yes: every page reaches a dead end, from there any page, the dead end itself included; that makes"
        " the walk irreducible and aperiodic. It may still settle slowly."
    )
    return True, sentence, NOBODY


def _teleport(found: WalkReport, beta: float) -> Answer:
    if beta == 1:
        return *_without_teleport(found), NOBODY
    if beta == 0:
        return True, "Teleport alone: with beta 0 the walker jumps at every step.", NOBODY
    steps = ceil(log(CLOSE) / log(beta))
    sentence = (
        f"Teleport: with probability {1 - beta:.2g} the walker jumps to any page, also the one it is on."
        " Every page is one step from every page, so the walk is irreducible and aperiodic. Each step"
        f" shrinks the distance to the limit to {beta:g} of it or less: {CLOSE:g} is reached within"
        f" {steps:,} steps."
    )
    return True, sentence, NOBODY


def _without_teleport(found: WalkReport) -> tuple[bool, str]:
    """With beta 1 PageRank's walk is the plain one, but for dead ends, which still jump."""
    if found.ergodic:
        return True, "Links alone: with beta 1 the walker never jumps, and need not."
    if not len(found.dead_ends):
        return False, "Nothing does: with beta 1 the walker never jumps."
    if found.traps:
        return False, (
            "Nothing does: with beta 1 the walker jumps from dead ends only, and reaches none from the spider"
            " traps."
        )
    return True, (
        "Jumps from dead ends: with beta 1 there are no others, but every page reaches a dead end, and from"
        " there any page. How fast it settles depends on the links."
    )
