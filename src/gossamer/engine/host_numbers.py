"""Which hosts of different segments are the same? Numbers for names, given when one is first met.

Each segment numbers its hosts by itself. To compare those of a few hundred candidates by name, for every
query, would take longer than to arrange the candidates.
"""

from __future__ import annotations

from itertools import count
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import Segment

REMEMBERED = 10_000_000  # names and numbers; then all are forgotten
NOT_MET = -1

Numbers = NDArray[np.int64]


class HostNumbers:
    """One number for each name. Threads may share it."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._segments: dict[tuple[int, int], Numbers] = {}  # by identity: the number of each of its hosts
        self._next = count()
        self._lock = Lock()

    def __len__(self) -> int:
        """How much is remembered: names, and numbers of segments."""
        return len(self._names) + sum(map(len, list(self._segments.values())))

    def number(self, name: str) -> int:
        """The number of a host by its name."""
        known = self._names.get(name)
        return self._names.setdefault(name, next(self._next)) if known is None else known

    def of(self, segment: Segment, ids: NDArray[np.uint32]) -> Numbers:
        """The numbers of hosts that a segment has under these."""
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
    """Those of this process; whoever compares hosts asks once, as full ones are given up for new ones."""
    if len(_KEPT[0]) > REMEMBERED:
        _KEPT[0] = HostNumbers()
    return _KEPT[0]
