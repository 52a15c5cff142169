"""Worker process: extract each document sent to it.

The worker exits at the end of its input stream. So it also exits when the parent dies.
"""

from __future__ import annotations

import ctypes
import resource
import signal
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from gossamer.extract.settings import ExtractionRule
from gossamer.extract.workers.messages import Task, WorkerSetup, framed_page, received_value
from gossamer.model import FetchResult, GossamerError, Page, Url

M_TRIM_THRESHOLD = -1
M_MMAP_THRESHOLD = -3
SAMPLE = (
    b"<!doctype html><html lang=en><title>A page</title><meta name=description content='Of some words'>"
    b"<nav><a href=/>Home</a></nav><main><h1>A heading</h1><p>Some words that are long enough to be read"
    b" as the text of a page, with <a href='b?c=d'>a link</a> in them.</main><footer>The end</footer>"
)
GRACE = 2.0  # the parent kills a late worker; after this many time limits, the worker ends by itself


def read_page(
    read: Callable[[Any], FetchResult], task: Task, agent: str, rules: Sequence[ExtractionRule]
) -> Page:
    """Read a stored response and extract its page. If it cannot be read, the page has a problem."""
    from gossamer.extract.document import extract

    try:
        result = read(task.job)
    except (GossamerError, OSError) as error:
        return Page(Url.parsed(task.url), task.fetched_at, problem=f"unreadable-record {error}")
    return extract(result, agent, tuple(rules))


def serve(
    stream: BinaryIO,
    send: Callable[[bytes], None],
    setup: WorkerSetup,
    read: Callable[[Any], FetchResult],
) -> None:
    """Answer tasks until the stream ends."""
    _limit(setup.settings.memory_mb)
    while isinstance(task := received_value(stream), Task):
        # The alarm ends the process even inside native code. A worker without a parent must not run forever.
        signal.setitimer(signal.ITIMER_REAL, setup.settings.timeout * GRACE)
        page = read_page(read, task, setup.agent, setup.settings.rules)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        send(framed_page(page))


def warm_up(agent: str) -> None:
    """Load, and if necessary compile, the code for HTML, so that it does not count as time of a document."""
    from gossamer.extract.document import extract

    url = Url.parsed("http://warm.invalid/")
    extract(FetchResult(url, 0.0, status=200, headers=(("Content-Type", "text/html"),), body=SAMPLE), agent)


def _limit(memory_mb: int) -> None:
    """Limit the address space, and stop glibc from returning memory after every page, which is twice as slow.

    Memory of very large pages is still returned.
    """
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, 64 << 20)
        mallopt(M_MMAP_THRESHOLD, 8 << 20)
