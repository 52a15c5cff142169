"""Quality floors in a file.

    [cran]
    "nDCG@10" = 0.385

A run fails if a figure is below its floor. On request, floors are raised to the figures reached. Floors can
only be lowered by editing the file, with a reason.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gossamer.evaluate.measures import NAMES
from gossamer.model import UsageError
from gossamer.storage.files import write_atomically

PINNED = ("nDCG@10", "MAP", "MRR")  # measures that get floors in a new collection
_SECTION = re.compile(r"^\s*\[(?P<name>[^\[\]]+)\]\s*(?:#.*)?$")
_FLOOR = re.compile(r"^(?P<key>\s*[\"']?(?P<name>[^\"'=\s]+)[\"']?\s*=\s*)(?P<value>[^\s#]+)(?P<rest>.*)$")
Floors = dict[str, dict[str, float]]  # collection -> measure -> least value


def read_floors(path: Path) -> Floors:
    """Read the floors of a file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: it cannot be read ({error})") from error
    for collection, floors in content.items():
        if not isinstance(floors, dict):
            raise UsageError(f"{path}: {collection} is not in a section; floors belong below [a collection]")
        for measure, floor in floors.items():
            _check(measure, floor, f"{path}: [{collection}] {measure}")
    return content


def _check(measure: str, floor: Any, place: str) -> None:
    if measure not in NAMES:
        raise UsageError(f"{place} is not a measure; choose from: {', '.join(NAMES)}")
    if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 <= floor <= 1:
        raise UsageError(f"{place} must be a number from 0 to 1, not {floor!r}")


def fallen(floors: Floors, reached: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return a line for every figure that is below its floor."""
    return [
        f"{collection}: {measure} fell to {figures[measure]:.4f}, the floor is {floor:.4f}"
        for collection, figures in reached.items()
        for measure, floor in floors.get(collection, {}).items()
        if figures[measure] < floor
    ]


def raise_floors(path: Path, reached: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Raise floors to the figures reached; return a line for each change.

    Collections without floors are added. Floors are never lowered, and comments are preserved.
    """
    floors = read_floors(path) if path.exists() else {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    risen, lines = _raised(lines, reached)
    for collection in reached:
        if collection not in floors:
            lines += [*([""] if lines else []), f"[{_key(collection)}]"]
            lines += [f'"{name}" = {reached[collection][name]}' for name in PINNED]
            risen.append(f"{collection}: pinned")
    if risen:
        write_atomically(path, ("\n".join(lines) + "\n").encode())
    return risen


def _raised(lines: Iterable[str], reached: Mapping[str, Mapping[str, float]]) -> tuple[list[str], list[str]]:
    """Return the changes, and the lines of the file with the raised floors."""
    risen, changed, section = [], [], ""
    for line in lines:
        if found := _SECTION.match(line):
            section = found["name"].strip().strip("\"'")
        figure = reached.get(section, {}).get(found["name"]) if (found := _FLOOR.match(line)) else None
        if found and figure is not None and figure > float(found["value"]):
            risen.append(f"{section}: {found['name']} from {found['value']} to {figure}")
            changed.append(f"{found['key']}{figure}{found['rest']}")
        else:
            changed.append(line)
    return risen, changed


def _key(collection: str) -> str:
    return collection if re.fullmatch(r"[A-Za-z0-9_-]+", collection) else json.dumps(collection)
