"""Function words and other word lists by language.

Function words are indexed like all others: "to be or not to be" can be found as a phrase and by its words.
They may count less in a query with other words. In a query of function words only, they count in full.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

from gossamer.text.words import folded, is_unspaced, pieces

# Read word lists by language
# ---------------------------
#
# Lists are text files in the folder `lists`. A line [codes] starts the section of one or more
# languages. Lines that start with # are comments.


@cache
def section(name: str, language: str) -> tuple[str, ...]:
    """Return the lines of a list for a language; none if the list has no section for it.

    >>> section("stopwords", "en")[0].split()[:3]
    ['a', 'about', 'above']
    """
    return tuple(line for languages, line in _lines(name) if language in languages)


@cache
def languages(name: str) -> frozenset[str]:
    """Return the languages that have a section in a list."""
    return frozenset(language for found, _ in _lines(name) for language in found)


@cache
def _lines(name: str) -> tuple[tuple[frozenset[str], str], ...]:
    found: list[tuple[frozenset[str], str]] = []
    current: frozenset[str] = frozenset()
    for line in list_lines(name):
        if line.startswith("["):
            current = frozenset(line.strip("[]").split())
        else:
            found.append((current, line))
    return tuple(found)


def list_lines(name: str) -> Iterator[str]:
    """Yield the lines of a list, without comments and empty lines."""
    text = (Path(__file__).parent / "lists" / f"{name}.txt").read_text(encoding="utf-8")
    return (line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#"))


LANGUAGES = languages("stopwords")
REMEMBERED = 16  # sets of languages that are cached
NOBODY: frozenset[str] = frozenset()


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the function words of a language, as `words` returns them; empty without a list.

    A long word of an unspaced script is represented by its pieces.
    """
    listed = [folded(word) for line in section("stopwords", language) for word in line.split()]
    return frozenset(piece for word in listed for piece in (pieces(word) if is_unspaced(word) else [word]))


def is_stop_word(word: str, language: str) -> bool:
    """Return whether a word, as `words` returns it, is a function word of this language.

    >>> is_stop_word("the", "en"), is_stop_word("who", "en"), is_stop_word("jaguar", "en")
    (True, True, False)
    >>> is_stop_word("die", "de"), is_stop_word("die", "en")
    (True, False)
    """
    return word in stop_words(language)


def telling(words: Sequence[str], spoken: Iterable[str]) -> list[bool]:
    """Return for each word of a query whether it is meaningful. If no word is, return True for all.

    Queries in several languages are rare, so all function words must belong to one language: the one with the
    most function words in the query. If several languages have the same number, only words that are function
    words in all of them count: "die" is meaningful in "die another day", but not in "die Mauer und der Wald".

    >>> telling(["the", "ruling", "family"], ["en"]), telling(["the", "who"], ["en"])
    ([False, True, True], [True, True])
    """
    taking = _taking(tuple(spoken))
    takers = [taking.get(word, NOBODY) for word in words]
    if not any(takers):
        return [True] * len(words)
    counts = Counter(chain.from_iterable(takers))
    most = max(counts.values())
    agreed = {language for language, count in counts.items() if count == most}
    told = [not agreed <= own for own in takers]
    return told if any(told) else [True] * len(words)


def are_function_words(words: Sequence[str], spoken: Iterable[str]) -> bool:
    """Return whether all words are function words of the same language.

    >>> are_function_words(["not", "to"], ["de", "en"]), are_function_words(["host", "to"], ["de", "en"])
    (True, False)
    """
    taking = _taking(tuple(spoken))
    return bool(frozenset.intersection(*[taking.get(word, NOBODY) for word in words]))


@lru_cache(REMEMBERED)
def _taking(spoken: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    """Return a map from each function word to those of the languages that it belongs to."""
    found: dict[str, set[str]] = {}
    for language in spoken:
        for word in stop_words(language):
            found.setdefault(word, set()).add(language)
    return {word: frozenset(languages) for word, languages in found.items()}
