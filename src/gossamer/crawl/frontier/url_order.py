"""URL ordering: OPIC, breadth-first, depth-first, random.

Every order gives each URL a score in the seen table; the highest comes first, and of equals the first found.

`opic` is online page importance computation (Abiteboul, Preda, Cobena, "Adaptive on-line page importance
computation", WWW 2003): a page that is fetched hands the cash it was given on to the pages it links to, in
equal shares, and what has most cash is fetched next. Here a page hands on

    0.15 + 0.85 * its cash

which is the walk of PageRank: the first part is what a surfer who jumps anywhere brings, the second what
those bring who come by links. Without the first part pages far from the seeds only get crumbs, and the order
falls behind breadth-first on some graphs (see benchmarks/order.py). Cash of a page that is fetched already
stays with it, and says how much it is worth to be looked at again.
"""

from __future__ import annotations

from typing import Protocol

from gossamer.model import BadSetting
from gossamer.storage.seen_urls import SeenTable

JUMP = 0.15
SEED_SCORE = 1.0


class UrlOrder(Protocol):
    """How scores come about."""

    def score(self, fingerprint: int, depth: int) -> float:
        """Of a URL when it is first found, so many links away from a seed."""

    def share(self, seen: SeenTable, source: int, links: int) -> float:
        """A page was read that links to so many known URLs: what it adds to the score of each."""


class Opic:
    """Online page importance."""

    def score(self, fingerprint: int, depth: int) -> float:
        return 0.0 if depth else SEED_SCORE

    def share(self, seen: SeenTable, source: int, links: int) -> float:
        cash = seen.score(source)
        seen.set_score(source, 0.0)
        return (JUMP + (1 - JUMP) * cash) / links if links else 0.0


class BreadthFirst:
    """What is nearest to the seeds."""

    def score(self, fingerprint: int, depth: int) -> float:
        return SEED_SCORE / (1 + depth)

    def share(self, seen: SeenTable, source: int, links: int) -> float:
        return 0.0


class DepthFirst(BreadthFirst):
    """What is farthest from the seeds; together with a limit of depth, one branch after the other."""

    def score(self, fingerprint: int, depth: int) -> float:
        return SEED_SCORE + depth


class Shuffled(BreadthFirst):
    """Any; the same in each run, as it is drawn from the fingerprint."""

    def score(self, fingerprint: int, depth: int) -> float:
        return (fingerprint >> 11) / (1 << 53)


ORDERS: dict[str, type[UrlOrder]] = {
    "opic": Opic,
    "breadth-first": BreadthFirst,
    "depth-first": DepthFirst,
    "random": Shuffled,
}


def order(name: str) -> UrlOrder:
    """The order of that name."""
    if name not in ORDERS:
        raise BadSetting(f"[frontier] url_order is one of {', '.join(ORDERS)}, not {name!r}")
    return ORDERS[name]()
