"""Which lists of words come with the package, and what stands in the section of a language?

Lists are text files beside this one: [codes] begins the section of one or several languages, # a comment.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files


@cache
def section(name: str, language: str) -> tuple[str, ...]:
    """The lines of a list for a language; none where the list has no such section.

    >>> section("stopwords", "en")[0].split()[:3]
    ['a', 'about', 'above']
    """
    return tuple(line for languages, line in _lines(name) if language in languages)


@cache
def languages(name: str) -> frozenset[str]:
    """The languages for which a list has a section."""
    return frozenset(language for found, _ in _lines(name) for language in found)


@cache
def _lines(name: str) -> tuple[tuple[frozenset[str], str], ...]:
    text = (files(__package__) / "lists" / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(_by_language(text))


def _by_language(text: str) -> Iterator[tuple[frozenset[str], str]]:
    current: frozenset[str] = frozenset()
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            current = frozenset(line.strip("[]").split())
        elif line and not line.startswith("#"):
            yield current, line
