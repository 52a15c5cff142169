"""`gossamer pause`: lets the running crawl rest."""

from __future__ import annotations

import typer

from gossamer.cli.options import open_engine

EXAMPLES = ("gossamer -C my-search pause",)


def pause(context: typer.Context) -> None:
    """Lets the running crawl rest until `gossamer resume`.

    Nothing new is asked for; what is in flight arrives. A crawl that begins meanwhile rests, too.
    """
    with open_engine(context) as engine:
        engine.steering.pause()
        running = engine.steering.is_running
    print("the crawl rests" if running else "no crawl is running; the next one rests", end="")
    print(" until: gossamer resume")
