"""Where the URLs wait for which the frontier has no room: in the catalogue, read host by host."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.batch import Batch
from gossamer.frontier.frontier import MOST_HELD_A_HOST
from gossamer.frontier.seen import WAITING, SeenTable
from gossamer.model import CrawlRequest
from gossamer.store.urls import Waiting

LOOKED_AT = 2_048  # URLs of a host, best first when they were found, among which the best of now are chosen


class CatalogueReserve:
    """A partition's URLs in state `queued`, without those that are in memory already."""

    def __init__(self, batch: Batch, seen: SeenTable) -> None:
        self._batch = batch
        self._seen = seen

    def take(self, authority: str, room: int, now: float) -> Sequence[CrawlRequest]:
        """The URLs of a host that are worth most by now."""
        waiting, free = self._waiting(authority)
        places = np.flatnonzero(free & (waiting.not_before <= now))
        scores = self._seen.scores(waiting.fingerprints[places])
        best = places[np.argsort(-scores, kind="stable")[:room]]
        return [waiting.request(place) for place in best.tolist()]

    def due_at(self, authority: str) -> float:
        """When the first of a host may be tried."""
        waiting, free = self._waiting(authority)
        return float(waiting.not_before[free].min(initial=inf))

    def _waiting(self, authority: str) -> tuple[Waiting, NDArray[np.bool_]]:
        """The first URLs of a host in the catalogue, and which of them nobody has taken yet.

        Those that were taken since the last commit stand there too: where they are all, it looks further.
        """
        self._batch.write_urls()
        limit = LOOKED_AT + MOST_HELD_A_HOST
        while True:
            waiting = self._batch.partition.catalogue.waiting(authority, limit)
            free = self._seen.states(waiting.fingerprints) == WAITING
            if free.any() or len(free) < limit:
                return waiting, free
            limit *= 4
