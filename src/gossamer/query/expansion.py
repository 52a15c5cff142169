# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""Expansion of patterns: prefixes, fuzzy words, sounds-like words.

Prefixes and misspellings are compared with the terms of the index, which are stems. Sounds are compared with
the written forms of terms (`query.phonetic`). The typed word itself always belongs to the result. The matches
of all partitions are summed before the most frequent are chosen. So every partition searches for the same
terms, and the number of partitions changes no result.

Scripts without spaces are indexed in pieces of two or four characters. A shorter text is looked up as the
beginning of a piece and, if it was typed alone, also as the end of one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary import BLOCK_BITS, EIGHT, END, ONE, ZERO, Dictionary
from gossamer.index.segment import Segment, Snapshot
from gossamer.kernels.kernel import kernel, kernel_part
from gossamer.model import Fuzzy, Prefix, Sounding, Text, Word
from gossamer.query.conditions import TermVariants
from gossamer.query.phonetic import PhoneticAlgorithm, code, sounds_of, spoken_form
from gossamer.text.strings import CODING
from gossamer.text.terms import LANGUAGE as VIETNAMESE
from gossamer.text.terms import (
    MARK,
    MultilingualAnalyser,
    fold,
    in_language,
    is_bare_syllable,
    marked_syllables,
    without_language,
)
from gossamer.text.words import folded, is_short, piece_size, words

# Kernels: edit distance over a dictionary
# ----------------------------------------
#
# Row d of the table holds the distances of the first d characters of a term from every prefix of the
# word (see `near`), followed by the lowest of them. Terms are sorted, so a term reuses the rows of the
# prefix that it shares with the term before it. If no term with a prefix can be near, all terms with this
# prefix are skipped. Indexes are unsigned, because for signed ones Numba checks whether they count from
# the end.

MARK_BYTE = 0x1F
FAR = np.uint64(100)  # more than any number of mistakes
TWO, SIX, CONTINUED = np.uint64(2), np.uint64(6), np.uint64(0x3F)


