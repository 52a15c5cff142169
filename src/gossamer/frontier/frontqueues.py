"""Which of the hosts that may be asked now comes first?

A host stands in the front queue of its best URL's score, and the front queue to serve is drawn at random,
each with twice the weight of the one below. Inside a front queue the highest score comes first: with a single
one the order over hosts is exact, with more it holds in most draws, and low scores are never starved by high
ones of other hosts.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush
from math import log2
from random import Random

from gossamer.frontier.backqueue import BackQueue, is_current
from gossamer.frontier.seen import SeenTable

Ready = tuple[float, int, int, str]  # (-score, number, ticket, host): entries of old tickets are passed over

LEAST_DRAWN = 256  # hosts between two refreshments
USUAL_MEMORY = 0.99  # how slowly the idea of a usual score changes


class FrontQueues:
    """Hosts by what they have to offer; `hosts` are the back queues of all, by name."""

    def __init__(self, count: int, hosts: Mapping[str, BackQueue], seen: SeenTable, seed: int) -> None:
        self._hosts = hosts
        self._seen = seen
        self._random = Random(seed)
        self._fronts: list[list[Ready]] = [[] for _ in range(max(1, count))]
        self._usual = 0.0  # score of the URLs handed out lately
        self._drawn = 0  # since the last refreshment

    def put(self, queue: BackQueue, latest: int) -> None:
        """A host that may be asked; `latest` is the number of the newest URL of all."""
        score, number = self._best(queue, latest)
        heappush(self._fronts[self._level(score)], (-score, number, queue.ticket, queue.authority))

    def draw(self) -> BackQueue | None:
        """The first host of a front queue that is drawn by weight."""
        levels = self._levels()
        if not levels:
            return None
        level = self._random.choices(levels, [2.0**level for level in levels])[0]
        return self._hosts[heappop(self._fronts[level])[3]]

    def served(self, score: float) -> None:
        """A URL of that score was handed out."""
        self._usual = USUAL_MEMORY * self._usual + (1 - USUAL_MEMORY) * score if self._usual else score
        self._drawn += 1

    def refresh_when_due(self, latest: int) -> None:
        """Places all hosts anew: scores have changed since they came here.

        Done when half of them were drawn, so that it costs a draw no more than one placing.
        """
        if self._drawn <= max(LEAST_DRAWN, sum(map(len, self._fronts))):
            return
        self._drawn = 0
        entries = [entry for front in self._fronts for entry in front if is_current(self._hosts, *entry[2:])]
        for front in self._fronts:
            front.clear()
        for entry in entries:
            self.put(self._hosts[entry[3]], latest)

    def __bool__(self) -> bool:
        """Whether any host stands here."""
        return bool(self._levels())

    def _best(self, queue: BackQueue, latest: int) -> tuple[float, int]:
        """The score and number of a host's best URL; what only the reserve knows of counts as usual."""
        if not queue.due:
            return self._usual, latest
        place, score = self._seen.best(queue.fingerprints, len(queue.due))
        return score, queue.due[place].number

    def _levels(self) -> list[int]:
        """The front queues that are not empty, once entries that no longer count are off their tops."""
        for front in self._fronts:
            while front and not is_current(self._hosts, *front[0][2:]):
                heappop(front)
        return [level for level, front in enumerate(self._fronts) if front]

    def _level(self, score: float) -> int:
        """The usual score stands in the middle; each level above is for twice the score of the one below."""
        queues = len(self._fronts)
        if score <= 0:
            return 0
        usual = self._usual if self._usual > 0 else score
        return int(min(max(queues / 2 + log2(score / usual), 0), queues - 1))
