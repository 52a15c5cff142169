"""Does this part of an address matter?

Pages are compared that differ in this part only. It does not matter when

    same >= 5,   over at least 3 pages,   different <= same / 100

of them agreed. One page that is the same for all values proves nothing: "no such article" is the answer to
every number that is not given, and the numbers matter all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

LEAST_SAME = 5
LEAST_PAGES = 3
MOST_DIFFERENT = 0.01
PROBED = 50  # one address in so many is asked for all the same, to see whether it is still so


@dataclass(slots=True)
class Evidence:
    """The pairs of pages that were compared."""

    same: int = 0
    different: int = 0
    pages: list[int] = field(default_factory=list)  # fingerprints of the first few that were the same
    lean: int = 0  # above 0 when the longer address of a pair was the one to keep more often
    example: str = ""

    def agree(self, page: int) -> None:
        self.same += 1
        if page not in self.pages and len(self.pages) < LEAST_PAGES:
            self.pages.append(page)

    def disagree(self) -> None:
        self.different += 1

    @property
    def holds(self) -> bool:
        enough = self.same >= LEAST_SAME and len(self.pages) >= LEAST_PAGES
        return enough and self.different <= MOST_DIFFERENT * self.same

    def state(self) -> list[object]:
        """JSON, in the order of the constructor."""
        return [self.same, self.different, self.pages, self.lean, self.example]
