"""How a stage declares a setting: a default and the sentence that documents it."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def setting(default: Any, sentence: str) -> Any:
    """A dataclass field whose sentence stands in gossamer.toml and in the documentation."""
    metadata = {"sentence": sentence}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: type(default)(default), metadata=metadata)
    return field(default=default, metadata=metadata)
