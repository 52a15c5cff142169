"""Which better spelling of a query does the index know?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gossamer.index.lexicon import Words
from gossamer.model import And, Clause, Phrase, Query, TermStats, Word
from gossamer.query.spelt import plain_words
from gossamer.results.respelling import Respelt, Spelt, respelt
from gossamer.search.expansion import analysers
from gossamer.search.searcher import Searcher
from gossamer.text.channel import Meant
from gossamer.text.habits import strangeness
from gossamer.text.words import words

REACH, FARTHER = 2, 3  # letters that may be wrong
LONG = 7  # letters of a word in which more may be wrong
NEAR_ENOUGH = 300  # the cost of a word from which on no others are looked for farther away
MOST = 900  # what a word may cost
FEW, USUAL = 2_000, 2.5  # words that teach too little, and how strange the letters of words are elsewhere

Count = Callable[[Query], int]  # how many documents answer a query


class Spelling:
    """The words of all partitions, for one query."""

    def __init__(
        self, searchers: Sequence[Searcher], languages: Iterable[str], stats: TermStats, count: Count
    ) -> None:
        self._searchers = searchers
        self._readers = analysers(tuple(sorted(languages)))
        self._stats = stats  # of the query
        self._count = count

    def suggestion(self, query: Query) -> Respelt | None:
        """A spelling of a query that the index knows better."""
        typed = [Spelt(*place) for place in plain_words(query.text)]
        return respelt(query.text, typed, self) if typed else None

    def unknown(self, query: Query) -> frozenset[str]:
        """The words of a query that stand nowhere."""
        typed = list(dict.fromkeys(word for text in query.texts() for word in words(text.text)))
        held = zip(typed, self.documents(typed), strict=True)
        return frozenset(word for word, count in held if not count)

    @property
    def size(self) -> int:
        return self._stats.documents

    def documents(self, asked: Sequence[str]) -> list[int]:
        terms = [{reader[word] for reader in self._readers} for word in asked]
        every = set[str]().union(*terms)
        known = self._stats.frequencies
        if not every <= known.keys():
            each = [one.snapshot.term_stats(every) for one in self._searchers]
            known = sum(each, TermStats(0, {})).frequencies
        return [sum(known.get(term, 0) for term in own) for own in terms]

    def near(self, word: str) -> list[Meant]:
        found = self._within(word, REACH)
        if len(word) >= LONG and min((one.cost for one in found), default=MOST) > NEAR_ENOUGH:
            return self._within(word, FARTHER)
        return found

    def _within(self, word: str, reach: int) -> list[Meant]:
        found: dict[str, Meant] = {}
        for own in self._all_words():
            for one in own.near(word, reach, MOST):
                before = found.get(one.word)
                found[one.word] = Meant(one.word, one.count + before.count, one.cost) if before else one
        return list(found.values())

    def strangeness(self, word: str) -> float:
        largest = max(self._all_words(), key=len, default=None)
        own = strangeness(largest.habits, word) if largest else 0.0
        return own if largest and len(largest) > FEW else max(own, USUAL * len(word))

    def _all_words(self) -> list[Words]:
        return [view.segment.lexicon.words for one in self._searchers for view in one.snapshot.views]

    def same(self, one: str, other: str) -> bool:
        return any(reader[one] == reader[other] for reader in self._readers)

    def together(self, one: str, other: str, side_by_side: bool) -> int:
        clause: Clause = Phrase(f"{one} {other}") if side_by_side else And((Word(one), Word(other)))
        return self._count(Query("", (clause,)))
