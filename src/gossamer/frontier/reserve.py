"""Where do URLs wait for which the frontier has no room in memory?"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Protocol

from gossamer.model import CrawlRequest


class Reserve(Protocol):
    """As a rule the catalogue. All URLs in it are WAITING in the seen table."""

    def take(self, authority: str, room: int, now: float) -> Sequence[CrawlRequest]:
        """The best ones of a host that may be tried now."""

    def due_at(self, authority: str) -> float:
        """When the first of a host may be tried; infinity when there is none."""


class EmptyReserve:
    """For a frontier that holds everything in memory."""

    def take(self, authority: str, room: int, now: float) -> Sequence[CrawlRequest]:
        return ()

    def due_at(self, authority: str) -> float:
        return inf
