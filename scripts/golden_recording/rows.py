"""Files of recorded values, and how two of them are compared.

A file has a line for each value: the key, a tab, the value as JSON with sorted names. Equal lines are equal
values, so only lines that differ are parsed.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

SUFFIX = ".jsonl.zst"
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
AROUND = 50  # characters shown on each side of the first difference of two texts
SHOWN = 5  # keys that differ, of each kind
PATHS_SHOWN = 3  # places within one value

Row = tuple[str, Any]
MISSING = "(not there)"


class Difference(NamedTuple):
    """One place at which two values differ."""

    path: str
    before: str
    after: str


class Comparison(NamedTuple):
    """What became of the rows of one kind."""

    rows: int
    different: dict[str, list[Difference]]

    def told(self, kind: str) -> Iterator[str]:
        """Describe the comparison in lines."""
        if not self.different:
            yield f"{kind}: {self.rows:,} equal"
            return
        yield f"{kind}: {len(self.different):,} of {self.rows:,} DIFFER; the first of them:"
        for key, places in list(self.different.items())[:SHOWN]:
            yield f"  {key}"
            for place in places[:PATHS_SHOWN]:
                yield f"    {place.path or 'value'}"
                yield f"      recorded: {place.before}"
                yield f"      now:      {place.after}"
            if len(places) > PATHS_SHOWN:
                yield f"    and {len(places) - PATHS_SHOWN:,} more places"


def plain(value: Any) -> Any:
    """Make JSON of a value: dataclasses by their fields, arrays as lists, what is no number as a text."""
    if value is None or isinstance(value, str | bool | int):
        return value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(own) for key, own in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(own) for own in (sorted(value) if isinstance(value, set | frozenset) else value)]
    return plain(value.tolist()) if hasattr(value, "tolist") else str(value)


def write(path: Path, rows: Iterable[Row]) -> int:
    """Write rows to a file; returns how many. A half-written file is not left behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part, count = path.with_name(path.name + ".part"), 0
    with part.open("wb") as file, zstandard.ZstdCompressor(3).stream_writer(file) as out:
        for key, value in rows:
            told = json.dumps(plain(value), sort_keys=True, separators=(",", ":"))
            out.write(f"{json.dumps(key)}\t{told}\n".encode())
            count += 1
    part.replace(path)
    return count


def read(path: Path) -> dict[str, bytes]:
    """Read a file: the line of every key."""
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as source:
        lines = source.read().split(b"\n")[:-1]
    return {json.loads(key): value for key, _, value in (line.partition(b"\t") for line in lines)}


def compare(before: Path, after: Path, tolerance: float = 0.0, ties: bool = False) -> Comparison:
    """Compare two files; numbers may differ by a relative tolerance, with `ties` equal scores may swap."""
    old, new = read(before), read(after)
    different = {}
    for key in {**old, **new}:
        one, other = old.get(key), new.get(key)
        if one == other:
            continue
        if one is None or other is None:
            different[key] = [Difference("", *("there" if own else MISSING for own in (one, other)))]
        elif found := list(differences(json.loads(one), json.loads(other), tolerance, ties)):
            different[key] = found
    return Comparison(len(old.keys() | new.keys()), different)


def differences(
    old: Any, new: Any, tolerance: float = 0.0, ties: bool = False, path: str = ""
) -> Iterator[Difference]:
    """Give the places at which two values of JSON differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            own = old.get(name, MISSING), new.get(name, MISSING)
            yield from differences(*own, tolerance, ties, f"{path}.{name}" if path else name)
    elif isinstance(old, list) and isinstance(new, list):
        if ties and tolerance:
            old, new = _by_score(old, tolerance), _by_score(new, tolerance)
        for place, own in enumerate(zip_longest(old, new, fillvalue=MISSING)):
            yield from differences(*own, tolerance, ties, f"{path}[{place}]")
    elif isinstance(old, str) and isinstance(new, str):
        if old != new and not (tolerance and _alike(old, new, tolerance, ties)):
            yield _text_difference(old, new, path)
    elif not _close(old, new, tolerance):
        yield Difference(path, _short(old), _short(new))


def _by_score(values: list[Any], tolerance: float) -> list[Any]:
    """Order neighbours of equal score by address, and forget their rank."""
    if not all(isinstance(value, dict) and "score" in value and "url" in value for value in values):
        return values
    groups: list[list[dict[str, Any]]] = []
    for value in values:
        if groups and _close(groups[-1][-1]["score"], value["score"], tolerance):
            groups[-1].append(value)
        else:
            groups.append([value])
    ordered = [value for group in groups for value in sorted(group, key=lambda own: str(own["url"]))]
    return [{**value, "rank": place} for place, value in enumerate(ordered)]


def _close(old: Any, new: Any, tolerance: float) -> bool:
    numbers = isinstance(old, int | float) and isinstance(new, int | float)
    if not tolerance or not numbers or isinstance(old, bool) or isinstance(new, bool):
        return type(old) is type(new) and bool(old == new)
    return math.isclose(old, new, rel_tol=tolerance)


def _alike(old: str, new: str, tolerance: float, ties: bool) -> bool:
    """Compare texts but for numbers within the tolerance, and with `ties` for the order of lines."""
    if ties:
        old, new = ("\n".join(sorted(text.split("\n"))) for text in (old, new))
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(math.isclose(float(one), float(other), rel_tol=tolerance) for one, other in pairs)


def _text_difference(old: str, new: str, path: str) -> Difference:
    """Show two texts around their first difference."""
    pairs = enumerate(zip_longest(old, new))
    place = next(place for place, (one, other) in pairs if one != other)
    begin = max(0, place - AROUND)
    shown = (_short(("…" if begin else "") + text[begin : place + AROUND]) for text in (old, new))
    return Difference(f"{path} at character {place:,}" if begin else path, *shown)


def _short(value: Any) -> str:
    told = json.dumps(value, ensure_ascii=False)
    return told if len(told) <= 4 * AROUND else f"{told[: 4 * AROUND]}…"
