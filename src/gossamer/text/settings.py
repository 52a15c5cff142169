"""Settings of [text]: default language."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class TextSettings:
    """The `[text]` section."""

    language: str = setting(
        "en",
        "Two-letter code of the language that a page is assumed to have if it does not declare one and is "
        "too short to detect it. It decides how words are stemmed, and does not apply to pages in a "
        "script that the language does not use.",
    )
