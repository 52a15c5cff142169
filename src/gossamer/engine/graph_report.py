"""What a report on the graph says: plain values, with pages named, for a terminal, a page or a program."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.links.structure.farm import FarmGain
from gossamer.model.notebook import Tabled

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
class LawReport:
    """The fitted power law, and whether it is a good fit."""

    exponent: float
    error: float
    x_min: int
    tail: int
    distance: float
    p: float
    plausible: bool
    rival: str  # who describes the tail better: "power law", "log-normal" or "neither"


@dataclass(frozen=True, slots=True)
class DegreeReport:
    """`at_least[i]` is the share of pages that have `values[i]` links or more."""

    mean: float
    highest: int
    without: int
    values: tuple[int, ...]
    at_least: tuple[float, ...]
    law: LawReport | None


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """A community: its hosts with their shares of it, its most linked pages, its links."""

    pages: int
    inside: int  # links
    outside: int  # links from it and to it
    hosts: tuple[tuple[str, float], ...]
    first: tuple[NamedPage, ...]


@dataclass(frozen=True, slots=True)
class GraphReport(Tabled):
    """All that is said about the graph of a collection."""

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
