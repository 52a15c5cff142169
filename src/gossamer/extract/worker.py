"""The process that reads documents: `python -m gossamer.extract.worker`, started by `workers.ExtractionPool`.

Standard input is a socket. First comes an `Assignment`, answered by "" or by what is wrong with it; then
each `Task` is answered by a Page. The end of the stream ends the process: when the parent dies, so does
the worker.
"""

from __future__ import annotations

import ctypes
import pickle
import resource
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from gossamer.extract.messages import HEADER, Assignment, Task, framed
from gossamer.model import FetchResult, GossamerError, Page

M_TRIM_THRESHOLD = -1
M_MMAP_THRESHOLD = -3
GRACE = 2.0  # the parent kills a late worker; this many times its limit later the worker ends itself


def read_page(read: Callable[[Any], FetchResult], task: Task, agent: str) -> Page:
    """Reads the stored response and extracts it; a damaged store is told as the page's problem."""
    from gossamer.extract.document import extract

    try:
        result = read(task.job)
    except (GossamerError, OSError) as error:
        return Page(task.url, task.fetched_at, problem=f"unreadable-record {error}")
    return extract(result, agent)


def serve(stream: BinaryIO, send: Callable[[bytes], None]) -> None:
    """Answers until the stream ends."""
    assignment = _receive(stream)
    if not isinstance(assignment, Assignment):
        return
    try:
        sys.path[:] = assignment.path
        read: Callable[[Any], FetchResult] = pickle.loads(assignment.read)
    except Exception as error:  # told to the parent, which raises it
        send(framed(f"{type(error).__name__}: {error}"))
        return
    _limit(assignment.memory_mb)
    send(framed(""))
    while isinstance(task := _receive(stream), Task):
        # not to be caught, not even by native code: a worker without a parent must not run for ever
        signal.setitimer(signal.ITIMER_REAL, assignment.timeout * GRACE)
        page = read_page(read, task, assignment.agent)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        send(framed(page))


def _receive(stream: BinaryIO) -> object:
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    payload = stream.read(length)
    return pickle.loads(payload) if len(payload) == length else None


def _limit(memory_mb: int) -> None:
    """Caps the address space, and keeps glibc from giving memory back after every page (twice as slow)."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, 256 << 20)
        mallopt(M_MMAP_THRESHOLD, 32 << 20)


def main() -> None:
    """Serves the socket that is standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = socket.socket(fileno=0)
    try:
        with connection, connection.makefile("rb") as stream:
            serve(stream, connection.sendall)
    except (BrokenPipeError, ConnectionResetError):
        return  # the parent is gone


if __name__ == "__main__":
    main()
