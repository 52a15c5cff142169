"""Function words and other word lists by language.

They are indexed like all others: "to be or not to be" is found, as a phrase and as words. A query may count
them less beside words that say more; where it has nothing else, they are what is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain

from gossamer.text.words import folded, is_unspaced, pieces

# Read word lists by language
# ---------------------------
#
# Lists are text files beside this one: [codes] begins the section of one or several languages, # a
# comment.


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
    return tuple(_by_language(name))


def _by_language(name: str) -> Iterator[tuple[frozenset[str], str]]:
    current: frozenset[str] = frozenset()
    for line in list_lines(name):
        if line.startswith("["):
            current = frozenset(line.strip("[]").split())
        else:
            yield current, line


def list_lines(name: str) -> Iterator[str]:
    """Yield the lines of a list, without comments and empty lines."""
    text = (files(__package__) / "lists" / f"{name}.txt").read_text(encoding="utf-8")
    return (line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#"))


LANGUAGES = languages("stopwords")
REMEMBERED = 16  # sets of languages
NOBODY: frozenset[str] = frozenset()


@cache
def stop_words(language: str) -> frozenset[str]:
    """The function words of a language, as `words` finds them; none for a language without a list.

    A longer one of an unspaced script stands for its pieces.
    """
    listed = [folded(word) for line in section("stopwords", language) for word in line.split()]
    return frozenset(piece for word in listed for piece in (pieces(word) if is_unspaced(word) else [word]))


def is_stop_word(word: str, language: str) -> bool:
    """Whether a word, as `words` finds it, is a function word of this language.

    >>> is_stop_word("the", "en"), is_stop_word("who", "en"), is_stop_word("jaguar", "en")
    (True, True, False)
    >>> is_stop_word("die", "de"), is_stop_word("die", "en")
    (True, False)
    """
    return word in stop_words(language)


def telling(words: Sequence[str], spoken: Iterable[str]) -> list[bool]:
    """Of each word of a query, whether it says something; all do where none would.

    A query in several languages at once is rare, so one language must account for what is passed over: the
    one that takes the most words for function words. Where several take equally many, they must agree: "die"
    tells something in "die another day", and nothing in "die Mauer und der Wald".

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
    """Whether one of the languages takes all of these words for function words.

    >>> are_function_words(["not", "to"], ["de", "en"]), are_function_words(["host", "to"], ["de", "en"])
    (True, False)
    """
    taking = _taking(tuple(spoken))
    return bool(frozenset.intersection(*[taking.get(word, NOBODY) for word in words]))


@lru_cache(REMEMBERED)
def _taking(spoken: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    """Of each function word of some languages, which of them take it for one."""
    found: dict[str, set[str]] = {}
    for language in spoken:
        for word in stop_words(language):
            found.setdefault(word, set()).add(language)
    return {word: frozenset(languages) for word, languages in found.items()}
