"""What have crawls learned of a host, as the catalogue keeps it?

Notes are JSON, one for each host and kind. Those that are missing, or that cannot be understood, count as
nothing learned: they are only shown here, and a crawl learns them anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from gossamer.frontier.breaker import Breaker
from gossamer.frontier.equivalence.differences import bare_host
from gossamer.frontier.equivalence.equivalence import Equivalences, Rule
from gossamer.frontier.settings import FrontierSettings
from gossamer.frontier.traps.settings import TrapSettings
from gossamer.frontier.traps.traps import Traps
from gossamer.quality.mirrors import Mirrors
from gossamer.quality.settings import QualitySettings
from gossamer.quality.soft404 import Soft404
from gossamer.store.catalogue import Catalogue
from gossamer.web.hostbook import Notes

TRAPS = "traps"
EQUIVALENCES = "equivalences"
SOFT_404 = "soft-404"
MIRRORS = "mirrors"
BREAKER = "breaker"

_SENSELESS = (ValueError, TypeError, KeyError, AttributeError)

T = TypeVar("T", bound=Notes)


def traps(catalogue: Catalogue, authority: str, settings: TrapSettings) -> Traps:
    """What a host has taught about its addresses."""
    return _restored(lambda: Traps(settings), catalogue.notes(authority, TRAPS))


def patterns_asleep(catalogue: Catalogue, settings: TrapSettings) -> int:
    """How many patterns of addresses are asleep, of all hosts."""
    notes = (_restored(lambda: Traps(settings), text) for _, text in catalogue.all_notes(TRAPS))
    return sum(len(traps.asleep()) for traps in notes)


def equivalences(catalogue: Catalogue, host: str) -> list[Rule]:
    """The differences between addresses of a host that do not matter."""
    return _restored(Equivalences, catalogue.notes(bare_host(host), EQUIVALENCES)).rules()


def soft_404(catalogue: Catalogue, authority: str) -> Soft404:
    """What a host says instead of 404."""
    return _restored(Soft404, catalogue.notes(authority, SOFT_404))


def breaker(catalogue: Catalogue, authority: str, settings: FrontierSettings) -> Breaker:
    """Whether a host is left alone because it keeps failing."""
    return _restored(lambda: Breaker(settings), catalogue.notes(authority, BREAKER))


def mirrors(catalogues: Iterable[Catalogue], authority: str, settings: QualitySettings) -> Mirrors:
    """Which hosts are mirrors of which, for somebody who asks about one of them.

    A mirror of a mirror is one of the original: what is known of the other hosts counts too.
    """
    notes = {name: text for catalogue in catalogues for name, text in catalogue.all_notes(MIRRORS)}
    if authority in notes:
        notes[authority] = notes.pop(authority)  # the last to come in is the last to be forgotten
    found = Mirrors(settings)
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
