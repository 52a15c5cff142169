"""`gossamer seeds`: gives URLs to the running crawl, or to the next."""

from __future__ import annotations

from typing import Annotated

import typer

from gossamer.cli.options import open_engine
from gossamer.cli.show import clean

EXAMPLES = ("gossamer -C my-search seeds https://example.org/ example.com",)

Urls = Annotated[list[str], typer.Argument(metavar="URL...", help="Where to begin, too.")]


def seeds(context: typer.Context, urls: Urls) -> None:
    """Gives URLs to the running crawl, or to the next.

    A running crawl takes them up within seconds. One that is no web address keeps all of them out.
    """
    with open_engine(context) as engine:
        understood = engine.steering.add_seeds(urls)
        running = engine.steering.is_running
    for url in understood:
        print(clean(url))
    print(f"left for the {'running' if running else 'next'} crawl")
