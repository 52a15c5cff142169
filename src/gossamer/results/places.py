"""Where in a text do the terms of a query stand?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from gossamer.text.words import is_unspaced

_RUN = re.compile(r"\w+")


class Place(NamedTuple):
    """A stretch of the text and the terms of the query that it stands for."""

    start: int
    end: int
    terms: frozenset[str]


def find_places(text: str, wanted: frozenset[str], term_of: Callable[[str], Iterable[str]]) -> list[Place]:
    """All places that match, in order; in scripts without spaces each pair of characters is asked for."""
    found: dict[str, frozenset[str]] = {}
    places: list[Place] = []
    if not wanted:
        return places
    for start, end in _words(text):
        word = text[start:end]
        terms = found.get(word)
        if terms is None:
            terms = found[word] = wanted.intersection(term_of(word))
        if terms:
            places.append(Place(start, end, terms))
    return places


def _words(text: str) -> Iterator[tuple[int, int]]:
    spans = ((match.start(), match.end()) for match in _RUN.finditer(text))
    if text.isascii():
        yield from spans
        return
    for start, end in _with_marks(text, spans):
        for left, right, unspaced in _by_script(text, start, end):
            if unspaced and right - left > 2:
                yield from ((at, at + 2) for at in range(left, right - 1))
            else:
                yield left, right


def _with_marks(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Combining marks belong to their word, though `\\w` leaves them out: Hindi would fall into pieces."""
    begun, reached = -1, -1
    for start, end in spans:
        if start != reached:
            if begun >= 0:
                yield begun, reached
            begun = start
        reached = end
        while reached < len(text) and unicodedata.category(text[reached])[0] == "M":
            reached += 1
    if begun >= 0:
        yield begun, reached


def _by_script(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Parts of a word that are, or are not, in a script without spaces."""
    if text[start:end].isascii():
        yield start, end, False
        return
    left, unspaced = start, is_unspaced(text[start])
    for at in range(start + 1, end):
        if is_unspaced(text[at]) != unspaced:
            yield left, at, unspaced
            left, unspaced = at, not unspaced
    yield left, end, unspaced
