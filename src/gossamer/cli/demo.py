"""Command demo."""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.cli.exit_codes import ending_well
from gossamer.cli.options import option
from gossamer.cli.output import print_results
from gossamer.cli.progress import compile_kernels, crawl_watch
from gossamer.cli.serve import PORT, announce

if TYPE_CHECKING:
    from gossamer import Engine

DEMO_EXAMPLES = ("gossamer demo", "gossamer demo --once", "gossamer demo --dir demo-collection --port 8000")
HOST = "127.0.0.1"


def demo(
    once: bool = option("--once", "Print three searches and exit, without serving."),
    port: int | None = option(
        "--port P", f"Port of the search page. Default: {PORT}, or the next free port.", min=0, max=65_535
    ),
    folder: Path | None = option(
        "--dir DIR", "Keep the collection in this folder and reuse it. Default: a temporary folder."
    ),
) -> None:
    """Crawl and search the demo web that comes with Gossamer.

    Crawls, indexes and ranks the demo web, then serves the search page. The hosts of the demo web are served
    on the loopback address; nothing leaves this machine.
    """
    if port is not None and not once:
        _check(port)
    from gossamer.demo.tour import open_demo, prepare, searches, serving

    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gossamer-demo-")))
        server = stack.enter_context(serving(_say))
        engine = stack.enter_context(open_demo(place, server.port))
        compile_kernels(["crawl", "search"])
        with crawl_watch(quiet=False) as observer:
            prepare(engine, _say, observer)
        stack.enter_context(ending_well())  # the crawl had signal handlers of its own
        engine.warm_up()
        if once:
            for page in searches(engine):
                print(f"search: {page.query}\n")
                print_results(page)
                print()
        else:
            _serve(engine, port)


def _serve(engine: Engine, port: int | None) -> None:
    from gossamer.demo.tour import free_port
    from gossamer.serve.server import run

    run(engine, HOST, free_port(HOST, PORT) if port is None else port, announce)


def _check(port: int) -> None:
    """Raise an error before the crawl if the port is in use."""
    from gossamer.serve.server import bind

    bind(HOST, port).close()


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
