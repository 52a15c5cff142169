"""What does the owner want of a crawl while it runs? It looks once a second, never once a page.

A rest, the end, further seeds, other rules for sites: what any process left in the owner's folder
(`steering`). The crawl does what is wanted; this only finds it out, and tells how the crawl is doing.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gossamer.engine.live_crawl import Pulse
from gossamer.engine.progress import CrawlProgress
from gossamer.engine.seed_inbox import SeedInbox, TakenSeeds
from gossamer.engine.sites import SiteRules
from gossamer.engine.steering import PAUSE, STOP

EVERY = 1.0  # seconds between two looks


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is wanted now."""

    rest: bool
    end: bool
    seeds: TakenSeeds


class Helm:
    """The owner's folder as a running crawl sees it."""

    def __init__(self, owner: Path, sites: SiteRules, progress: CrawlProgress) -> None:
        self._owner = owner
        self._sites = sites
        self._book = sites.book()
        self._inbox = SeedInbox(owner)
        self._pulse = Pulse(owner, progress)
        self._next = 0.0

    def begin(self) -> None:
        """The crawl begins; what was asked of an earlier one does not hold for it."""
        self._forget_stop()
        self._pulse.begin()

    def look(self) -> Wishes | None:
        """What is wanted; None while it is too early to look again."""
        now = time.monotonic()
        if now < self._next:
            return None
        self._next = now + EVERY
        self._book = self._sites.book()
        end = (self._owner / STOP).exists()
        if end:
            self._forget_stop()  # who asks once is answered once
        return Wishes((self._owner / PAUSE).exists(), end, self._inbox.take())

    def blocks(self, host: str) -> bool:
        """Whether the owner does not want anything of a host."""
        return self._book.blocks(host)

    def settle(self, seeds: TakenSeeds) -> None:
        """These seeds are committed."""
        self._inbox.settle(seeds)

    def tell(self) -> None:
        """Lets others see how the crawl is doing, about once a second."""
        self._pulse.beat()

    def end(self) -> None:
        """The crawl is over."""
        self._forget_stop()
        self._pulse.end()

    def _forget_stop(self) -> None:
        with suppress(OSError):
            (self._owner / STOP).unlink(missing_ok=True)
