"""What do all partitions together know of words? Remembered as long as they stay what they are.

Which pages hold a term, which compounds hold a word, and where a word may be parted depend on the snapshots
alone: one book belongs to one state of all partitions, and is thrown away with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain
from typing import TypeVar

import numpy as np

from gossamer.index.snapshot import SegmentView, Snapshot
from gossamer.model import TermStats, Word
from gossamer.search.condition import Reading
from gossamer.search.decompounding import COMPOUNDING, compounds_holding, kinds_of
from gossamer.search.expansion import analysers, choose, gather, patterns_at
from gossamer.search.parting import Parts, joined_in_pages, parted
from gossamer.text.analysis import Analyser
from gossamer.text.strings import CODING

TERMS = 200_000  # whose frequencies are remembered; beyond it the memory starts anew
WORDS = 20_000  # whose compounds and parts are
COUNTED = 200_000  # words of which it is remembered how many documents hold them
FEW_WORDS = 8  # whose terms are remembered: they were typed, more are parts that hardly come again

Languages = tuple[str, ...]
Made = TypeVar("Made")


class Wordbook:
    """The words of some snapshots. Threads may share it."""

    def __init__(self, snapshots: Iterable[Snapshot]) -> None:
        self.snapshots = tuple(snapshots)
        self._held: dict[str, int] = {}
        self._counts: dict[Languages, dict[str, int]] = {}
        # By word and languages. Nothing in them holds the book: it would hold itself, and its files open.
        self._kinds: dict[tuple[str, Languages], Reading] = {}
        self._longer: dict[tuple[str, Languages], Mapping[str, int]] = {}
        self._parts: dict[tuple[str, Languages], Parts | None] = {}
        self._readings: dict[tuple[str, Languages], Reading] = {}

    @cached_property
    def views(self) -> list[SegmentView]:
        return [view for one in self.snapshots for view in one.views]

    @cached_property
    def documents(self) -> int:
        """All documents; deleted ones count until they merge."""
        return sum(one.term_stats(()).documents for one in self.snapshots)

    @cached_property
    def languages(self) -> frozenset[str]:
        """Of pages and passages."""
        return frozenset(name for one in self.snapshots for name in one.languages())

    @cached_property
    def spoken(self) -> Mapping[str, int]:
        """How many documents there are in each language."""
        return sum((one.spoken() for one in self.snapshots), Counter[str]())

    def stats(self, terms: Iterable[str]) -> TermStats:
        """How many documents there are, and how many hold each term; deleted ones count until they merge."""
        wanted = dict.fromkeys(terms)
        known = {term: count for term in wanted if (count := self._held.get(term)) is not None}
        if len(known) < len(wanted):
            new = tuple([term for term in wanted if term not in known])
            counts: dict[str, int] = dict.fromkeys(new, 0)
            for one in self.snapshots:
                for term, count in one.term_stats(new).frequencies.items():
                    counts[term] += count
            self._hold(counts)
            known |= counts
        return TermStats(self.documents, {term: known[term] for term in wanted})

    def _hold(self, counts: Mapping[str, int]) -> None:
        if len(self._held) > TERMS:
            self._held.clear()
        self._held.update(counts)

    def frequencies(self, words: Sequence[str], languages: Languages) -> list[int]:
        """How many documents hold each word, in all of these languages."""
        known = self._counts.setdefault(languages, {})
        found = {word: count for word in words if (count := known.get(word)) is not None}
        new = list(dict.fromkeys([word for word in words if word not in found]))
        if new:
            counted = dict(zip(new, self._counted(new, languages), strict=True))
            if len(known) + len(new) > COUNTED:
                known.clear()
            known.update(counted)
            found |= counted
        return [found[word] for word in words]

    def _counted(self, words: Sequence[str], languages: Languages) -> list[int]:
        readers, are_few = analysers(languages), len(words) <= FEW_WORDS
        terms = [*chain(*readers.read_all(words, remembered=are_few))]
        lines = "\n".join([*terms, ""]).encode(*CODING)
        held = np.zeros(len(terms), np.int64)
        for one in self.snapshots:
            held += one.frequencies(lines, len(terms))
        if are_few:  # a query is about to ask for its terms
            self._hold(dict(zip(terms, held.tolist(), strict=True)))
        counts: list[int] = held.reshape(len(words), len(readers)).sum(axis=1).tolist()
        return counts

    def kinds(self, word: str, languages: Languages) -> Reading:
        """The most frequent compounds that end with this word."""
        return _remembered(
            self._kinds,
            (word, languages),
            lambda: kinds_of(self.snapshots, word, self._compounding(word, languages)),
        )

    def _compounding(self, word: str, languages: Languages) -> list[Analyser]:
        """The readers of languages that write compounds as one, and in which some page holds the word."""
        readers = analysers(languages)
        read = zip(readers, readers.read(word), strict=True)
        terms = {term: reader for reader, term in read if reader.language in COMPOUNDING}
        held = self.stats(terms).frequencies
        return [reader for term, reader in terms.items() if held[term]]

    def longer(self, word: str, languages: Languages) -> Mapping[str, int]:
        """The compounds that hold this word, and how many documents hold them."""
        return _remembered(
            self._longer,
            (word, languages),
            lambda: compounds_holding(self.snapshots, word, analysers(languages)),
        )

    def parts(self, word: str, languages: Languages) -> Parts | None:
        """The two parts in which others write this word, where it has them."""

        def joined(parts: Parts) -> bool:
            return joined_in_pages(self.snapshots, analysers(languages), parts)

        def frequencies(asked: Sequence[str]) -> list[int]:
            return self.frequencies(asked, languages)

        return _remembered(
            self._parts, (word, languages), lambda: parted([word], frequencies, joined).get(word)
        )

    def reading(self, word: str, languages: Languages) -> Reading:
        """The terms of a word in each language; those of all that a bare syllable of Vietnamese may mean."""
        return _remembered(self._readings, (word, languages), lambda: self._read(word, languages))

    def _read(self, word: str, languages: Languages) -> Reading:
        plain = analysers(languages).read(word)
        patterns = [pattern for _, pattern in patterns_at(Word(word), languages)]
        if not patterns:
            return plain
        return choose([gather(one, patterns) for one in self.snapshots]).terms.get(patterns[0], plain)


def _remembered(
    known: dict[tuple[str, Languages], Made], key: tuple[str, Languages], make: Callable[[], Made]
) -> Made:
    if key in known:
        with suppress(KeyError):  # another thread may have cleared it just now
            return known[key]
    made = make()
    if len(known) >= WORDS:
        known.clear()
    known[key] = made
    return made
