"""Command serve."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

from gossamer.cli.options import Context, open_engine, option
from gossamer.cli.progress import compile_kernels
from gossamer.cli.search import warn_of_languages
from gossamer.model import BadSetting, GossamerError

if TYPE_CHECKING:
    from gossamer.engine import Engine

SERVE_EXAMPLES = ("gossamer -C my-search serve", "gossamer -C my-search serve --host 0.0.0.0 --port 8000")
PORT = 8080
# Thresholds of the garbage collector. With Python's defaults a page of results takes 2 to 3% longer.
YOUNG = 5_000  # new objects before the youngest generation is collected
SELDOM = 100  # collections of the middle generation before a full collection, which stops all threads


def serve(
    context: Context,
    host: str = option("--host H", "IP address or host name to listen on.", "127.0.0.1"),
    port: int = option("--port P", "Port to listen on. 0 means any free port.", PORT, min=0, max=65_535),
) -> None:
    """Serve the search page, the JSON API and the owner's pages.

    Runs until Ctrl-C. A crawl in another process may run at the same time. Its pages become searchable
    without a restart. The token to log in as the owner is in the file owner/token of the collection.
    """
    with open_engine(context) as engine:
        from gossamer.config import NAME
        from gossamer.serve.asgi import served
        from gossamer.serve.owner_pages.base import owned
        from gossamer.serve.server import run

        warn_of_languages(engine)
        compile_kernels(["search"])
        engine.warm_up()
        freeze_objects()
        Thread(target=settle, args=(engine,), name="settle", daemon=True).start()
        answering, settings = served(engine)
        own = owned(engine)

        def ready(address: str) -> None:
            announce(address)
            if settings.owner:
                print(
                    f"owner's pages at {address}owner; the token to log in is in {own.token.path}", flush=True
                )

        try:
            run(answering, host, port, ready, settings, own)
        except BadSetting as error:
            raise BadSetting(f"{engine.directory / NAME}: {error}") from None


def freeze_objects() -> None:
    """Exclude all present objects from garbage collection, because they stay in memory."""
    import gc

    gc.collect()
    gc.freeze()
    _, middle, _ = gc.get_threshold()
    gc.set_threshold(YOUNG, middle, SELDOM)


def settle(engine: Engine) -> None:
    """Collect suggestions, then keep what is in memory: out of garbage collection, in large pages.

    At this time the process has loaded nearly everything that it will need.
    """
    from gossamer.serve.server import use_large_pages

    with suppress(GossamerError):  # the first request for suggestions shows the error
        engine.suggest("")
        freeze_objects()
        use_large_pages()


def announce(address: str) -> None:
    """Print the address of the search page."""
    print(f"searching at {address} (stop with Ctrl-C)", flush=True)
