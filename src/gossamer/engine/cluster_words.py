"""With which words do results begin, and how rare are these?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.index.weighting import idf
from gossamer.kernel import kernels_are_loaded
from gossamer.model import TermStats
from gossamer.results.likeness import Numbers
from gossamer.search.plan import mark_of
from gossamer.text.analysis import READ_APART, analyser, without_language
from gossamer.text.runs import Runs, shared_runs
from gossamer.text.stopwords import LANGUAGES, stop_words
from gossamer.text.words import words

Rarities = NDArray[np.float64]  # 0 for what tells nothing
Generations = tuple[int, ...]  # of the index of each partition
Stats = Callable[[tuple[str, ...]], TermStats]  # how many documents hold each of these terms


class Lead(NamedTuple):
    """How a result begins."""

    language: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Read:
    """Words of leads, as numbers: of each lead those of its title, and behind them those of its text."""

    words: Numbers
    terms: Numbers
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

    def read(
        self, leads: Sequence[Lead], asked: Sequence[str], stats: Stats, generations: Generations
    ) -> Read:
        """The words of leads and the terms of a query; `stats` holds for these generations of the index."""
        if not kernels_are_loaded():
            return _without_kernel(leads, asked, stats)
        runs = shared_runs()
        found, counts = runs.number([text for lead in leads for text in (lead.title, lead.text)])
        starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        terms = _terms(runs, found, starts[::2], [lead.language for lead in leads])
        return Read(
            found.astype(np.int64),
            terms.astype(np.int64),
            starts,
            runs.terms.numbers(asked).astype(np.int64),
            runs.word,
            lambda names: self._rarity(runs, names, stats, generations),
        )

    def _rarity(self, runs: Runs, names: Numbers, stats: Stats, generations: Generations) -> Rarities:
        with self._lock:
            if self._of[0] is not runs or self._of[1] != generations:
                self._of, self._rarities = (runs, generations), np.empty(0)
            known = len(runs.terms.texts)
            if known > len(self._rarities):
                more = known * 5 // 4 - len(self._rarities)
                self._rarities = np.pad(self._rarities, (0, more), constant_values=np.nan)
            new = names[np.isnan(self._rarities[names])]
            if len(new):
                texts = runs.terms.texts.lines(new.astype(np.uint32)).decode("utf-8", "surrogatepass")
                self._rarities[new] = rarities(texts.split("\n")[:-1], stats)
            return self._rarities[names]


def _terms(
    runs: Runs, found: NDArray[np.uint32], starts: Numbers, languages: Sequence[str]
) -> NDArray[np.uint32]:
    """Each word in the language of its lead."""
    spoken = sorted(set(languages))
    if len(spoken) == 1:
        return runs.terms.of(found, spoken[0])
    terms = np.empty_like(found)
    own = np.repeat([spoken.index(language) for language in languages], np.diff(starts))
    for number, language in enumerate(spoken):
        terms[own == number] = runs.terms.of(found[own == number], language)
    return terms


def _without_kernel(leads: Sequence[Lead], asked: Sequence[str], stats: Stats) -> Read:
    """The same in plain Python."""
    known: dict[str, int] = {}
    found: list[str] = []
    terms: list[str] = []
    starts = [0]
    for lead in leads:
        for text in (lead.title, lead.text):
            own = words(text)
            found += own
            terms += [analyser(lead.language)[word] for word in own]
            starts.append(len(found))

    def numbered(texts: Iterable[str]) -> Numbers:
        return np.array([known.setdefault(text, len(known)) for text in texts], np.int64)

    numbers = numbered(found), numbered(terms), np.array(starts), numbered(asked)
    texts = list(known)
    return Read(
        *numbers, texts.__getitem__, lambda names: rarities([texts[name] for name in names.tolist()], stats)
    )


def rarities(terms: Sequence[str], stats: Stats) -> Rarities:
    """The idf of terms; function words, numbers and single letters tell nothing."""
    told = tuple([term for term in terms if _tells(term)])
    held = stats(told)
    rare = {
        term: idf(held.documents, min(count, held.documents)) if count else 0.0
        for term, count in held.frequencies.items()
    }
    return np.array([rare.get(term, 0.0) for term in terms])


def _tells(term: str) -> bool:
    word = without_language(term)
    return len(word) > 1 and not word[0].isdigit() and term not in _function_words(mark_of(term))


@cache
def _function_words(mark: str) -> frozenset[str]:
    """The terms of function words of a language; of all that are read alike where there is no mark."""
    languages = [mark] if mark else sorted(LANGUAGES - READ_APART)
    return frozenset(analyser(language)[word] for language in languages for word in stop_words(language))
