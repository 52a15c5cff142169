"""Make click commands of functions; options that many commands share; open the engine.

The parameters of a command have an `option` or an `argument` as their default value. `parts_of` returns the
parts of the click command.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import click
from click import Context
from click.exceptions import Exit

from gossamer.cli.hints import remember_folder
from gossamer.model import UsageError

if TYPE_CHECKING:
    from gossamer import Engine

__all__ = ["AS_JSON", "DIRECTORY", "QUIET", "Context", "Exit", "argument", "directory", "option"]

Settings = dict[str, dict[str, Any]]


# Commands from functions
# -----------------------


@dataclass(frozen=True, slots=True)
class Declared:
    """An option or an argument of a command."""

    kind: type[click.Parameter]
    usage: str  # the name, and the value if an option has one: "-k N"
    about: str
    default: Any
    required: bool
    min: Any = None
    max: Any = None
    others: dict[str, Any] = field(default_factory=dict)  # further parameters of click


def option(
    usage: str,
    about: str,
    default: Any = None,
    *,
    required: bool = False,
    min: Any = None,
    max: Any = None,
    **others: Any,
) -> Any:
    """Declare an option of a command. `usage` is its name, and its value if it has one: "-k N"."""
    return Declared(click.Option, usage, about, default, required, min, max, others)


def argument(name: str, about: str, *, required: bool = True) -> Any:
    """Declare an argument of a command."""
    return Declared(Argument, name, about, None, required)


class Argument(click.Argument):
    """An argument with a help text."""

    def __init__(self, *declared: Any, help: str, **others: Any) -> None:
        super().__init__(*declared, **others)
        self.help = help


class Command(click.Command):
    """A command whose usage reads `gossamer search [OPTIONS] QUERY...` and whose help lists its arguments."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        shown = [(str(one.metavar), one.required) for one in self._arguments()]
        return ["[OPTIONS]", *(name if required else f"[{name}]" for name, required in shown)]

    def format_arguments(self, ctx: Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: `format_options` writes the arguments above the options."""

    def format_options(self, ctx: Context, formatter: click.HelpFormatter) -> None:
        arguments = [(str(one.metavar), str(one.help)) for one in self._arguments()]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        options = [one.get_help_record(ctx) for one in self.get_params(ctx) if isinstance(one, click.Option)]
        with formatter.section("Options"):
            formatter.write_dl([record for record in options if record])

    def _arguments(self) -> list[Argument]:
        return [one for one in self.params if isinstance(one, Argument)]


def parts_of(function: Callable[..., None], examples: Sequence[str]) -> dict[str, Any]:
    """Return the parts of the command of a function. Its help is the docstring and the examples."""
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
    """Make an option or an argument of a parameter of a function."""
    declared: Declared = one.default
    kind, many = _kind_of(one.annotation)
    default = False if kind is bool else declared.default
    about: dict[str, Any] = {"help": declared.about, "required": declared.required, **declared.others}
    if default is not None:  # click would treat None as a default value
        about["default"] = default
    if many:
        about["callback"] = _as_list
    name, _, value = declared.usage.partition(" ")
    if declared.kind is Argument:
        return Argument(
            [one.name], metavar=name, type=_typed(kind, declared), nargs=-1 if many else 1, **about
        )
    about.setdefault("show_default", default is not None and default is not False and default != "")
    if kind is bool:
        return click.Option([name, one.name], is_flag=True, **about)
    return click.Option(
        [name, one.name], metavar=value or None, type=_typed(kind, declared), multiple=many, **about
    )


def _as_list(context: Context, parameter: click.Parameter, value: tuple[Any, ...]) -> list[Any] | None:
    """Return the values as a list; None if there are none."""
    return list(value) or None


def _kind_of(annotation: Any) -> tuple[Any, bool]:
    """Return the type of a value, and whether several are possible: (str, True) for `list[str] | None`."""
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(one for one in get_args(annotation) if one is not NoneType)
    if get_origin(annotation) is list:
        return get_args(annotation)[0], True
    return annotation, False


def _typed(kind: Any, declared: Declared) -> click.ParamType[Any]:
    """Return the click type that parses a value."""
    if kind is Path:
        return click.Path(path_type=Path)
    if declared.min is not None or declared.max is not None:
        in_range = click.IntRange if kind is int else click.FloatRange
        return in_range(declared.min, declared.max)
    found: click.ParamType[Any] = click.types.convert_type(kind)
    return found


# Shared by many commands
# -----------------------

DIRECTORY = option("-C DIR", "The folder of the collection.", Path(), show_default="the current folder")
AS_JSON = option("--json", "Print one JSON document on standard output and nothing else.")
QUIET = option("--quiet", "Do not show progress.")


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
