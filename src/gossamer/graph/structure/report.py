"""Structure report: all analyses of the graph, with the URLs and titles of pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.partition import Partition
from gossamer.graph.generation import LEVELS, PAGES, Generation, ranked_generation
from gossamer.graph.pagerank import pagerank
from gossamer.graph.reader import names_of
from gossamer.graph.structure.bow_tie import BowTie, BowTiePart, bow_tie, largest, strong
from gossamer.graph.structure.communities import Communities, communities
from gossamer.graph.structure.degrees import PowerLaw, degrees, power_law
from gossamer.graph.structure.random_walk import Finding, SpiderTrap, WalkReport, findings, most_linked, walk
from gossamer.graph.structure.spam_farm import FarmGain, planted
from gossamer.graph.transpose import outward
from gossamer.model import BadSetting, GossamerError
from gossamer.model.errors import require_extra
from gossamer.model.graph import LinkGraph, NameList
from gossamer.model.notebook import NotebookTable
from gossamer.model.progress import Observer, StepProgress, unobserved

# Types of the structure report
# -----------------------------

NOUNS = {PAGES: ("page", "pages"), "hosts": ("host", "hosts"), "domains": ("domain", "domains")}


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page, or a host or domain at the other levels."""

    url: str
    title: str  # "" if it was never fetched
    links: int  # in-links
    pagerank: float


@dataclass(frozen=True, slots=True)
class PartReport:
    """A part of the bow tie."""

    name: str
    pages: int
    share: float


@dataclass(frozen=True, slots=True)
class FindingReport:
    """An answer about the random walk, and the pages that cause it."""

    question: str
    good: bool | None  # None if there is no answer
    sentence: str
    pages: tuple[NamedPage, ...]


@dataclass(frozen=True, slots=True)
class TrapReport:
    """A spider trap with its most linked pages."""

    pages: int
    entrances: int
    period: int
    pagerank: float  # sum over its pages
    first: tuple[NamedPage, ...]


@dataclass(frozen=True, slots=True)
class DegreeReport:
    """A degree distribution: `at_least[i]` is the share of pages that have `values[i]` links or more."""

    mean: float
    highest: int
    without: int
    values: tuple[int, ...]
    at_least: tuple[float, ...]
    law: PowerLaw | None


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """A community: its links, its main hosts and its most linked pages."""

    pages: int
    inside: int  # links within it
    outside: int  # links from it and to it
    hosts: tuple[tuple[str, float], ...]  # each with its share of the pages
    first: tuple[NamedPage, ...]


@dataclass(frozen=True, slots=True)
class GraphReport(NotebookTable):
    """Describe the structure of the crawled web; docs/structure.md explains each part."""

    level: str
    pages: int
    links: int
    beta: float
    bow_tie: tuple[PartReport, ...]
    islands: int
    components: int
    period: int  # of the core
    ergodic: bool  # whether the walk without teleport is ergodic
    findings: tuple[FindingReport, ...]
    dead_end_count: int
    unfetched_dead_ends: int
    dead_ends: tuple[NamedPage, ...]
    trap_count: int
    traps: tuple[TrapReport, ...]
    in_degrees: DegreeReport
    out_degrees: DegreeReport
    modularity: float
    community_count: int  # communities of two or more pages
    communities: tuple[CommunityReport, ...]
    between: tuple[tuple[int, ...], ...]  # number of links from each of these communities to each other
    farms: tuple[FarmGain, ...]

    def __repr__(self) -> str:
        return f"<GraphReport of {self.pages:,} {self.level}, {self.links:,} links>"


# Graph at page, host or domain level
# -----------------------------------


@dataclass(frozen=True, slots=True)
class LevelGraph:
    """A graph of pages, hosts or domains."""

    graph: LinkGraph
    sites: NDArray[np.int64]  # the host of each page, -1 if unknown; at other levels the node itself
    names: NameList  # of the sites


def at_level(level: str, generation: Generation) -> LevelGraph:
    """Return the graph of pages, hosts or domains."""
    if level == PAGES:
        graph, hosts = generation.graph(), generation.sites("hosts")
        return LevelGraph(graph, hosts.site_of(np.arange(graph.pages)), hosts.names)
    found = generation.sites(level)
    return LevelGraph(found.as_links(), np.arange(len(found)), found.names)


