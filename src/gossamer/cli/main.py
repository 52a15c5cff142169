"""Assemble commands; run; exit."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from gossamer.cli.exit_codes import (
    STOPPED,
    USAGE,
    Terminated,
    ending_well,
    hang_up,
    is_an_end,
    report,
    show_warnings_plainly,
    stopped,
)
from gossamer.cli.hints import remember_folder
from gossamer.cli.options import DIRECTORY, Command, Context, Exit, option, parts_of


class Entry(NamedTuple):
    """The location of a command, and the first line of its help, which the list of commands shows."""

    place: str  # module and function; the module is imported when the command is needed
    summary: str


COMMANDS = {
    "crawl": Entry("crawl.crawl", "Fetch pages from the web and make them searchable."),
    "pause": Entry("crawl_control.pause", "Pause the running crawl until `gossamer resume`."),
    "resume": Entry("crawl_control.resume", "Resume crawls after `gossamer pause`."),
    "stop": Entry("crawl_control.stop", "Stop the running crawl, as Ctrl-C does."),
    "seeds": Entry("crawl_control.seeds", "Add URLs to the running crawl, or to the next one."),
    "index": Entry("collection.index", "Make fetched pages searchable."),
    "rank": Entry("rank.rank", "Rank pages by their links."),
    "links": Entry("rank.links", "Show the links of a page and explain its ranks."),
    "search": Entry("search.search", "Find the best pages for a query."),
    "suggest": Entry("search.suggest", "Suggest queries that begin with the given text."),
    "similar": Entry("search.similar", "Find pages with similar content."),
    "sites": Entry("sites.sites", "Show, block or boost sites."),
    "serve": Entry("serve.serve", "Serve the search page, the JSON API and the owner's pages."),
    "status": Entry("status.status", "Show the state of the collection."),
    "export": Entry("collection.export", "Export all pages to one file, or to one file per page."),
    "import": Entry("collection.import_", "Import pages from WARC or JSON-lines files."),
    "check": Entry("collection.check", "Verify every file of the collection."),
    "eval": Entry("evaluate.evaluate", "Measure ranking quality on judged queries."),
    "tune": Entry("tune.tune", "Tune the ranking settings on judged queries."),
    "demo": Entry("demo.demo", "Crawl and search the demo web that comes with Gossamer."),
    "graph": Entry("graph.graph", "Analyse the structure of the link graph."),
    "warm-up": Entry("warm_up.warm_up", "Compile the kernels now, so that no later command has to."),
}
BELOW = {  # the commands below a command
    "graph": {
        "report": Entry("graph.report", "Report on the structure of the link graph."),
        "farm": Entry("graph.farm", "Compute the gain of a spam farm, by formula and by simulation."),
    },
}
EXAMPLES = (
    "gossamer demo",
    "gossamer -C my-search crawl https://example.org/ --max-pages 500",
    "gossamer -C my-search search 'jaguar -car'",
)


def _version(context: Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from gossamer import __version__

        print(f"gossamer {__version__}")
        raise Exit


def gossamer(
    context: Context,
    directory: Path = DIRECTORY,
    version: bool = option("--version", "Print the version and exit.", callback=_version, is_eager=True),
) -> None:
    """Run your own web search engine: crawl, index, rank and search."""
    context.obj = directory
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise Exit(USAGE)


def assemble() -> Group:
    """Make the program; its commands are made when they are needed."""
    return Group(COMMANDS, name="gossamer", **parts_of(gossamer, EXAMPLES))


class Group(click.Group):
    """A command with commands below it, each imported when it is needed."""

    def __init__(self, entries: Mapping[str, Entry], **others: Any) -> None:
        super().__init__(invoke_without_command=True, subcommand_metavar="COMMAND [ARGS]...", **others)
        self.entries = entries

    def list_commands(self, ctx: Context | None) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: Context | None, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in self.entries:
            self.commands[cmd_name] = _command(cmd_name, self.entries[cmd_name])
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.entries.items()])


def _command(name: str, entry: Entry) -> click.Command:
    parts = parts_of(*load(entry))
    return Group(BELOW[name], name=name, **parts) if name in BELOW else Command(name, **parts)


def load(entry: Entry) -> tuple[Callable[..., None], Sequence[str]]:
    """Import the function of a command, and its examples, such as `pause` and `PAUSE_EXAMPLES`."""
    place, _, name = entry.place.rpartition(".")
    module = import_module(f"gossamer.cli.{place}")
    return getattr(module, name), getattr(module, f"{name.strip('_').upper()}_EXAMPLES")


def _invoke(arguments: list[str]) -> int:
    """Run a command; return its exit code. Unlike click's own `main`, leave Ctrl-C to the caller."""
    program = assemble()
    try:
        with program.make_context(str(program.name), arguments) as context:
            program.invoke(context)
    except Exit as end:
        return end.exit_code
    return 0


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; return its exit code. Errors are reported, not raised."""
    remember_folder(Path())
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a stray surrogate must not end a listing
    show_warnings_plainly()
    try:
        code = _invoke(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        return hang_up()
    except Terminated as asked:
        return stopped(asked.exit_code)
    except Exception as error:
        return report(error)
    except BaseException as error:
        if is_an_end(error):
            return stopped()
        raise
    return stopped() if code == STOPPED else code


def main() -> None:
    """The entry point."""
    # NumPy starts a thread per core for products of matrices. Gossamer has none that are large, and
    # starting the threads takes 40 to 90 ms of processor time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with ending_well() as asked:
        code = run()
    sys.exit(128 + asked[0] if asked and code == STOPPED else code)
