"""All structure findings, with pages named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.partition import Partition
from gossamer.graph.generation import Generation, open_generation
from gossamer.graph.pagerank import pagerank
from gossamer.graph.reader import names_of
from gossamer.graph.structure.bow_tie import BowTie, BowTiePart, bow_tie, largest, strong
from gossamer.graph.structure.communities import Communities, communities
from gossamer.graph.structure.degrees import Degrees, PowerLaw, degrees, power_law
from gossamer.graph.structure.random_walk import Finding, SpiderTrap, WalkReport, findings, most_linked, walk
from gossamer.graph.structure.spam_farm import FarmGain, planted
from gossamer.graph.transpose import outward
from gossamer.model import BadSetting, GossamerError, NotRanked
from gossamer.model.errors import require_extra
from gossamer.model.graph import LinkGraph, NameList
from gossamer.model.notebook import NotebookTable
from gossamer.model.progress import Observer, StepProgress, unobserved

# Types of the structure report
# -----------------------------

PAGES, HOSTS, DOMAINS = "pages", "hosts", "domains"
LEVELS = (PAGES, HOSTS, DOMAINS)
NOUNS = {PAGES: ("page", "pages"), HOSTS: ("host", "hosts"), DOMAINS: ("domain", "domains")}


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page, or a site at the other levels; `links` lead to it. What was never fetched has no title."""

    url: str
    title: str
    links: int
    pagerank: float


@dataclass(frozen=True, slots=True)
class PartReport:
    """A part of the bow tie."""

    name: str
    pages: int
    share: float


@dataclass(frozen=True, slots=True)
class FindingReport:
    """An answer about the random walk, and the pages that cause it; `good` is None where there is none."""

    question: str
    good: bool | None
    sentence: str
    pages: tuple[NamedPage, ...]


@dataclass(frozen=True, slots=True)
class TrapReport:
    """A spider trap with its most linked pages."""

    pages: int
    entrances: int
    period: int
    pagerank: float  # of all its pages
    first: tuple[NamedPage, ...]


@dataclass(frozen=True, slots=True)
class DegreeReport:
    """`at_least[i]` is the share of pages that have `values[i]` links or more."""

    mean: float
    highest: int
    without: int
    values: tuple[int, ...]
    at_least: tuple[float, ...]
    law: PowerLaw | None


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """A community: its hosts with their shares of it, its most linked pages, its links."""

    pages: int
    inside: int  # links
    outside: int  # links from it and to it
    hosts: tuple[tuple[str, float], ...]
    first: tuple[NamedPage, ...]


@dataclass(frozen=True, slots=True)
class GraphReport(NotebookTable):
    """Describe the structure of the web that was crawled; docs/structure.md explains each part."""

    level: str
    pages: int
    links: int
    beta: float
    bow_tie: tuple[PartReport, ...]
    islands: int
    components: int
    period: int  # of the core
    ergodic: bool  # without teleport
    findings: tuple[FindingReport, ...]
    dead_end_count: int
    unfetched_dead_ends: int
    dead_ends: tuple[NamedPage, ...]
    trap_count: int
    traps: tuple[TrapReport, ...]
    in_degrees: DegreeReport
    out_degrees: DegreeReport
    modularity: float
    community_count: int  # of two pages or more
    communities: tuple[CommunityReport, ...]
    between: tuple[tuple[int, ...], ...]  # links from one of these communities to another
    farms: tuple[FarmGain, ...]

    def __repr__(self) -> str:
        return f"<GraphReport of {self.pages:,} {self.level}, {self.links:,} links>"


# Graph at page, host or domain level
# -----------------------------------


@dataclass(frozen=True, slots=True)
class LevelGraph:
    """A graph and the sites of its nodes, -1 where one is not known; a site is its own."""

    graph: LinkGraph
    sites: NDArray[np.int64]
    names: NameList  # of the sites


def at_level(level: str, generation: Generation) -> LevelGraph:
    """The graph at a level."""
    if level == PAGES:
        graph, hosts = generation.graph(), generation.sites("hosts")
        return LevelGraph(graph, hosts.site_of(np.arange(graph.pages)), hosts.names)
    found = generation.sites("hosts" if level == HOSTS else "domains")
    return LevelGraph(found.as_links(), np.arange(len(found)), found.names)


FARMS = (0.001, 0.01, 0.1, 1.0)  # supporting pages, as shares of the pages there are
STEPS = ("the bow tie", "dead ends and traps", "PageRank", "power laws", "communities", "spam farms")
RANK_TOLERANCE = 1e-8


@dataclass(frozen=True, slots=True)
class Structure:
    """What a graph looks like from far away. Pages are numbers of nodes."""

    bow_tie: BowTie
    walk: WalkReport
    findings: tuple[Finding, ...]
    ranks: NDArray[np.float64]  # PageRank
    in_degrees: Degrees
    in_law: PowerLaw | None
    out_degrees: Degrees
    out_law: PowerLaw | None
    communities: Communities
    farms: tuple[FarmGain, ...]


