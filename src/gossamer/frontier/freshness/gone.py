"""Is a page still there, or must it leave the index?

Only what says so on purpose takes a page out: a 404 or 410 that is still there days later, a robots.txt that
forbids it, a noindex. Silence, errors of the server and refusals may pass, and change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf

from gossamer.frontier.freshness.settings import DAY, FreshnessSettings

MISSING_STATUS = {404, 410}


class Sign(StrEnum):
    """What one visit says about whether a page is there."""

    THERE = "there"  # a document, or that it has not changed, or where it has moved
    MISSING = "missing"
    EXCLUDED = "excluded"  # the site does not want it in an index
    NONE = "none"  # no answer, or one that says nothing about the page


class Standing(StrEnum):
    """What follows for the index."""

    KEEP = "keep"
    SUSPECT = "suspect"  # missing, but perhaps not for good: it stays
    GONE = "gone"


def sign_of(status: int, excluded: bool = False) -> Sign:
    """What an answer says; `status` is 0 when none came.

    `excluded` when robots.txt forbids the page (a robots.txt that cannot be read forbids nothing for good and
    does not count), or when the page came with noindex.
    """
    if excluded:
        return Sign.EXCLUDED
    if status in MISSING_STATUS:
        return Sign.MISSING
    return Sign.THERE if 200 <= status < 400 else Sign.NONE


@dataclass(frozen=True, slots=True)
class Presence:
    """What must be remembered of a page to judge the next visit."""

    standing: Standing = Standing.KEEP
    misses: int = 0  # visits in a row that found it missing, those that said nothing aside
    missing_since: float = 0.0  # when the first of them was

    def after(self, sign: Sign, when: float, settings: FreshnessSettings) -> Presence:
        """The presence after a visit. A page that is gone comes back when it is there again."""
        if sign is Sign.NONE:
            return self
        if sign is Sign.THERE:
            return Presence()
        if sign is Sign.EXCLUDED:
            return Presence(Standing.GONE)
        since = self.missing_since if self.misses else when
        misses = self.misses + 1
        gone = self.standing is Standing.GONE or _for_good(misses, when - since, settings)
        return Presence(Standing.GONE if gone else Standing.SUSPECT, misses, since)

    def look_again_at(self, settings: FreshnessSettings) -> float:
        """When the next visit to a suspect can decide; infinitely late for all others."""
        if self.standing is not Standing.SUSPECT:
            return inf
        done = min(1.0, self.misses / max(1, settings.gone_after - 1))
        return self.missing_since + done * settings.gone_days * DAY


def _for_good(misses: int, seconds: float, settings: FreshnessSettings) -> bool:
    if misses < settings.gone_after:
        return False
    return settings.gone_after == 1 or seconds >= settings.gone_days * DAY
