"""Assemble commands; run; exit."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

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
    stopped,
)
from gossamer.cli.hints import remember_folder
from gossamer.cli.options import Directory, option

# Readable help texts
# -------------------


class PlainCommand(TyperCommand):
    """A command whose usage reads `gossamer search [OPTIONS] QUERY...`."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["[OPTIONS]", *(_usage(argument) for argument in self._named("argument"))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        arguments = [(_name(one), one.help or "") for one in self._named("argument")]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        options = [
            one.get_help_record(ctx) for one in self.get_params(ctx) if one.param_type_name == "option"
        ]
        with formatter.section("Options"):
            formatter.write_dl([record for record in options if record])

    def _named(self, kind: str) -> list[Any]:
        return [one for one in self.params if one.param_type_name == kind]


def _name(argument: Any) -> str:
    """`QUERY...` where several may be given."""
    name = str(argument.metavar or argument.name).removesuffix("...")
    return name if argument.nargs == 1 else f"{name}..."


def _usage(argument: Any) -> str:
    name = _name(argument)
    return name if argument.required else f"[{name}]"


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


def _version(wanted: bool) -> None:
    if wanted:
        from gossamer import __version__

        print(f"gossamer {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, option("--version", "Print the version and exit.", callback=_version, is_eager=True)
]


def gossamer(context: typer.Context, directory: Directory = Path(), version: Version = False) -> None:
    """Run your own web search engine: crawl, index, rank and search."""
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
    remember_folder(Path())
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
