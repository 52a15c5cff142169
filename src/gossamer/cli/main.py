"""Assemble commands; run; exit."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import click

from gossamer.cli import (
    collection,
    crawl,
    crawl_control,
    demo,
    evaluate,
    graph,
    rank,
    search,
    serve,
    sites,
    status,
    tune,
)
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
from gossamer.cli.options import Context, Directory, Exit, command_of, option, parts_of

COMMANDS: dict[str, tuple[Callable[..., None], Sequence[str]]] = {
    "crawl": (crawl.crawl, crawl.EXAMPLES),
    "pause": (crawl_control.pause, crawl_control.PAUSE_EXAMPLES),
    "resume": (crawl_control.resume, crawl_control.RESUME_EXAMPLES),
    "stop": (crawl_control.stop, crawl_control.STOP_EXAMPLES),
    "seeds": (crawl_control.seeds, crawl_control.SEEDS_EXAMPLES),
    "index": (collection.index, collection.INDEX_EXAMPLES),
    "rank": (rank.rank, rank.RANK_EXAMPLES),
    "links": (rank.links, rank.LINKS_EXAMPLES),
    "search": (search.search, search.SEARCH_EXAMPLES),
    "suggest": (search.suggest, search.SUGGEST_EXAMPLES),
    "similar": (search.similar, search.SIMILAR_EXAMPLES),
    "sites": (sites.sites, sites.EXAMPLES),
    "serve": (serve.serve, serve.EXAMPLES),
    "status": (status.status, status.EXAMPLES),
    "export": (collection.export, collection.EXPORT_EXAMPLES),
    "import": (collection.import_, collection.IMPORT_EXAMPLES),
    "check": (collection.check, collection.CHECK_EXAMPLES),
    "eval": (evaluate.evaluate, evaluate.EXAMPLES),
    "tune": (tune.tune, tune.EXAMPLES),
    "demo": (demo.demo, demo.EXAMPLES),
}
GRAPH_COMMANDS: dict[str, tuple[Callable[..., None], Sequence[str]]] = {
    "report": (graph.report, graph.REPORT_EXAMPLES),
    "farm": (graph.farm, graph.FARM_EXAMPLES),
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


Version = Annotated[
    bool, option("--version", "Print the version and exit.", callback=_version, is_eager=True)
]


def gossamer(context: Context, directory: Directory = Path(), version: Version = False) -> None:
    """Run your own web search engine: crawl, index, rank and search."""
    context.obj = directory
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise Exit(USAGE)


def assemble() -> click.Group:
    """Make the program with all its commands."""
    program = _group("gossamer", gossamer, EXAMPLES, COMMANDS)
    program.add_command(_group("graph", graph.graph, graph.EXAMPLES, GRAPH_COMMANDS))
    return program


class Group(click.Group):
    """A command that lists those below it in their order, not by the alphabet."""

    def list_commands(self, ctx: Context) -> list[str]:
        return list(self.commands)


def _group(
    name: str,
    function: Callable[..., None],
    examples: Sequence[str],
    commands: Mapping[str, tuple[Callable[..., None], Sequence[str]]],
) -> click.Group:
    """Make a command that has commands below it; without one of them, the function is called alone."""
    parts = parts_of(function, examples)
    group = Group(name, invoke_without_command=True, subcommand_metavar="COMMAND [ARGS]...", **parts)
    for own, (below, shown) in commands.items():
        group.add_command(command_of(below, own, shown))
    return group


def _invoke(arguments: list[str]) -> int:
    """Run a command; its exit code. Unlike click's own `main`, leave Ctrl-C to the caller."""
    program = assemble()
    try:
        with program.make_context(str(program.name), arguments) as context:
            program.invoke(context)
    except Exit as end:
        return end.exit_code
    return 0


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line; its exit code. Nothing but a reader that hung up leaves it as an exception."""
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
    with ending_well() as asked:
        code = run()
    sys.exit(128 + asked[0] if asked and code == STOPPED else code)
