"""Make click commands of annotated functions; options that many commands share; open the engine.

A command is a function whose parameters are annotated with `option` and `argument`. `command_of` makes a
click command of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

import click
from click import Context
from click.exceptions import Exit

from gossamer.cli.hints import remember_folder
from gossamer.model import UsageError

if TYPE_CHECKING:
    from gossamer import Engine

__all__ = ["AsJson", "Context", "Directory", "Exit", "Quiet", "argument", "command_of", "directory", "option"]

Settings = dict[str, dict[str, Any]]


# Commands from functions
# -----------------------


@dataclass(frozen=True, slots=True)
class Parameter:
    """The annotation of a parameter of a command."""

    usage: str  # the name, and the value if an option has one: "-k N"
    about: str
    is_option: bool
    min: Any = None
    max: Any = None
    others: dict[str, Any] = field(default_factory=dict)  # further parameters of click


def option(usage: str, about: str, **others: Any) -> Any:
    """Describe an option of a command. `usage` is its name, and its value if it has one: "-k N"."""
    return Parameter(usage, about, True, others.pop("min", None), others.pop("max", None), others)


def argument(name: str, about: str, **others: Any) -> Any:
    """Describe an argument of a command."""
    return Parameter(name, about, False, others=others)


class Argument(click.Argument):
    """An argument with a help text."""

    def __init__(self, *declared: Any, help: str, **others: Any) -> None:
        super().__init__(*declared, **others)
        self.help = help


class Command(click.Command):
    """A command whose usage reads `gossamer search [OPTIONS] QUERY...` and whose help lists its arguments."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        return ["[OPTIONS]", *(_usage(argument) for argument in self._arguments())]

    def format_arguments(self, ctx: Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: `format_options` writes the arguments above the options."""

    def format_options(self, ctx: Context, formatter: click.HelpFormatter) -> None:
        arguments = [(_name(one), one.help or "") for one in self._arguments()]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        options = [one.get_help_record(ctx) for one in self.get_params(ctx) if isinstance(one, click.Option)]
        with formatter.section("Options"):
            formatter.write_dl([record for record in options if record])

    def _arguments(self) -> list[Argument]:
        return [one for one in self.params if isinstance(one, Argument)]


def _name(argument: Argument) -> str:
    """Return the name of an argument; `QUERY...` if several values are possible."""
    name = str(argument.metavar or argument.name).removesuffix("...")
    return name if argument.nargs == 1 else f"{name}..."


def _usage(argument: Argument) -> str:
    name = _name(argument)
    return name if argument.required else f"[{name}]"


def command_of(function: Callable[..., None], name: str, examples: Sequence[str]) -> Command:
    """Make a command of a function. Its help is the docstring and the examples."""
    return Command(name, **parts_of(function, examples))


def parts_of(function: Callable[..., None], examples: Sequence[str]) -> dict[str, Any]:
    """Return the parts of a command: callback, parameters, help and epilog."""
    taken = dict(inspect.signature(function, eval_str=True).parameters)
    wants_context = taken.pop("context", None) is not None
    return {
        "callback": click.pass_context(function) if wants_context else function,
        "params": [_parameter(one) for one in taken.values()],
        "help": inspect.cleandoc(function.__doc__ or ""),
        # \b stops click from joining the lines.
        "epilog": "\n".join(["\b", "Examples:", *(f"  {example}" for example in examples)]),
        "context_settings": {"help_option_names": ["-h", "--help"]},
    }


def _parameter(one: inspect.Parameter) -> click.Parameter:
    """Make an option or an argument of an annotated parameter of a function."""
    kind, described = get_args(one.annotation)[:2]
    kind, many = _kind_of(kind)
    is_required = one.default is inspect.Parameter.empty
    default = None if is_required or (many and not one.default) else one.default
    about: dict[str, Any] = {"help": described.about, "required": is_required, **described.others}
    if default is not None:  # click would treat None as a default value
        about["default"] = default
    if many:
        about["callback"] = partial(_as_list, nothing=None if is_required else one.default)
    name, _, value = described.usage.partition(" ")
    if not described.is_option:
        return Argument(
            [one.name],
            metavar=name,
            type=_typed(kind, described),
            nargs=-1 if many else 1,
            **about,
        )
    about.setdefault("show_default", default is not None and default is not False and default != "")
    if kind is bool:
        return click.Option([name, one.name], is_flag=True, **about)
    return click.Option(
        [name, one.name],
        metavar=value or None,
        type=_typed(kind, described),
        multiple=many,
        **about,
    )


def _as_list(context: Context, parameter: click.Parameter, value: tuple[Any, ...], nothing: Any) -> Any:
    """Return the values as a list, or the default of the command if there are none."""
    return list(value) if value else nothing


def _kind_of(annotation: Any) -> tuple[Any, bool]:
    """Return the type of a value, and whether several are possible: (str, True) for `list[str] | None`."""
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(one for one in get_args(annotation) if one is not NoneType)
    if get_origin(annotation) is list:
        return get_args(annotation)[0], True
    return annotation, False


def _typed(kind: Any, described: Parameter) -> click.ParamType[Any]:
    """Return the click type that parses a value."""
    if kind is Path:
        return click.Path(path_type=Path)
    if described.min is not None or described.max is not None:
        in_range = click.IntRange if kind is int else click.FloatRange
        return in_range(described.min, described.max)
    found: click.ParamType[Any] = click.types.convert_type(kind)
    return found


# Shared by many commands
# -----------------------

Directory = Annotated[
    Path, option("-C DIR", "The folder of the collection.", show_default="the current folder")
]
AsJson = Annotated[bool, option("--json", "Print one JSON document on standard output and nothing else.")]
Quiet = Annotated[bool, option("--quiet", "Do not show progress.")]


def directory(context: Context) -> Path:
    """Return the folder of -C. It may not exist yet."""
    folder = context.obj
    assert isinstance(folder, Path), "the callback `gossamer` in main.py sets it"
    remember_folder(folder)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name the folder of a collection with -C")
    return folder


def open_engine(
    context: Context, *, create: bool = False, partitions: int = 1, settings: Settings | None = None
) -> Engine:
    """Open the collection of -C."""
    from gossamer import Engine

    return Engine.open(directory(context), create=create, partitions=partitions, settings=settings)


def is_collection(folder: Path) -> bool:
    """Return whether the folder holds a collection."""
    return (folder / "collection.json").exists()
