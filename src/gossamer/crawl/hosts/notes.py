"""Bounded per-host notes, saved in the catalogue.

A crawl meets more hosts than memory should hold notes about. `HostNotes` keeps those of the hosts that
were met last, and says which notes changed since it was last asked, so that a commit writes only those. Notes
that would be missed get further chances: where all hosts take turns, the one met longest ago is the next to
come, and nothing would ever be learned of any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar

MOST_LEFT = 256  # hosts that were dropped and wait to be written
MOST_SPARED = 32  # hosts that are passed over before one has to go, whatever is known of it
CHANCES = 8  # so often the notes of a host that does not come again are spared
SENSELESS = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)  # of a state that is none
State = dict[str, Any]  # JSON: strings, numbers, lists and dictionaries of them


def drop_oldest(known: dict[Any, Any], most: int) -> None:
    """Forgets what came first, when one more has come than is remembered."""
    if len(known) > most:
        del known[next(iter(known))]


class Notes(Protocol):
    """What is known about one host. `changed` is set by the notes, and taken back by `HostNotes`."""

    changed: bool

    def __len__(self) -> int: ...

    def state(self) -> State: ...

    def restore(self, state: State) -> None: ...


T = TypeVar("T", bound=Notes)


class HostNotes(Generic[T]):
    """Notes by host. When they hold more than `most` entries, those of the host met longest ago go."""

    def __init__(self, make: Callable[[], T], most: int) -> None:
        self._make = make
        self._most = most
        self._notes: dict[str, T] = {}  # in the order in which hosts were met last
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._spared: dict[str, int] = {}  # how often, since they were met
        self._touched: set[str] = set()
        self._left: dict[str, State] = {}  # changed, and dropped before anybody asked

    def __len__(self) -> int:
        return len(self._notes)

    def get(self, host: str) -> T | None:
        """The notes about a host, if there are any."""
        return self._notes.get(host)

    def of(self, host: str) -> T:
        """The notes about a host, to be read or written in."""
        notes = self._notes.pop(host, None)
        if notes is None:
            notes = self._make()
        self._notes[host] = notes
        self._spared.pop(host, None)
        self._touched.add(host)
        return notes

    def account(self, host: str) -> None:
        """Takes the size of notes that were written in, and keeps the whole within its bound."""
        size = 1 + len(self._notes[host])
        self._total += size - self._sizes.get(host, 0)
        self._sizes[host] = size
        spares = min(MOST_SPARED, len(self._notes) // 2)
        while self._total > self._most and len(self._notes) > 1:
            oldest = next(iter(self._notes))
            if spares and self._is_spared(oldest):
                spares -= 1
            else:
                self._drop(oldest)

    def _is_spared(self, host: str) -> bool:
        """Gives a host another chance, as if it had been met now, where its notes would be missed."""
        spared = self._spared.get(host, 0)
        if spared >= CHANCES or not self._would_be_missed(self._notes[host]):
            return False
        self._spared[host] = spared + 1
        self._notes[host] = self._notes.pop(host)
        return True

    def where(self, holds: Callable[[T], bool]) -> list[str]:
        """The hosts whose notes are such, those met last at the end."""
        return [host for host, notes in self._notes.items() if holds(notes)]

    def changes(self) -> dict[str, State]:
        """The notes that changed since the last call, by host."""
        found, self._left = self._left, {}
        for host in sorted(self._touched):
            notes = self._notes.get(host)
            if notes is not None and notes.changed:
                found[host] = notes.state()
                notes.changed = False
        self._touched.clear()
        return found

    def state(self) -> dict[str, State]:
        """All notes that hold anything, by host: JSON."""
        return {host: notes.state() for host, notes in self._notes.items() if len(notes)}

    def restore(self, states: Mapping[str, State]) -> None:
        """Takes up what `state` or `changes` told; what cannot be understood is learned anew."""
        for host, state in states.items():
            notes = self._make()
            with suppress(*SENSELESS):
                notes.restore(state)
                notes.changed = False
                self._notes.pop(host, None)
                self._notes[host] = notes
                self.account(host)

    def _would_be_missed(self, notes: T) -> bool:
        """Whether notes are worth more than those of hosts that were met later."""
        return False

    def _drop(self, host: str) -> None:
        notes = self._notes.pop(host)
        self._spared.pop(host, None)
        self._total -= self._sizes.pop(host, 0)
        if notes.changed:
            self._left[host] = notes.state()
            drop_oldest(self._left, MOST_LEFT)
