"""Does this identifier name the page, or the visit?

A server that writes a session into its links gives every page a new address at every visit. Nothing in one
address tells a session from the name of a document. Several pages do: where different pages, each under
different identifiers in the same place, keep having the same content, the identifier names the visit. Then
a page that is known from another visit is refused; one that is not known is welcome under any session.
"""

from __future__ import annotations

import re

from gossamer.frontier.equivalence.evidence import PROBED, Evidence
from gossamer.frontier.traps.watch import Outcome, Sleeping
from gossamer.model import Url
from gossamer.model.url import fingerprint_of
from gossamer.web.hostbook import State
from gossamer.web.pattern import ID, without_ids

REMEMBERED = 1_024  # pages with identifiers, the newest ones of a host
MOST_PLACES = 32  # of one host

_SEPARATOR = re.compile("([/?&])")


class Place:
    """Where identifiers stand, and what is known about them."""

    __slots__ = ("evidence", "refused", "since")

    def __init__(self, evidence: Evidence, since: float = 0.0, refused: int = 0) -> None:
        self.evidence = evidence
        self.since = since  # when the first copy was seen
        self.refused = refused

    def sleeping(self, text: str) -> Sleeping:
        return Sleeping(f"{text}{ID}", "session-id", self.since, self.refused, self.evidence.example)


class Sessions:
    """The places of one host in which sessions may stand, watched from the first copy on."""

    __slots__ = ("_admitted", "_fetched", "_places")

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}
        # By page without identifiers, the first address of it: a cache, forgotten with the process.
        self._admitted: dict[int, int] = {}
        self._fetched: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._places) + len(self._admitted) + len(self._fetched)

    def observe(self, url: Url, outcome: Outcome) -> bool:
        """Notes a page with an identifier that was fetched; whether that changed anything."""
        original = outcome.copied(url)
        if (not self._places and original is None) or outcome.soft_404:
            return False
        if original is None and outcome.duplicate_of is not None:
            return False  # another host says the same: that tells nothing about the identifier
        masked = without_ids(url)
        if original is not None:
            return self._note_copy(masked, url, original, outcome.fetched_at)
        is_first = _first(self._fetched, masked, url) == url.fingerprint
        known = [] if is_first else self._known_places(masked)
        for place in known:
            place.evidence.disagree()
        return bool(known)

    def _note_copy(self, masked: str, url: Url, original: Url, at: float) -> bool:
        if url.path == original.path or masked != without_ids(original):
            return False
        for text in places(masked):
            if text not in self._places and len(self._places) < MOST_PLACES:
                self._places[text] = Place(Evidence(example=url.text), at)
        for place in self._known_places(masked):
            place.evidence.agree(fingerprint_of(masked))
        return True

    def refuses(self, url: Url) -> bool:
        """Whether the page of an address with an identifier is known from another visit; remembers it."""
        if not self._places:
            return False
        masked = without_ids(url)
        if _first(self._admitted, masked, url) == url.fingerprint:
            return False
        places = self._known_places(masked)
        if url.fingerprint % PROBED == 0 or len(places) < masked.count(ID):
            return False
        if not all(place.evidence.holds for place in places):
            return False
        for place in places:
            place.refused += 1
        return True

    def _known_places(self, masked: str) -> list[Place]:
        return [self._places[text] for text in places(masked) if text in self._places]

    def asleep(self) -> list[Sleeping]:
        """The places that hold sessions."""
        return [place.sleeping(text) for text, place in self._places.items() if place.evidence.holds]

    def state(self) -> State:
        return {text: [one.evidence.state(), one.since, one.refused] for text, one in self._places.items()}

    def restore(self, state: State) -> None:
        self._places = {
            text: Place(Evidence(*evidence), since, refused)
            for text, (evidence, since, refused) in state.items()
        }


def places(masked: str) -> list[str]:
    """Find where identifiers stand in a masked address: behind which parameter's name, or which segments.

    Between two separators only the last identifier has a place of its own; what stands before it is a part
    of that place. Each character is looked at once, because strangers write addresses.

    >>> places("/s/<id>/cart?sid=<id>&n=7")
    ['s/', 'sid=']
    """
    found: list[str] = []
    before, *pieces = _SEPARATOR.split(masked)
    for separator, piece in zip(pieces[::2], pieces[1::2], strict=True):
        if separator == "/" and ID in piece:
            inside, _, rest = piece.rpartition(ID)
            found.append(f"{before}/{inside}")
            before = rest
        else:
            if ID in before:
                found.append(before.rpartition(ID)[0])
            before = piece
    if ID in before:
        found.append(before.rpartition(ID)[0])
    return found


def _first(known: dict[int, int], masked: str, url: Url) -> int:
    """The first address under which a page was met."""
    first = known.setdefault(fingerprint_of(masked), url.fingerprint)
    if len(known) > REMEMBERED:
        del known[next(iter(known))]
    return first
