"""What the owner may decide about asking for known pages again."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting

HOUR = 3600.0
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """How often known pages are asked for again, and when a page that is missing leaves the index."""

    least_interval_hours: float = setting(
        1.0, "Hours that pass at least between two visits to a page, however often it changes.", least=0.01
    )
    most_interval_days: float = setting(
        90.0, "Days after which a page is visited again, even if it never changes.", least=0.01
    )
    recrawl_share: float = setting(
        0.5,
        "The share of what politeness allows that goes to known pages; the rest finds new ones.",
        least=0.01,
        most=1,
    )
    gone_after: int = setting(
        2, "How many times in a row a page must be missing (404 or 410) to leave the index.", least=1
    )
    gone_days: float = setting(
        3.0, "Days that lie at least between the first and the last of these times.", least=0
    )

    @property
    def least_interval(self) -> float:
        """In seconds."""
        return self.least_interval_hours * HOUR

    @property
    def most_interval(self) -> float:
        """In seconds; never below the least."""
        return max(self.most_interval_days * DAY, self.least_interval)
