"""All that is learned of hosts, kept between crawls.

Which of their addresses lead nowhere (traps), which say the same (equivalences), what they answer instead of
404, whose mirrors they are, and which of them are left alone because they keep failing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from gossamer.collection.commit import Batch
from gossamer.crawl.hosts.circuit_breaker import Breaker, BreakerBook
from gossamer.crawl.hosts.equivalence import EquivalenceBook, Equivalences, Rule, bare_host
from gossamer.crawl.hosts.mirrors import Mirrors
from gossamer.crawl.hosts.notes import Notes
from gossamer.crawl.hosts.soft_404 import Soft404, Soft404Book
from gossamer.crawl.hosts.trap_detectors import Outcome
from gossamer.crawl.hosts.traps import TrapBook, Traps
from gossamer.crawl.settings import CrawlSettings, FrontierSettings, TrapSettings
from gossamer.duplicates.settings import QualitySettings
from gossamer.model import Page, Url
from gossamer.model.url import host_of
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.text.shingles import ContentPrint

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
_SENSELESS = (ValueError, TypeError, KeyError, AttributeError)
T = TypeVar("T", bound=Notes)


class StoredKnowledge:
    """Notes on hosts as the catalogues have them, for somebody who only reads."""

    def __init__(self, frontier: FrontierSettings, traps: TrapSettings, quality: QualitySettings) -> None:
        self._frontier = frontier
        self._traps = traps
        self._quality = quality

    def traps(self, catalogue: Catalogue, authority: str) -> Traps:
        """What a host has taught about its addresses."""
        return _restored(self._no_traps, catalogue.notes(authority, TRAPS))

    def patterns_asleep(self, catalogue: Catalogue) -> int:
        """How many patterns of addresses are asleep, of all hosts."""
        notes = (_restored(self._no_traps, text) for _, text in catalogue.all_notes(TRAPS))
        return sum(len(traps.asleep()) for traps in notes)

    def _no_traps(self) -> Traps:
        return Traps(self._traps)

    def equivalences(self, catalogue: Catalogue, host: str) -> list[Rule]:
        """The differences between addresses of a host that do not matter."""
        return _restored(Equivalences, catalogue.notes(bare_host(host), EQUIVALENCES)).rules()

    def soft_404(self, catalogue: Catalogue, authority: str) -> Soft404:
        """What a host says instead of 404."""
        return _restored(Soft404, catalogue.notes(authority, SOFT_404))

    def breaker(self, catalogue: Catalogue, authority: str) -> Breaker:
        """Whether a host is left alone because it keeps failing."""
        return _restored(lambda: Breaker(self._frontier), catalogue.notes(authority, BREAKER))

    def mirrors(self, catalogues: Iterable[Catalogue], authority: str) -> Mirrors:
        """Which hosts are mirrors of which, for somebody who asks about one of them.

        A mirror of a mirror is one of the original: what is known of the other hosts counts too.
        """
        notes = {name: text for catalogue in catalogues for name, text in catalogue.all_notes(MIRRORS)}
        if authority in notes:
            notes[authority] = notes.pop(authority)  # the last to come in is the last to be forgotten
        found = Mirrors(self._quality)
        for name, text in notes.items():
            with suppress(*_SENSELESS):
                found.restore({name: json.loads(text)})
        return found


def _restored(make: Callable[[], T], content: str) -> T:
    notes = make()
    if content:
        try:
            notes.restore(json.loads(content))
        except _SENSELESS:
            return make()
    return notes


TOO_DEEP = "too-deep"
MIRROR_TRIES = 50  # of the addresses of a mirror, one in so many is fetched all the same
Tell = Callable[[Url, str], None]


class _Book(Protocol):
    def changes(self) -> dict[str, dict[str, Any]]: ...

    def restore(self, states: Mapping[str, dict[str, Any]], /) -> None: ...


class Learned:
    """The books on all hosts."""

    def __init__(
        self,
        batches: Sequence[Batch],
        route: Callable[[str], int],
        crawl: CrawlSettings,
        frontier: FrontierSettings,
        traps: TrapSettings,
        quality: QualitySettings,
    ) -> None:
        self._batches = batches
        self._route = route
        self.traps = TrapBook(traps)
        self.equivalences = EquivalenceBook()
        self.soft_404 = Soft404Book()
        self.mirrors = Mirrors(quality)
        self.breakers = BreakerBook(frontier)
        self.host_depth: Callable[[Url], int] = lambda url: 0  # of the nearest page of a URL's host
        self._farthest = crawl.host_depth
        self._mirrored = 0  # addresses of mirrors that were met
        self.tell: Tell | None = None  # who wants to know what is refused, and why
        for kind, book in self._books():
            book.restore(self._kept(kind))

    def _books(self) -> Iterator[tuple[str, _Book]]:
        yield TRAPS, self.traps
        yield EQUIVALENCES, self.equivalences
        yield SOFT_404, self.soft_404
        yield MIRRORS, self.mirrors
        yield BREAKER, self.breakers

    def _kept(self, kind: str) -> dict[str, dict[str, Any]]:
        found = {}
        for batch in self._batches:
            for authority, content in batch.partition.catalogue.all_notes(kind):
                with suppress(ValueError):  # a damaged note is learned again
                    found[authority] = json.loads(content)
        return found

    def note(self) -> None:
        """Puts what changed into the next commit."""
        for kind, book in self._books():
            for authority, state in book.changes().items():
                self._note(authority, kind, json.dumps(state))

    def home(self, authority: str) -> int:
        """The number of the partition that a host belongs to."""
        return self._route(host_of(authority))

    def _note(self, authority: str, kind: str, content: str) -> None:
        batch = self._batches[self.home(authority)]
        batch.then(lambda catalogue: catalogue.set_notes(authority, kind, content))

    def refusal(self, url: Url, depth: int, found_on: Url | None = None) -> str:
        """Why an address is not worth asking for, by what its host has given so far; "" when it is."""
        reason = self.traps.refusal(url, depth, found_on) or self._too_deep(url, depth, found_on)
        if reason and self.tell is not None:
            self.tell(url, reason)
        if reason or (original := self.mirrors.mirror_of(url.authority)) is None:
            return reason
        self._mirrored += 1
        return f"mirror of {original}" if self._mirrored % MIRROR_TRIES else ""

    def _too_deep(self, url: Url, depth: int, found_on: Url | None) -> str:
        """Whether too many steps within its host lead to an address; one from another host begins anew."""
        if not self._farthest or depth <= self._farthest or found_on is None:
            return ""
        within = found_on.authority == url.authority
        if not within or depth - self.host_depth(url) <= self._farthest:
            return ""
        self.traps.leave_out(url.authority, TOO_DEEP)
        return TOO_DEEP

    def is_soft_404(self, page: Page) -> bool:
        """Whether the page is its host's way to say that it is not there."""
        return not page.problem and self.soft_404.is_soft_404(page.url, content_print(page))

    def observe(self, page: Page, new_links: int, copy_of: Url | None, is_exact: bool) -> None:
        """Takes in a page that came with a status of success."""
        url = page.url
        soft = page.problem == "soft-404"
        self.traps.observe(url, Outcome(page.fetched_at, 200, page.words, new_links, copy_of, soft))
        self.soft_404.observe(url, page.title, copy_of is not None)
        if not soft and not page.problem:
            self.equivalences.observe(url, page.digest, copy_of if is_exact else None)
            self.mirrors.observe(url, copy_of)


def content_print(page: Page) -> ContentPrint:
    """What a page is recognised by."""
    return ContentPrint(page.digest, page.sketch, page.words)
