"""What the owner can decide about the index."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


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
