"""Mirror hosts.

One copy says little. A host is taken for a mirror when many of its pages, and nine in ten of those that were
seen, are copies of pages under the *same path* of one other host (after Bharat and Broder, "Mirror, mirror on
the Web: a study of host pairs with replicated content", 1999). What speaks for it and against it goes on
being counted, so a host that comes to say something of its own stops being one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gossamer.crawl.hosts.notes import HostNotes, State
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


class Mirrors(HostNotes[_Seen]):
    """Learns from the pages of a crawl which hosts are mirrors of which."""

    def __init__(self, settings: QualitySettings) -> None:
        super().__init__(_Seen, MOST_NOTES)
        self._least = settings.mirror_pages

    def observe(self, url: Url, duplicate_of: Url | None, again: bool = False) -> None:
        """A page was judged: a copy of another one, or kept.

        `again` says that it was observed before, and that another page has taken its place since.
        """
        seen = self.of(url.authority)
        seen.pages += not again
        if duplicate_of and url.path == duplicate_of.path and url.authority != duplicate_of.authority:
            seen.count(duplicate_of.authority)
        seen.changed = True
        self.account(url.authority)

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
        seen = self.get(authority)
        other = seen.most_copied() if seen is not None else None
        if seen is None or other is None:
            return ""
        counted = (
            f"{seen.copies[other]} of {seen.pages} pages are copies of those under the same path of {other}"
        )
        original = self.mirror_of(authority)
        return f"a mirror of {original}: {counted}" if original else f"not a mirror: {counted}"

    def _mirrored(self, authority: str) -> str | None:
        seen = self.get(authority)
        other = seen.most_copied() if seen is not None and self._least else None
        if seen is None or other is None:
            return None
        copies = seen.copies[other]
        return other if copies >= self._least and copies >= SHARE * seen.pages else None
