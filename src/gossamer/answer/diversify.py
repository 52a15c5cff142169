# mypy: disable-error-code="arg-type, assignment, index, operator"
"""Fold near-duplicates, limit results per host.

Only the first `RankedCandidates.rerank_depth` results change places: near-duplicates are folded behind the
best of them, then the number of results per host is limited. The other results keep their order. So every
page of results is a part of the same list.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count, pairwise
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from gossamer.answer.prepare import PreparedQuery
from gossamer.index.segment import Segment
from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.model import UNFETCHED
from gossamer.scoring.two_phase import RankedCandidates
from gossamer.search.candidates import Candidates, Part
from gossamer.search.searcher import Searcher
from gossamer.text.shingles import CHANCE, SKETCH_BYTES

# Numbers for host names across segments
# --------------------------------------
#
# Each segment has its own host numbers. To compare a few hundred candidates by host name for every query
# would take longer than the rest of this module.

REMEMBERED = 10_000_000  # names and numbers; beyond it all are forgotten
NOT_MET = -1
Numbers = NDArray[np.int64]


class HostNumbers:
    """Give each host name a number that is the same in all segments. Threads may share it."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._segments: dict[tuple[int, int], Numbers] = {}  # by identity: the numbers of its hosts
        self._next = count()
        self._lock = Lock()

    def __len__(self) -> int:
        """How many names and numbers are remembered."""
        return len(self._names) + sum(map(len, list(self._segments.values())))

    def number(self, name: str) -> int:
        """The number of a host name."""
        known = self._names.get(name)
        return self._names.setdefault(name, next(self._next)) if known is None else known

    def of(self, segment: Segment, ids: NDArray[np.uint32]) -> Numbers:
        """The numbers of hosts, given by their numbers in a segment."""
        table = self._segments.get(segment.identity)
        if table is None:
            hosts = int(segment.columns.host_ids.max(initial=0)) + 1
            table = self._segments.setdefault(segment.identity, np.full(hosts, NOT_MET))
        found: Numbers = table[ids]
        if found.min(initial=0) == NOT_MET:
            with self._lock:
                for host in set(ids[found == NOT_MET].tolist()):
                    table[host] = self.number(segment.host(host))
            found = table[ids]
        return found


_KEPT = [HostNumbers()]


def host_numbers() -> HostNumbers:
    """The host numbers of this process. To compare hosts, call this once: full tables are replaced."""
    if len(_KEPT[0]) > REMEMBERED:
        _KEPT[0] = HostNumbers()
    return _KEPT[0]


# Limit results per host
# ----------------------
#
# Results are listed in groups of ten. The next result is always the one with the highest
#
#     score * s^max(0, n - m)
#
# It would be the n-th of its host in the group, m is the number of results that a host may have without
# a penalty, and s is 0.8. So the first m results of a host keep their scores, and further ones count
# with 0.8, 0.64, ... of their scores. Postponed results compete for the next group. If only results of
# one host are left, they fill the group. No result is lost, and none comes twice.

TOGETHER = 10  # results of a group
SHARE = 0.8  # the penalty s


@dataclass(frozen=True, slots=True)
class ResultOrder:
    """The order in which candidates are listed, as places among the candidates."""

    places: Sequence[int]
    # How many results of the host were postponed, with its last result in each group; else 0. May be shorter.
    more: Sequence[int] = ()
    folded_under: dict[int, list[int]] = field(default_factory=dict)  # near-duplicates of a place

    @property
    def folded(self) -> int:
        return sum(map(len, self.folded_under.values()))


def limit_per_host(
    hosts: Sequence[Hashable], scores: Sequence[float], most: int, until: int, but: Collection[int] = ()
) -> ResultOrder:
    """List results with a limit per host: at least the first `until`, then the rest by score.

    Results are given best first by their hosts and scores (at least 0). Places in `but` are left out.

    >>> limit_per_host(["a", "a", "a", "b", "a", "c"], [9, 9, 9, 8, 7, 6], most=2, until=6).places
    (0, 1, 3, 2, 5, 4)
    """
    left = list(range(len(hosts)))
    for place in sorted(but, reverse=True):
        del left[place]
    order: list[int] = []
    more: list[int] = []
    while left and len(order) < until:
        chosen = _next_group(hosts, scores, left, most)
        taken, end = set(chosen), bisect_right(left, max(chosen))
        left[:end] = [place for place in left[:end] if place not in taken]
        order += chosen
        more += _postponed(hosts, chosen, left)
    return ResultOrder((*order, *left), (*more, *[0] * len(left)))


