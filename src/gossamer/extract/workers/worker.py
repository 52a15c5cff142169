"""Worker process: extract each document sent to it.

The end of the stream ends the process: when the parent dies, so does the worker.
"""

from __future__ import annotations

import ctypes
import pickle
import resource
import signal
from collections.abc import Callable
from typing import Any, BinaryIO

from gossamer.extract.settings import ExtractionRule
from gossamer.extract.workers.messages import HEADER, Task, WorkerSetup, framed_page
from gossamer.model import FetchResult, GossamerError, Page, Url

M_TRIM_THRESHOLD = -1
M_MMAP_THRESHOLD = -3
SAMPLE = (
    b"<!doctype html><html lang=en><title>A page</title><meta name=description content='Of some words'>"
    b"<nav><a href=/>Home</a></nav><main><h1>A heading</h1><p>Some words that are long enough to be read"
    b" as the text of a page, with <a href='b?c=d'>a link</a> in them.</main><footer>The end</footer>"
)
GRACE = 2.0  # the parent kills a late worker; this many times its limit later the worker ends itself


def read_page(
    read: Callable[[Any], FetchResult], task: Task, agent: str, rules: tuple[ExtractionRule, ...] = ()
) -> Page:
    """Reads the stored response and extracts it; a damaged store is told as the page's problem."""
    from gossamer.extract.document import extract

    try:
        result = read(task.job)
    except (GossamerError, OSError) as error:
        return Page(Url.parsed(task.url), task.fetched_at, problem=f"unreadable-record {error}")
    return extract(result, agent, rules)


def serve(
    stream: BinaryIO,
    send: Callable[[bytes], None],
    setup: WorkerSetup,
    read: Callable[[Any], FetchResult],
) -> None:
    """Answers tasks until the stream ends."""
    _limit(setup.memory_mb)
    while isinstance(task := _receive(stream), Task):
        # not to be caught, not even by native code: a worker without a parent must not run for ever
        signal.setitimer(signal.ITIMER_REAL, setup.timeout * GRACE)
        page = read_page(read, task, setup.agent, setup.rules)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        send(framed_page(page))


def _receive(stream: BinaryIO) -> object:
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    payload = stream.read(length)
    return pickle.loads(payload) if len(payload) == length else None


def warm_up(agent: str) -> None:
    """Loads all that reading takes, and compiles it the first time: no document shall be late for that."""
    from gossamer.extract.document import extract

    url = Url.parsed("http://warm.invalid/")
    extract(FetchResult(url, 0.0, status=200, headers=(("Content-Type", "text/html"),), body=SAMPLE), agent)


def _limit(memory_mb: int) -> None:
    """Caps the address space, and keeps glibc from giving memory back after every page (twice as slow).

    What huge pages took is given back.
    """
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, 64 << 20)
        mallopt(M_MMAP_THRESHOLD, 8 << 20)
