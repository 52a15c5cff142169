"""Allocate visits to pages so that the copies are as fresh as possible.

J. Cho and H. Garcia-Molina, "Effective page refresh policies for Web crawlers", ACM Trans. Database Systems
28 (2003). If a page changes at rate r and is visited at regular intervals, f times a second, its copy is up
to date for this share of the time:

    F(r, f) = (f / r) (1 - exp(-r / f))

With x = r / f, the number of changes expected between two visits, the gain of more visits is

    dF/df = h(x) / r,        h(x) = 1 - (1 + x) exp(-x).

For a given number of visits, the sum of freshness over pages of importance w is highest if w h(x) / r is the
same number mu for all pages that are visited. As h < 1, a page with w / r < mu is not visited: it changes so
often that visits cannot keep its copy fresh.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.crawl.partition_crawl import PartitionCrawl
from gossamer.crawl.revisit.change_rate import HostPrior
from gossamer.crawl.settings import FreshnessSettings
from gossamer.model import UsageError
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.urls import Rates


def revisit_budget(pause: float, settings: FreshnessSettings) -> float:
    """Return the visits per second for known pages of a host that is asked once in `pause` seconds."""
    return settings.recrawl_share / pause if pause > 0 else inf


Vector = NDArray[np.float64]
CERTAIN = 1 - 2.0**-53  # the largest float below 1
NEWTON_STEPS = 3  # after the series; enough for 12 digits everywhere


def changes_between(gain: Vector | float) -> Vector:
    """Return the x with h(x) = gain, for gains from 0 to below 1.

    With L = -log(1 - gain) it is the root of x - log(1 + x) = L (a branch of Lambert's W). It is computed by
    the series s + s^2/3 + s^3/36 in s = sqrt(2 L), and then by Newton's method.
    """
    target = -np.log1p(-gain)
    s = np.sqrt(2 * target)
    x = s + s**2 / 3 + s**3 / 36
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(NEWTON_STEPS):
            x = np.where(s > 1e-4, x - (x - np.log1p(x) - target) * (1 + x) / x, x)
    return np.asarray(x, np.float64)


def interval(rate: float, importance: float, mu: float | None, settings: FreshnessSettings) -> float:
    """Return the seconds until the next visit to a page, if the gain of one more visit is mu.

    `mu` comes from the latest `allocate` over all pages. It changes slowly, so each page can be scheduled
    separately: the frequency is the same as there, within the limits in the settings. While mu is unknown
    (None), a page is due after the expected time of one change.
    """
    seconds = 1 / rate
    if mu is not None:
        gain = mu * rate / importance if importance > 0 else inf
        seconds = float(changes_between(gain)) / rate if gain < 1 else inf
    return min(max(seconds, settings.least_interval), settings.most_interval)


# Optimal allocation of visits (KKT)
# ----------------------------------
#
# Wanted are the frequencies f that maximise sum w F(r, f), under these conditions: sum f <= budget; for
# each host, sum f over its pages <= the budget of the host; for each page, slowest <= f <= fastest. All
# terms are concave, so the Karush-Kuhn-Tucker conditions are sufficient: with one multiplier mu for all
# pages and one for each host,
#
#     w h(r / f) / r = max(mu, mu of the host),  and f clipped to slowest..fastest.
#
# The multiplier of a host is the one for its own budget alone: the frequency that this budget allows a
# page is an upper bound. Each multiplier is the root of a decreasing function. Newton's method in
# logarithms inside a bracket finds the roots of all hosts at once.

Numbers = NDArray[np.intp]
EXACT = 1e-9  # relative tolerance of a used budget
ROUNDS = 200
NEWTON_ROUNDS = 30  # afterwards the bracket is halved: near a jump, Newton's method is slow
STRIDE = 4.0  # the largest step of log mu while there is no lower bound


@dataclass(frozen=True, slots=True)
class VisitAllocation:
    """How often each page should be visited, and the value of one more visit."""

    frequencies: Vector  # visits per second
    mu: float  # the gain of one more visit per second, as `interval` needs it
    host_mu: Vector  # the gain at each host by its own budget; the larger of the two holds


@dataclass(frozen=True, slots=True)
class _Pages:
    rates: Vector
    importances: Vector
    slowest: Vector
    fastest: Vector
    groups: Numbers  # the number of the budget of each page

    def at(self, mu: Vector) -> tuple[Vector, Vector]:
        """Return the frequencies for one multiplier in each group, and their slope in its logarithm."""
        with np.errstate(over="ignore"):
            gain = mu[self.groups] * self.rates / self.importances
        x = changes_between(np.minimum(gain, CERTAIN))
        with np.errstate(divide="ignore", invalid="ignore"):
            free = np.where(gain < 1, self.rates / x, 0.0)
            slope = free * gain * np.exp(np.minimum(x, 50.0)) / x**2
        cut = np.clip(free, self.slowest, self.fastest)
        return cut, np.where((free == cut) & (gain > 0) & (gain < 1), slope, 0.0)

    def of(self, groups: NDArray[np.bool_]) -> _Pages:
        """Return only the pages of some groups."""
        chosen = groups[self.groups]
        if chosen.all():
            return self
        return _Pages(*(getattr(self, one.name)[chosen] for one in fields(self)))

    def sums(self, values: Vector, groups: int) -> Vector:
        return np.bincount(self.groups, values, groups).astype(np.float64, copy=False)


def allocate(
    rates: Vector,
    importances: Vector,
    budget: float,
    hosts: Numbers | None = None,
    host_budgets: Vector | None = None,
    slowest: float = 0.0,
    fastest: float = inf,
) -> VisitAllocation:
    """Return the best frequencies for pages of these rates and importances within `budget` visits per second.

    The host of page i is number hosts[i], and its budget is host_budgets[hosts[i]]. If a budget is too small
    to visit each of its pages with the frequency `slowest`, these pages share it equally.
    """
    _check(rates, importances, budget, fastest)
    pages = len(rates)
    weights = np.maximum(importances, 1e-300)
    least, most = np.full(pages, slowest), np.full(pages, fastest)
    host_mu = np.zeros(0)
    if hosts is not None and host_budgets is not None:
        _check_hosts(hosts, host_budgets, pages)
        least = _shared(least, hosts, host_budgets)
        host_mu, most = _solve(_Pages(rates, weights, least, most, hosts), host_budgets)
    everything, whole = np.zeros(pages, np.intp), np.array([budget])
    least = _shared(least, everything, whole)
    mu, frequencies = _solve(_Pages(rates, weights, least, most, everything), whole)
    return VisitAllocation(frequencies, float(mu[0]), host_mu)


def _check(rates: Vector, importances: Vector, budget: float, fastest: float) -> None:
    if len(rates) != len(importances):
        raise UsageError(f"there are {len(rates)} rates of change for {len(importances)} importances")
    if len(rates) and not (np.min(rates) > 0 and np.isfinite(np.sum(rates))):
        raise UsageError("every rate of change must be above 0 and finite")
    if len(rates) and not (np.min(importances) >= 0 and np.isfinite(np.sum(importances))):
        raise UsageError("every importance must be finite and not negative")
    if not budget > 0 or (budget == inf and fastest == inf):
        raise UsageError(f"the budget is {budget}; it must be above 0, and finite if `fastest` is infinite")


def _check_hosts(hosts: Numbers, host_budgets: Vector, pages: int) -> None:
    if len(hosts) != pages:
        raise UsageError(f"there are {len(hosts)} hosts for {pages} pages")
    if pages and not (np.min(hosts) >= 0 and np.max(hosts) < len(host_budgets) and np.min(host_budgets) > 0):
        raise UsageError("every host must have a budget above 0")


def _shared(least: Vector, groups: Numbers, budgets: Vector) -> Vector:
    """Return the lowest frequencies, reduced if a budget does not allow them."""
    wanted = np.bincount(groups, least, len(budgets))
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(wanted > budgets, budgets / wanted, 1.0)
    return np.asarray(least * factor[groups], np.float64)


def _solve(pages: _Pages, budgets: Vector) -> tuple[Vector, Vector]:
    """Return the multiplier of each group at which its budget is used, and the frequencies of all pages.

    The use of a budget may jump at the multiplier, if a page is only just worth a visit. Then the frequencies
    are interpolated between both sides of the jump, so that the budget is used completely.
    """
    low, high = _bracket(pages, budgets)
    under, _ = pages.at(high)
    if (low == high).all():
        return high, under
    over, _ = pages.at(low)
    used_over, used_under = pages.sums(over, len(budgets)), pages.sums(under, len(budgets))
    with np.errstate(divide="ignore", invalid="ignore"):
        mix = np.where(used_over > used_under, (budgets - used_under) / (used_over - used_under), 1.0)
    mix = np.clip(mix, 0.0, 1.0)[pages.groups]
    with np.errstate(invalid="ignore"):
        return high, np.where(over == under, under, mix * over + (1 - mix) * under)


def _bracket(pages: _Pages, budgets: Vector) -> tuple[Vector, Vector]:
    """Return multipliers just below and just above those that use the budgets exactly."""
    low, high = np.zeros(len(budgets)), _upper_bounds(pages, budgets)
    open_ = pages.sums(pages.fastest, len(budgets)) > budgets
    high[~open_] = 0.0
    mu = high.copy()
    for number in range(ROUNDS):
        if not open_.any():
            break
        pages = pages.of(open_)
        frequencies, slopes = pages.at(mu)
        used, slope = pages.sums(frequencies, len(budgets)), pages.sums(slopes, len(budgets))
        close = open_ & (np.abs(used - budgets) <= EXACT * budgets)
        low = np.where(open_ & ((used >= budgets) | close), mu, low)
        high = np.where(open_ & ((used <= budgets) | close), mu, high)
        open_ = open_ & (high > low * (1 + 1e-15))
        steep = slope / np.maximum(used, 1e-300) if number < NEWTON_ROUNDS else np.zeros(len(budgets))
        mu = np.where(open_, _next(mu, low, high, used / budgets, steep), mu)
    return low, high


def _upper_bounds(pages: _Pages, budgets: Vector) -> Vector:
    """Return upper bounds: no page is worth a visit there, or f <= sqrt(r w / 2 mu) fits the budgets."""
    ends = np.zeros(len(budgets))
    np.maximum.at(ends, pages.groups, pages.importances / pages.rates * (1 + 1e-12))
    roots = pages.sums(np.sqrt(pages.rates * pages.importances / 2), len(budgets))
    if np.max(pages.slowest, initial=0.0) > 0:
        return ends
    return np.minimum(ends, (roots / budgets) ** 2)


def _next(mu: Vector, low: Vector, high: Vector, excess: Vector, slope: Vector) -> Vector:
    """Return the next multiplier by Newton's method on log(used / budget) over log mu, or by bisection."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        newton = mu * np.exp(np.log(excess) / slope)  # infinite or NaN if the slope is 0
        middle = np.where(low > 0, np.sqrt(low) * np.sqrt(high), mu * np.exp(-STRIDE))
    inside = (newton > np.where(low > 0, low, middle)) & (newton < high)
    return np.where(inside, newton, middle)


# Marginal value of a visit
# -------------------------
#
# Freshness is highest if the gain of one more visit is the same everywhere (mu). The frequency of visits
# to a page follows from mu. Every few hours mu is computed again from all pages and from the politeness
# delays of their hosts, and kept in the notes of the catalogues.

KIND = "freshness"  # kind of the notes about a host
EVERYWHERE = ""  # the "host" of the notes about all hosts of a partition
MOST_PAGES = 1_000_000  # pages from which mu is computed; a sample of this size is enough
QUICKEST = 0.01  # seconds; without a politeness delay, at most 100 pages a second of a host are revisited


@dataclass(frozen=True, slots=True)
class _Part:
    """The pages of one partition with their change rates, and the pauses of their hosts."""

    pages: Rates
    rates: Vector
    pauses: Vector


class VisitValue:
    """The latest value of mu, the gain of one more visit per second."""

    def __init__(self, partition_crawls: Sequence[PartitionCrawl], settings: FreshnessSettings) -> None:
        self._partition_crawls = partition_crawls
        self._settings = settings
        self._mu: float | None = None
        self._host_mu: dict[str, float] = {}  # for hosts whose politeness delay allows fewer visits than mu
        for partition_crawl in partition_crawls:
            state = state_in(partition_crawl.partition.catalogue.notes(EVERYWHERE, KIND))
            if isinstance(state.get("mu"), float):
                self._mu = state["mu"]
                self._host_mu.update(state.get("hosts", {}))

    def at(self, authority: str) -> float | None:
        """Return mu at a host; None if it is not known yet."""
        return None if self._mu is None else max(self._mu, self._host_mu.get(authority, 0.0))

    async def find(self) -> None:
        """Compute mu again, on a thread, so that the crawl continues."""
        known = sum(len(partition_crawl.seen) for partition_crawl in self._partition_crawls)
        share = min(1.0, MOST_PAGES / max(known, 1))
        parts = [
            await asyncio.to_thread(_read, partition_crawl, share)
            for partition_crawl in self._partition_crawls
        ]
        if not any(part.pages.authorities for part in parts):
            return
        found = await asyncio.to_thread(self._allocated, parts, share)
        names = [name for part in parts for name in part.pages.authorities]
        self._mu = found.mu
        self._host_mu = {
            name: mu for name, mu in zip(names, found.host_mu.tolist(), strict=True) if mu > found.mu
        }
        for partition_crawl, part in zip(self._partition_crawls, parts, strict=True):
            self._keep(partition_crawl, part.pages.authorities)

    def _allocated(self, parts: Sequence[_Part], share: float) -> VisitAllocation:
        firsts = np.cumsum([0, *(len(part.pages.authorities) for part in parts)])
        hosts = np.concatenate([part.pages.hosts + first for part, first in zip(parts, firsts, strict=False)])
        rates = np.concatenate([part.rates for part in parts])
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

    def _keep(self, partition_crawl: PartitionCrawl, authorities: Sequence[str]) -> None:
        hosts = {name: self._host_mu[name] for name in authorities if name in self._host_mu}
        content = json.dumps({"mu": self._mu, "hosts": hosts})
        partition_crawl.transaction.on_commit(
            lambda catalogue: catalogue.set_notes(EVERYWHERE, KIND, content)
        )


def state_in(notes: str) -> dict[str, Any]:
    """Parse notes; return nothing if they are damaged, because a crawl can learn them again."""
    try:
        state = json.loads(notes) if notes else {}
    except ValueError:
        return {}
    return state if isinstance(state, dict) else {}


def _read(partition_crawl: PartitionCrawl, share: float) -> _Part:
    # The database connection of the crawl is in use, so this thread opens its own.
    catalogue = Catalogue(partition_crawl.partition.catalogue_path, read_only=True)
    try:
        pages = catalogue.rates(share)
        delays = {row.authority: row.crawl_delay for row in catalogue.hosts()}
        learned = dict(catalogue.all_notes(KIND))
    finally:
        catalogue.close()
    priors = [HostPrior.restored(state_in(learned.get(name, ""))).prior() for name in pages.authorities]
    changes = np.array([prior.changes for prior in priors])[pages.hosts]
    seconds = np.array([prior.seconds for prior in priors])[pages.hosts]
    pauses = np.array([partition_crawl.queues.pause(0.0, delays.get(name)) for name in pages.authorities])
    rates = (changes + pages.changes) / (seconds + pages.seconds)
    return _Part(pages, rates, np.maximum(pauses, QUICKEST))
