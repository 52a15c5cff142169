"""How does work in the background keep out of the way? It goes on while nobody waits for an answer."""

from __future__ import annotations

import time
from types import TracebackType

STEP = 0.001  # seconds between two looks
LONGEST = 0.02  # seconds that one step of the work lets others go first, so that it ends in any case


class Courtesy:
    """Held by those who search; asked by whoever can wait. Used from any thread."""

    def __init__(self) -> None:
        self._held: list[None] = []  # appending and popping need no lock

    def __enter__(self) -> None:
        self._held.append(None)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.pop()

    def pause(self) -> None:
        """Returns when nobody searches, or after a while; others get their turn in any case."""
        end = time.monotonic() + LONGEST
        time.sleep(0)
        while self._held and time.monotonic() < end:
            time.sleep(STEP)
