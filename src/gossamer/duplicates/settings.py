"""Settings of [quality]: near-duplicate threshold, bands, mirrors."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class QualitySettings:
    """The `[quality]` section."""

    near_duplicate_threshold: float = setting(
        0.9,
        "The share of common 8-word runs from which a page counts as a copy of another; with 1.0 only pages "
        "that say exactly the same are copies.",
        least=0.5,
        most=1.0,
    )
    bands: int = setting(
        12,
        "In how many bands the 84 bytes of a sketch are cut to look for copies, a divisor of 84: more bands "
        "find copies that resemble less, and take more memory (5 to 8 bytes a band and page).",
        least=1,
        most=84,
    )
    near_duplicate_min_words: int = setting(
        40,
        "A page of fewer words is a copy only if it says exactly the same: short texts resemble one another.",
        least=0,
    )
    mirror_pages: int = setting(
        20,
        "A host is taken for a mirror of another when so many of its pages, and nine in ten of all that were "
        "seen, are copies of those under the same paths there; 0 takes none for one.",
        least=0,
    )
