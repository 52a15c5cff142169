"""Which better spelling of a query does the index know?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import eq

from gossamer.index.lexicon import Words
from gossamer.model import And, Clause, Phrase, Query, Word
from gossamer.query.spelt import plain_words
from gossamer.results.respelling import Respelt, Spelt, respelt
from gossamer.results.spelling import MORE_FREQUENT
from gossamer.search.compounds import known_compounds
from gossamer.search.condition import Reading
from gossamer.search.expansion import analysers
from gossamer.search.together import Written, counted, counted_as_written
from gossamer.search.wordbook import Wordbook
from gossamer.text.channel import Meant
from gossamer.text.habits import strangeness
from gossamer.text.vietnamese import LANGUAGE as VIETNAMESE
from gossamer.text.words import words

REACH, FARTHER = 2, 3  # letters that may be wrong
LONG = 7  # letters of a word in which more may be wrong
NEAR_ENOUGH = 300  # the cost of a word from which on no others are looked for farther away
MOST = 900  # what a word may cost
FEW, USUAL = 2_000, 2.5  # words that teach too little, and how strange the letters of words are elsewhere

Count = Callable[[Query], int]  # how many documents answer a query


class Spelling:
    """The words of all partitions, for one query."""

    def __init__(self, wordbook: Wordbook, languages: Iterable[str], count: Count) -> None:
        self._wordbook = wordbook
        self._views = wordbook.views
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
        everything = self._all_words()
        own = sum(one.count(word) for one in everything)
        if own and not any(self._frequent(one, word, own) for one in everything):
            return []
        found = self._within(word, REACH)
        if len(word) >= LONG and min((one.cost for one in found), default=MOST) > NEAR_ENOUGH:
            return self._within(word, FARTHER)
        return found

    def _frequent(self, words: Words, word: str, own: int) -> bool:
        """Whether near words may be so frequent that they are meant by a known one: few are looked at."""
        rarest = -(-own * MORE_FREQUENT // len(self._views))  # in one of the segments at least
        return any(one.word != word for one in words.near(word, REACH, MOST, rarest))

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
        return [view.segment.lexicon.words for view in self._views]

    def same(self, several: Sequence[str], other: str) -> list[bool]:
        own = self._readers.read(other)
        return [any(map(eq, one, own)) for one in self._readers.read_all(several, remembered=False)]

    def together(self, pairs: Sequence[tuple[str, str]], side_by_side: bool) -> list[int]:
        """Counted in the postings, where that is the same as what a query would find."""
        simple = frozenset(filter(self._is_simple, chain(*pairs)))
        read = [pair for pair in pairs if simple.issuperset(pair)]
        counts = (self._side_by_side(read) if side_by_side else self._in_one(read)) if read else []
        known = dict(zip(read, counts, strict=True))
        return [known[pair] if pair in known else self._count(_both(pair, side_by_side)) for pair in pairs]

    def _side_by_side(self, pairs: Sequence[tuple[str, str]]) -> list[int]:
        read = {word: self._wordbook.reading(word, self._languages) for word in chain(*pairs)}
        return counted(self._views, [(read[one], read[other]) for one, other in pairs], True)

    def _in_one(self, pairs: Sequence[tuple[str, str]]) -> list[int]:
        """In how many documents both stand, however they are written."""
        written = {word: self._written(word) for word in dict.fromkeys(chain(*pairs))}
        plain = [pair for pair in pairs if written[pair[0]].is_plain and written[pair[1]].is_plain]
        read = [(written[one].word, written[other].word) for one, other in plain]
        known = dict(zip(plain, counted(self._views, read, False), strict=True)) if plain else {}
        return [
            known[pair] if pair in known else self._as_written(pair, (written[pair[0]], written[pair[1]]))
            for pair in pairs
        ]

    def _as_written(self, both: tuple[str, str], pair: tuple[Written, Written]) -> int:
        if any(len(view.segment.columns.passage_names) for view in self._views):
            return self._count(_both(both, False))
        return counted_as_written(self._views, *pair)

    def _is_simple(self, word: str) -> bool:
        """Whether a word is read as itself, alone and beside others."""
        return words(word) == [word] and (word.isascii() or VIETNAMESE not in self._languages)

    def _written(self, word: str) -> Written:
        """A word with what may stand for it in a query."""
        query = Query("", (Word(word),))
        made = known_compounds(query, self._wordbook, self._languages)
        parts = made.parts.get(word)
        first, second = (self._plain(part) for part in parts) if parts else ((), ())
        own = self._wordbook.reading(word, self._languages)
        return Written(own, (first, second) if parts else None, made.longer.get(word, ()))

    def _plain(self, word: str) -> Reading:
        return self._readers.read(word)


def _both(pair: tuple[str, str], side_by_side: bool) -> Query:
    clause: Clause = Phrase(" ".join(pair)) if side_by_side else And((Word(pair[0]), Word(pair[1])))
    return Query("", (clause,))
