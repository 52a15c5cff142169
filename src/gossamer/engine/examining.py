"""From the newest generation to a report on its graph, in which pages have names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.graph_report import (
    LEVELS,
    NOUNS,
    PAGES,
    CommunityReport,
    DegreeReport,
    FindingReport,
    GraphReport,
    LawReport,
    NamedPage,
    PartReport,
    TrapReport,
)
from gossamer.engine.levels import LevelGraph, at_level
from gossamer.engine.naming import names_of
from gossamer.engine.partition import Partition
from gossamer.engine.progress import StepObserver
from gossamer.links.generation import open_generation
from gossamer.links.structure.bowtie import Part
from gossamer.links.structure.degrees import Degrees
from gossamer.links.structure.ergodic import Finding
from gossamer.links.structure.powerlaw import PowerLaw
from gossamer.links.structure.structure import Structure, examine
from gossamer.links.structure.walk import Trap, most_linked
from gossamer.model import BadSetting, GossamerError

SHOWN = 10  # dead ends, traps, communities
FIRST = 3  # pages, and hosts, of each of them

Nodes = NDArray[np.int64]


def graph_report(
    partitions: Sequence[Partition],
    graph_folder: Path,
    level: str,
    beta: float,
    observer: StepObserver | None = None,
) -> GraphReport:
    """Examines the graph that counts, at one of the levels."""
    if level not in LEVELS:
        raise BadSetting(f"there is no level {level!r}; there are: {', '.join(LEVELS)}")
    generation = open_generation(graph_folder)
    if generation is None:
        raise GossamerError("there is no graph yet; run: gossamer rank")
    tell = observer or (lambda _what, _done, _total: None)
    tell("reading the graph", 0, 0)
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
                for part in Part
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

    def _trap(self, one: Trap) -> TrapReport:
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
        None if law is None else _law(law),
    )


def _law(law: PowerLaw) -> LawReport:
    return LawReport(
        law.exponent, law.error, law.x_min, law.tail, law.distance, law.p, law.plausible, law.rival
    )
