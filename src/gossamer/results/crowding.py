"""Which results come next, so that one host does not fill the page?

Results are listed ten at a time, each time the best of what is left by

    score * s^max(0, n - m)

where it is the n-th of its host among the ten, m is how many a host may have at no cost, and s is 0.8. So the
first m of a host stand where their scores put them; each further one is weighed against results of others
with 0.8, 0.64, ... of its score. What is put off comes with the next ten. Where
nothing else is left, the host's own results fill the place: nothing is lost, and nothing comes twice.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

TOGETHER = 10  # results among which one host has few
SHARE = 0.8  # of its worth that a result keeps for each one too many of its host


@dataclass(frozen=True, slots=True)
class Listing:
    """Places of results in the order in which they are listed."""

    order: tuple[int, ...]
    more: tuple[int, ...]  # of each: how many of its host were put off here; 0 but for the host's last


NOT_SPREAD = Listing((), ())


def listing(
    hosts: Sequence[Hashable],
    scores: Sequence[float],
    most: int,
    until: int,
    but: Collection[int] = (),
) -> Listing:
    """At least the first `until` of these results, best first, each with its host and score, which is not
    negative; those at some places are left out.

    >>> listing(["a", "a", "a", "b", "a", "c"], [9, 9, 9, 8, 7, 6], most=2, until=6).order
    (0, 1, 3, 2, 5, 4)
    """
    left = list(range(len(hosts)))
    for place in sorted(but, reverse=True):
        del left[place]
    order: list[int] = []
    more: list[int] = []
    while left and len(order) < until:
        chosen = _ten(hosts, scores, left, most)
        taken, end = set(chosen), bisect_right(left, max(chosen))
        left[:end] = [place for place in left[:end] if place not in taken]
        order += chosen
        more += _put_off(hosts, chosen, left)
    return Listing((*order, *left), (*more, *[0] * len(left)))


def _put_off(hosts: Sequence[Hashable], chosen: Sequence[int], left: Sequence[int]) -> list[int]:
    """Of each that was chosen, how many of its host are left; 0 but for the last of a host that gave way."""
    gave_way = {hosts[place] for place in left[: bisect_left(left, max(chosen))]}
    if not gave_way:
        return [0] * len(chosen)
    waiting, last = [hosts[place] for place in left], {hosts[place]: place for place in chosen}
    return [
        waiting.count(hosts[place]) if hosts[place] in gave_way and last[hosts[place]] == place else 0
        for place in chosen
    ]


def _ten(hosts: Sequence[Hashable], scores: Sequence[float], left: Sequence[int], most: int) -> list[int]:
    """The next ten of what is left.

    No result is worth more than its score: as long as one that was looked at is worth the score of the next
    one in the ranking, that one need not be looked at.
    """
    if _is_spread(hosts, scores, left, most):
        return list(left[:TOGETHER])
    heads: list[tuple[float, int]] = []  # the first of each host that was met, by what it is worth
    queues: dict[Hashable, deque[int]] = {}  # what else was met of these hosts
    counts: dict[Hashable, int] = {}
    chosen: list[int] = []
    met, end = 0, len(left)
    while len(chosen) < TOGETHER and (heads or met < end):
        if met == end or (heads and -heads[0][0] >= scores[left[met]]):
            _, best = heappop(heads)
            chosen.append(best)
            host = hosts[best]
            counts[host] = counts.get(host, 0) + 1
            if not queues[host]:
                del queues[host]
                continue
            place = queues[host].popleft()
        else:
            place = left[met]
            met += 1
            host = hosts[place]
            if host in queues:
                queues[host].append(place)
                continue
            queues[host] = deque()
        too_many = counts.get(host, 0) + 1 - most
        worth = scores[place] * SHARE**too_many if too_many > 0 else scores[place]
        heappush(heads, (-worth, place))
    return chosen


def _is_spread(hosts: Sequence[Hashable], scores: Sequence[float], left: Sequence[int], most: int) -> bool:
    """Whether the first ten are the next: no host has too many of them, and what follows is worth no more."""
    first = left[: TOGETHER + 1]
    near = [hosts[place] for place in first[:TOGETHER]]
    if any(near.count(host) > most for host in set(near)):
        return False
    return all(scores[one] >= scores[other] for one, other in pairwise(first))
