"""Collection folder option; open the engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli.hints import remember_folder
from gossamer.model import UsageError

if TYPE_CHECKING:
    from gossamer import Engine

Settings = dict[str, dict[str, Any]]


def option(usage: str, about: str, **others: Any) -> Any:
    """An option of a command; its usage is its name and, where it takes a value, what that is: "-k N"."""
    name, _, value = usage.partition(" ")
    return typer.Option(name, metavar=value or None, help=about, **others)


def argument(name: str, about: str, **others: Any) -> Any:
    """An argument of a command."""
    return typer.Argument(metavar=name, help=about, **others)


Directory = Annotated[
    Path, option("-C DIR", "The folder of the collection.", show_default="the current folder")
]
AsJson = Annotated[bool, option("--json", "Print one JSON document on standard output and nothing else.")]
Quiet = Annotated[bool, option("--quiet", "Do not show progress.")]


def directory(context: typer.Context) -> Path:
    """The folder that -C names; it need not be there yet."""
    folder = context.obj
    assert isinstance(folder, Path), "the callback of the program sets it"
    remember_folder(folder)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name the folder of a collection with -C")
    return folder


def open_engine(
    context: typer.Context, *, create: bool = False, partitions: int = 1, settings: Settings | None = None
) -> Engine:
    """The engine on the collection that -C names."""
    from gossamer import Engine

    return Engine.open(directory(context), create=create, partitions=partitions, settings=settings)


def is_collection(folder: Path) -> bool:
    """Whether there is a collection in the folder already."""
    return (folder / "collection.json").exists()
