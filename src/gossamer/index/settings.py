"""Settings of [index] and [weighting]: BM25F weights."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting

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
    title_weight: float = setting(
        3.0, "What a word counts in the title.", least=0, most=1000, tunable=(0.0, 8.0)
    )
    title_slope: float = setting(
        0.75,
        "How far the length of the title counts: 0 not at all, 1 fully.",
        least=0,
        most=STEEPEST,
        tunable=(0.0, STEEPEST),
    )
    headings_weight: float = setting(
        1.5, "What a word counts in headings.", least=0, most=1000, tunable=(0.0, 8.0)
    )
    headings_slope: float = setting(
        0.5,
        "How far the length of headings counts: 0 not at all, 1 fully.",
        least=0,
        most=STEEPEST,
        tunable=(0.0, STEEPEST),
    )
    url_weight: float = setting(1.0, "What a word counts in the URL.", least=0, most=1000, tunable=(0.0, 8.0))
    url_slope: float = setting(
        0.5,
        "How far the length of the URL counts: 0 not at all, 1 fully.",
        least=0,
        most=STEEPEST,
        tunable=(0.0, STEEPEST),
    )
    body_weight: float = setting(1.0, "What a word counts in the main text.", least=0, most=1000)
    body_slope: float = setting(
        0.6,
        "How far the length of the main text counts: 0 not at all, 1 fully.",
        least=0,
        most=STEEPEST,
        tunable=(0.0, STEEPEST),
    )
    surroundings_weight: float = setting(
        0.2, "What a word counts in menus, headers and footers.", least=0, most=1000, tunable=(0.0, 8.0)
    )
    surroundings_slope: float = setting(
        0.5,
        "How far the length of menus, headers and footers counts: 0 not at all, 1 fully.",
        least=0,
        most=STEEPEST,
        tunable=(0.0, STEEPEST),
    )
    emphasised_weight: float = setting(
        0.1,
        "What a word of the main text counts more where it is emphasised.",
        least=0,
        most=1000,
        tunable=(0.0, 8.0),
    )
    emphasised_slope: float = setting(
        0.5,
        "How far the number of emphasised words counts: 0 not at all, 1 fully.",
        least=0,
        most=STEEPEST,
        tunable=(0.0, STEEPEST),
    )
