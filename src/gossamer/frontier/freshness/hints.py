"""What do a site's own words say about the changes of a page: sitemap, feed, Last-Modified?

They are opinions, so they weigh little: a fifth of a change for a date, a tenth for a `changefreq`. After a
few visits the page itself has told more.
"""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.frontier.freshness.change_rate import LIVE, Evidence
from gossamer.frontier.freshness.settings import DAY, HOUR

DATE_WEIGHT = 0.2
WORD_WEIGHT = 0.1

# sitemaps.org; "always" means at every visit, and no page is visited more than hourly
INTERVALS = {
    "always": HOUR,
    "hourly": HOUR,
    "daily": DAY,
    "weekly": 7 * DAY,
    "monthly": 30 * DAY,
    "yearly": 365 * DAY,
    "never": 3650 * DAY,
}


@dataclass(frozen=True, slots=True)
class Hints:
    """What is said of a page besides what it says itself."""

    lastmod: float | None = None  # seconds since 1970: the latest date of sitemap, feed and Last-Modified
    changefreq: str = ""  # a sitemap's word

    def evidence(self, fetched_at: float) -> Evidence:
        """As if the page had been watched a little before `fetched_at`."""
        told = Evidence()
        if self.lastmod is not None and self.lastmod < fetched_at - LIVE:
            told += Evidence(1.0, fetched_at - self.lastmod).times(DATE_WEIGHT)
        interval = INTERVALS.get(self.changefreq.strip().lower())
        return told + Evidence(1.0, interval).times(WORD_WEIGHT) if interval else told

    def announces(self, fetched_at: float, now: float) -> bool:
        """Whether the page is said to have changed after we fetched it; dates to come are mistakes."""
        return self.lastmod is not None and fetched_at < self.lastmod <= now
