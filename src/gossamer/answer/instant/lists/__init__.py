"""Fact lists as text files.

[name] begins a section, # a comment; what a line holds is said at the top of its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files


@cache
def lines(name: str) -> tuple[tuple[str, str], ...]:
    """The lines of a list, each with the name of its section.

    >>> lines("units")[0]
    ('length', '1e-9 | nm | nanometre, nanometres, nanometer, nanometers')
    """
    return tuple(_read((files(__package__) / f"{name}.txt").read_text(encoding="utf-8")))


def _read(text: str) -> Iterator[tuple[str, str]]:
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            yield section, line
