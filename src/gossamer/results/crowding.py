"""Which results come next, so that one host does not fill the page?

Results are listed ten at a time, each time the best of what is left by

    score * s^max(0, n - m)

where it is the n-th of its host among the ten, m is how many a host may have at no cost, and s is 0.8. So the
first m of a host stand where their scores put them; each further one must be a quarter better than the
one before it to keep its place before results of others. What is put off comes with the next ten. Where
nothing else is left, the host's own results fill the place: nothing is lost, and nothing comes twice.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

TOGETHER = 10  # results among which one host has few
SHARE = 0.8  # of its worth that a result keeps for each one too many of its host


@dataclass(frozen=True, slots=True)
class Listing:
    """Places of results in the order in which they are listed."""

    order: tuple[int, ...]
    more: tuple[int, ...]  # of each: how many of its host were put off here; 0 but for the host's last


def listing(hosts: Sequence[str], scores: Sequence[float], most: int, until: int) -> Listing:
    """At least the first `until` of these results, best first, each with its host and score.

    >>> listing(["a", "a", "a", "b", "a", "c"], [9, 9, 9, 8, 7, 6], most=2, until=6).order
    (0, 1, 3, 2, 5, 4)
    """
    left = list(range(len(hosts)))
    order: list[int] = []
    more: list[int] = []
    while left and len(order) < until:
        chosen = _ten(hosts, scores, left, most)
        taken, last = set(chosen), {hosts[place]: place for place in chosen}
        left = [place for place in left if place not in taken]
        worst = max(chosen)
        put_off = {hosts[place] for place in left if place < worst}
        waiting = Counter(hosts[place] for place in left)
        order += chosen
        more += [_if_last(hosts[place], place, last, put_off, waiting) for place in chosen]
    return Listing((*order, *left), (*more, *[0] * len(left)))


def _if_last(
    host: str, place: int, last: Mapping[str, int], put_off: Set[str], waiting: Mapping[str, int]
) -> int:
    return waiting[host] if last[host] == place and host in put_off else 0


def _ten(hosts: Sequence[str], scores: Sequence[float], left: Sequence[int], most: int) -> list[int]:
    """The next ten of what is left."""
    queues: defaultdict[str, deque[int]] = defaultdict(deque)
    for place in left:
        queues[hosts[place]].append(place)
    heads = [(-scores[queue[0]], queue[0], 1) for queue in queues.values()]
    heapify(heads)
    chosen: list[int] = []
    while heads and len(chosen) < TOGETHER:
        _, place, count = heappop(heads)
        chosen.append(place)
        queue = queues[hosts[place]]
        queue.popleft()
        if queue:
            worth = scores[queue[0]] * SHARE ** max(0, count + 1 - most)
            heappush(heads, (-worth, queue[0], count + 1))
    return chosen
