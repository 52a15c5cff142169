"""`gossamer stop`: ends the running crawl well."""

from __future__ import annotations

import typer

from gossamer.cli.options import open_engine

EXAMPLES = ("gossamer -C my-search stop",)


def stop(context: typer.Context) -> None:
    """Ends the running crawl well, as Ctrl-C does.

    What is in flight arrives and is indexed; the next crawl goes on from there.
    """
    with open_engine(context) as engine:
        engine.steering.stop()
    print("the crawl ends: what is in flight arrives, and is indexed")
