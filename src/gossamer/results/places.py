"""Where in a text do the terms of a query stand?"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.results.written import Written
from gossamer.text.words import occurrences


class Place(NamedTuple):
    """A stretch of the text and the terms of the query that it stands for."""

    start: int
    end: int
    terms: frozenset[str]


def find_places(text: str, wanted: frozenset[str], written: Written) -> list[Place]:
    """All places that match, in order; in scripts without spaces each pair of characters is asked for.

    Only the words that match are searched for in the text.
    """
    if not wanted:
        return []
    return sorted(
        Place(start, start + len(form), terms)
        for form, terms in written.bearers(text, wanted).items()
        for start in occurrences(text, form)
    )
