"""Which ranks a collection has; compute each by name.

A rank is a column: a value for each page, or for each host or domain. `pagerank` is that of pages,
`hosts:pagerank` that of hosts, `topic:cats` that of pages for somebody who cares for cats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.blend import NEEDS, TOPIC
from gossamer.graph.generation import PAGES, Generation
from gossamer.graph.pagerank import RankResult, pagerank
from gossamer.graph.ranks.centrality import (
    degree_centrality,
    eigenvector,
    harmonic,
    hyperball,
    in_degree,
    popularity,
)
from gossamer.graph.ranks.editorial import editorial_rank
from gossamer.graph.ranks.seed_sets import PageSet, SeedSets
from gossamer.graph.ranks.teleport import teleport_set
from gossamer.graph.ranks.trustrank import distrust, spam_mass, trustrank
from gossamer.graph.reader import CollectionGraph
from gossamer.graph.settings import RankSettings, Topic
from gossamer.model import BadSetting
from gossamer.model.graph import LinkGraph, OutLinks

LEVELS = (PAGES, "hosts", "domains")

# What can be computed of any graph; of trusted pages, and of known spam.
OF_LINKS = ("pagerank", "indegree", "popularity", "harmonic")
ON_REQUEST = ("degree", "eigenvector")  # of any graph too, from when it is first named: few want it
OF_PAGES = ("editorial",)  # of links between pages, which sites have no menus among
OF_TRUST = ("trust", "spam-mass")
OF_SPAM = ("distrust",)
RANKS = (*OF_LINKS, *ON_REQUEST, *OF_PAGES, *OF_TRUST, *OF_SPAM)
EDITORIAL_LINKS = 100_000_000  # up to here that rank is computed with the others: it takes 40 bytes a link
EXACT_PAGES = 5_000  # up to here harmonic centrality is not estimated
Values = NDArray[Any]


def split(column: str) -> tuple[str, str]:
    """The level and the rank of a column.

    >>> split("hosts:topic:cats"), split("trust")
    (('hosts', 'topic:cats'), ('pages', 'trust'))
    """
    level, _, name = column.partition(":")
    return (level, name) if level in LEVELS else (PAGES, column)


def column_of(level: str, name: str) -> str:
    """The other way round."""
    return name if level == PAGES else f"{level}:{name}"


def stored(generation: Generation) -> dict[str, Values]:
    """Every rank that a generation has, by the name of its column."""
    levels = {PAGES: generation.ranks, **generation.site_ranks}
    return {column_of(level, name): own for level, ranks in levels.items() for name, own in ranks.items()}


@dataclass(frozen=True, slots=True)
class GraphLevel:
    """A graph of pages or sites, and the sets of its nodes that walkers jump to."""

    graph: LinkGraph
    out: OutLinks
    sets: dict[str, NDArray[np.int64]]  # "trusted", "spam" and the columns of topics; none is empty


class RankComputer:
    """Computes the ranks of one graph that its owner's settings ask for, each once."""

    def __init__(
        self,
        graph: CollectionGraph,
        seeds: SeedSets,
        settings: RankSettings,
        earlier: Generation | None = None,
    ) -> None:
        """Ranks of an `earlier` generation are where walks begin, so that they end sooner."""
        self._graph = graph
        self._seeds = seeds
        self._settings = settings
        self._earlier = earlier
        self._made: dict[str, Values] = {}
        self._levels: dict[str, GraphLevel] = {}
        self.notes: list[str] = []
        self.walks: list[RankResult] = []  # that were taken, as they ended

    @cached_property
    def names(self) -> list[str]:
        """The columns that there should be."""
        few_links = self._level(PAGES).graph.links <= EDITORIAL_LINKS
        names = [column_of(level, name) for level in LEVELS for name in self._of_level(self._level(level))]
        kept_up = stored(self._earlier) if self._earlier else ()
        asked_for = [column for column in kept_up if split(column)[1] in ON_REQUEST]
        return [*names, *(OF_PAGES if few_links else ()), *asked_for]

    def _of_level(self, level: GraphLevel) -> Iterator[str]:
        small = level.graph.pages <= self._settings.harmonic_pages
        yield from (name for name in OF_LINKS if name != "harmonic" or small)
        if "trusted" in level.sets:
            yield from (name for name in OF_TRUST if name != "spam-mass" or 0 < self._settings.damping < 1)
        yield from OF_SPAM if "spam" in level.sets else ()
        yield from (name for name in level.sets if name.startswith(TOPIC))

    @property
    def sites(self) -> tuple[int, int]:
        """How many hosts and domains the graph has."""
        return len(self._graph.hosts), len(self._graph.domains)

    def values(self, column: str) -> Values:
        """A rank of every node of its level."""
        if column not in self._made:
            level, name = split(column)
            self._made[column] = self._computed(self._level(level), level, name)
        return self._made[column]

    def start_with(self, column: str, values: Values) -> None:
        """Takes a column that is there already."""
        self._made[column] = values

    def check_name(self, column: str) -> None:
        """Raise BadSetting where a column cannot be computed; its text says why."""
        level, name = split(column)
        anywhere = [*OF_LINKS, *ON_REQUEST, *(OF_PAGES if level == PAGES else ())]
        can_be = [*anywhere, *self._of_level(self._level(level))]
        if name not in can_be:
            raise BadSetting(f"there is no rank {column!r}{_why_not(name, can_be)}")

    def _computed(self, level: GraphLevel, at: str, name: str) -> Values:
        graph, out = level.graph, level.out
        match name:
            case "indegree":
                return in_degree(graph)
            case "popularity":
                return popularity(graph, out)
            case "degree":
                return degree_centrality(self.values(column_of(at, "popularity")))
            case "harmonic":
                return harmonic(graph) if graph.pages <= EXACT_PAGES else hyperball(graph, out).values
            case "spam-mass":
                columns = (self.values(column_of(at, one)) for one in ("pagerank", "trust"))
                ranks, trust = (values.astype(np.float64) for values in columns)
                return spam_mass(graph, ranks, trust, self._settings.damping)
        result = self._walked(level, name, self._start(at, name))
        self.walks.append(result)
        if not result.converged:
            self.notes.append(f"{column_of(at, name)}: {result.diagnosis}")
        return result.values

    def _walked(self, level: GraphLevel, name: str, start: NDArray[np.float64] | None) -> RankResult:
        """A rank that is the limit of a walk."""
        beta, tolerance = self._settings.damping, self._settings.tolerance
        graph, sets = level.graph, level.sets
        match name:
            case "pagerank":
                return pagerank(graph, beta, tolerance, start=start)
            case "eigenvector":
                return eigenvector(graph)
            case "editorial":
                return editorial_rank(graph, self._graph.host_numbers, beta, tolerance, start=start)
            case "trust":
                return trustrank(graph, sets["trusted"], beta, tolerance, start=start)
            case "distrust":
                return distrust(graph, level.out, sets["spam"], beta, tolerance, start=start)
        jumps = teleport_set(graph.pages, sets[name])
        return pagerank(graph, beta, tolerance, teleport=jumps, start=start)

    def _start(self, level: str, name: str) -> NDArray[np.float64] | None:
        """The same rank of the earlier generation; 0 for pages that are new.

        Most of these walks jump to a set of seeds, so jumps bring a new page nothing. Where they jump to
        every page, as for `editorial`, the first step does. With beta below 1 a walk ends at the same ranks
        wherever it begins.
        """
        if self._earlier is None or level != PAGES or name not in self._earlier.ranks:
            return None
        start = self._earlier.lookup(name, self._graph.generation.fingerprints)
        return start if start.sum() > 0 else None

    def _level(self, level: str) -> GraphLevel:
        if level not in self._levels:
            self._levels[level] = self._opened(level)
        return self._levels[level]

    def _opened(self, level: str) -> GraphLevel:
        if level == PAGES:
            return GraphLevel(self._graph.inward, self._graph.outward, self._sets)
        sites = self._graph.hosts if level == "hosts" else self._graph.domains
        sets = {name: self._sites_of(level, nodes) for name, nodes in self._sets.items()}
        return GraphLevel(
            sites.as_links(), sites.outward, {name: own for name, own in sets.items() if len(own)}
        )

    def _sites_of(self, level: str, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        sites = self._graph.hosts.site_of(nodes)
        sites = sites[sites >= 0]
        return np.unique(sites if level == "hosts" else self._graph.domains.site_of(sites))

    @cached_property
    def _sets(self) -> dict[str, NDArray[np.int64]]:
        """What the settings name, where the graph has any of it; what it has not is told."""
        settings = self._settings
        named = {"trusted": self._seeds.named(settings.trusted), "spam": self._seeds.named(settings.spam)}
        named |= {TOPIC + topic.name: self._seeds.of_topic(topic) for topic in distinct(settings.topics)}
        self.notes += [note for name, own in named.items() for note in _missing(name, own)]
        return {name: own.nodes for name, own in named.items() if len(own.nodes)}


def distinct(topics: Sequence[Topic]) -> Sequence[Topic]:
    """The topics; raises BadSetting where two have the same name."""
    names = [topic.name for topic in topics]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadSetting(f"there are two topics named {twice}")
    return topics


def _missing(name: str, named: PageSet) -> Iterator[str]:
    if named.unknown:
        more = f" and {len(named.unknown) - 3} more" if len(named.unknown) > 3 else ""
        yield f"{name}: the graph has no page of {', '.join(named.unknown[:3])}{more}"


def _why_not(name: str, can_be: Sequence[str]) -> str:
    if name in NEEDS:
        return f": {NEEDS[name]}"
    anywhere = [one for one in dict.fromkeys(can_be) if one not in OF_PAGES]
    with_sites = f"{', '.join(anywhere)}, also with hosts: or domains: before them"
    return f"; there are: {with_sites}; and of pages only: {', '.join(OF_PAGES)}"