@kernel_part
def character_at(term: NDArray[np.uint8], at: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Decode the character at a place; return it and the place of the next one."""
    code = np.uint64(term[at])
    end = at + ONE
    if code < 0x80:
        return code, end
    code &= np.uint64(0x1F if code < 0xE0 else 0x0F if code < 0xF0 else 0x07)
    while np.uint64(term[end]) & ~CONTINUED == np.uint64(0x80):
        code = code << SIX | np.uint64(term[end]) & CONTINUED
        end += ONE
    return code, end


@kernel_part
def fill_row(
    rows: NDArray[np.uint64],
    depth: np.uint64,
    characters: NDArray[np.uint64],
    word: NDArray[np.uint64],
    mistakes: np.uint64,
) -> bool:
    """Fill in a row of the table from the rows above it; return whether a term that begins so can be near.

    Only cells within `mistakes` of the diagonal can be near.
    """
    size = np.uint64(len(word))
    first = depth - mistakes if depth > mistakes else ZERO
    last = min(size, depth + mistakes)
    above = depth - ONE
    own = characters[above]
    lowest, left = FAR, FAR
    if first > ZERO:
        rows[depth, first - ONE] = FAR
    for j in range(first, last + ONE):
        cost = min(rows[above, j], left) + ONE
        if j > ZERO:
            letter = word[j - ONE]
            cost = min(cost, rows[above, j - ONE] + np.uint64(own != letter))
            if above > ZERO and j > ONE and own == word[j - TWO] and characters[above - ONE] == letter:
                cost = min(cost, rows[above - ONE, j - TWO] + ONE)
        rows[depth, j] = cost
        left = cost
        lowest = min(lowest, cost)
    if last < size:
        rows[depth, last + ONE] = FAR
    rows[depth, size + ONE] = lowest
    # A swap of neighbours refers to the row two above.
    return lowest <= mistakes or rows[above, size + ONE] < mistakes


@kernel_part
def read_piece(
    data: NDArray[np.uint8], at: np.uint64, term: NDArray[np.uint8], length: np.uint64, same: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Copy a piece of a block after the first `length` bytes of a term.

    Return the place of the next piece, the new length, and how many bytes are the same as before.
    """
    byte = data[at]
    while byte != END and same == length and term[length] == byte:
        at += ONE
        length += ONE
        same += ONE
        byte = data[at]
    while byte != END:
        term[length] = byte
        at += ONE
        length += ONE
        byte = data[at]
    return at + ONE, length, same


@kernel_part
def head_of(term: NDArray[np.uint8], length: np.uint64) -> np.uint64:
    """Return the first eight bytes as a big-endian number."""
    head = ZERO
    for i in range(EIGHT):
        head = head << EIGHT | (np.uint64(term[i]) if i < length else ZERO)
    return head


@kernel_part
def ends_so(term: NDArray[np.uint8], begin: np.uint64, end: np.uint64, ending: NDArray[np.uint8]) -> bool:
    """Return whether term[begin:end] is the ending."""
    same = end - begin == np.uint64(len(ending))
    i = ZERO
    while same and begin + i < end:
        same = term[begin + i] == ending[i]
        i += ONE
    return same


@kernel
def walk(
    heads: NDArray[np.uint64],
    starts: NDArray[np.int64],
    data: NDArray[np.uint8],
    terms: int,
    longest: int,
    word: NDArray[np.uint64],
    ending: NDArray[np.uint8],
    mistakes: int,
) -> NDArray[np.int64]:
    """Return the numbers of the terms with this ending (mark and language) and a stem near the word."""
    size, most = np.uint64(len(word)), np.uint64(mistakes)
    rows = np.empty((len(word) + mistakes + 2, len(word) + 2), np.uint64)
    for j in range(len(word) + 1):
        rows[0, j] = j
    rows[0, len(word) + 1] = 0
    characters, ends = np.empty(len(rows), np.uint64), np.zeros(len(rows), np.uint64)
    term = np.zeros(longest + 1, np.uint8)
    found, count = np.empty(terms, np.int64), ZERO
    depth = ZERO  # of the rows that are filled
    dead, dead_head = ZERO, ZERO  # length of a prefix that no near term has; 0: none
    blocks = np.uint64(len(heads))
    for block in range(blocks):
        following = block + ONE
        if ZERO < dead <= EIGHT and following < blocks:
            others = EIGHT * (EIGHT - dead)
            if (heads[following] ^ dead_head) >> others == ZERO:
                continue  # the next block begins with the same prefix, so all terms of this one have it
        at, shared, same = read_piece(data, np.uint64(starts[block]), term, ZERO, ZERO)
        first = block << np.uint64(BLOCK_BITS)
        for number in range(first, min(following << np.uint64(BLOCK_BITS), np.uint64(terms))):
            at, length, same = read_piece(data, at, term, shared, same if number == first else shared)
            term[length] = END
            if dead > ZERO and same >= dead:
                continue
            dead = ZERO
            while ends[depth] > same:
                depth -= ONE
            while dead == ZERO and ends[depth] < length and term[ends[depth]] != MARK_BYTE:
                depth += ONE
                characters[depth - ONE], ends[depth] = character_at(term, ends[depth - ONE])
                if not fill_row(rows, depth, characters, word, most):
                    dead, dead_head = ends[depth], head_of(term, length)
            if dead > ZERO or depth > size + most or size > depth + most or rows[depth, size] > most:
                continue
            if ends_so(term, ends[depth], length, ending):
                found[count] = number
                count += ONE
    return found[:count].copy()


# Terms within edit distance
# --------------------------
#
# A mistake is an inserted, deleted or replaced character, or two swapped neighbours (optimal string
# alignment; F. J. Damerau, A technique for computer detection and correction of spelling errors,
# CACM 7(3), 1964). With d(i,j) the distance of the first i characters of a from the first j of b:
#
#     d(i,j) = min(d(i-1,j) + 1, d(i,j-1) + 1, d(i-1,j-1) + [a_i != b_j],
#                  d(i-2,j-2) + 1 if a_i a_(i-1) = b_(j-1) b_j)
#
# Row i depends on the first i characters only, so sorted terms share the rows of their common prefix.
# If all of a row is too far, and all of the row above so far that a swap does not help, no term with
# this prefix is near.


def near(dictionary: Dictionary, term: str, mistakes: int) -> list[int]:
    """Return the numbers of the terms of the same language whose stem is within `mistakes` of the term's."""
    stem, mark, language = term.partition(MARK)
    blocks = dictionary.blocks
    terms, longest, _ = blocks.sizes.tolist()
    word = np.array([ord(character) for character in stem], np.uint64)
    ending = np.frombuffer((mark + language).encode(*CODING), np.uint8)
    found = walk(blocks.heads, blocks.starts, blocks.data, terms, longest, word, ending, mistakes)
    return found.tolist()


MOST_TERMS = 1_000  # of all patterns of a query together
LANGUAGE_SETS = 64  # sets of languages that are cached: a process has few collections open
TWO_MISTAKES = 7  # least number of letters of a fuzzy word that may have two mistakes
PATTERNS = (Prefix, Fuzzy, Sounding)  # texts that match many terms


@dataclass(frozen=True, slots=True)
class Pattern:
    """A text that matches many terms: a prefix, a word with mistakes, or the sound of a word."""

    typed: str
    beginning: str  # the prefix or word without diacritics, as in terms
    readings: TermVariants  # the word itself, in each language
    mistakes: int  # 0: match terms with this prefix
    way: PhoneticAlgorithm | None = None  # match terms with this sound
    ends: bool = False  # match also pieces of an unspaced script with this ending
    bare: bool = False  # match only the readings: a syllable with and without tone marks


@dataclass(frozen=True, slots=True)
class Expansions:
    """The terms of each pattern, most frequent first, and the patterns with too many terms."""

    terms: Mapping[Pattern, TermVariants] = field(default_factory=dict)
    cut: tuple[Pattern, ...] = ()


# The terms of each pattern with their document frequencies. Terms are bytes: few of them will be decoded.
Gathered = Mapping[Pattern, Mapping[bytes, int]]


@lru_cache(LANGUAGE_SETS)
def analysers(languages: tuple[str, ...]) -> MultilingualAnalyser:
    """Return the analyser for a set of languages."""
    return MultilingualAnalyser.of(languages)


def patterns_at(text: Text, languages: Iterable[str]) -> list[tuple[int, Pattern]]:
    """Return the patterns of a text, each with the place of its word."""
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
    """Return the pattern of a text that is shorter than a piece; after other words it can only begin one."""
    return Pattern(word, word, _readings(word, languages), 0, ends=folded(typed).strip() == word)


def _bare(word: str, languages: tuple[str, ...]) -> Pattern:
    """Return the pattern of a Vietnamese syllable that was typed without tone marks."""
    marked = [in_language(one, VIETNAMESE) for one in sorted(marked_syllables(word))]
    readings = tuple(dict.fromkeys([*_readings(word, languages), *marked]))
    return Pattern(word, word, readings, 0, bare=True)


def _readings(word: str, languages: tuple[str, ...]) -> TermVariants:
    return tuple(dict.fromkeys(analysers(languages).read(word)))


def _pattern(text: Prefix | Fuzzy | Sounding, typed: list[str], languages: tuple[str, ...]) -> Pattern:
    last = typed[-1]
    readings, beginning = _readings(last, languages), fold(last) or last
    if isinstance(text, Prefix):
        return Pattern(f"{text.text}*", beginning, readings, 0)
    if isinstance(text, Sounding):
        return Pattern(f"{text.way}:{text.text}", beginning, readings, 0, PhoneticAlgorithm(text.way))
    mistakes = text.mistakes or (2 if len(last) >= TWO_MISTAKES else 1)
    return Pattern(f"{text.text}~", beginning, readings, mistakes)


def patterns_of(texts: Iterable[Text], languages: Iterable[str]) -> tuple[Pattern, ...]:
    """Return the distinct patterns in some texts of a query."""
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
    """Return whether all texts may be Vietnamese without tone marks.

    Next to a marked word, others are exact.
    """
    return all(type(text) is Word and is_bare_syllable(text.text.lower()) for text in texts)


def _may_hold_any(text: Text) -> bool:
    """Return whether a text may hold a pattern. Most do not, and this check is fast."""
    return isinstance(text, PATTERNS) or not text.text.isascii()


def gather(snapshot: Snapshot, patterns: Iterable[Pattern]) -> Gathered:
    """Return the terms of patterns in one partition, with their document frequencies."""
    gathered: dict[Pattern, Counter[bytes]] = {pattern: Counter() for pattern in patterns}
    for segment in (view.segment for view in snapshot.views):
        for pattern, counts in gathered.items():
            counts.update(_counted(segment, pattern))
    return gathered


def choose(gathered: Iterable[Gathered], most: int = MOST_TERMS) -> Expansions:
    """Choose the most frequent terms over all partitions; each pattern gets the same number."""
    summed: dict[Pattern, Counter[bytes]] = {}
    for part in gathered:
        for pattern, counts in part.items():
            summed.setdefault(pattern, Counter()).update(counts)
    room = most // max(1, len(summed))
    terms = {pattern: _most_frequent(counts, pattern, room) for pattern, counts in summed.items()}
    return Expansions(terms, tuple(p for p, counts in summed.items() if len(counts) > room))


def _most_frequent(counts: Mapping[bytes, int], pattern: Pattern, room: int) -> TermVariants:
    """Return the most frequent terms, the word itself first, so that it is never cut off."""
    own = {term.encode(*CODING) for term in pattern.readings}
    least = _least(counts, room)
    possible = [term for term, count in counts.items() if count >= least or term in own]
    ordered = sorted(possible, key=lambda term: (term not in own, -counts[term], term))
    return tuple(term.decode(*CODING) for term in ordered[:room])


def _least(counts: Mapping[bytes, int], room: int) -> int:
    """Return the frequency of the `room`-th most frequent term: terms below need no sorting."""
    if not 0 < room < len(counts):
        return 0
    return int(np.partition(np.fromiter(counts.values(), np.int64, len(counts)), -room)[-room])


def _counted(segment: Segment, pattern: Pattern) -> dict[bytes, int]:
    """Return the terms of a pattern in one segment, with their document frequencies."""
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


def _sounding(segment: Segment, word: str, readings: Iterable[str], way: PhoneticAlgorithm) -> set[int]:
    """Return the terms that sound like a word as typed, or like its stem in languages with safe stems."""
    sounds = sounds_of(segment.dictionary, way)
    pairs = [term.partition(MARK)[::2] for term in readings]
    asked = {
        (code(own, language, way), language)
        for stem, language in pairs
        for own in (word, spoken_form(stem, word, language))
    }
    return {number for sound, language in asked if sound for number in sounds.like(sound, language)}
