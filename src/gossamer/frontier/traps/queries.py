"""Is this query another way to ask for what is known?

A page that can be filtered by n facets has 2^n sets of parameters, each in every order, and mostly the same
few things to show. An order is refused when the same parameters are known in another one. Combinations of
facets are refused once a path was asked with many different sets of parameters and nearly every page
repeats another; addresses with one or two parameters stay welcome, so that each facet alone and
the pages of a list are still found.
"""

from __future__ import annotations

from gossamer.frontier.traps.settings import TrapSettings
from gossamer.frontier.traps.watch import CONTENTS, Kind, Outcome, Sleeping, Watch
from gossamer.model import Url
from gossamer.model.url import fingerprint_of
from gossamer.web.hostbook import State

REMEMBERED = 1_024  # addresses with several parameters, the newest ones of a host
PLAIN_PARAMETERS = 2  # so many are never too many


class Orders:
    """In which order the parameters of an address came first. Forgotten with the process: a cache."""

    __slots__ = ("_first",)

    def __init__(self) -> None:
        self._first: dict[int, int] = {}  # of the sorted address: the fingerprint of the one that came first

    def __len__(self) -> int:
        return len(self._first)

    def is_permutation(self, url: Url) -> bool:
        """Whether the same pairs are known in another order; remembers them when they are not known."""
        if "&" not in url.path:
            return False
        path, _, query = url.path.partition("?")
        key = fingerprint_of(f"{url.scheme} {path}?{'&'.join(sorted(query.split('&')))}")
        first = self._first.setdefault(key, url.fingerprint)
        if len(self._first) > REMEMBERED:
            del self._first[next(iter(self._first))]
        return first != url.fingerprint


class Facets:
    """The sets of parameters that one path was asked with, and whether its pages repeat each other."""

    __slots__ = ("_sets", "watch")

    def __init__(self) -> None:
        self.watch = Watch()
        self._sets: set[int] = set()

    def observe(self, url: Url, outcome: Outcome, settings: TrapSettings) -> None:
        """Notes a page of this path."""
        if len(self._sets) <= settings.max_facets:
            self._sets.add(fingerprint_of(" ".join(sorted(url.path.partition("?")[2].split("&")))))
        original = outcome.duplicate_of
        repeats = original is not None and not self.watch.is_edition(original.fingerprint, CONTENTS)
        kind = Kind.DUPLICATE if repeats else Kind.FRESH
        self.watch.observe(kind, outcome.fetched_at, url.text, settings)

    def refuses(self, url: Url, settings: TrapSettings) -> bool:
        """Whether this is one combination too many."""
        if not self.watch.reason or len(self._sets) <= settings.max_facets:
            return False
        return url.path.count("&") >= PLAIN_PARAMETERS and self.watch.refuses(url, settings)

    def sleeping(self, path: str, settings: TrapSettings) -> Sleeping | None:
        """What `status` shows, while combinations are refused."""
        if not self.watch.reason or len(self._sets) <= settings.max_facets:
            return None
        seen = self.watch
        return Sleeping(f"{path}?*", "parameter-permutation", seen.since, seen.refused, seen.example)

    def state(self) -> State:
        return {"sets": sorted(self._sets), "watch": self.watch.state()}

    @classmethod
    def restored(cls, state: State) -> Facets:
        facets = cls()
        facets._sets = set(state["sets"])
        facets.watch = Watch.restored(state["watch"])
        return facets
