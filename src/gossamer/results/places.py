"""Where in a text do the terms of a query stand?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from gossamer.kernel import kernels_are_loaded
from gossamer.results.plain_places import Begun, Place, plain_places, table_of
from gossamer.results.written import Written
from gossamer.text.words import occurrences

REMEMBERED = 32  # queries, in a language each; their words are those that begin as a term does


def find_all_places(
    texts: Sequence[str], wanted: frozenset[str], written: Sequence[Written]
) -> list[list[Place]]:
    """The places that match in each of some texts, which may be of several languages."""
    found: list[list[Place] | None] = [None] * len(texts)
    if wanted and kernels_are_loaded():
        for own in dict.fromkeys(written):
            if begun := _begun(own, wanted):
                rows = [row for row, one in enumerate(written) if one is own]
                for row, places in zip(rows, plain_places([texts[row] for row in rows], begun), strict=True):
                    found[row] = places
    return [
        find_places(text, wanted, own) if places is None else places
        for text, own, places in zip(texts, written, found, strict=True)
    ]


def find_places(text: str, wanted: frozenset[str], written: Written) -> list[Place]:
    """All places that match, in order; in scripts without spaces each pair of characters is asked for.

    Only the words that match are searched for in the text.
    """
    if not wanted:
        return []
    if (known := written.sought(wanted)) and not known.terms:
        return []
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
def _begun(written: Written, wanted: frozenset[str]) -> Begun | None:
    """How words of a language begin that stand for these terms; None where that takes a closer look."""
    known = written.sought(wanted)
    if known is None or known.plain is None:
        return None
    return Begun(table_of(known.plain), _Borne(written, known.terms))
