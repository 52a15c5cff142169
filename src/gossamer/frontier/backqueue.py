"""Which URLs of one host wait, and when may the host be asked again?"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf

from gossamer.model import CrawlRequest


class BackQueue:
    """The URLs of one host: the due ones by falling priority, then first come first served."""

    __slots__ = ("_due", "_later", "authority", "awake", "busy", "may_be_asked_at", "ticket")

    def __init__(self, authority: str) -> None:
        self.authority = authority
        self.may_be_asked_at = 0.0
        self.busy = False  # a request is under way
        self.awake = False  # it stands in a front queue
        self.ticket = 0  # what other queues hold about this one counts only with the latest ticket
        self._due: list[tuple[float, int, CrawlRequest]] = []
        self._later: list[tuple[float, int, CrawlRequest]] = []

    def add(self, request: CrawlRequest, not_before: float, number: int) -> None:
        """`number` rises with every request, and decides between equals."""
        if not_before > 0:
            heappush(self._later, (not_before, number, request))
        else:
            heappush(self._due, (-request.priority, number, request))

    def release(self, now: float) -> None:
        """Those that had to wait until now are due."""
        while self._later and self._later[0][0] <= now:
            _, number, request = heappop(self._later)
            heappush(self._due, (-request.priority, number, request))

    def pop(self) -> CrawlRequest:
        """The due URL of the highest priority."""
        return heappop(self._due)[2]

    def clear(self) -> list[CrawlRequest]:
        """Takes everything out."""
        requests = [entry[2] for entry in sorted(self._due) + sorted(self._later)]
        self._due.clear()
        self._later.clear()
        return requests

    @property
    def best(self) -> tuple[float, int] | None:
        """The key of the due URL of the highest priority: smaller is sooner."""
        return self._due[0][:2] if self._due else None

    @property
    def may_come_at(self) -> float:
        """When a URL of this host may be handed out; never, while there is none."""
        if self._due:
            return self.may_be_asked_at
        return max(self.may_be_asked_at, self._later[0][0]) if self._later else inf

    def __len__(self) -> int:
        return len(self._due) + len(self._later)
