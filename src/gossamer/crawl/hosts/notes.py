"""Notes about hosts, bounded in memory and saved in the catalogue.

A crawl meets too many hosts to keep notes about all of them in memory. `HostNotes` keeps those about the
latest hosts, and reports which notes have changed, so that a commit writes only those. Valuable notes are
spared a few times. Otherwise, if all hosts take turns, the notes about each host would be dropped just before
its next turn, and nothing would ever be learned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar

MOST_LEFT = 256  # dropped notes that wait to be written
MOST_SPARED = 32  # valuable notes that are skipped before one must be dropped
CHANCES = 8  # times that the notes about a host are spared until the host is met again
STATE_ERRORS = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)  # of an invalid state
State = dict[str, Any]  # JSON: strings, numbers, lists and dictionaries of them


def drop_oldest(known: dict[Any, Any], most: int) -> None:
    """Drop the oldest entry if there are more than `most`."""
    if len(known) > most:
        del known[next(iter(known))]


class Notes(Protocol):
    """The notes about one host. They set `changed`, and `HostNotes` resets it."""

    changed: bool

    def __len__(self) -> int: ...

    def state(self) -> State: ...

    def restore(self, state: State) -> None: ...


T = TypeVar("T", bound=Notes)


class HostNotes(Generic[T]):
    """Notes by host. Above `most` entries in all, the notes that were used longest ago are dropped."""

    def __init__(self, make: Callable[[], T], most: int) -> None:
        self._make = make
        self._most = most
        self._notes: dict[str, T] = {}  # the host met last is at the end
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._spared: dict[str, int] = {}  # times that notes were spared since the host was met
        self._touched: set[str] = set()
        self._left: dict[str, State] = {}  # changed notes that were dropped before the call of `changes`

    def __len__(self) -> int:
        return len(self._notes)

    def get(self, host: str) -> T | None:
        """Return the notes about a host, or None."""
        return self._notes.get(host)

    def of(self, host: str) -> T:
        """Return the notes about a host, new ones if there are none, for reading or writing."""
        notes = self._notes.pop(host, None)
        if notes is None:
            notes = self._make()
        self._notes[host] = notes
        self._spared.pop(host, None)
        self._touched.add(host)
        return notes

    def account(self, host: str) -> None:
        """Update the size of changed notes, and drop old notes above the limit."""
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
        """Spare the notes about a host, as if it had been met now, if they are valuable; return whether."""
        spared = self._spared.get(host, 0)
        if spared >= CHANCES or not self._would_be_missed(self._notes[host]):
            return False
        self._spared[host] = spared + 1
        self._notes[host] = self._notes.pop(host)
        return True

    def where(self, holds: Callable[[T], bool]) -> list[str]:
        """Return the hosts whose notes satisfy a condition, the host met last at the end."""
        return [host for host, notes in self._notes.items() if holds(notes)]

    def changes(self) -> dict[str, State]:
        """Return the notes that changed since the last call, by host."""
        found, self._left = self._left, {}
        for host in sorted(self._touched):
            notes = self._notes.get(host)
            if notes is not None and notes.changed:
                found[host] = notes.state()
                notes.changed = False
        self._touched.clear()
        return found

    def state(self) -> dict[str, State]:
        """Return all notes that are not empty as JSON, by host."""
        return {host: notes.state() for host, notes in self._notes.items() if len(notes)}

    def restore(self, states: Mapping[str, State]) -> None:
        """Restore notes from `state` or `changes`; invalid ones are ignored and learned again."""
        for host, state in states.items():
            notes = self._make()
            with suppress(*STATE_ERRORS):
                notes.restore(state)
                notes.changed = False
                self._notes.pop(host, None)
                self._notes[host] = notes
                self.account(host)

    def _would_be_missed(self, notes: T) -> bool:
        """Return whether notes are valuable enough to be spared."""
        return False

    def _drop(self, host: str) -> None:
        notes = self._notes.pop(host)
        self._spared.pop(host, None)
        self._total -= self._sizes.pop(host, 0)
        if notes.changed:
            self._left[host] = notes.state()
            drop_oldest(self._left, MOST_LEFT)
