"""Commands pause, resume, stop, seeds."""

from __future__ import annotations

from gossamer.cli.hints import runnable
from gossamer.cli.options import Context, argument, open_engine
from gossamer.cli.output import clean

PAUSE_EXAMPLES = ("gossamer -C my-search pause",)


def pause(context: Context) -> None:
    """Pause the running crawl until `gossamer resume`.

    Open requests finish; no new request is sent. A crawl that is started during the pause also waits.
    """
    with open_engine(context) as engine:
        engine.steering.pause()
        running = engine.steering.is_running
    print("the crawl is paused" if running else "no crawl is running; the next crawl will wait", end="")
    print(runnable(" until: gossamer resume"))


# Command resume
# --------------

RESUME_EXAMPLES = ("gossamer -C my-search resume",)


def resume(context: Context) -> None:
    """Resume crawls after `gossamer pause`."""
    with open_engine(context) as engine:
        paused, running = engine.steering.is_paused, engine.steering.is_running
        engine.steering.resume()
    if not paused:
        print("nothing is paused")
    else:
        print("the crawl continues" if running else "crawls are no longer paused; none is running")


# Command seeds
# -------------

SEEDS_EXAMPLES = ("gossamer -C my-search seeds https://example.org/ example.com",)


def seeds(context: Context, urls: list[str] = argument("URL...", "URL to add to the crawl.")) -> None:
    """Add URLs to the running crawl, or to the next one.

    A running crawl takes them within seconds. If one URL is invalid, none is added.
    """
    with open_engine(context) as engine:
        added = engine.steering.add_seeds(urls)
        running = engine.steering.is_running
    for url in added:
        print(clean(url))
    print(f"added to the {'running' if running else 'next'} crawl")


# Command stop
# ------------

STOP_EXAMPLES = ("gossamer -C my-search stop",)


def stop(context: Context) -> None:
    """Stop the running crawl, as Ctrl-C does.

    Open requests finish and their pages are indexed. The next crawl continues from there.
    """
    with open_engine(context) as engine:
        engine.steering.stop()
    print("the crawl is stopping: open requests finish and are indexed")
