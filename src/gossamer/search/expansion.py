"""Which terms do `jagu*` and `jagaur~` stand for?

Beginnings and misspellings are compared with the terms of the index, which are stems; the typed word itself
belongs to them in any case. What each partition knows is gathered and summed before the most frequent are
chosen: so every partition searches for the same terms, and the number of partitions changes no answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from gossamer.index.near import near
from gossamer.index.segment import Segment
from gossamer.index.snapshot import Snapshot
from gossamer.model import Fuzzy, Prefix, Query, Text
from gossamer.search.condition import Reading
from gossamer.text.analysis import Analyser, analyser, fold
from gossamer.text.strings import CODING
from gossamer.text.words import words

MOST_TERMS = 1_000  # that all patterns of a query may stand for together
LANGUAGE_SETS = 64  # that are remembered: a process has few collections open
TWO_MISTAKES = 7  # letters from which two mistakes are believed


@dataclass(frozen=True, slots=True)
class Pattern:
    """What stands for many terms: the beginning of a word, or a word with mistakes."""

    typed: str
    beginning: str  # without diacritics, as terms are
    readings: Reading  # the word itself, in each language
    mistakes: int  # 0: all that begins so


@dataclass(frozen=True, slots=True)
class Expansions:
    """The terms of each pattern, most frequent first, and the patterns that had more of them."""

    terms: Mapping[Pattern, Reading] = field(default_factory=dict)
    cut: tuple[Pattern, ...] = ()


# The terms of each pattern, and how many documents hold them. They are bytes, as most will not be chosen.
Gathered = Mapping[Pattern, Mapping[bytes, int]]


@lru_cache(LANGUAGE_SETS)
def analysers(languages: tuple[str, ...]) -> list[Analyser]:
    """The different ways to read a word in these languages."""
    return list({analyser(language).language: analyser(language) for language in languages}.values())


def pattern_of(text: Prefix | Fuzzy, languages: Iterable[str]) -> Pattern | None:
    """The pattern of a text, whose last word it is about; None where it holds no word."""
    typed = words(text.text)
    if not typed:
        return None
    last = typed[-1]
    readings = tuple(dict.fromkeys(one[last] for one in analysers(tuple(languages))))
    if isinstance(text, Prefix):
        return Pattern(f"{text.text}*", fold(last) or last, readings, 0)
    mistakes = text.mistakes or (2 if len(last) >= TWO_MISTAKES else 1)
    return Pattern(f"{text.text}~", fold(last) or last, readings, mistakes)


def patterns_of(query: Query, languages: Iterable[str]) -> tuple[Pattern, ...]:
    """Everything in a query that stands for many terms."""
    return patterns_in(query.texts(), languages)


def patterns_in(texts: Iterable[Text], languages: Iterable[str]) -> tuple[Pattern, ...]:
    """Those of these texts that stand for many terms."""
    spoken = sorted(languages)
    found = [pattern_of(text, spoken) for text in texts if isinstance(text, Prefix | Fuzzy)]
    return tuple(dict.fromkeys(pattern for pattern in found if pattern))


def gather(snapshot: Snapshot, patterns: Iterable[Pattern]) -> Gathered:
    """What the patterns stand for in one partition."""
    gathered: dict[Pattern, Counter[bytes]] = {pattern: Counter() for pattern in patterns}
    for segment in (view.segment for view in snapshot.views):
        for pattern, counts in gathered.items():
            counts.update(_counted(segment, pattern))
    return gathered


def choose(gathered: Iterable[Gathered], most: int = MOST_TERMS) -> Expansions:
    """The most frequent terms over all partitions; patterns share the room evenly."""
    summed: dict[Pattern, Counter[bytes]] = {}
    for part in gathered:
        for pattern, counts in part.items():
            summed.setdefault(pattern, Counter()).update(counts)
    room = most // max(1, len(summed))
    terms = {pattern: _most_frequent(counts, pattern, room) for pattern, counts in summed.items()}
    return Expansions(terms, tuple(p for p, counts in summed.items() if len(counts) > room))


def _most_frequent(counts: Mapping[bytes, int], pattern: Pattern, room: int) -> Reading:
    """The word itself first, so that no cut can lose it."""
    own = {term.encode(*CODING) for term in pattern.readings}
    least = _least(counts, room)
    possible = [term for term, count in counts.items() if count >= least or term in own]
    ordered = sorted(possible, key=lambda term: (term not in own, -counts[term], term))
    return tuple(term.decode(*CODING) for term in ordered[:room])


def _least(counts: Mapping[bytes, int], room: int) -> int:
    """What a term must count at least to be one of so many: only these are worth sorting."""
    if not 0 < room < len(counts):
        return 0
    return int(np.partition(np.fromiter(counts.values(), np.int64, len(counts)), -room)[-room])


def _counted(segment: Segment, pattern: Pattern) -> dict[bytes, int]:
    """A pattern's terms in one segment, and how many documents hold them."""
    dictionary, postings = segment.dictionary, segment.postings
    numbers = {dictionary.number(term) for term in pattern.readings} - {-1}
    beginning = range(0)
    if pattern.mistakes:
        numbers.update(*(near(dictionary, term, pattern.mistakes) for term in pattern.readings))
    else:
        beginning = dictionary.prefixed(pattern.beginning)
    counts = dict(zip(dictionary.keys(beginning), postings.frequencies_of(beginning).tolist(), strict=True))
    counts.update((dictionary.term(n).encode(*CODING), postings.frequency(n)) for n in numbers)
    return counts
