"""Lists of facts as text files.

[name] begins a section, # begins a comment. The top of each file describes its lines.
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


@cache
def by_name(name: str, *sections: str) -> dict[str, str]:
    """The value of each name in a list of "value | name, name", of these sections or of all.

    >>> by_name("currencies")["yen"], by_name("zones", "hours")["jst"]
    ('JPY', '9')
    """
    chosen = [line.rpartition(" | ") for section, line in lines(name) if not sections or section in sections]
    return {one: value for value, _, names in chosen for one in names.split(", ")}


def _read(text: str) -> Iterator[tuple[str, str]]:
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            yield section, line
