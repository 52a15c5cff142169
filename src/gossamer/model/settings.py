"""Declare a setting: default, range, description."""

from __future__ import annotations

from dataclasses import field
from typing import Any

Tunable = tuple[float, float] | list[Any]  # a range of numbers, or the values that are worth a try


def setting(
    default: Any,
    sentence: str,
    least: float | None = None,
    most: float | None = None,
    items: type | None = None,
    tunable: Tunable | None = None,
) -> Any:
    """A dataclass field whose sentence stands in gossamer.toml and in the documentation.

    A number must lie between `least` and `most`, where they are given. A list holds strings, or tables of the
    settings of `items`, whose method `problem` says what is wrong with one. Where `tunable` is given, judged
    queries may choose the value: `gossamer tune`.
    """
    metadata = {"sentence": sentence, "least": least, "most": most, "items": items, "tunable": tunable}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: type(default)(default), metadata=metadata)
    return field(default=default, metadata=metadata)
