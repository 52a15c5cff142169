"""What do a site's own words say about the changes of a page: sitemap, feed, Last-Modified?

They are opinions, so they weigh little: a fifth of a change for a date. After a few visits the page itself
has told more. The `changefreq` and `priority` of sitemaps are not read: few keep them true.
"""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.frontier.freshness.change_rate import LIVE, Evidence

DATE_WEIGHT = 0.2


@dataclass(frozen=True, slots=True)
class Hints:
    """What is said of a page besides what it says itself."""

    lastmod: float | None = None  # seconds since 1970: the latest date of sitemap, feed and Last-Modified

    def evidence(self, fetched_at: float) -> Evidence:
        """As if the page had been watched a little before `fetched_at`."""
        if self.lastmod is None or self.lastmod >= fetched_at - LIVE:
            return Evidence()
        return Evidence(1.0, fetched_at - self.lastmod).times(DATE_WEIGHT)

    def announces(self, fetched_at: float, now: float) -> bool:
        """Whether the page is said to have changed after we fetched it; dates to come are mistakes."""
        return self.lastmod is not None and fetched_at < self.lastmod <= now
