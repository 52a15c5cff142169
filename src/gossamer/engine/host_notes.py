"""What have crawls learned of a host, as the catalogue keeps it?

Notes are JSON, one for each host and kind. Those that are missing, or that cannot be understood, count as
nothing learned: they are only shown here, and a crawl learns them anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from gossamer.frontier.equivalence.differences import bare_host
from gossamer.frontier.equivalence.equivalence import Equivalences, Rule
from gossamer.frontier.traps.settings import TrapSettings
from gossamer.frontier.traps.traps import Traps
from gossamer.quality.mirrors import Mirrors
from gossamer.quality.settings import QualitySettings
from gossamer.store.catalogue import Catalogue
from gossamer.web.hostbook import Notes

TRAPS = "traps"
EQUIVALENCES = "equivalences"
MIRRORS = "mirrors"

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


def mirror(catalogues: Iterable[Catalogue], authority: str, settings: QualitySettings) -> str:
    """What speaks for or against a mirror of another host, in a sentence; "" where nothing does.

    A mirror of a mirror is one of the original: what is known of the other hosts counts too.
    """
    notes = {name: text for catalogue in catalogues for name, text in catalogue.all_notes(MIRRORS)}
    if authority not in notes:
        return ""
    notes[authority] = notes.pop(authority)  # the last to come in is the last to be forgotten
    found = Mirrors(settings)
    for name, text in notes.items():
        with suppress(*_SENSELESS):
            found.restore({name: json.loads(text)})
    return found.evidence(authority)


def _restored(make: Callable[[], T], content: str) -> T:
    notes = make()
    if content:
        try:
            notes.restore(json.loads(content))
        except _SENSELESS:
            return make()
    return notes
