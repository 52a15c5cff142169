"""Did the person mean another word, one that the collection knows?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gossamer.text.distance import distance, within

SHORTEST = 4  # letters; below, nearly everything is near to everything
TWO_MISTAKES = 7  # letters from which two mistakes are believed
MOST_WORDS = 8  # unknown ones of a query for which others are looked for

Near = Callable[[str, int], Iterable[str]]  # known words within so many mistakes; farther ones do no harm
Alike = Callable[[str], Iterable[str]]  # known words that sound like this one
Frequency = Callable[[str], int]


def did_you_mean(
    words: Sequence[str], frequency: Frequency, vocabulary_near: Near, vocabulary_alike: Alike
) -> str | None:
    """The words with each unknown one replaced by a known one; None when nothing helps.

    The most frequent near one is taken; where none is near, the nearest that sounds alike.
    """
    unknown = [word for word in dict.fromkeys(words) if _is_unknown(word.lower(), frequency)]
    better = {
        word: _near(word.lower(), frequency, vocabulary_near)
        or _alike(word.lower(), frequency, vocabulary_alike)
        for word in unknown[:MOST_WORDS]
    }
    suggested = [better.get(word) or word for word in words]
    return " ".join(suggested) if suggested != list(words) else None


def _is_unknown(typed: str, frequency: Frequency) -> bool:
    return len(typed) >= SHORTEST and typed.isalpha() and frequency(typed) == 0


def _near(typed: str, frequency: Frequency, vocabulary_near: Near) -> str | None:
    for mistakes in (1, 2) if len(typed) >= TWO_MISTAKES else (1,):
        candidates = set(vocabulary_near(typed, mistakes)) - {typed}
        near = {candidate for candidate in candidates if within(typed, candidate, mistakes)}
        known = {candidate: count for candidate in near if (count := frequency(candidate)) > 0}
        if known:
            return min(known, key=lambda candidate: (-known[candidate], candidate))
    return None


def _alike(typed: str, frequency: Frequency, vocabulary_alike: Alike) -> str | None:
    """fone -> phone: a word that sounds alike, and of which half the letters are right."""
    apart = {candidate: distance(typed, candidate) for candidate in set(vocabulary_alike(typed)) - {typed}}
    known = {
        candidate: (mistakes, -count, candidate)
        for candidate, mistakes in apart.items()
        if mistakes <= (len(typed) + 1) // 2 and (count := frequency(candidate)) > 0
    }
    return min(known, key=lambda candidate: known[candidate], default=None)
