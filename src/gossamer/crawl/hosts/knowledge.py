"""All that is learned of hosts, kept between crawls.

Which of their addresses lead nowhere (traps), which say the same (equivalences), what they answer instead of
404, whose mirrors they are, and which of them are left alone because they keep failing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from gossamer.collection.commit import Transaction
from gossamer.crawl.hosts.circuit_breaker import CircuitBreaker, CircuitBreakers
from gossamer.crawl.hosts.equivalence import EquivalenceRule, Equivalences, HostEquivalences, bare_host
from gossamer.crawl.hosts.mirrors import Mirrors
from gossamer.crawl.hosts.notes import SENSELESS, HostNotes, Notes
from gossamer.crawl.hosts.soft_404 import HostSoft404, Soft404
from gossamer.crawl.hosts.trap_detectors import FetchOutcome
from gossamer.crawl.hosts.traps import HostTraps, Traps
from gossamer.crawl.settings import FrontierSettings, TrapSettings
from gossamer.duplicates.settings import QualitySettings
from gossamer.model import Page, Url
from gossamer.model.url import host_of
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.text.shingles import ContentSketch

# Host knowledge read from the catalogue
# --------------------------------------
#
# Notes are JSON, one for each host and kind. Those that are missing, or that cannot be understood,
# count as nothing learned: they are only shown here, and a crawl learns them anew.

TRAPS = "traps"
EQUIVALENCES = "equivalences"
SOFT_404 = "soft-404"
MIRRORS = "mirrors"
BREAKER = "breaker"
T = TypeVar("T", bound=Notes)


class StoredKnowledge:
    """Notes on hosts as the catalogues have them, for somebody who only reads."""

    def __init__(self, frontier: FrontierSettings, traps: TrapSettings, quality: QualitySettings) -> None:
        self._frontier = frontier
        self._traps = traps
        self._quality = quality

    def traps(self, catalogue: Catalogue, authority: str) -> Traps:
        """What a host has taught about its addresses."""
        return _restored(partial(Traps, self._traps), catalogue.notes(authority, TRAPS))

    def patterns_asleep(self, catalogue: Catalogue) -> int:
        """How many patterns of addresses are asleep, of all hosts."""
        notes = (_restored(partial(Traps, self._traps), text) for _, text in catalogue.all_notes(TRAPS))
        return sum(len(traps.asleep()) for traps in notes)

    def equivalences(self, catalogue: Catalogue, host: str) -> list[EquivalenceRule]:
        """The differences between addresses of a host that do not matter."""
        return _restored(Equivalences, catalogue.notes(bare_host(host), EQUIVALENCES)).rules()

    def soft_404(self, catalogue: Catalogue, authority: str) -> Soft404:
        """What a host says instead of 404."""
        return _restored(Soft404, catalogue.notes(authority, SOFT_404))

    def breaker(self, catalogue: Catalogue, authority: str) -> CircuitBreaker:
        """Whether a host is left alone because it keeps failing."""
        return _restored(partial(CircuitBreaker, self._frontier), catalogue.notes(authority, BREAKER))

    def mirrors(self, catalogues: Iterable[Catalogue], authority: str) -> Mirrors:
        """Which hosts are mirrors of which, for somebody who asks about one of them.

        A mirror of a mirror is one of the original: what is known of the other hosts counts too.
        """
        notes = {name: text for catalogue in catalogues for name, text in catalogue.all_notes(MIRRORS)}
        if authority in notes:
            notes[authority] = notes.pop(authority)  # the last to come in is the last to be forgotten
        found = Mirrors(self._quality)
        for name, text in notes.items():
            with suppress(ValueError):  # as in a crawl
                found.restore({name: json.loads(text)})
        return found


def _restored(make: Callable[[], T], content: str) -> T:
    notes = make()
    if content:
        try:
            notes.restore(json.loads(content))
        except SENSELESS:
            return make()
    return notes


class HostKnowledge:
    """Notes on all hosts, of each kind."""

    def __init__(
        self,
        transactions: Sequence[Transaction],
        route: Callable[[str], int],
        frontier: FrontierSettings,
        traps: TrapSettings,
        quality: QualitySettings,
    ) -> None:
        self._transactions = transactions
        self._route = route
        self.traps = HostTraps(traps)
        self.equivalences = HostEquivalences()
        self.soft_404 = HostSoft404()
        self.mirrors = Mirrors(quality)
        self.breakers = CircuitBreakers(frontier)
        self._notes: dict[str, HostNotes[Any]] = {
            TRAPS: self.traps,
            EQUIVALENCES: self.equivalences,
            SOFT_404: self.soft_404,
            MIRRORS: self.mirrors,
            BREAKER: self.breakers,
        }
        for kind, notes in self._notes.items():
            notes.restore(self._kept(kind))

    def _kept(self, kind: str) -> dict[str, dict[str, Any]]:
        found = {}
        for transaction in self._transactions:
            for authority, content in transaction.partition.catalogue.all_notes(kind):
                with suppress(ValueError):  # a damaged note is learned again
                    found[authority] = json.loads(content)
        return found

    def note(self) -> None:
        """Puts what changed into the next commit."""
        for kind, notes in self._notes.items():
            for authority, state in notes.changes().items():
                transaction = self._transactions[self._route(host_of(authority))]
                transaction.on_commit(partial(_set_notes, authority, kind, json.dumps(state)))

    def is_soft_404(self, page: Page) -> bool:
        """Whether the page is its host's way to say that it is not there."""
        return not page.problem and self.soft_404.is_soft_404(page.url, sketch_of_page(page))

    def observe(self, page: Page, new_links: int, copy_of: Url | None, is_exact: bool) -> None:
        """Takes in a page that came with a status of success."""
        url = page.url
        soft = page.problem == "soft-404"
        self.traps.observe(url, FetchOutcome(page.fetched_at, page.words, new_links, copy_of, soft))
        self.soft_404.observe(url, page.title, copy_of is not None)
        if not soft and not page.problem:
            self.equivalences.observe(url, page.digest, copy_of if is_exact else None)
            self.mirrors.observe(url, copy_of)


def _set_notes(authority: str, kind: str, content: str, catalogue: Catalogue) -> None:
    catalogue.set_notes(authority, kind, content)


def sketch_of_page(page: Page) -> ContentSketch:
    """What a page is recognised by."""
    return ContentSketch(page.digest, page.sketch, page.words)
