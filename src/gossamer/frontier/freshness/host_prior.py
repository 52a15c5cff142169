"""What do the other pages of a host let us expect of a page that was hardly ever visited?

Empirical Bayes: the rates of a host's pages are taken for draws from one Gamma distribution, whose mean and
shape are found from the pages' evidence. With n changes in t seconds of each page,

    E[n] = t E[r]      and      E[n (n - 1)] = t^2 E[r^2],

so that sum n / sum t estimates the mean and sum n(n-1) / sum t^2 the second moment; their ratio
E[r^2] / E[r]^2 = 1 + 1/shape gives the shape (after H. Robbins, "The empirical Bayes approach to statistical
decision problems", Ann. Math. Stat. 35, 1964). Both are drawn towards those of the web at large while little
is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from math import isfinite

from gossamer.frontier.freshness.change_rate import Evidence
from gossamer.frontier.freshness.settings import DAY

# Half of all pages do not change in a season and a few change by the hour: a shape far below 1, and a mean
# (once in 15 days) that few pages are near. It weighs so little that one day tells a busy page from others.
# After J. Cho and H. Garcia-Molina, "The evolution of the Web and implications for an incremental crawler",
# VLDB 2000.
WEB = Evidence(changes=0.2, seconds=3 * DAY)

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

    def learned(self, before: Evidence, after: Evidence) -> HostPrior:
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

    def prior(self, general: Evidence = WEB) -> Evidence:
        """What to expect of any page of this host; `general` is what to expect of any host."""
        mean = (PULL + self.changes) / (PULL / general.rate + self.seconds)
        expected = 1 + 1 / general.changes
        ratio = (PULL * expected + self.pairs) / (PULL + mean**2 * self.squares)
        least, most = SHAPES
        shape = min(max(1 / max(ratio - 1, 1 / most), least), most)
        return Evidence(shape, shape / mean)

    def state(self) -> dict[str, float]:
        """As JSON can keep it."""
        return asdict(self)

    @classmethod
    def restored(cls, state: Mapping[str, float]) -> HostPrior:
        """From what `state` gave; what is missing or not a number counts as unknown."""
        given = {one.name: state.get(one.name, 0.0) for one in fields(cls)}
        good = all(isinstance(value, int | float) and isfinite(value) for value in given.values())
        return cls(**given) if good else cls()


def _pairs(page: Evidence) -> float:
    return page.changes * (page.changes - 1)
