"""Is a crawl on its way that does not run yet, and did the last one fail to begin?

A crawl is a process of its own, which loads for seconds before it can be seen. Whoever started it waits for
what it says at once, and is told later of what it says then.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from gossamer.model import CollectionBusy, GossamerError
from gossamer.serve.owner.live import LiveView, live_view
from gossamer.serve.owner.owned import Steered
from gossamer.serve.speech import Speech

PATIENCE = 5.0  # seconds


class Starting:
    """Starts crawls, one after the other, and shows the one that there is."""

    def __init__(self, crawl: Steered, patience: float = PATIENCE) -> None:
        self._crawl = crawl
        self._patience = patience
        self._threads = ThreadPoolExecutor(1, "starting a crawl")
        self._last: Future[None] | None = None

    def start(self, seeds: Sequence[str], continuous: bool) -> None:
        """Waits for what the new process says at once, if it cannot begin; not for all that it loads."""
        if self.under_way:
            raise CollectionBusy("a crawl is being started already; wait a moment")
        last = self._threads.submit(self._crawl.start, seeds, continuous)
        with suppress(TimeoutError):
            last.result(self._patience)
        self._last = last  # not where it failed: that was told at once

    @property
    def under_way(self) -> bool:
        return self._last is not None and not self._last.done()

    @property
    def problem(self) -> str:
        """Why the last one could not begin; "" where it did, or was not tried."""
        if self._last is None or not self._last.done():
            return ""
        error = self._last.exception()
        return str(error) if isinstance(error, GossamerError) else ""

    def view(self, speech: Speech) -> LiveView:
        """The crawl as it is shown."""
        return live_view(
            self._crawl.live(),
            self._crawl.is_paused,
            speech,
            starting=self.under_way,
            problem=self.problem,
        )
