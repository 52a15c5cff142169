"""Declare a setting: default, range, description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

Tunable = tuple[float, float] | list[Any]  # a range of numbers, or the values to try


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
    """Declare a setting as a dataclass field.

    `sentence` describes the setting in gossamer.toml and in the documentation. A number must lie between
    `least` and `most`, if given. A string must be one of `choices`, if given. A list contains strings or, if
    `items` is given, tables. The class `items` declares the settings of such a table, and its method
    `problem` returns what is wrong with one. `tunable` is what `gossamer tune` may choose from. `formerly` is
    the former name of the setting. It still works, with a warning.
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
