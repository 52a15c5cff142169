"""When should a page that was just fetched be asked for again?

After each visit the engine keeps two numbers a page (`change_rate.Evidence`) and six a host
(`host_prior.HostPrior`); every few hours it asks `allocation.allocate` what one more visit is worth (mu).
From these `next_visit` gives each page its date.
"""

from __future__ import annotations

from math import inf

from gossamer.frontier.freshness.change_rate import Evidence
from gossamer.frontier.freshness.freshness import interval
from gossamer.frontier.freshness.hints import Hints
from gossamer.frontier.freshness.host_prior import HostPrior
from gossamer.frontier.freshness.settings import FreshnessSettings


def rate_of(page: Evidence, host: HostPrior, hints: Hints, fetched_at: float) -> float:
    """Changes a second of a page, from everything that is known: never 0, never infinite."""
    return (host.prior() + hints.evidence(fetched_at) + page).rate


def next_visit(
    fetched_at: float,
    now: float,
    page: Evidence,
    host: HostPrior,
    hints: Hints,
    importance: float,
    mu: float,
    settings: FreshnessSettings,
) -> float:
    """When a page that was fetched at `fetched_at` should be fetched again, in seconds since 1970.

    `mu` is the larger of the whole and of the host in the latest allocation. A newer date in a sitemap or
    feed makes the page due as soon as the least interval has passed, as long as the host's dates are true.
    """
    if host.trusts_dates and hints.announces(fetched_at, now):
        return fetched_at + settings.least_interval
    rate = rate_of(page, host, hints, fetched_at)
    return fetched_at + interval(rate, importance, mu, settings)


def revisit_budget(pause: float, settings: FreshnessSettings) -> float:
    """Visits a second for known pages of a host that is asked once in `pause` seconds."""
    return settings.recrawl_share / pause if pause > 0 else inf
