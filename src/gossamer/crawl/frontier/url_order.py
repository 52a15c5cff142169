"""URL ordering: OPIC, breadth-first, depth-first, random.

Every order gives each URL a score in the seen table. The URL with the highest score is fetched next; of equal
scores, the one found first.

`opic` is online page importance computation (Abiteboul, Preda, Cobena, "Adaptive on-line page importance
computation", WWW 2003). A fetched page passes its cash to the pages that it links to, in equal shares, and
the URL with most cash is fetched next. Here a page passes on

    0.15 + 0.85 * its cash

as in the random walk of PageRank: the first part comes from surfers who jump to the page, the second from
surfers who follow links. Without the first part, pages far from the seeds get very little, and the order is
worse than breadth-first on some graphs (see benchmarks/order.py). A fetched page keeps the cash that it gets
later; it is the importance of the page for the next visit.
"""

from __future__ import annotations

from typing import Protocol

from gossamer.model import BadSetting
from gossamer.storage.seen_urls import SeenTable

JUMP = 0.15
SEED_SCORE = 1.0


class UrlOrder(Protocol):
    """An order of URLs, defined by their scores."""

    def score(self, fingerprint: int, depth: int) -> float:
        """Return the first score of a new URL; `depth` is the number of links from a seed."""

    def share(self, seen: SeenTable, source: int, links: int) -> float:
        """Return what a fetched page adds to the score of each known URL that it links to."""


class Opic:
    """Online page importance computation."""

    def score(self, fingerprint: int, depth: int) -> float:
        return 0.0 if depth else SEED_SCORE

    def share(self, seen: SeenTable, source: int, links: int) -> float:
        cash = seen.score(source)
        seen.set_score(source, 0.0)
        return (JUMP + (1 - JUMP) * cash) / links if links else 0.0


class BreadthFirst:
    """The URLs nearest to the seeds first."""

    def score(self, fingerprint: int, depth: int) -> float:
        return SEED_SCORE / (1 + depth)

    def share(self, seen: SeenTable, source: int, links: int) -> float:
        return 0.0


class DepthFirst(BreadthFirst):
    """The URLs farthest from the seeds first; with a limit of depth, one branch after another."""

    def score(self, fingerprint: int, depth: int) -> float:
        return SEED_SCORE + depth


class Shuffled(BreadthFirst):
    """A random order, derived from the fingerprints and so the same in each run."""

    def score(self, fingerprint: int, depth: int) -> float:
        return (fingerprint >> 11) / (1 << 53)


ORDERS: dict[str, type[UrlOrder]] = {
    "opic": Opic,
    "breadth-first": BreadthFirst,
    "depth-first": DepthFirst,
    "random": Shuffled,
}


def order(name: str) -> UrlOrder:
    """Return the order with a name."""
    if name not in ORDERS:
        raise BadSetting(f"[frontier] url_order must be one of {', '.join(ORDERS)}, not {name!r}")
    return ORDERS[name]()
