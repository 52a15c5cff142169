"""Change rate of a page: visits, host prior, hints.

A page's changes are taken for a Poisson process of rate r. Of a visit that comes w seconds after the last one
we learn only whether the page changed in between (chance 1 - exp(-r w)), not how many times; unless the
server says when it changed last, t seconds ago (density r exp(-r t)).
J. Cho and H. Garcia-Molina, "Estimating frequency of change", ACM Trans. Internet Technology 3 (2003).

What is known of a rate is a Gamma distribution, written as `ChangeEvidence`: worth so many dated changes in
so many seconds. Prior, hints and visits are added up, and the rate is their quotient: never 0, never
infinite, and with no visit at all the prior's. Two numbers a page are all that must be kept; see
`updated_evidence`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import expm1, isfinite, log1p

from gossamer.crawl.settings import DAY

MEMORY = 64  # visits: older ones fade, because pages change their habits
LIVE = 60.0  # seconds: a page "last modified" just now was made for this request, and dates nothing


@dataclass(frozen=True, slots=True)
class ChangeEvidence:
    """As good as having watched without a break for `seconds` and seen `changes`: a Gamma distribution.

    >>> (ChangeEvidence(1.0, 600.0) + ChangeEvidence(2.0, 0.0)).rate
    0.005
    """

    changes: float = 0.0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Changes a second."""
        return self.changes / self.seconds

    def __add__(self, other: ChangeEvidence) -> ChangeEvidence:
        return ChangeEvidence(self.changes + other.changes, self.seconds + other.seconds)

    def times(self, factor: float) -> ChangeEvidence:
        return ChangeEvidence(factor * self.changes, factor * self.seconds)


@dataclass(frozen=True, slots=True)
class Visit:
    """What came of one revisit."""

    interval: float  # seconds since the visit before
    changed: bool  # the content is not what it was
    age: float | None = None  # seconds since the last change, where the server told

    @classmethod
    def between(cls, before: float, now: float, changed: bool, last_modified: float | None = None) -> Visit:
        """A visit at `now` after one at `before`; a date that cannot be true counts as none.

        The content decides whether a page changed: many servers date every answer anew. A 304 is unchanged.
        """
        true = changed and last_modified is not None and before < last_modified < now - LIVE
        return cls(now - before, changed, now - last_modified if true and last_modified is not None else None)


def updated_evidence(page: ChangeEvidence, prior: ChangeEvidence, visit: Visit) -> ChangeEvidence:
    """What the visits to a page tell, one visit later; in constant time and space.

    With Gamma(a, b) of prior and page together, a quiet interval gives Gamma(a, b + w) and a dated change
    Gamma(a + 1, b + t), exactly. A change at an unknown time gives a difference of two Gammas, with
    u = b / (b + w) and moments

        E[r]   = a / b           * (1 - u^(a+1)) / (1 - u^a)
        E[r^2] = a (a + 1) / b^2 * (1 - u^(a+2)) / (1 - u^a)

    and the Gamma of the same two moments takes its place (assumed density filtering: T. Minka, "A family of
    algorithms for approximate Bayesian inference", MIT 2001). What it has more than before is the evidence:
    almost one change for a short interval, almost nothing for one in which a change was certain anyway.

    Of random histories nine in ten come within 20% of the most likely rate given all visits.
    The worst that a search could find is a factor of 3, for a page found changed every time for years: there
    "often" is all that can be known. Against true rates the errors of both are the same within 10%.
    """
    if visit.interval <= 0:
        return page
    kept = page.times(1 - 1 / MEMORY)
    if not visit.changed:
        return kept + ChangeEvidence(0.0, visit.interval)
    if visit.age is not None:
        return kept + ChangeEvidence(1.0, min(visit.age, visit.interval))
    return kept + _undated_change(prior + kept, visit.interval)


def _undated_change(known: ChangeEvidence, interval: float) -> ChangeEvidence:
    """What a change somewhere in the interval adds to what is known."""
    a, b = known.changes, known.seconds
    log_u = -log1p(interval / b)
    certain = -expm1(a * log_u)
    mean = a / b * -expm1((a + 1) * log_u) / certain
    square = a * (a + 1) / b**2 * -expm1((a + 2) * log_u) / certain
    seconds = mean / (square - mean**2)
    return ChangeEvidence(max(0.0, mean * seconds - a), max(0.0, seconds - b))


# Sitemap and Last-Modified hints
# -------------------------------
#
# They are opinions, so they weigh little: a fifth of a change for a date. After a few visits the page
# itself has told more. The `changefreq` and `priority` of sitemaps are not read: few keep them true.