def _postponed(hosts: Sequence[Hashable], chosen: Sequence[int], left: Sequence[int]) -> list[int]:
    """For each chosen result, how many results of its host are left.

    It is 0 unless results of the host were postponed, and the result is the last of its host in the group.
    """
    hosts_postponed = {hosts[place] for place in left[: bisect_left(left, max(chosen))]}
    if not hosts_postponed:
        return [0] * len(chosen)
    waiting, last = [hosts[place] for place in left], {hosts[place]: place for place in chosen}
    return [
        waiting.count(hosts[place]) if hosts[place] in hosts_postponed and last[hosts[place]] == place else 0
        for place in chosen
    ]


def _next_group(
    hosts: Sequence[Hashable], scores: Sequence[float], left: Sequence[int], most: int
) -> list[int]:
    """Choose the next group from the results that are left.

    A penalty only lowers scores. So a result is read from the ranking only when its score is higher than
    all values of the results that were read before.
    """
    if _is_spread(hosts, scores, left, most):
        return list(left[:TOGETHER])
    heads: list[tuple[float, int]] = []  # a heap: the best result of each host, by its value
    queues: dict[Hashable, deque[int]] = {}  # the other results of these hosts that were read
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
        value = scores[place] * SHARE**too_many if too_many > 0 else scores[place]
        heappush(heads, (-value, place))
    return chosen


def _is_spread(hosts: Sequence[Hashable], scores: Sequence[float], left: Sequence[int], most: int) -> bool:
    """Whether the first ten are the next group: no host has too many of them, and scores are descending."""
    first = left[: TOGETHER + 1]
    near = [hosts[place] for place in first[:TOGETHER]]
    if any(near.count(host) > most for host in set(near)):
        return False
    return all(scores[one] >= scores[other] for one, other in pairwise(first))


# Kernels: near-duplicates among results
# --------------------------------------

NOBODY = -1
MIX = np.uint64(0x9E3779B1)  # multiplicative hashing into the high bits of 32 (Knuth, vol. 3, 6.4)
LOW = np.uint64(0xFFFFFFFF)


@unchecked_part
def mark_alike(
    groups: NDArray[np.uint32], column: int, table: Numbers, shift: np.uint64, alike: NDArray[np.bool_]
) -> None:
    """Mark the rows that share a number in a column with another row. 0 is no number.

    The hash table has 2^(32 - shift) places, more than there are rows.
    """
    table[:] = NOBODY
    last = len(table) - 1
    for row in range(len(groups)):
        value = groups[row, column]
        if value == 0:
            continue
        place = np.int64(((np.uint64(value) * MIX) & LOW) >> shift)
        while table[place] != NOBODY and groups[table[place], column] != value:
            place = (place + 1) & last
        if table[place] == NOBODY:
            table[place] = row
        else:
            alike[row] = True
            alike[table[place]] = True


@unchecked_part
def agreeing(sketches: NDArray[np.uint8], one: int, other: int) -> int:
    """Count the bytes in which two rows agree."""
    same = 0
    for byte in range(sketches.shape[1]):
        same += sketches[one, byte] == sketches[other, byte]
    return same


@unchecked_kernel
def find_copies(sketches: NDArray[np.uint8], groups: NDArray[np.uint32], needed: float) -> Numbers:
    """Find for every row the first row before it that it is a copy of; `NOBODY` if there is none.

    `groups` has the bytes of `sketches` in groups of four. A row that is a copy has no copies itself.
    """
    bits = 1
    while len(groups) >> (bits - 1):
        bits += 1
    table, shift = np.empty(1 << bits, np.int64), np.uint64(32 - bits)  # at most half of the places are taken
    alike = np.zeros(len(groups), np.bool_)
    for column in range(groups.shape[1]):
        mark_alike(groups, column, table, shift, alike)
    original, kept, count = np.full(len(groups), NOBODY), np.empty(len(groups), np.int64), 0
    for row in range(len(groups)):
        if not alike[row]:
            continue
        for n in range(count):
            if agreeing(sketches, row, kept[n]) >= needed:
                original[row] = kept[n]
                break
        if original[row] == NOBODY:
            kept[count] = row
            count += 1
    return original


