"""What did ranking do, and did every walk come to rest?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gossamer.links.pagerank import RankResult
from gossamer.model.notebook import Tabled


@dataclass(frozen=True, slots=True)
class RankSummary(Tabled):
    """What ranking did; steps, residual and so on are PageRank's, or by `told_of` those of some ranks."""

    pages: int
    links: int
    steps: int
    residual: float
    converged: bool
    seconds: float
    diagnosis: str = ""  # why it did not converge
    ranks: tuple[str, ...] = ()  # what was computed
    notes: tuple[str, ...] = ()  # what the owner should know, such as seeds that the graph does not have
    hosts: int = 0
    domains: int = 0


def told_of(walks: Iterable[RankResult]) -> tuple[int, float, bool, str]:
    """Steps, residual, whether it converged and why not, of the walk that came least far.

    Ranks that are counted, such as in-degree, take no walk: nothing of them is left to come.
    """
    worst = max(walks, key=lambda walk: (not walk.converged, walk.residual), default=None)
    if worst is None:
        return 0, 0.0, True, ""
    return worst.steps, worst.residual, worst.converged, worst.diagnosis