DATE_WEIGHT = 0.2


@dataclass(frozen=True, slots=True)
class ChangeHints:
    """What is said of a page besides what it says itself."""

    lastmod: float | None = None  # seconds since 1970: the latest date of sitemap, feed and Last-Modified

    def evidence(self, fetched_at: float) -> ChangeEvidence:
        """As if the page had been watched a little before `fetched_at`."""
        if self.lastmod is None or self.lastmod >= fetched_at - LIVE:
            return ChangeEvidence()
        return ChangeEvidence(1.0, fetched_at - self.lastmod).times(DATE_WEIGHT)

    def announces(self, fetched_at: float, now: float) -> bool:
        """Whether the page is said to have changed after we fetched it; dates to come are mistakes."""
        return self.lastmod is not None and fetched_at < self.lastmod <= now


# Prior from other pages of the host
# ----------------------------------
#
# Empirical Bayes: the rates of a host's pages are taken for draws from one Gamma distribution, whose
# mean and shape are found from the pages' evidence. With n changes in t seconds of each page,
#
#     E[n] = t E[r]      and      E[n (n - 1)] = t^2 E[r^2],
#
# so that sum n / sum t estimates the mean and sum n(n-1) / sum t^2 the second moment; their ratio
# E[r^2] / E[r]^2 = 1 + 1/shape gives the shape (after H. Robbins, "The empirical Bayes approach to
# statistical decision problems", Ann. Math. Stat. 35, 1964). Both are drawn towards those of the web
# at large while little is known.


# Half of all pages do not change in a season and a few change by the hour: a shape far below 1, and a mean
# (once in 15 days) that few pages are near. It weighs so little that one day tells a busy page from others.
# After J. Cho and H. Garcia-Molina, "The evolution of the Web and implications for an incremental crawler",
# VLDB 2000.
WEB = ChangeEvidence(changes=0.2, seconds=3 * DAY)
PULL = 2.0  # changes that a host must have shown to count as much as the web at large
SHAPES = (0.1, 20.0)  # a shape outside of these is an accident of few pages
DATES = 64.0  # announced changes after which older ones fade


@dataclass(frozen=True, slots=True)
class HostPrior:
    """Sums over the pages of a host; six numbers, whatever the number of pages."""

    changes: float = 0.0
    seconds: float = 0.0
    pairs: float = 0.0  # sum of n (n - 1)
    squares: float = 0.0  # sum of t^2
    announced: float = 0.0  # visits made to pages for which a sitemap or feed had named a newer date
    confirmed: float = 0.0  # those of them that found a change

    def learned(self, before: ChangeEvidence, after: ChangeEvidence) -> HostPrior:
        """With the evidence of one page replaced; a page that leaves has none afterwards."""
        return replace(
            self,
            changes=max(0.0, self.changes + after.changes - before.changes),
            seconds=max(0.0, self.seconds + after.seconds - before.seconds),
            pairs=self.pairs + _pairs(after) - _pairs(before),
            squares=max(0.0, self.squares + after.seconds**2 - before.seconds**2),
        )

    def checked(self, confirmed: bool) -> HostPrior:
        """With one more announced change looked at."""
        fade = 1 - 1 / DATES
        return replace(self, announced=fade * self.announced + 1, confirmed=fade * self.confirmed + confirmed)

    @property
    def trusts_dates(self) -> bool:
        """Whether a newer date in a sitemap or feed of this host is worth a visit; at first it is."""
        return 3 * (self.confirmed + 2) >= self.announced + 3

    def prior(self, general: ChangeEvidence = WEB) -> ChangeEvidence:
        """What to expect of any page of this host; `general` is what to expect of any host."""
        mean = (PULL + self.changes) / (PULL / general.rate + self.seconds)
        expected = 1 + 1 / general.changes
        ratio = (PULL * expected + self.pairs) / (PULL + mean**2 * self.squares)
        least, most = SHAPES
        shape = min(max(1 / max(ratio - 1, 1 / most), least), most)
        return ChangeEvidence(shape, shape / mean)

    @classmethod
    def restored(cls, state: Mapping[str, float]) -> HostPrior:
        """From its fields by name; what is missing or not a number counts as unknown."""
        given = {one.name: state.get(one.name, 0.0) for one in fields(cls)}
        good = all(isinstance(value, int | float) and isfinite(value) for value in given.values())
        return cls(**given) if good else cls()


def _pairs(page: ChangeEvidence) -> float:
    return page.changes * (page.changes - 1)