# Near-duplicates among results
# -----------------------------
#
# Near-duplicates are found by sketches of 84 bytes (`text.shingles`). Two texts with resemblance R agree
# in a byte with a probability of about R, in four bytes in a row with R^4, and in any of the 21 groups
# of four with 1 - (1 - R^4)^21: 0.99998 at R = 0.8, 0.74 at R = 0.5. Only results that agree in a group
# are compared byte by byte. In most result lists there are none.

Sketches = NDArray[np.uint8]  # a row for each result, best first; zeros for a result without a sketch


def near_duplicates_of(sketches: Sketches, least: float) -> dict[int, int]:
    """Find near-duplicates: results with a resemblance of at least `least` to a better result.

    Return the better result for each of them. A result that is folded itself folds no others.
    """
    needed = SKETCH_BYTES * (CHANCE + least * (1 - CHANCE)) - 1e-9
    sketches = np.ascontiguousarray(sketches)
    original = find_copies(sketches, sketches.view(np.uint32), needed)
    copies = np.flatnonzero(original != NOBODY)
    return dict(zip(copies.tolist(), original[copies].tolist(), strict=True))


def diversified(found: RankedCandidates, prepared: PreparedQuery) -> ResultOrder:
    """Fold near-duplicates and limit results per host, as deep as the request needs.

    There is no limit if the query asks for one site.
    """
    settings = prepared.search.settings
    window = found.candidates[: found.rerank_depth]
    parts = window.by_segment()
    threshold = settings.fold_threshold
    copies = near_duplicates_of(_sketches(window, parts, prepared.searchers), threshold) if threshold else {}
    if settings.results_per_host and not prepared.of_one_site:
        hosts, scores = _hosts(window, parts, prepared).tolist(), found.scores[: len(window)].tolist()
        listed = limit_per_host(hosts, scores, settings.results_per_host, prepared.depth, copies)
    else:
        listed = ResultOrder([place for place in range(len(window)) if place not in copies])
    behind = defaultdict(list)
    for place, original in copies.items():
        behind[original].append(place)
    rest = range(len(window), len(found.candidates))
    return ResultOrder((*listed.places, *rest), listed.more, dict(behind))


def without(found: RankedCandidates, gone: Numbers) -> RankedCandidates:
    """Remove the candidates at some places."""
    if not len(gone):
        return found
    left = np.delete(np.arange(len(found.candidates)), gone)
    end = len(found.candidates) - found.scored_without_feedback
    return replace(
        found,
        total=found.total - len(gone),
        candidates=found.candidates.taken(left),
        scores=found.scores[left],
        rescored=int(np.count_nonzero(left < found.rescored)),
        scored_without_feedback=int(np.count_nonzero(left >= end)),
        read=int(np.count_nonzero(left < found.read)),
    )


def _hosts(window: Candidates, parts: Sequence[Part], prepared: PreparedQuery) -> Numbers:
    """The host numbers of candidates; hosts with the same name have the same number."""
    found, numbers = np.empty(len(window), np.int64), host_numbers()
    for partition, number, rows in parts:
        docs = window.docs[rows]
        if number == UNFETCHED:
            unfetched = prepared.search.anchors[partition].unfetched
            names = map(unfetched.host, unfetched.host_ids[docs].tolist())
            found[rows] = [numbers.number(name) for name in names]
        else:
            segment = prepared.searchers[partition].snapshot.views[number].segment
            own = segment.columns.host_ids[docs]
            found[rows] = own if len(parts) == 1 else numbers.of(segment, own)
    return found


def _sketches(candidates: Candidates, parts: Sequence[Part], searchers: Sequence[Searcher]) -> Sketches:
    """The sketches of candidates, one per row; zeros for unfetched pages."""
    sketches = np.zeros((len(candidates), SKETCH_BYTES), np.uint8)
    for partition, segment, rows in parts:
        if segment != UNFETCHED:
            known = searchers[partition].snapshot.views[segment].segment.columns.sketches
            sketches[rows, : known.shape[1]] = known[candidates.docs[rows]]
    return sketches


def only(found: RankedCandidates, listed: ResultOrder, places: Sequence[int]) -> RankedCandidates:
    """Keep the candidates at these places and their near-duplicates; the total counts only the former."""
    kept = [*places, *(place for one in places for place in listed.folded_under.get(one, ()))]
    gone = np.setdiff1d(np.arange(len(found.candidates)), kept)
    return replace(without(found, gone), total=len(places))
