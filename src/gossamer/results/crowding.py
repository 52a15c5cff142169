"""Which results come next, so that one host does not fill the page?

Results are listed ten at a time. Of one host at most so many are among ten, best first, while others are
there that are worth at least four fifths of it; that comes with the next ten, before all that is worse.
Where nothing else is left, the host's own results fill the place. So nothing is lost, nothing comes twice,
and a page that is far better than those of other hosts gives way to none.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

TOGETHER = 10  # results among which one host has few
ENOUGH = 0.8  # the share of its score for which a result makes room for one of another host


@dataclass(frozen=True, slots=True)
class Listing:
    """Places of results in the order in which they are listed."""

    order: tuple[int, ...]
    more: tuple[int, ...]  # of each: how many of its host were put off here; 0 but for the host's last


def listing(hosts: Sequence[str], scores: Sequence[float], most: int, until: int) -> Listing:
    """At least the first `until` of these results, best first, each with its host and score.

    >>> listing(["a", "a", "a", "b", "a", "c"], [9, 9, 9, 8, 7, 6], most=2, until=6).order
    (0, 1, 3, 5, 2, 4)
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
    counts: Counter[str] = Counter()
    chosen: list[int] = []
    put_off: deque[int] = deque()
    for place in left:
        while put_off and len(chosen) < TOGETHER and scores[place] < ENOUGH * scores[put_off[0]]:
            chosen.append(put_off.popleft())
        if len(chosen) == TOGETHER:
            return chosen
        if counts[hosts[place]] < most:
            counts[hosts[place]] += 1
            chosen.append(place)
        else:
            put_off.append(place)
    return [*chosen, *put_off][:TOGETHER]
