"""Which terms do `jagu*`, `jagaur~` and `sounds:meyer` stand for, and which a single character of Chinese?

Beginnings and misspellings are compared with the terms of the index, which are stems, sounds with what people
write for them (`index.sounds`); the typed word itself belongs to them in any case. What each partition knows
is gathered and summed before the most frequent are chosen: so every partition searches for the same terms,
and the number of partitions changes no answer.

Scripts without spaces are indexed in pieces of two or four characters: what is shorter is looked for as the
beginning of a piece and, where it was typed alone, as the end of one too.
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
from gossamer.index.sounds import spoken_form
from gossamer.model import Fuzzy, Prefix, Query, Sounding, Text, Word
from gossamer.search.condition import Reading
from gossamer.text.analysis import MARK, fold, in_language, without_language
from gossamer.text.characters import folded
from gossamer.text.readers import Readers
from gossamer.text.sounds import Way, code
from gossamer.text.strings import CODING
from gossamer.text.vietnamese import LANGUAGE as VIETNAMESE
from gossamer.text.vietnamese import is_bare_syllable, marked_syllables
from gossamer.text.words import is_short, piece_size, words

MOST_TERMS = 1_000  # that all patterns of a query may stand for together
LANGUAGE_SETS = 64  # that are remembered: a process has few collections open
TWO_MISTAKES = 7  # letters from which two mistakes are believed
PATTERNS = (Prefix, Fuzzy, Sounding)  # texts that stand for many terms


@dataclass(frozen=True, slots=True)
class Pattern:
    """What stands for many terms: the beginning of a word, a word with mistakes, or how a word sounds."""

    typed: str
    beginning: str  # without diacritics, as terms are
    readings: Reading  # the word itself, in each language
    mistakes: int  # 0: all that begins so
    way: Way | None = None  # all that sounds so
    ends: bool = False  # and all pieces of an unspaced script that end so
    bare: bool = False  # nothing but the readings: a syllable without marks, and all that it may stand for


@dataclass(frozen=True, slots=True)
class Expansions:
    """The terms of each pattern, most frequent first, and the patterns that had more of them."""

    terms: Mapping[Pattern, Reading] = field(default_factory=dict)
    cut: tuple[Pattern, ...] = ()


# The terms of each pattern, and how many documents hold them. They are bytes, as most will not be chosen.
Gathered = Mapping[Pattern, Mapping[bytes, int]]


@lru_cache(LANGUAGE_SETS)
def analysers(languages: tuple[str, ...]) -> Readers:
    """The different ways to read a word in these languages."""
    return Readers.of(languages)


def patterns_at(text: Text, languages: Iterable[str]) -> list[tuple[int, Pattern]]:
    """The patterns of a text, and which of its words each is about."""
    typed = words(text.text)
    spoken = tuple(languages)
    last = len(typed) - 1
    found = [
        (place, _less_than_a_piece(word, text.text, spoken))
        for place, word in enumerate(typed)
        if is_short(word)
    ]
    if VIETNAMESE in spoken and text.text.isascii():
        found += [(place, _bare(word, spoken)) for place, word in enumerate(typed) if is_bare_syllable(word)]
    if isinstance(text, PATTERNS) and typed:
        return [(place, one) for place, one in found if place < last] + [
            (last, _pattern(text, typed, spoken))
        ]
    return found


def _less_than_a_piece(word: str, typed: str, languages: tuple[str, ...]) -> Pattern:
    """Less than a piece: behind others it can only begin one."""
    return Pattern(word, word, _readings(word, languages), 0, ends=folded(typed).strip() == word)


def _bare(word: str, languages: tuple[str, ...]) -> Pattern:
    """A syllable of Vietnamese that was typed without its marks."""
    marked = [in_language(one, VIETNAMESE) for one in sorted(marked_syllables(word))]
    readings = tuple(dict.fromkeys([*_readings(word, languages), *marked]))
    return Pattern(word, word, readings, 0, bare=True)


def _readings(word: str, languages: tuple[str, ...]) -> Reading:
    return tuple(dict.fromkeys(analysers(languages).read(word)))


def _pattern(text: Prefix | Fuzzy | Sounding, typed: list[str], languages: tuple[str, ...]) -> Pattern:
    last = typed[-1]
    readings = _readings(last, languages)
    if isinstance(text, Prefix):
        return Pattern(f"{text.text}*", fold(last) or last, readings, 0)
    if isinstance(text, Sounding):
        return Pattern(f"{text.way}:{text.text}", fold(last) or last, readings, 0, Way(text.way))
    mistakes = text.mistakes or (2 if len(last) >= TWO_MISTAKES else 1)
    return Pattern(f"{text.text}~", fold(last) or last, readings, mistakes)


def patterns_of(query: Query, languages: Iterable[str]) -> tuple[Pattern, ...]:
    """Everything in a query that stands for many terms."""
    return patterns_in(query.texts(), languages)


def patterns_in(texts: Iterable[Text], languages: Iterable[str]) -> tuple[Pattern, ...]:
    """Those of these texts that stand for many terms."""
    asked, spoken = list(texts), sorted(languages)
    bare = VIETNAMESE in spoken and _is_bare(asked)
    found = [
        pattern
        for text in asked
        if bare or _may_hold_any(text)
        for _, pattern in patterns_at(text, spoken)
        if bare or not pattern.bare
    ]
    return tuple(dict.fromkeys(found))


def _is_bare(texts: Iterable[Text]) -> bool:
    """Whether all may be Vietnamese without a single mark; beside a marked one, others mean what they are."""
    return all(type(text) is Word and is_bare_syllable(text.text.lower()) for text in texts)


def _may_hold_any(text: Text) -> bool:
    """Most texts do not, and this is quickly seen."""
    return isinstance(text, PATTERNS) or not text.text.isascii()


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
    if pattern.way:
        numbers.update(_sounding(segment, pattern.beginning, pattern.readings, pattern.way))
    elif pattern.mistakes:
        numbers.update(*(near(dictionary, term, pattern.mistakes) for term in pattern.readings))
    elif not pattern.bare:
        beginning = dictionary.prefixed(pattern.beginning)
    if pattern.ends:
        size = piece_size(pattern.beginning)
        ending = dictionary.ending_anywhere(pattern.beginning).tolist()
        numbers.update(n for n in ending if len(without_language(dictionary.term(n))) == size)
    counts = dict(zip(dictionary.keys(beginning), postings.frequencies_of(beginning).tolist(), strict=True))
    counts.update((dictionary.term(n).encode(*CODING), postings.frequency(n)) for n in numbers)
    return counts


def _sounding(segment: Segment, word: str, readings: Iterable[str], way: Way) -> set[int]:
    """The terms that sound as a word does: as it was typed, or as its stem where stems are compared."""
    sounds = segment.sounds(way)
    pairs = [term.partition(MARK)[::2] for term in readings]
    asked = {
        (code(own, language, way), language)
        for stem, language in pairs
        for own in (word, spoken_form(stem, word, language))
    }
    return {number for sound, language in asked if sound for number in sounds.like(sound, language)}
