"""The program `gossamer`: assembles the commands and turns what happens into an exit code."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer.main import get_command

from gossamer.cli import (
    check,
    crawl,
    demo,
    export,
    graph,
    import_,
    index,
    links,
    pause,
    rank,
    resume,
    search,
    seeds,
    serve,
    similar,
    sites,
    status,
    stop,
    suggest,
    tune,
)
from gossamer.cli import eval as eval_
from gossamer.cli.failures import STOPPED, USAGE, hang_up, report, stopped
from gossamer.cli.options import Directory
from gossamer.cli.plain_help import PlainCommand
from gossamer.cli.signals import Terminated, ending_well, is_an_end

COMMANDS: dict[str, tuple[Callable[..., None], Sequence[str]]] = {
    "crawl": (crawl.crawl, crawl.EXAMPLES),
    "pause": (pause.pause, pause.EXAMPLES),
    "resume": (resume.resume, resume.EXAMPLES),
    "stop": (stop.stop, stop.EXAMPLES),
    "seeds": (seeds.seeds, seeds.EXAMPLES),
    "index": (index.index, index.EXAMPLES),
    "rank": (rank.rank, rank.EXAMPLES),
    "links": (links.links, links.EXAMPLES),
    "search": (search.search, search.EXAMPLES),
    "suggest": (suggest.suggest, suggest.EXAMPLES),
    "similar": (similar.similar, similar.EXAMPLES),
    "sites": (sites.sites, sites.EXAMPLES),
    "serve": (serve.serve, serve.EXAMPLES),
    "status": (status.status, status.EXAMPLES),
    "export": (export.export, export.EXAMPLES),
    "import": (import_.import_, import_.EXAMPLES),
    "check": (check.check, check.EXAMPLES),
    "eval": (eval_.evaluate, eval_.EXAMPLES),
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


def _version(wanted: bool) -> None:
    if wanted:
        from gossamer import __version__

        print(f"gossamer {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
]


def gossamer(context: typer.Context, directory: Directory = Path(), version: Version = False) -> None:
    """A whole web search engine that one person can own: it crawls, indexes, ranks and answers."""
    context.obj = directory
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(USAGE)


def _epilog(examples: Sequence[str]) -> str:
    """The examples as they stand below a command's help; \\b keeps their lines apart."""
    return "\n".join(["\b", "Examples:", *(f"  {example}" for example in examples)])


def assemble() -> typer.Typer:
    """The program with all its commands. Plain help: the rich one takes twice as long to appear."""
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, epilog=_epilog(EXAMPLES))(gossamer)
    for name, (function, examples) in COMMANDS.items():
        app.command(name, cls=PlainCommand, epilog=_epilog(examples))(function)
    group = typer.Typer(rich_markup_mode=None)
    group.callback(invoke_without_command=True, epilog=_epilog(graph.EXAMPLES))(graph.graph)
    for name, (function, examples) in GRAPH_COMMANDS.items():
        group.command(name, cls=PlainCommand, epilog=_epilog(examples))(function)
    app.add_typer(group, name="graph")
    return app


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line; its exit code. Nothing but a reader that hung up leaves it as an exception."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a stray surrogate must not end a listing
    try:
        code = get_command(assemble()).main(arguments, prog_name="gossamer", standalone_mode=False)
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
    return stopped() if code == STOPPED else int(code or 0)


def main() -> None:
    """The entry point."""
    with ending_well() as asked:
        code = run()
    sys.exit(128 + asked[0] if asked and code == STOPPED else code)
