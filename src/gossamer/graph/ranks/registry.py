"""List the ranks of a collection; compute each by name.

A rank is a column: a value for each page, host or domain. Examples of names: `pagerank` (of pages),
`hosts:pagerank` (of hosts), `topic:cats` (of pages, for the topic cats).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.blend import NEEDS, TOPIC
from gossamer.graph.generation import LEVELS, PAGES, Generation
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

OF_LINKS = ("pagerank", "indegree", "popularity", "harmonic")  # for every level
ON_REQUEST = ("degree", "eigenvector")  # for every level, but only once they were requested by name
OF_PAGES = ("editorial",)  # for pages only: host and domain graphs have no navigation links
OF_TRUST = ("trust", "spam-mass")  # these need trusted pages
OF_SPAM = ("distrust",)  # this needs known spam pages
RANKS = (*OF_LINKS, *ON_REQUEST, *OF_PAGES, *OF_TRUST, *OF_SPAM)
EDITORIAL_LINKS = 100_000_000  # with more links `editorial` is not computed by default: 40 bytes a link
EXACT_PAGES = 5_000  # with more pages harmonic centrality is estimated
Values = NDArray[Any]


def split(column: str) -> tuple[str, str]:
    """Split the name of a column into level and rank.

    >>> split("hosts:topic:cats"), split("trust")
    (('hosts', 'topic:cats'), ('pages', 'trust'))
    """
    level, _, name = column.partition(":")
    return (level, name) if level in LEVELS else (PAGES, column)


def column_of(level: str, name: str) -> str:
    """Return the column name of a rank at a level; the inverse of `split`."""
    return name if level == PAGES else f"{level}:{name}"


def stored(generation: Generation) -> dict[str, Values]:
    """Return all ranks of a generation by column name."""
    levels = {PAGES: generation.ranks, **generation.site_ranks}
    return {column_of(level, name): own for level, ranks in levels.items() for name, own in ranks.items()}


@dataclass(frozen=True, slots=True)
class GraphLevel:
    """A graph of pages, hosts or domains, and its seed sets."""

    graph: LinkGraph
    out: OutLinks
    sets: dict[str, NDArray[np.int64]]  # non-empty node sets "trusted", "spam" and "topic:NAME"


@dataclass(eq=False)
class RankComputer:
    """Compute the ranks of a graph that the settings ask for, each once."""

    _graph: CollectionGraph
    _seeds: SeedSets
    _settings: RankSettings
    _earlier: Generation | None  # walks start from its ranks, to converge faster
    _made: dict[str, Values] = field(default_factory=dict)
    _levels: dict[str, GraphLevel] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    walks: list[RankResult] = field(default_factory=list)  # results of all iterative computations so far

    @cached_property
    def names(self) -> list[str]:
        """The columns that a ranking computes and stores."""
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
        """Return the values of a column, computed on first use."""
        if column not in self._made:
            level, name = split(column)
            self._made[column] = self._computed(self._level(level), level, name)
        return self._made[column]

    def start_with(self, column: str, values: Values) -> None:
        """Use these values for a column instead of computing it."""
        self._made[column] = values

    def check_name(self, column: str) -> None:
        """Raise BadSetting, with the reason, if a column cannot be computed."""
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
        """Compute a rank that is the limit of a walk."""
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
        """Return the start of a walk: the same rank of the earlier generation, 0 for new pages.

        Most of these walks jump only to seed pages, so 0 is a good start for a new page. For other ranks,
        such as `editorial`, the first step already corrects it. With beta below 1 the limit does not depend
        on the start.
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
        """The non-empty seed sets of the settings; entries without a page are added to `notes`."""
        settings = self._settings
        named = {"trusted": self._seeds.named(settings.trusted), "spam": self._seeds.named(settings.spam)}
        named |= {TOPIC + topic.name: self._seeds.of_topic(topic) for topic in distinct(settings.topics)}
        self.notes += [note for name, own in named.items() for note in _missing(name, own)]
        return {name: own.nodes for name, own in named.items() if len(own.nodes)}


def distinct(topics: Sequence[Topic]) -> Sequence[Topic]:
    """Return the topics; raise BadSetting if two have the same name."""
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
    with_sites = f"{', '.join(anywhere)}, also with the prefix hosts: or domains:"
    return f"; choose from: {with_sites}; and for pages only: {', '.join(OF_PAGES)}"