def examine(graph: LinkGraph, beta: float, tell: Observer[StepProgress], seed: int = 1) -> Structure:
    """Answers every question; `beta` is PageRank's."""
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
    arriving, leaving = degrees(np.diff(graph.starts)), degrees(graph.out_degrees)
    laws = power_law(arriving, seed=seed), power_law(leaving, seed=seed)
    begin()
    groups = communities(graph, seed)
    begin()
    sizes = sorted({max(1, round(share * graph.pages)) for share in FARMS})
    farms = [planted(graph, ranks, size, beta) for size in sizes] if graph.pages and 0 < beta < 1 else []
    tell(StepProgress("done", len(STEPS), len(STEPS)))
    said = findings(found, beta)
    return Structure(tie, found, said, ranks, arriving, laws[0], leaving, laws[1], groups, tuple(farms))


# Structure report with page names
# --------------------------------

SHOWN = 10  # dead ends, traps, communities
FIRST = 3  # pages, and hosts, of each of them
Nodes = NDArray[np.int64]


def graph_report(
    partitions: Sequence[Partition],
    graph_folder: Path,
    level: str,
    beta: float,
    observer: Observer[StepProgress] | None = None,
) -> GraphReport:
    """Examines the graph that counts, at one of the levels."""
    if level not in LEVELS:
        raise BadSetting(f"there is no level {level!r}; there are: {', '.join(LEVELS)}")
    generation = open_generation(graph_folder)
    if generation is None:
        raise NotRanked
    require_extra("the graph report", "graph", "scipy")
    tell = observer or unobserved
    tell(StepProgress("reading the graph"))
    found = at_level(level, generation)
    if not found.graph.pages:
        raise GossamerError("the graph is empty; run: gossamer crawl URL, then: gossamer rank")
    return _Reporting(found, examine(found.graph, beta, tell), level, beta, partitions).report()


class _Reporting:
    """Puts names to the nodes that a report speaks of."""

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
            in_degrees=_degrees(of.in_degrees, of.in_law),
            out_degrees=_degrees(of.out_degrees, of.out_law),
            modularity=of.communities.modularity,
            community_count=int(np.count_nonzero(of.communities.sizes > 1)),
            communities=self._communities(),
            between=tuple(map(tuple, of.communities.between(self._graph, self._shown()).tolist())),
            farms=of.farms,
        )

    def _shown(self) -> int:
        """How many communities are told of: those of one page are none."""
        return min(SHOWN, int(np.count_nonzero(self._structure.communities.sizes > 1)))

    def _named(self) -> Callable[[int], tuple[str, str]]:
        """Address and title of each node that is spoken of; sites have a name only."""
        if self._level != PAGES:
            return lambda node: (self._found.names[node], "")
        walk = self._structure.walk
        spoken_of = [walk.dead_ends[:SHOWN], *(one.nodes[:FIRST] for one in walk.traps[:SHOWN])]
        spoken_of += [one.nodes for one in self._structure.findings]
        spoken_of += [most_linked(self._graph, nodes)[:FIRST] for nodes in self._members]
        fingerprints = self._graph.fingerprints
        nodes = np.unique(np.concatenate(spoken_of))
        names = dict(zip(nodes.tolist(), names_of(self._partitions, fingerprints[nodes]), strict=True))
        return lambda node: names[node]

    def _pages(self, nodes: Iterable[int] | Nodes) -> tuple[NamedPage, ...]:
        starts, ranks = self._graph.starts, self._structure.ranks
        return tuple(
            NamedPage(*self._names(node), int(starts[node + 1] - starts[node]), float(ranks[node]))
            for node in map(int, nodes)
        )

    def _finding(self, one: Finding) -> FindingReport:
        question, sentence = (_spoken(text, self._level) for text in (one.question, one.sentence))
        return FindingReport(question, one.good, sentence, self._pages(one.nodes))

    def _trap(self, one: SpiderTrap) -> TrapReport:
        rank = float(self._structure.ranks[one.nodes].sum())
        return TrapReport(len(one.nodes), one.entrances, one.period, rank, self._pages(one.nodes[:FIRST]))

    def _unfetched(self, nodes: Nodes) -> int:
        """How many of these pages were not fetched, or not kept: their links are not known."""
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
        """The hosts that have most of these pages, and their shares of all of them, known host or not."""
        if self._level != PAGES:
            return ()
        known = self._found.sites[nodes]
        sites, counts = np.unique(known[known >= 0], return_counts=True)
        best = np.argsort(-counts, kind="stable")[:FIRST].tolist()
        return tuple((self._found.names[int(sites[i])], float(counts[i] / len(nodes))) for i in best)


def _spoken(sentence: str, level: str) -> str:
    """A sentence on the nodes of a graph, which all are pages to it, by what they are called at a level.

    >>> _spoken("No: the pages fall apart, and PageRank stays.", "hosts")
    'No: the hosts fall apart, and PageRank stays.'
    """
    one, many = NOUNS[level]
    return re.sub(r"\bpages?\b", lambda word: many if word[0] == "pages" else one, sentence)


def _degrees(found: Degrees, law: PowerLaw | None) -> DegreeReport:
    return DegreeReport(
        found.mean,
        found.highest,
        found.without,
        tuple(found.values.tolist()),
        tuple(found.at_least().tolist()),
        law,
    )