FARMS = (0.001, 0.01, 0.1, 1.0)  # supporting pages, relative to the size of the graph
STEPS = ("the bow tie", "dead ends and traps", "PageRank", "power laws", "communities", "spam farms")
RANK_TOLERANCE = 1e-8


@dataclass(frozen=True, slots=True)
class Structure:
    """The results of all analyses of a graph; pages are node numbers."""

    bow_tie: BowTie
    walk: WalkReport
    findings: tuple[Finding, ...]
    ranks: NDArray[np.float64]  # PageRank
    in_degrees: DegreeReport
    out_degrees: DegreeReport
    communities: Communities
    farms: tuple[FarmGain, ...]


def examine(graph: LinkGraph, beta: float, tell: Observer[StepProgress]) -> Structure:
    """Run all analyses of a graph; `beta` is the damping factor of PageRank."""
    steps = iter(range(len(STEPS)))

    def begin() -> None:
        number = next(steps)
        tell(StepProgress(f"looking at {STEPS[number]}", number, len(STEPS)))

    begin()
    onward, strongly = outward(graph), strong(graph)
    tie = bow_tie(graph, onward, strongly)
    begin()
    found = walk(graph, onward, strongly, largest(graph, strongly))
    begin()
    ranks = pagerank(graph, beta, RANK_TOLERANCE).values
    begin()
    arriving, leaving = _degrees(np.diff(graph.starts)), _degrees(graph.out_degrees)
    begin()
    groups = communities(graph)
    begin()
    sizes = sorted({max(1, round(share * graph.pages)) for share in FARMS})
    farms = [planted(graph, ranks, size, beta) for size in sizes] if graph.pages and 0 < beta < 1 else []
    tell(StepProgress("done", len(STEPS), len(STEPS)))
    said = findings(found, beta)
    return Structure(tie, found, said, ranks, arriving, leaving, groups, tuple(farms))


# Structure report with page names
# --------------------------------

SHOWN = 10  # dead ends, traps and communities in the report
FIRST = 3  # pages and hosts shown of each trap and community
Nodes = NDArray[np.int64]


def graph_report(
    partitions: Sequence[Partition],
    graph_folder: Path,
    level: str,
    beta: float,
    observer: Observer[StepProgress] | None = None,
) -> GraphReport:
    """Analyse the current graph at one of the levels "pages", "hosts" and "domains"."""
    if level not in LEVELS:
        raise BadSetting(f"there is no level {level!r}; choose from: {', '.join(LEVELS)}")
    generation = ranked_generation(graph_folder)
    require_extra("the graph report", "graph", "scipy")
    tell = observer or unobserved
    tell(StepProgress("reading the graph"))
    found = at_level(level, generation)
    if not found.graph.pages:
        raise GossamerError("the graph is empty; run: gossamer crawl URL, then: gossamer rank")
    return _Reporting(found, examine(found.graph, beta, tell), level, beta, partitions).report()


