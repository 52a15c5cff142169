"""What the owner may decide about traps."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class TrapSettings:
    """When an address, or a whole shape of addresses, is taken for a trap."""

    repeats: int = setting(
        3, "A path in which a group of segments comes this many times in a row is refused.", least=2
    )
    max_segments: int = setting(20, "A path with more segments is refused.", least=1)
    max_same_segments: int = setting(
        8, "Links that keep adding segments of one kind (numbers, dates) are followed this far.", least=1
    )
    max_parameters: int = setting(12, "An address with more query parameters is refused.", least=0)
    window: int = setting(
        30,
        "How many of the last pages of one shape of addresses decide whether the shape is asleep.",
        least=4,
    )
    share: float = setting(
        0.9,
        "The share of them that must be copies, empty or missing for it to fall asleep.",
        least=0.5,
        most=1,
    )
    empty_words: int = setting(5, "A page with fewer words is empty.", least=0)
    probe_every: int = setting(
        1_000, "Of the addresses refused because their shape is asleep, one in so many is tried.", least=1
    )
    max_facets: int = setting(
        32,
        "A path asked with more different sets of parameters is refused further ones if pages repeat.",
        least=1,
    )
    calendar_years_ahead: int = setting(
        2,
        "How far a calendar without entries is followed beyond today and its last entry, in years.",
        least=0,
    )
    calendar_years_back: int = setting(
        10,
        "How far a calendar without entries is followed before today and its first entry, in years.",
        least=0,
    )
