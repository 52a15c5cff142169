"""With which words do results begin, and how rare are these?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from gossamer.index.weighting import idfs
from gossamer.kernel import kernels_are_loaded
from gossamer.results.likeness import Numbers
from gossamer.search.plan import mark_of
from gossamer.search.searcher import Searcher
from gossamer.text.analysis import MARK, READ_APART, analyser, without_language
from gossamer.text.runs import Runs, shared_runs
from gossamer.text.stopwords import LANGUAGES, stop_words
from gossamer.text.strings import CODING
from gossamer.text.words import words

Numbered = NDArray[np.uint32]
Rarities = NDArray[np.float64]  # 0 for what tells nothing
Generations = tuple[int, ...]  # of the index of each partition

FREQUENT = 50_000  # words of a segment that are worth knowing beforehand
SPOKEN_BY = 0.01  # of the documents: in a rarer language nothing is known beforehand


@dataclass(frozen=True, slots=True)
class Leads:
    """How results begin."""

    languages: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[bytes]  # UTF-8: few of the texts are ever shown to anybody

    def __len__(self) -> int:
        return len(self.titles)

    def whole(self, place: int) -> str:
        return f"{self.titles[place]}\n{self.texts[place].decode()}"


@dataclass(frozen=True, slots=True)
class Read:
    """Words of leads, as numbers: of each lead those of its title, and behind them those of its text."""

    words: Numbers | Numbered
    terms: Numbers | Numbered
    starts: Numbers  # where each title and each text begins, and the end
    asked: Numbers  # the terms of the query
    word: Callable[[int], str]
    rarity: Callable[[Numbers], Rarities]


class Reader:
    """Reads leads; remembers how rare terms are, as long as the snapshots last. Threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._of: tuple[Runs | None, Generations] = (None, ())
        self._rarities = np.empty(0)  # by the number of a term; NaN where it was not asked for

    def read(self, leads: Leads, asked: Sequence[str], searchers: Sequence[Searcher]) -> Read:
        """The words of leads and the terms of a query, with statistics of all partitions."""
        if not kernels_are_loaded():
            return _without_kernel(leads, asked, searchers)
        runs = shared_runs()
        titles = map(str.encode, leads.titles)
        found, counts = runs.number_utf8([*chain.from_iterable(zip(titles, leads.texts, strict=True))])
        starts = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        return Read(
            found,
            runs.terms.of_each(found, starts[::2], leads.languages),
            starts,
            runs.terms.numbers(asked).astype(np.int64),
            runs.word,
            lambda names: self._rarity(runs, names, searchers),
        )

    def learn(self, searchers: Sequence[Searcher]) -> None:
        """Reads the frequent words of all segments, so that searches meet few new ones."""
        runs = shared_runs()
        spoken = sum([one.snapshot.spoken() for one in searchers], Counter[str]())
        languages = [name for name, count in spoken.items() if count >= SPOKEN_BY * spoken.total()]
        for lexicon in [view.segment.lexicon for one in searchers for view in one.snapshot.views]:
            words, _ = runs.number_utf8([lexicon.frequent(FREQUENT)])
            for language in languages:
                terms = np.unique(runs.terms.of(words, language))
                self._rarity(runs, terms.astype(np.int64), searchers)

    def _rarity(self, runs: Runs, names: Numbers, searchers: Sequence[Searcher]) -> Rarities:
        generations = tuple([one.snapshot.generation for one in searchers])
        with self._lock:
            if self._of[0] is not runs or self._of[1] != generations:
                self._of, self._rarities = (runs, generations), np.empty(0)
            known = len(runs.terms.texts)
            if known > len(self._rarities):
                more = known * 5 // 4 - len(self._rarities)
                self._rarities = np.pad(self._rarities, (0, more), constant_values=np.nan)
            rare = self._rarities[names]
            new = np.isnan(rare)
            if new.any():
                rare[new] = rarities(runs.terms.texts.lines(names[new].astype(np.uint32)), searchers)
                self._rarities[names[new]] = rare[new]
            return rare


def _without_kernel(leads: Leads, asked: Sequence[str], searchers: Sequence[Searcher]) -> Read:
    """The same in plain Python."""
    known: dict[str, int] = {}
    found: list[str] = []
    terms: list[str] = []
    starts = [0]
    for language, title, text in zip(leads.languages, leads.titles, leads.texts, strict=True):
        for part in (title, text.decode()):
            own = words(part)
            found += own
            terms += [analyser(language)[word] for word in own]
            starts.append(len(found))

    def numbered(texts: Iterable[str]) -> Numbers:
        return np.array([known.setdefault(text, len(known)) for text in texts], np.int64)

    numbers = numbered(found), numbered(terms), np.array(starts), numbered(asked)
    texts = list(known)

    def rarity(names: Numbers) -> Rarities:
        return rarities("".join([f"{texts[name]}\n" for name in names.tolist()]).encode(*CODING), searchers)

    return Read(*numbers, texts.__getitem__, rarity)


def rarities(lines: bytes, searchers: Sequence[Searcher]) -> Rarities:
    """The idf of terms, one a line; function words, numbers and single letters tell nothing."""
    terms = lines.decode(*CODING).split("\n")[:-1]
    held = np.zeros(len(terms), np.int64)
    for one in searchers:
        held += one.snapshot.frequencies(lines, len(terms))
    documents = sum([one.snapshot.indexed for one in searchers])
    tells = np.array([_tells(term) for term in terms], np.bool_)
    return np.where(tells & (held > 0), idfs(documents, np.minimum(held, documents)), 0.0)


def _tells(term: str) -> bool:
    word, _, mark = term.partition(MARK)
    return len(word) > 1 and not word[0].isdigit() and word not in _function_words(mark)


@cache
def _function_words(mark: str) -> frozenset[str]:
    """The terms of function words of a language; of all that are read alike where there is no mark."""
    languages = [mark] if mark else sorted(LANGUAGES - READ_APART)
    terms = [analyser(language)[word] for language in languages for word in stop_words(language)]
    return frozenset([without_language(term) for term in terms if mark_of(term) == mark])
