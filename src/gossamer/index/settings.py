"""Settings of [index] and [weighting]: BM25F weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gossamer.model import setting
from gossamer.model.settings import Tunable

STEEPEST = 0.99  # slope: at 1 a field without words would divide by nothing


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """The `[index]` section."""

    memory_mb: int = setting(
        512,
        "Memory for pages on their way into a segment, in megabytes; a segment is written when it is full.",
        least=0,
        most=48_000,
    )
    merge_factor: int = setting(
        8, "This many segments of similar size are merged into one.", least=2, most=1000
    )
    every_pages: int = setting(
        2000, "While crawling, new pages become searchable after this many of them.", least=1
    )


def _weight(default: float, sentence: str, tunable: Tunable | None = (0.0, 8.0)) -> Any:
    """Declare what a word counts in a field."""
    return setting(default, sentence, least=0, most=1000, tunable=tunable)


def _slope(default: float, what: str) -> Any:
    """Declare how far the length of a field counts: the b of BM25F."""
    sentence = f"How far the {what} counts: 0 not at all, 1 fully."
    return setting(default, sentence, least=0, most=STEEPEST, tunable=(0.0, STEEPEST))


@dataclass(frozen=True, slots=True)
class WeightingSettings:
    """The `[weighting]` section: the constants of BM25F, a weight and a slope a field."""

    k1: float = setting(
        1.2,
        "How slowly a word's weight grows with how often a page holds it.",
        least=0.01,
        most=100,
        tunable=(0.6, 2.4),
    )
    title_weight: float = _weight(3.0, "What a word counts in the title.")
    title_slope: float = _slope(0.75, "length of the title")
    headings_weight: float = _weight(1.5, "What a word counts in headings.")
    headings_slope: float = _slope(0.5, "length of headings")
    url_weight: float = _weight(1.0, "What a word counts in the URL.")
    url_slope: float = _slope(0.5, "length of the URL")
    body_weight: float = _weight(1.0, "What a word counts in the main text.", tunable=None)
    body_slope: float = _slope(0.6, "length of the main text")
    surroundings_weight: float = _weight(0.2, "What a word counts in menus, headers and footers.")
    surroundings_slope: float = _slope(0.5, "length of menus, headers and footers")
    emphasised_weight: float = _weight(
        0.1, "What a word of the main text counts more where it is emphasised."
    )
    emphasised_slope: float = _slope(0.5, "number of emphasised words")
