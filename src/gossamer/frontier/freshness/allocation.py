"""How are the visits that politeness allows shared out over all known pages?

The frequencies f that make sum w F(r, f) highest (`freshness`) under sum f <= budget, sum f over the pages of
a host <= the host's budget, and slowest <= f <= fastest for each page. All terms are concave, so the
conditions of Karush, Kuhn and Tucker decide: with one multiplier mu for the whole and one for each host,

    w h(r / f) / r = max(mu, mu of the host),  and f cut to slowest..fastest,

where the host's multiplier is the one that its own budget alone would demand: what a page gets for its host's
sake is a ceiling for what it gets from the whole. Each multiplier is the root of a falling function, found by
Newton's method in logarithms inside a bracket, for all hosts at once.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf

import numpy as np
from numpy.typing import NDArray

from gossamer.frontier.freshness.freshness import CERTAIN, Vector, changes_between, expected_freshness
from gossamer.model import UsageError

Numbers = NDArray[np.intp]

EXACT = 1e-9  # of the budget
ROUNDS = 200
NEWTON_ROUNDS = 30  # beside a jump Newton's method creeps: then brackets are halved
STRIDE = 4.0  # the widest step of log mu while nothing bounds it from below


@dataclass(frozen=True, slots=True)
class Allocation:
    """How often each page should be visited, and what that is worth."""

    frequencies: Vector  # visits a second
    mu: float  # the gain of one more visit a second; what `freshness.interval` needs
    host_mu: Vector  # of hosts whose own budget binds a larger one; use the larger of the two
    expected_freshness: float  # weighted by importance


@dataclass(frozen=True, slots=True)
class _Pages:
    rates: Vector
    importances: Vector
    slowest: Vector
    fastest: Vector
    groups: Numbers  # which budget a page draws on

    def at(self, mu: Vector) -> tuple[Vector, Vector]:
        """Frequencies for a multiplier a group, and how they fall with its logarithm."""
        with np.errstate(over="ignore"):
            gain = mu[self.groups] * self.rates / self.importances
        x = changes_between(np.minimum(gain, CERTAIN))
        with np.errstate(divide="ignore", invalid="ignore"):
            free = np.where(gain < 1, self.rates / x, 0.0)
            slope = free * gain * np.exp(np.minimum(x, 50.0)) / x**2
        cut = np.clip(free, self.slowest, self.fastest)
        return cut, np.where((free == cut) & (gain > 0) & (gain < 1), slope, 0.0)

    def of(self, groups: NDArray[np.bool_]) -> _Pages:
        """Only the pages of some groups."""
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
) -> Allocation:
    """The best frequencies for pages of these rates and importances within `budget` visits a second.

    `hosts` numbers each page's host from 0, `host_budgets` says what each host allows. Where a budget does
    not even allow `slowest`, its pages share it alike.
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
    fresh = float(np.sum(importances * expected_freshness(rates, frequencies)))
    total = float(np.sum(importances))
    return Allocation(frequencies, float(mu[0]), host_mu, fresh / total if total else 0.0)


def _check(rates: Vector, importances: Vector, budget: float, fastest: float) -> None:
    if len(rates) != len(importances):
        raise UsageError(f"{len(rates)} rates of change for {len(importances)} importances")
    if len(rates) and not (np.min(rates) > 0 and np.isfinite(np.sum(rates))):
        raise UsageError("every rate of change must be above 0 and finite")
    if len(rates) and not (np.min(importances) >= 0 and np.isfinite(np.sum(importances))):
        raise UsageError("no importance may be below 0 or infinite")
    if not budget > 0 or (budget == inf and fastest == inf):
        raise UsageError(f"a budget of {budget} visits a second cannot be shared out")


def _check_hosts(hosts: Numbers, host_budgets: Vector, pages: int) -> None:
    if len(hosts) != pages:
        raise UsageError(f"{len(hosts)} hosts for {pages} pages")
    if pages and not (np.min(hosts) >= 0 and np.max(hosts) < len(host_budgets) and np.min(host_budgets) > 0):
        raise UsageError("every host must have a budget above 0")


def _shared(least: Vector, groups: Numbers, budgets: Vector) -> Vector:
    """The lowest frequencies, made smaller where a budget does not allow them."""
    wanted = np.bincount(groups, least, len(budgets))
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(wanted > budgets, budgets / wanted, 1.0)
    return np.asarray(least * factor[groups], np.float64)


def _solve(pages: _Pages, budgets: Vector) -> tuple[Vector, Vector]:
    """For each group the multiplier at which its pages use its budget, and the frequencies of all pages.

    Where they jump over the budget (pages that are only just worth a visit), they are mixed from both sides
    of the jump, so that nothing is left over.
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
    """Multipliers just below and just above those that use the budgets exactly."""
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
    """Where no page is worth a visit, or, by f <= sqrt(r w / 2 mu), no budget can be exceeded."""
    ends = np.zeros(len(budgets))
    np.maximum.at(ends, pages.groups, pages.importances / pages.rates * (1 + 1e-12))
    roots = pages.sums(np.sqrt(pages.rates * pages.importances / 2), len(budgets))
    if np.max(pages.slowest, initial=0.0) > 0:
        return ends
    return np.minimum(ends, (roots / budgets) ** 2)


def _next(mu: Vector, low: Vector, high: Vector, excess: Vector, slope: Vector) -> Vector:
    """A step of Newton's method on log(used / budget) over log mu, or the middle where that leads astray."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        newton = mu * np.exp(np.log(excess) / slope)  # nowhere, where the slope is 0
        middle = np.where(low > 0, np.sqrt(low) * np.sqrt(high), mu * np.exp(-STRIDE))
    inside = (newton > np.where(low > 0, low, middle)) & (newton < high)
    return np.where(inside, newton, middle)
