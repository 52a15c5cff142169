"""All notes about hosts, kept between crawls.

There are five kinds: crawler traps, equivalent URLs, soft 404s, mirrors, and circuit breakers of hosts that
keep failing.
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
from gossamer.crawl.hosts.notes import STATE_ERRORS, HostNotes, Notes
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
# Notes are JSON, one for each host and kind. Missing and invalid ones count as empty, and a crawl learns
# them again.

TRAPS = "traps"
EQUIVALENCES = "equivalences"
SOFT_404 = "soft-404"
MIRRORS = "mirrors"
BREAKER = "breaker"
T = TypeVar("T", bound=Notes)


class StoredKnowledge:
    """Reads the notes about hosts from the catalogues."""

    def __init__(self, frontier: FrontierSettings, traps: TrapSettings, quality: QualitySettings) -> None:
        self._frontier = frontier
        self._traps = traps
        self._quality = quality

    def traps(self, catalogue: Catalogue, authority: str) -> Traps:
        """Return the notes about the traps of a host."""
        return _restored(partial(Traps, self._traps), catalogue.notes(authority, TRAPS))

    def patterns_asleep(self, catalogue: Catalogue) -> int:
        """Return the number of URL patterns that are asleep, over all hosts."""
        notes = (_restored(partial(Traps, self._traps), text) for _, text in catalogue.all_notes(TRAPS))
        return sum(len(traps.asleep()) for traps in notes)

    def equivalences(self, catalogue: Catalogue, host: str) -> list[EquivalenceRule]:
        """Return the differences between URLs of a host that are irrelevant."""
        return _restored(Equivalences, catalogue.notes(bare_host(host), EQUIVALENCES)).rules()

    def soft_404(self, catalogue: Catalogue, authority: str) -> Soft404:
        """Return the notes about the soft 404s of a host."""
        return _restored(Soft404, catalogue.notes(authority, SOFT_404))

    def breaker(self, catalogue: Catalogue, authority: str) -> CircuitBreaker:
        """Return the circuit breaker of a host."""
        return _restored(partial(CircuitBreaker, self._frontier), catalogue.notes(authority, BREAKER))

    def mirrors(self, catalogues: Iterable[Catalogue], authority: str) -> Mirrors:
        """Return the notes about mirrors, with those about one host in any case.

        A mirror of a mirror is a mirror of the original, so the notes about other hosts are needed too.
        """
        notes = {name: text for catalogue in catalogues for name, text in catalogue.all_notes(MIRRORS)}
        if authority in notes:
            notes[authority] = notes.pop(authority)  # the last one is the last to be dropped
        found = Mirrors(self._quality)
        for name, text in notes.items():
            with suppress(ValueError):  # damaged notes are ignored, as in a crawl
                found.restore({name: json.loads(text)})
        return found


def _restored(make: Callable[[], T], content: str) -> T:
    notes = make()
    if content:
        try:
            notes.restore(json.loads(content))
        except STATE_ERRORS:
            return make()
    return notes


class HostKnowledge:
    """The notes about all hosts, of all kinds."""

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
                with suppress(ValueError):  # damaged notes are learned again
                    found[authority] = json.loads(content)
        return found

    def note(self) -> None:
        """Add the changed notes to the next commit."""
        for kind, notes in self._notes.items():
            for authority, state in notes.changes().items():
                transaction = self._transactions[self._route(host_of(authority))]
                step = partial(Catalogue.set_notes, authority=authority, kind=kind, content=json.dumps(state))
                transaction.on_commit(step)

    def is_soft_404(self, page: Page) -> bool:
        """Return whether a page is a soft 404."""
        return not page.problem and self.soft_404.is_soft_404(page.url, sketch_of_page(page))

    def observe(self, page: Page, new_links: int, copy_of: Url | None, is_exact: bool) -> None:
        """Learn from a successfully fetched page."""
        url = page.url
        soft = page.problem == "soft-404"
        self.traps.observe(url, FetchOutcome(page.fetched_at, page.words, new_links, copy_of, soft))
        self.soft_404.observe(url, page.title, copy_of is not None)
        if not soft and not page.problem:
            self.equivalences.observe(url, page.digest, copy_of if is_exact else None)
            self.mirrors.observe(url, copy_of)


def sketch_of_page(page: Page) -> ContentSketch:
    """Return the digest, sketch and word count of a page."""
    return ContentSketch(page.digest, page.sketch, page.words)
