"""Settings of [quality]: near-duplicate threshold, bands, mirrors."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class QualitySettings:
    """The `[quality]` section."""

    near_duplicate_threshold: float = setting(
        0.9,
        "Resemblance from which a page counts as a copy of another: the share of common 8-word runs, 0.5 "
        "to 1. With 1.0, only pages with the same text are copies.",
        least=0.5,
        most=1.0,
        formerly="near_duplicates",
    )
    bands: int = setting(
        12,
        "Number of bands into which the 84 bytes of a sketch are cut to find copies, a divisor of 84. "
        "With more bands, less similar copies are found. A band takes 5 to 8 bytes of memory per page.",
        least=1,
        most=84,
    )
    near_duplicate_min_words: int = setting(
        40,
        "Number of words below which a page is a copy only if its text is the same. Short texts often "
        "resemble each other by chance.",
        least=0,
        formerly="shortest",
    )
    mirror_pages: int = setting(
        20,
        "Number of copies that make a host a mirror: pages with the same path and the same content as a "
        "page of one other host. They must also be nine in ten of the host's known pages. 0 turns mirror "
        "detection off.",
        least=0,
    )
