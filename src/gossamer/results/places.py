"""Where in a text do the terms of a query stand?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from gossamer.text.words import occurrences, written_forms


class Place(NamedTuple):
    """A stretch of the text and the terms of the query that it stands for."""

    start: int
    end: int
    terms: frozenset[str]


def find_places(text: str, wanted: frozenset[str], term_of: Callable[[str], Iterable[str]]) -> list[Place]:
    """All places that match, in order; in scripts without spaces each pair of characters is asked for.

    Every distinct word is looked at once; only those that match are then searched for in the text.
    """
    if not wanted:
        return []
    places = [
        Place(start, start + len(form), terms)
        for form in written_forms(text)
        if (terms := wanted.intersection(term_of(form)))
        for start in occurrences(text, form)
    ]
    return sorted(places, key=lambda place: (place.start, place.end))
