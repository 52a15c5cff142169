"""Where the URLs wait for which the frontier has no room: in the catalogue, read host by host."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.batch import Batch
from gossamer.frontier.seen import WAITING, SeenTable
from gossamer.model import CrawlRequest

LOOKED_AT = 2_560  # URLs of a host, best first when they were found, among which the best of now are chosen
CHOICE = 128  # so many for one are enough, where there is room for a few only
PIECE = 1_000  # rows that are read at once


class CatalogueReserve:
    """A partition's URLs in state `queued`, without those that are in memory already."""

    def __init__(self, batch: Batch, seen: SeenTable) -> None:
        self._batch = batch
        self._seen = seen

    def take(self, authority: str, room: int, now: float) -> Sequence[CrawlRequest]:
        """The URLs of a host that are worth most by now."""
        few = min(LOOKED_AT, CHOICE * room)
        # As far as `due_at` looks, before there is nothing: the host would come again at once.
        return self._best(authority, room, now, few) or self._best(authority, room, now, LOOKED_AT)

    def _best(self, authority: str, room: int, now: float, looked_at: int) -> list[CrawlRequest]:
        free = self._free(authority, looked_at)
        best = free[np.argsort(-self._seen.scores(free), kind="stable")]
        taken: list[CrawlRequest] = []
        while len(best) and len(taken) < room:  # once, unless some of the best are to be tried later
            piece, best = best[:room], best[room:]
            waiting = self._batch.partition.catalogue.requests(piece)
            due = np.flatnonzero(waiting.not_before <= now)[: room - len(taken)]
            taken += [waiting.request(place) for place in due.tolist()]
        return taken

    def due_at(self, authority: str) -> float:
        """When the first of a host may be tried."""
        free, catalogue = self._free(authority, LOOKED_AT), self._batch.partition.catalogue
        pieces = (free[start : start + PIECE] for start in range(0, len(free), PIECE))
        return min(
            (float(catalogue.requests(piece).not_before.min(initial=inf)) for piece in pieces), default=inf
        )

    def _free(self, authority: str, limit: int) -> NDArray[np.uint64]:
        """Of the first URLs of a host in the catalogue, those that nobody has taken yet.

        Those that were taken since the last commit stand there too: where they are all, it looks further.
        """
        self._batch.write_urls()
        while True:
            waiting = self._batch.partition.catalogue.waiting(authority, limit)
            free: NDArray[np.uint64] = waiting[self._seen.states(waiting) == WAITING]
            if len(free) or len(waiting) < limit:
                return free
            limit *= 4
