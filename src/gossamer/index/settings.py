"""Settings of [index] and [weighting]: BM25F weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gossamer.model import setting
from gossamer.model.settings import Tunable

STEEPEST = 0.99  # largest slope; with 1, an empty field would cause a division by zero


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """The `[index]` section."""

    memory_mb: int = setting(
        512,
        "Memory for pages that wait to be written to a segment, in megabytes, 0 to 48000. More memory "
        "makes fewer and larger segments.",
        least=0,
        most=48_000,
    )
    merge_factor: int = setting(
        8, "Number of segments of similar size that are merged into one, 2 to 1000.", least=2, most=1000
    )
    every_pages: int = setting(
        2000, "Number of new pages after which a crawl makes them searchable, at least 1.", least=1
    )


def _weight(default: float, sentence: str, tunable: Tunable | None = (0.0, 8.0)) -> Any:
    """Declare the weight of a field."""
    return setting(default, sentence, least=0, most=1000, tunable=tunable)


def _slope(default: float, what: str) -> Any:
    """Declare the length normalisation of a field: the b of BM25F."""
    sentence = (
        f"How much the {what} reduces the weight of a word there, from 0 (not at all) to {STEEPEST} (fully)."
    )
    return setting(default, sentence, least=0, most=STEEPEST, tunable=(0.0, STEEPEST))


@dataclass(frozen=True, slots=True)
class WeightingSettings:
    """The `[weighting]` section: the constants of BM25F, with a weight and a slope for each field."""

    k1: float = setting(
        1.2,
        "Term frequency saturation of BM25F, 0.01 to 100. The larger it is, the more a further occurrence "
        "of a word adds to the score.",
        least=0.01,
        most=100,
        tunable=(0.6, 2.4),
    )
    title_weight: float = _weight(3.0, "Weight of a word in the title, 0 to 1000.")
    title_slope: float = _slope(0.75, "length of the title")
    headings_weight: float = _weight(1.5, "Weight of a word in headings, 0 to 1000.")
    headings_slope: float = _slope(0.5, "length of the headings")
    url_weight: float = _weight(1.0, "Weight of a word in the URL, 0 to 1000.")
    url_slope: float = _slope(0.5, "length of the URL")
    body_weight: float = _weight(1.0, "Weight of a word in the main text, 0 to 1000.", tunable=None)
    body_slope: float = _slope(0.6, "length of the main text")
    surroundings_weight: float = _weight(0.2, "Weight of a word in menus, headers and footers, 0 to 1000.")
    surroundings_slope: float = _slope(0.5, "length of menus, headers and footers")
    emphasised_weight: float = _weight(
        0.1, "Additional weight of an emphasised word in the main text, 0 to 1000."
    )
    emphasised_slope: float = _slope(0.5, "number of emphasised words")
