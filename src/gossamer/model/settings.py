"""Declare a setting: default, range, description."""

from __future__ import annotations

from collections.abc import Sequence
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
    *,
    formerly: str = "",
    choices: Sequence[str] = (),
) -> Any:
    """Declare a dataclass field whose sentence stands in gossamer.toml and in the documentation.

    A number must lie between `least` and `most`, where they are given. A list holds strings, or tables of the
    settings of `items`, whose method `problem` says what is wrong with one. Where `tunable` is given, judged
    queries may choose the value: `gossamer tune`. `formerly` is the name that the setting had before: it is
    still read, with a warning. A string must be one of `choices`, where there are any.
    """
    metadata = {
        "sentence": sentence,
        "least": least,
        "most": most,
        "items": items,
        "tunable": tunable,
        "formerly": formerly,
        "choices": choices,
    }
    if isinstance(default, list | dict):
        return field(default_factory=lambda: type(default)(default), metadata=metadata)
    return field(default=default, metadata=metadata)
