"""Where in a text do the terms of a query stand?"""

from __future__ import annotations

from functools import lru_cache

from gossamer.results.plain_places import Place, plain_places
from gossamer.results.written import Written
from gossamer.text.words import occurrences

REMEMBERED = 32  # queries, in a language each; their words are those that begin as a term does


def find_places(text: str, wanted: frozenset[str], written: Written) -> list[Place]:
    """All places that match, in order; in scripts without spaces each pair of characters is asked for.

    Only the words that match are searched for in the text.
    """
    if not wanted:
        return []
    if known := written.sought(wanted):
        if not known.terms:
            return []
        if known.plain is not None:
            found = plain_places(text, known.plain, _borne(written, known.terms))
            if found is not None:
                return found
    return sorted(
        (start, start + len(form), terms)
        for form, terms in written.bearers(text, wanted).items()
        for start in occurrences(text, form)
    )


class _Borne(dict[str, frozenset[str]]):
    """From a word to those terms of a query that it stands for; it fills itself."""

    def __init__(self, written: Written, wanted: frozenset[str]) -> None:
        super().__init__()
        self._written = written
        self._wanted = wanted

    def __missing__(self, form: str) -> frozenset[str]:
        found = self[form] = self._wanted.intersection(self._written.terms(form))
        return found


@lru_cache(REMEMBERED)
def _borne(written: Written, wanted: frozenset[str]) -> _Borne:
    return _Borne(written, wanted)
