"""Detect mirror hosts.

A host counts as a mirror if many of its pages, and at least nine in ten, are copies of pages under the *same
path* of one other host (after Bharat and Broder, "Mirror, mirror on the Web: a study of host pairs with
replicated content", 1999). Counting continues afterwards, so a host that gets content of its own stops being
a mirror.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gossamer.crawl.hosts.notes import HostNotes, State
from gossamer.duplicates.settings import QualitySettings
from gossamer.model import Url

SHARE = 0.9  # least share of copies among the pages of a mirror
MOST_OTHERS = 4  # other hosts for which the copies of a host are counted
MOST_NOTES = 50_000  # entries, for about 25,000 hosts


@dataclass(slots=True)
class _Seen:
    """The number of pages of one host, and of copies under the same path by other host."""

    pages: int = 0
    copies: dict[str, int] = field(default_factory=dict)
    changed: bool = False

    def count(self, other: str) -> None:
        if other not in self.copies and len(self.copies) == MOST_OTHERS:
            # The original of a mirror has most copies, so it is not dropped for long.
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
    """The notes about mirrors of all hosts, by authority."""

    def __init__(self, settings: QualitySettings) -> None:
        super().__init__(_Seen, MOST_NOTES)
        self._least = settings.mirror_pages

    def observe(self, url: Url, duplicate_of: Url | None, again: bool = False) -> None:
        """Count a page that is kept or a copy of another page.

        `again` says that the page was counted before, as kept, and has been replaced by another page since.
        """
        seen = self.of(url.authority)
        seen.pages += not again
        if duplicate_of and url.path == duplicate_of.path and url.authority != duplicate_of.authority:
            seen.count(duplicate_of.authority)
        seen.changed = True
        self.account(url.authority)

    def mirror_of(self, authority: str) -> str | None:
        """Return the original of a mirror, at the end of a chain of mirrors; None if it is no mirror.

        If hosts mirror each other in a circle, the one with the shortest name is the original.
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
        """Return a sentence about the evidence for a mirror; "" if there is none."""
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
