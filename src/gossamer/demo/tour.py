"""Crawl, index and rank the demo.

Some of its hosts are endless: a calendar of all months, a maze of session ids. Every honest page is at most
four links away from a seed; five links reach a bit into the traps, and the limit of pages is never met.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.demo.bundled_web import PORT, SEEDS, demo_web
from gossamer.demo.loopback_server import ADDRESS, LoopbackServer
from gossamer.model import GossamerError, ResultPage

if TYPE_CHECKING:
    from gossamer import Engine
    from gossamer.model.progress import CrawlProgress, Observer

DEPTH = 5
MAX_PAGES = 600
QUERIES = ("jaguar", "jaguar -car", "κουζίνα")
SHOWN = 3  # results of each
PORTS_TRIED = 100
Say = Callable[[str], None]


@contextmanager
def serving(say: Say) -> Iterator[LoopbackServer]:
    """The bundled web on its own port, or on a free one when somebody else has it."""
    server = LoopbackServer(demo_web(), PORT)
    try:
        server.start()
    except OSError:
        server = LoopbackServer(server.web, 0)
        server.start()
        say(f"port {PORT} is in use, so the demo web answers at port {server.port}")
        say("links in results will not open")
    try:
        yield server
    finally:
        server.stop()


def open_demo(folder: Path, port: int) -> Engine:
    """An engine on the demo's collection, set up to find the demo web at that port."""
    from gossamer import Engine

    return Engine.open(folder, create=True, settings=settings(port))


def prepare(engine: Engine, say: Say, observer: Observer[CrawlProgress] | None = None) -> None:
    """Crawls, indexes and ranks the demo web; what an earlier run finished is used again."""
    state = engine.status()
    if state.documents and state.ranked and not state.queued:
        say(f"using {engine.directory} again: {state.documents:,} pages")
        return
    say("crawling the demo web ...")
    progress = engine.crawl(SEEDS, observer=observer)
    if progress.stopping:
        raise KeyboardInterrupt
    if not engine.status().documents:
        why = "; ".join(f"{seed}: {what}" for seed, what in progress.seed_errors.items())
        raise GossamerError(f"nothing of the demo web could be fetched ({why or 'no page came'})")
    done = engine.rank()
    say(
        f"fetched {progress.pages:,} pages in {progress.seconds:.1f} s; ranked {done.pages:,} pages "
        f"by {done.links:,} links"
    )


def settings(port: int) -> dict[str, dict[str, Any]]:
    """How the demo web is crawled: on loopback, without pauses, not too far into the traps."""
    return {
        "crawl": {"max_pages": MAX_PAGES, "depth": DEPTH},
        "frontier": {"delay": 0.0},
        "fetch": {"allow_private": True, "host_overrides": [f"*.localhost={ADDRESS}:{port}"]},
    }


def searches(engine: Engine) -> Iterator[ResultPage]:
    """The three searches that are shown."""
    for query in QUERIES:
        yield engine.search(query, SHOWN)


def free_port(host: str, first: int) -> int:
    """The first port from there on that nobody listens on; 0, for any, when all are taken."""
    for port in range(first, first + PORTS_TRIED):
        try:
            with socket.create_server((host, port)):
                return port
        except OSError:
            continue
    return 0
