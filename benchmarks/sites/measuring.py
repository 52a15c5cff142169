"""What does a command cost, with all the processes that it starts?

    python measuring.py REPORT.json SECONDS -- COMMAND ...

This process stands between the benchmark and the command. It is the reaper of all descendants: also of those
that their parent leaves behind, and so the system's account of its children (RUSAGE_CHILDREN) holds the user
and system time of the whole tree. Its own time, and that of the sampler that watches the memory, is not in
it. Works on Linux.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
INTERVAL = 0.1  # seconds between two looks at the memory
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds and megabytes of a process tree."""

    wall: float
    user: float
    system: float
    peak_mb: float  # of the memory of all processes together; what they share is counted in each
    largest_mb: float  # of the largest process alone
    cut: bool  # it had to be told to end, because its time was over
    status: int

    @property
    def cpu(self) -> float:
        return self.user + self.system


def measured(command: Sequence[str], output: Path, limit: float = 0.0) -> Cost:
    """Runs a command to its end, or interrupts it after `limit` seconds. What it says goes to a file."""
    report = output.with_suffix(".json")
    with output.open("wb") as file:
        subprocess.run(
            [sys.executable, __file__, str(report), str(limit), "--", *command],
            stdout=file,
            stderr=subprocess.STDOUT,
            check=True,
            # Modules are compiled once, in the first run, as they are for whoever installs the crawlers.
            env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        )
    return Cost(**json.loads(report.read_text(encoding="utf-8")))


class Memory:
    """The largest sum of resident memory that was seen below a process."""

    def __init__(self) -> None:
        self.peak = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._over.wait(INTERVAL):
            self.peak = max(self.peak, resident(os.getpid()))

    def stop(self) -> int:
        self._over.set()
        self._thread.join()
        return self.peak


def resident(ancestor: int) -> int:
    """Bytes of memory of all processes below one, without itself."""
    children: dict[int, list[int]] = {}
    pages: dict[int, int] = {}
    for process, parent, count in _processes():
        children.setdefault(parent, []).append(process)
        pages[process] = count
    total, waiting = 0, children.get(ancestor, [])
    while waiting:
        process = waiting.pop()
        total += pages[process]
        waiting.extend(children.get(process, []))
    return total * PAGE


def _processes() -> Iterator[tuple[int, int, int]]:
    """Number, parent and resident pages of every process there is."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):  # it has just ended
            stat = (folder / "stat").read_text(encoding="latin-1")
            fields = stat.rpartition(")")[2].split()  # the name before may hold anything
            yield int(folder.name), int(fields[1]), int(fields[21])


def _run(command: Sequence[str], limit: float) -> Cost:
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are deaf to it
    memory = Memory()
    begun = time.perf_counter()
    process = subprocess.Popen(command)
    cut = False
    try:
        status = process.wait(limit or None)
    except subprocess.TimeoutExpired:
        cut = True
        process.send_signal(signal.SIGINT)
        status = process.wait()
    with suppress(ChildProcessError):
        while True:
            os.wait()
    wall = time.perf_counter() - begun
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = max(memory.stop() / 1e6, used.ru_maxrss / 1e3)
    return Cost(wall, used.ru_utime, used.ru_stime, peak, used.ru_maxrss / 1e3, cut, status)


if __name__ == "__main__":
    report, seconds, _, *rest = sys.argv[1:]
    Path(report).write_text(json.dumps(asdict(_run(rest, float(seconds)))), encoding="utf-8")
