"""Which sitemaps are read, and who vouches for each?

An index may name indexes without end, so their levels and their number are limited. Only this run remembers
who named what: of a sitemap that an earlier one queued it is not known how deep it is.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import NamedTuple

from gossamer.model import Url

MOST_SITEMAPS = 500  # that are read, in one crawl, because one host names them or their index
DEEPEST = 2  # indexes that may stand between a sitemap and a robots.txt
MOST_NAMED = 50_000  # sitemaps of which it is remembered who named them


class Named(NamedTuple):
    """Who vouches for a sitemap."""

    by: str  # the authority whose robots.txt names it, or its index
    level: int = 0  # indexes between the two


class SitemapBook:
    """The sitemaps of this run."""

    def __init__(self) -> None:
        self._named: OrderedDict[int, Named] = OrderedDict()  # by fingerprint, the latest last
        self._read: Counter[str] = Counter()  # how many each authority has named

    def __contains__(self, fingerprint: int) -> bool:
        return fingerprint in self._named

    def named_by(self, sitemap: Url) -> str | None:
        """The authority that vouches for a sitemap; None when nobody does."""
        named = self._named.get(sitemap.fingerprint)
        return named.by if named else None

    def below(self, index: Url) -> Named:
        """What holds for the sitemaps that an index names; one level below an index that nobody knows."""
        named = self._named.get(index.fingerprint)
        return Named(named.by, named.level + 1) if named else Named(index.authority, DEEPEST)

    def has_room(self, named: Named) -> bool:
        return named.level <= DEEPEST and self._read[named.by] < MOST_SITEMAPS

    def add(self, sitemap: Url, named: Named) -> None:
        self._named[sitemap.fingerprint] = named
        if len(self._named) > MOST_NAMED:
            self._named.popitem(last=False)

    def count(self, named: Named) -> None:
        """One more is to be read."""
        self._read[named.by] += 1
