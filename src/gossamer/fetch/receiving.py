"""How much do all answers on their way take together?

Each body has a limit of its own, but many that come in slowly at the same time, or stop just before their
end, would add up to more memory than there is.
"""

from __future__ import annotations

from typing import Protocol

MOST = 100_000_000  # bytes


class Receiver(Protocol):
    """Somebody who holds a part of a body."""

    def give_up(self, why: str) -> None:
        """Ends the exchange, and tells `Receiving.let_go`."""


class Receiving:
    """The bodies that are on their way, within one limit.

    Above it the largest of them is given up. Nobody waits for anybody, so nothing can block; and since the
    limit is no less than one body can take by itself, an answer that is alone is never given up.
    """

    def __init__(self, max_bytes: int) -> None:
        self._most = max(MOST, 2 * max_bytes)  # decoders take up to 48 MB beside the body itself
        self._held: dict[Receiver, int] = {}
        self.total = 0

    def hold(self, receiver: Receiver, size: int) -> None:
        """Notes how much somebody holds now; whoever holds most may be given up for it."""
        self.total += size - self._held.get(receiver, 0)
        self._held[receiver] = size
        if self.total > self._most:
            largest = max(self._held, key=self._held.__getitem__)
            largest.give_up(
                f"took too long ({self._held[largest]:,} bytes of a body were there, the most of all "
                f"answers on their way, when they came to {self.total:,})"
            )

    def let_go(self, receiver: Receiver) -> None:
        """Notes that somebody holds nothing any more."""
        self.total -= self._held.pop(receiver, 0)
