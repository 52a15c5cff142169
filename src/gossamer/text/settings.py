"""Settings of [text]: default language."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class TextSettings:
    """The `[text]` section."""

    language: str = setting(
        "en",
        "The language (two-letter code) of pages that neither declare one nor have text enough to tell, and "
        "are not in a script foreign to it; it decides how words are stemmed.",
    )
