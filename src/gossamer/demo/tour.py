"""Crawl, index and rank the demo web.

Two of its hosts are endless: a calendar, and a site with session ids. All honest pages are at most four links
from a seed. A depth of five enters the traps, but the crawl ends before it reaches MAX_PAGES.
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
SHOWN = 3  # results of each query
PORTS_TRIED = 100
Say = Callable[[str], None]


@contextmanager
def serving(say: Say) -> Iterator[LoopbackServer]:
    """Serve the demo web on its own port, or on a free port if that is in use."""
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
    """Open the demo's collection, with settings that find the demo web at this port."""
    from gossamer import Engine

    return Engine.open(folder, create=True, settings=settings(port))


def prepare(engine: Engine, say: Say, observer: Observer[CrawlProgress] | None = None) -> None:
    """Crawl, index and rank the demo web. A collection that an earlier run completed is reused."""
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
        raise GossamerError(f"no page of the demo web could be fetched ({why or 'no seed failed'})")
    done = engine.rank()
    say(
        f"fetched {progress.pages:,} pages in {progress.seconds:.1f} s; ranked {done.pages:,} pages "
        f"by {done.links:,} links"
    )


def settings(port: int) -> dict[str, dict[str, Any]]:
    """Return the settings of the crawl: on loopback, without delays, with limits for the traps."""
    return {
        "crawl": {"max_pages": MAX_PAGES, "depth": DEPTH},
        "frontier": {"delay": 0.0},
        "fetch": {"allow_private": True, "host_overrides": [f"*.localhost={ADDRESS}:{port}"]},
    }


def searches(engine: Engine) -> Iterator[ResultPage]:
    """Run the three example searches."""
    for query in QUERIES:
        yield engine.search(query, SHOWN)


def free_port(host: str, first: int) -> int:
    """Return the first free port from `first` on, or 0 (any free port) if a hundred ports are in use."""
    for port in range(first, first + PORTS_TRIED):
        try:
            with socket.create_server((host, port)):
                return port
        except OSError:
            continue
    return 0
