"""Does a query ask for what is new: by a word that says so, or by the number of the year?

The words of each language stand in a list. Some of them are parts of names ("New York"), which ask for
nothing new: the list has these too, each on a line behind "not".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from gossamer.text.characters import folded
from gossamer.text.word_lists import languages, section

NOT = "not"  # begins a line with a name
LANGUAGES = languages("recent")
REMEMBERED = 16  # sets of languages


def asks_for_news(words: Sequence[str], spoken: Iterable[str], year: int) -> bool:
    """Whether these words, as `words` finds them, do so in one of the languages; `year` is the present one.

    >>> asks_for_news(["python", "news"], ["en"], 2026), asks_for_news(["new", "york"], ["en"], 2026)
    (True, False)
    >>> asks_for_news(["election", "2026"], ["en"], 2026), asks_for_news(["election", "1998"], ["en"], 2026)
    (True, False)
    """
    if str(year) in words or str(year + 1) in words:
        return True
    listed = LANGUAGES.intersection(spoken)
    return not _known(listed).isdisjoint(words) and any(_says_so(words, language) for language in listed)


@lru_cache(REMEMBERED)
def _known(spoken: frozenset[str]) -> frozenset[str]:
    """The words of several languages: most queries hold none."""
    return frozenset().union(*[_lists(language)[0] for language in spoken])


def _says_so(words: Sequence[str], language: str) -> bool:
    known, names = _lists(language)
    places = [place for place, word in enumerate(words) if word in known]
    return any(not _is_named(words, place, names) for place in places)


def _is_named(words: Sequence[str], place: int, names: frozenset[tuple[str, ...]]) -> bool:
    """Whether a word is a part of a name there."""
    for name in names:
        for start in range(max(0, place - len(name) + 1), place + 1):
            if tuple(words[start : start + len(name)]) == name:
                return True
    return False


@cache
def _lists(language: str) -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    """The words of a language, and names in which they mean nothing."""
    lines = [folded(line).split() for line in section("recent", language)]
    known = frozenset(word for line in lines if line[0] != NOT for word in line)
    return known, frozenset(tuple(line[1:]) for line in lines if line[0] == NOT)
