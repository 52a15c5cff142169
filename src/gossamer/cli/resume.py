"""`gossamer resume`: lets crawls go on."""

from __future__ import annotations

import typer

from gossamer.cli.options import open_engine

EXAMPLES = ("gossamer -C my-search resume",)


def resume(context: typer.Context) -> None:
    """Lets a crawl go on that rests after `gossamer pause`."""
    with open_engine(context) as engine:
        rested, running = engine.steering.is_paused, engine.steering.is_running
        engine.steering.resume()
    if not rested:
        print("nothing rests")
    else:
        print("the crawl goes on" if running else "crawls do not rest any more; none is running")
