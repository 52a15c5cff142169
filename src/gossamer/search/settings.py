"""What the owner can decide about ranking."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The `[search]` section."""

    scheme: str = setting("bm25f", "The weighting scheme: bm25f, tfidf or boolean.")
    algorithm: str = setting(
        "auto", "The retrieval algorithm: maxscore, exhaustive, or auto for the quicker; both are exact."
    )
    static_strength: float = setting(
        0.3,
        "How far the static rank may lift a page: 0 not at all, 0.3 by three tenths of its score at most.",
        least=0,
        most=100,
    )