class _Reporting:
    """Build a report from the analyses: look up the names of the nodes in it."""

    def __init__(
        self,
        found: LevelGraph,
        structure: Structure,
        level: str,
        beta: float,
        partitions: Sequence[Partition],
    ) -> None:
        self._found, self._graph, self._structure = found, found.graph, structure
        self._level, self._beta, self._partitions = level, beta, partitions
        self._members = [np.flatnonzero(structure.communities.labels == one) for one in range(self._shown())]
        self._names = self._named()

    def report(self) -> GraphReport:
        of = self._structure
        return GraphReport(
            level=self._level,
            pages=self._graph.pages,
            links=self._graph.links,
            beta=self._beta,
            bow_tie=tuple(
                PartReport(
                    part.name.lower().replace("_", " "), of.bow_tie.sizes[part], of.bow_tie.share(part)
                )
                for part in BowTiePart
            ),
            islands=of.bow_tie.islands,
            components=of.walk.components,
            period=of.walk.period,
            ergodic=of.walk.ergodic,
            findings=tuple(self._finding(one) for one in of.findings),
            dead_end_count=len(of.walk.dead_ends),
            unfetched_dead_ends=self._unfetched(of.walk.dead_ends),
            dead_ends=self._pages(of.walk.dead_ends[:SHOWN]),
            trap_count=len(of.walk.traps),
            traps=tuple(self._trap(one) for one in of.walk.traps[:SHOWN]),
            in_degrees=of.in_degrees,
            out_degrees=of.out_degrees,
            modularity=of.communities.modularity,
            community_count=int(np.count_nonzero(of.communities.sizes > 1)),
            communities=self._communities(),
            between=tuple(map(tuple, of.communities.between(self._graph, self._shown()).tolist())),
            farms=of.farms,
        )

    def _shown(self) -> int:
        """Return the number of communities in the report; those of a single page are left out."""
        return min(SHOWN, int(np.count_nonzero(self._structure.communities.sizes > 1)))

    def _named(self) -> Callable[[int], tuple[str, str]]:
        """Look up all nodes in the report; return a function from node to URL (or site name) and title."""
        if self._level != PAGES:
            return lambda node: (self._found.names[node], "")
        walk = self._structure.walk
        reported = [walk.dead_ends[:SHOWN], *(one.nodes[:FIRST] for one in walk.traps[:SHOWN])]
        reported += [one.nodes for one in self._structure.findings]
        reported += [most_linked(self._graph, nodes)[:FIRST] for nodes in self._members]
        fingerprints = self._graph.fingerprints
        nodes = np.unique(np.concatenate(reported))
        names = dict(zip(nodes.tolist(), names_of(self._partitions, fingerprints[nodes]), strict=True))
        return lambda node: names[node]

    def _pages(self, nodes: Iterable[int] | Nodes) -> tuple[NamedPage, ...]:
        starts, ranks = self._graph.starts, self._structure.ranks
        return tuple(
            NamedPage(*self._names(node), int(starts[node + 1] - starts[node]), float(ranks[node]))
            for node in map(int, nodes)
        )

    def _finding(self, one: Finding) -> FindingReport:
        question, sentence = (_with_nouns(text, self._level) for text in (one.question, one.sentence))
        return FindingReport(question, one.good, sentence, self._pages(one.nodes))

    def _trap(self, one: SpiderTrap) -> TrapReport:
        rank = float(self._structure.ranks[one.nodes].sum())
        return TrapReport(len(one.nodes), one.entrances, one.period, rank, self._pages(one.nodes[:FIRST]))

    def _unfetched(self, nodes: Nodes) -> int:
        """Count the pages that were not fetched or not kept, so that their links are not known."""
        if self._level != PAGES:
            return 0
        kept = [partition.catalogue.kept_versions()[0] for partition in self._partitions]
        return int(np.count_nonzero(~np.isin(self._graph.fingerprints[nodes], np.concatenate(kept))))

    def _communities(self) -> tuple[CommunityReport, ...]:
        graph, labels = self._graph, self._structure.communities.labels
        origins, ends = labels[graph.sources], np.repeat(labels, np.diff(graph.starts))
        count = len(self._structure.communities.sizes)
        inside = np.bincount(ends[origins == ends], minlength=count)
        touching = np.bincount(ends, minlength=count) + np.bincount(origins, minlength=count)
        return tuple(
            CommunityReport(
                len(nodes),
                int(inside[label]),
                int(touching[label] - 2 * inside[label]),
                self._hosts(nodes),
                self._pages(most_linked(graph, nodes)[:FIRST]),
            )
            for label, nodes in enumerate(self._members)
        )

    def _hosts(self, nodes: Nodes) -> tuple[tuple[str, float], ...]:
        """Return the hosts with the most of these pages, and their share of all these pages."""
        if self._level != PAGES:
            return ()
        known = self._found.sites[nodes]
        sites, counts = np.unique(known[known >= 0], return_counts=True)
        best = np.argsort(-counts, kind="stable")[:FIRST].tolist()
        return tuple((self._found.names[int(sites[i])], float(counts[i] / len(nodes))) for i in best)


def _with_nouns(sentence: str, level: str) -> str:
    """Replace "page" and "pages" in a sentence by the name of the nodes at a level.

    >>> _with_nouns("No: the pages fall apart, and PageRank stays.", "hosts")
    'No: the hosts fall apart, and PageRank stays.'
    """
    one, many = NOUNS[level]
    return re.sub(r"\bpages?\b", lambda word: many if word[0] == "pages" else one, sentence)


def _degrees(links: NDArray[np.integer]) -> DegreeReport:
    """Return the distribution of the numbers of links, with the power law that fits it."""
    found = degrees(links)
    return DegreeReport(
        found.mean,
        found.highest,
        found.without,
        tuple(found.values.tolist()),
        tuple(found.at_least().tolist()),
        power_law(found),
    )
