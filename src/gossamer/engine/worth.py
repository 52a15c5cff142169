"""What is one more visit to a known page worth?

Freshness is highest when one more visit gains the same everywhere (mu); how often a page is visited follows
from that. Every few hours mu is found anew from all pages and from what politeness allows their hosts, and
kept in the notes of the catalogues. See `gossamer.frontier.freshness.allocation`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gossamer.engine.discovery import Shard
from gossamer.frontier.freshness.allocation import Allocation, allocate
from gossamer.frontier.freshness.freshness import Vector
from gossamer.frontier.freshness.host_prior import HostPrior
from gossamer.frontier.freshness.revisit import revisit_budget
from gossamer.frontier.freshness.settings import FreshnessSettings
from gossamer.store.catalogue import Catalogue
from gossamer.store.revisits import Rates

KIND = "freshness"  # of the notes about a host
EVERYWHERE = ""  # the "host" of the notes about all hosts of a partition
MOST_PAGES = 1_000_000  # that mu is found from; of more, a part is as good
QUICKEST = 0.01  # seconds: also where the owner wants no pause, 100 pages a second are enough


@dataclass(frozen=True, slots=True)
class _Part:
    """What one partition knows: its pages, and of each of their hosts the prior and the pause."""

    pages: Rates
    changes: Vector
    seconds: Vector
    pauses: Vector


class VisitWorth:
    """The gain of one more visit a second, as of the last time that it was found."""

    def __init__(self, shards: Sequence[Shard], settings: FreshnessSettings) -> None:
        self._shards = shards
        self._settings = settings
        self._mu: float | None = None
        self._host_mu: dict[str, float] = {}  # of hosts where politeness allows less than mu would
        for shard in shards:
            self._restore(state_in(shard.partition.catalogue.notes(EVERYWHERE, KIND)))

    def at(self, authority: str) -> float | None:
        """The gain at a host; None before there was anything to find it from."""
        return None if self._mu is None else max(self._mu, self._host_mu.get(authority, 0.0))

    async def find(self) -> None:
        """Finds it anew, on a thread: a crawl goes on meanwhile."""
        known = sum(len(shard.seen) for shard in self._shards)
        share = min(1.0, MOST_PAGES / max(known, 1))
        parts = [await asyncio.to_thread(_read, shard, share) for shard in self._shards]
        if not any(part.pages.authorities for part in parts):
            return
        found = await asyncio.to_thread(self._allocated, parts, share)
        names = [name for part in parts for name in part.pages.authorities]
        self._mu = found.mu
        self._host_mu = {
            name: mu for name, mu in zip(names, found.host_mu.tolist(), strict=True) if mu > found.mu
        }
        for shard, part in zip(self._shards, parts, strict=True):
            self._keep(shard, part.pages.authorities)

    def _allocated(self, parts: Sequence[_Part], share: float) -> Allocation:
        firsts = np.cumsum([0, *(len(part.pages.authorities) for part in parts)])
        hosts = np.concatenate([part.pages.hosts + first for part, first in zip(parts, firsts, strict=False)])
        rates = np.concatenate([_rates_of(part) for part in parts])
        pauses = np.concatenate([part.pauses for part in parts])
        budgets = share * np.array([revisit_budget(pause, self._settings) for pause in pauses.tolist()])
        return allocate(
            rates,
            np.concatenate([part.pages.importances for part in parts]),
            min(float(budgets.sum()), share * revisit_budget(QUICKEST, self._settings)),
            hosts,
            budgets,
            slowest=1 / self._settings.most_interval,
            fastest=1 / self._settings.least_interval,
        )

    def _keep(self, shard: Shard, authorities: Sequence[str]) -> None:
        hosts = {name: self._host_mu[name] for name in authorities if name in self._host_mu}
        content = json.dumps({"mu": self._mu, "hosts": hosts})
        shard.batch.then(lambda catalogue: catalogue.set_notes(EVERYWHERE, KIND, content))

    def _restore(self, state: dict[str, Any]) -> None:
        if isinstance(state.get("mu"), float):
            self._mu = state["mu"]
            self._host_mu.update(state.get("hosts", {}))


def state_in(notes: str) -> dict[str, Any]:
    """What notes say; nothing, when they are damaged: a crawl can learn it anew."""
    try:
        state = json.loads(notes) if notes else {}
    except ValueError:
        return {}
    return state if isinstance(state, dict) else {}


def _read(shard: Shard, share: float) -> _Part:
    # a connection of its own: the crawl's is in use
    catalogue = Catalogue(shard.partition.catalogue_path, read_only=True)
    try:
        pages = catalogue.rates(share)
        delays = {row.authority: row.crawl_delay for row in catalogue.hosts()}
        learned = dict(catalogue.all_notes(KIND))
    finally:
        catalogue.close()
    priors = [HostPrior.restored(state_in(learned.get(name, ""))).prior() for name in pages.authorities]
    pauses = [shard.frontier.pause(0.0, delays.get(name)) for name in pages.authorities]
    return _Part(
        pages,
        np.array([prior.changes for prior in priors]),
        np.array([prior.seconds for prior in priors]),
        np.maximum(np.array(pauses), QUICKEST),
    )


def _rates_of(part: _Part) -> Vector:
    pages = part.pages
    changes, seconds = part.changes[pages.hosts], part.seconds[pages.hosts]
    rates: Vector = (changes + pages.changes) / (seconds + pages.seconds)
    return rates
