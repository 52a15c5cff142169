"""Mirror hosts.

One copy says little. A host is taken for a mirror when many of its pages, and nine in ten of those that were
seen, are copies of pages under the *same path* of one other host (after Bharat and Broder, "Mirror, mirror on
the Web: a study of host pairs with replicated content", 1999). What speaks for it and against it goes on
being counted, so a host that comes to say something of its own stops being one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gossamer.crawl.hosts.notes import HostBook, State
from gossamer.duplicates.settings import QualitySettings
from gossamer.model import Url

SHARE = 0.9  # of the pages of a mirror that must be copies
MOST_OTHERS = 4  # hosts that a host's copies are counted for
MOST_NOTES = 50_000  # about 25,000 hosts; those that were met longest ago are forgotten first


@dataclass(slots=True)
class _Seen:
    """What is known of one host: its pages, and how many are copies under the same path of which others."""

    pages: int = 0
    copies: dict[str, int] = field(default_factory=dict)
    changed: bool = False

    def count(self, other: str) -> None:
        if other not in self.copies and len(self.copies) == MOST_OTHERS:
            # A host with nine pages in ten is never the least for long.
            del self.copies[min(self.copies, key=self.copies.__getitem__)]
        self.copies[other] = self.copies.get(other, 0) + 1

    def most_copied(self) -> str | None:
        return max(self.copies, key=self.copies.__getitem__, default=None)

    def __len__(self) -> int:
        return 1 + len(self.copies)

    def state(self) -> State:
        return {"pages": self.pages, "copies": dict(self.copies)}

    def restore(self, state: State) -> None:
        self.pages, self.copies = state["pages"], dict(state["copies"])


class Mirrors:
    """Learns from the pages of a crawl which hosts are mirrors of which."""

    def __init__(self, settings: QualitySettings) -> None:
        self._least = settings.mirror_pages
        self._hosts: HostBook[_Seen] = HostBook(_Seen, MOST_NOTES)

    def observe(self, url: Url, duplicate_of: Url | None, again: bool = False) -> None:
        """A page was judged: a copy of another one, or kept.

        `again` says that it was observed before, and that another page has taken its place since.
        """
        seen = self._hosts.of(url.authority)
        seen.pages += not again
        if duplicate_of is not None and _are_twins(url, duplicate_of):
            seen.count(duplicate_of.authority)
        seen.changed = True
        self._hosts.settle(url.authority)

    def mirror_of(self, authority: str) -> str | None:
        """The host that this one mirrors; where that is a mirror too, the one at the end of the chain.

        Of hosts that mirror one another in a circle the one with the shortest name is the original.
        """
        chain = [authority]
        while (other := self._mirrored(chain[-1])) is not None:
            if other in chain:
                circle = chain[chain.index(other) :]
                other = min(circle, key=lambda name: (len(name), name))
                return other if other != authority else None
            chain.append(other)
        return chain[-1] if len(chain) > 1 else None

    def evidence(self, authority: str) -> str:
        """What is known about a host, in a sentence; nothing where nothing speaks for a mirror."""
        seen = self._hosts.get(authority)
        other = seen.most_copied() if seen is not None else None
        if seen is None or other is None:
            return ""
        counted = (
            f"{seen.copies[other]} of {seen.pages} pages are copies of those under the same path of {other}"
        )
        original = self.mirror_of(authority)
        return f"a mirror of {original}: {counted}" if original else f"not a mirror: {counted}"

    def changes(self) -> dict[str, State]:
        """What changed since the last call, by host: JSON."""
        return self._hosts.changes()

    def state(self) -> dict[str, State]:
        """Everything, by host: JSON."""
        return self._hosts.state()

    def restore(self, states: Mapping[str, State]) -> None:
        """Takes up what `state` or `changes` told."""
        self._hosts.restore(states)

    def _mirrored(self, authority: str) -> str | None:
        seen = self._hosts.get(authority)
        other = seen.most_copied() if seen is not None and self._least else None
        if seen is None or other is None:
            return None
        copies = seen.copies[other]
        return other if copies >= self._least and copies >= SHARE * seen.pages else None


def _are_twins(url: Url, other: Url) -> bool:
    return url.path == other.path and url.authority != other.authority
