"""What the owner can decide about ranking."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The `[search]` section."""

    scheme: str = setting(
        "bm25f", "The weighting scheme: bm25f, bm25, tfidf, tf, tfidf-norm, lnc.ltc or boolean."
    )
    algorithm: str = setting(
        "auto",
        "The retrieval algorithm: blockmax, maxscore, exhaustive, threshold, champion (not exact), or auto "
        "for the quickest.",
    )
    threads: int = setting(
        0,
        "How many threads one heavy query may use: 0 for one a core, 1 for none but its own.",
        least=0,
        most=1024,
    )
    static_strength: float = setting(
        0.3,
        "How far the static rank may lift a page: 0 not at all, 0.3 by three tenths of its score at most.",
        least=0,
        most=100,
    )
