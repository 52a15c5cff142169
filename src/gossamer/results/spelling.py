"""Did the person mean another word, one that the collection knows?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gossamer.text.distance import within

SHORTEST = 4  # letters; below, nearly everything is near to everything
TWO_MISTAKES = 7  # letters from which two mistakes are believed


def did_you_mean(
    words: Sequence[str],
    frequency: Callable[[str], int],
    vocabulary_near: Callable[[str], Iterable[str]],
) -> str | None:
    """The words with each unknown one replaced by the most frequent near one; None when nothing helps."""
    suggested = [_better(word, frequency, vocabulary_near) or word for word in words]
    return " ".join(suggested) if suggested != list(words) else None


def _better(
    word: str, frequency: Callable[[str], int], vocabulary_near: Callable[[str], Iterable[str]]
) -> str | None:
    typed = word.lower()
    if len(typed) < SHORTEST or not typed.isalpha() or frequency(typed) > 0:
        return None
    candidates = set(vocabulary_near(typed)) - {typed}
    for mistakes in (1, 2) if len(typed) >= TWO_MISTAKES else (1,):
        near = {candidate for candidate in candidates if within(typed, candidate, mistakes)}
        known = {candidate: count for candidate in near if (count := frequency(candidate)) > 0}
        if known:
            return min(known, key=lambda candidate: (-known[candidate], candidate))
    return None
