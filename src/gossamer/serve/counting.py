"""How many pages can be searched?

The start page says it, and any visitor may ask for that; counting anew each time would read the disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from gossamer.serve.searchable import Searchable

FRESH_FOR = 5.0  # seconds


class PageCount:
    """The number of searchable pages, asked of the engine at most every few seconds."""

    def __init__(self, engine: Searchable, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._clock = clock
        self._asked: tuple[float, int] | None = None  # when, and the answer

    def __call__(self) -> int:
        now = self._clock()
        if self._asked is None or now - self._asked[0] > FRESH_FOR:
            self._asked = (now, _documents(self._engine))
        return self._asked[1]


def _documents(engine: Searchable) -> int:
    count = engine.status().as_dict()["documents"]
    if not isinstance(count, int):
        raise TypeError(f"the engine's status counts {count!r} documents")
    return count
