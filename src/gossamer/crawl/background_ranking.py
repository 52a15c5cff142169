"""Compute link ranks in a separate process during a crawl.

The process (`rank_process`) reads the committed data and writes a new generation of the graph, which nothing
else in a crawl does. Searches use the generation when it is complete. The crawl never waits for it.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 10.0  # seconds after which a terminated process is killed
Told = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class RankJob:
    """The collection to be ranked, with its configuration."""

    directory: Path
    config: object  # a `Config`; only the rank process reads it


class BackgroundRanking:
    """Starts the rank process every few minutes, one process at a time."""

    def __init__(self, minutes: float, assignment: RankJob, told: Told) -> None:
        """`told` gets the fields of the `RankSummary`, or the "error"."""
        self._assignment = assignment
        self._told = told
        self._seconds = 60.0 * minutes
        self._begun = time.monotonic()
        self._task: asyncio.Task[None] | None = None

    def start_when_due(self) -> None:
        is_due = self._seconds > 0 and time.monotonic() - self._begun >= self._seconds
        if is_due and self._task is None:
            self._begun = time.monotonic()
            self._task = asyncio.create_task(self._run())
            self._task.add_done_callback(self._done)

    async def stop(self) -> None:
        """End the running process, if any; the ranks stay as they are."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def _done(self, _task: asyncio.Task[None]) -> None:
        self._task = None
        self._begun = time.monotonic()

    async def _run(self) -> None:
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-m", "gossamer.jobs.rank_process")
        try:
            child = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            self._told({"error": f"cannot start a process: {error.strerror}"})
            return
        try:
            sent, answer, failure = child.stdin, child.stdout, child.stderr
            assert sent is not None
            assert answer is not None
            assert failure is not None
            sent.write(pickle.dumps(self._assignment))
            told = await asyncio.gather(answer.read(), failure.read())
            await child.wait()
            self._told(_parsed(*told))
        finally:
            await _end(child)


async def _end(child: asyncio.subprocess.Process) -> None:
    """Terminate the process if it runs; it gets some time to remove its unfinished files."""
    if child.returncode is None:
        with suppress(ProcessLookupError):
            child.terminate()
        try:
            await asyncio.wait_for(child.wait(), PATIENCE)
        except TimeoutError:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()


def _parsed(answer: bytes, failure: bytes) -> dict[str, Any]:
    try:
        told: dict[str, Any] = json.loads(answer)
    except ValueError:
        last = failure.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return {"error": last or "the process ended without output"}
    return told
