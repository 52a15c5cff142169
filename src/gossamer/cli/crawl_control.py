"""Commands pause, resume, stop, seeds."""

from __future__ import annotations

from typing import Annotated

import typer

from gossamer.cli.hints import runnable
from gossamer.cli.options import argument, open_engine
from gossamer.cli.output import clean

PAUSE_EXAMPLES = ("gossamer -C my-search pause",)


def pause(context: typer.Context) -> None:
    """Lets the running crawl rest until `gossamer resume`.

    Nothing new is asked for; what is in flight arrives. A crawl that begins meanwhile rests, too.
    """
    with open_engine(context) as engine:
        engine.steering.pause()
        running = engine.steering.is_running
    print("the crawl rests" if running else "no crawl is running; the next one rests", end="")
    print(runnable(" until: gossamer resume"))


# Command resume
# --------------

RESUME_EXAMPLES = ("gossamer -C my-search resume",)


def resume(context: typer.Context) -> None:
    """Lets a crawl go on that rests after `gossamer pause`."""
    with open_engine(context) as engine:
        rested, running = engine.steering.is_paused, engine.steering.is_running
        engine.steering.resume()
    if not rested:
        print("nothing rests")
    else:
        print("the crawl goes on" if running else "crawls do not rest any more; none is running")


# Command seeds
# -------------

SEEDS_EXAMPLES = ("gossamer -C my-search seeds https://example.org/ example.com",)
Urls = Annotated[list[str], argument("URL...", "Where to begin, too.")]


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


# Command stop
# ------------

STOP_EXAMPLES = ("gossamer -C my-search stop",)


def stop(context: typer.Context) -> None:
    """Ends the running crawl well, as Ctrl-C does.

    What is in flight arrives and is indexed; the next crawl goes on from there.
    """
    with open_engine(context) as engine:
        engine.steering.stop()
    print("the crawl ends: what is in flight arrives, and is indexed")
