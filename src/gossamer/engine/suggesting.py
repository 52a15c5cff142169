"""Which better spelling of a query does the index know?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gossamer.index.lexicon import Words
from gossamer.model import And, Clause, Phrase, Query, Word
from gossamer.query.spelt import plain_words
from gossamer.results.respelling import Respelt, Spelt, respelt
from gossamer.search.compounds import NO_COMPOUNDS, known_compounds
from gossamer.search.condition import Reading
from gossamer.search.expansion import analysers, patterns_of
from gossamer.search.together import counted
from gossamer.search.wordbook import Wordbook
from gossamer.text.channel import Meant
from gossamer.text.habits import strangeness
from gossamer.text.words import words

REACH, FARTHER = 2, 3  # letters that may be wrong
LONG = 7  # letters of a word in which more may be wrong
NEAR_ENOUGH = 300  # the cost of a word from which on no others are looked for farther away
MOST = 900  # what a word may cost
PAIR = 2  # words
FEW, USUAL = 2_000, 2.5  # words that teach too little, and how strange the letters of words are elsewhere

Count = Callable[[Query], int]  # how many documents answer a query


class Spelling:
    """The words of all partitions, for one query."""

    def __init__(self, wordbook: Wordbook, languages: Iterable[str], count: Count) -> None:
        self._wordbook = wordbook
        self._languages = tuple(sorted(languages))
        self._readers = analysers(self._languages)
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
        return self._wordbook.documents

    def documents(self, asked: Sequence[str]) -> list[int]:
        return self._wordbook.frequencies(asked, self._languages)

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
        return [view.segment.lexicon.words for view in self._wordbook.views]

    def same(self, one: str, other: str) -> bool:
        return any(reader[one] == reader[other] for reader in self._readers)

    def together(self, pairs: Sequence[tuple[str, str]], side_by_side: bool) -> list[int]:
        """Mostly counted in the postings; words that are also written otherwise are asked for as a query."""
        plain = [pair for pair in pairs if self._is_plain(_both(pair, side_by_side))]
        read = [(self._reading(one), self._reading(other)) for one, other in plain]
        known = dict(zip(plain, counted(self._wordbook.views, read, side_by_side), strict=True))
        return [
            known[pair] if pair in known else self._count(_both(pair, side_by_side)) for pair in pairs
        ]

    def _is_plain(self, query: Query) -> bool:
        """Whether a query asks for its words and nothing else."""
        texts = [text.text for text in query.texts()]
        if sum(len(words(text)) for text in texts) != PAIR or patterns_of(query, self._languages):
            return False
        return known_compounds(query, self._wordbook, self._languages) is NO_COMPOUNDS

    def _reading(self, word: str) -> Reading:
        return tuple([reader[word] for reader in self._readers])


def _both(pair: tuple[str, str], side_by_side: bool) -> Query:
    clause: Clause = Phrase(" ".join(pair)) if side_by_side else And((Word(pair[0]), Word(pair[1])))
    return Query("", (clause,))
