"""How a stage declares a setting: a default and the sentence that documents it."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def setting(default: Any, sentence: str, least: float | None = None, most: float | None = None) -> Any:
    """A dataclass field whose sentence stands in gossamer.toml and in the documentation.

    A number must lie between `least` and `most`, where they are given.
    """
    metadata = {"sentence": sentence, "least": least, "most": most}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: type(default)(default), metadata=metadata)
    return field(default=default, metadata=metadata)
