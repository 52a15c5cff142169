"""How might what somebody is typing go on?

Phrases (titles, texts of links, frequent runs of words, past queries) have numbers by falling weight, so the
best of many are those with the smallest numbers. They are found in two ways: by their whole beginning, in
the order of their keys, and by their words in any order, the last of them perhaps half typed.

key       the words of a phrase, folded (case, accents) and joined by spaces
phrase p  text    texts[text_bounds[p] : text_bounds[p + 1]]
          words   words[phrase_words[i]], i from phrase_bounds[p] to before phrase_bounds[p + 1]
word w    phrases word_phrases[word_bounds[w] : word_bounds[w + 1]], rising
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.results.completion_typos import likely_words
from gossamer.text.analysis import fold
from gossamer.text.words import words as words_of

LONGEST = 200  # characters of what is typed that are read
MOST_WORDS = 10  # of what is typed
MOST_LOOKED_AT = (
    20_000  # phrases with words that begin so: where there are more, their own beginnings will do
)
MOST_FILTERED = 5_000  # the best phrases with a word, among which the other words are looked for
LAST = "\U0010ffff"  # behind every character

Phrases = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Typed:
    """What is typed, as far as it has come."""

    whole: tuple[str, ...]  # words that are finished
    begun: str  # the word that may go on; "" where none is begun

    @property
    def key(self) -> str:
        return " ".join((*self.whole, self.begun))


def typed(text: str) -> Typed:
    """
    >>> typed("Shared Mém"), typed("shared ")
    (Typed(whole=('shared',), begun='mem'), Typed(whole=('shared',), begun=''))
    """
    cut = text[:LONGEST]
    found = folded_words(cut)[:MOST_WORDS]
    if not found or cut[-1].isspace():
        return Typed(found, "")
    return Typed(found[:-1], found[-1])


def folded_words(text: str) -> tuple[str, ...]:
    """The words of a text without case and accents: by these it is found."""
    found = words_of(text)
    return tuple(found if text.isascii() else [fold(word) for word in found])


@dataclass(frozen=True, slots=True)
class Completions:
    """All phrases, as the module's docstring lays them out; safe to ask from several threads."""

    texts: bytes
    text_bounds: NDArray[np.uint32]
    keys: bytes
    key_bounds: NDArray[np.uint32]
    key_phrases: NDArray[np.uint32]  # in the order of the keys
    words: list[str]  # rising
    word_bounds: NDArray[np.int64]
    word_phrases: NDArray[np.uint32]
    phrase_bounds: NDArray[np.int64]
    phrase_words: NDArray[np.uint32]
    letters: str  # of all words

    def __len__(self) -> int:
        return len(self.key_phrases)

    def complete(self, text: str, k: int) -> list[str]:
        """At most k phrases that go on as the text begins, the best first.

        First those that begin like it, then those that hold its words; mistakes are forgiven where there is
        neither.
        """
        asked = typed(text)
        if not asked.key.strip():
            return []
        found = self._found(asked, k, but=" ".join(folded_words(text[:LONGEST])))
        if not found:
            for likely in self._mended(asked):
                found = list(dict.fromkeys([*found, *self._found(likely, k)]))
        return [self.text(phrase) for phrase in found[:k]]

    def text(self, phrase: int) -> str:
        return self.texts[self.text_bounds[phrase] : self.text_bounds[phrase + 1]].decode()

    def words_in(self, phrase: int) -> list[str]:
        numbers = self.phrase_words[self.phrase_bounds[phrase] : self.phrase_bounds[phrase + 1]]
        return [self.words[number] for number in numbers.tolist()]

    def _found(self, asked: Typed, k: int, but: str = "") -> list[int]:
        """Phrases that begin so or hold the words, but not the one with this key."""
        found = self.beginning(asked.key, k + 1)
        if len(found) < k + 1:
            known = set(found)
            found += [one for one in self.holding(asked, 2 * k + 2) if one not in known]
        return [phrase for phrase in found if self._key(phrase) != but]

    def _key(self, phrase: int) -> str:
        return " ".join(self.words_in(phrase))

    def beginning(self, key: str, k: int) -> list[int]:
        """The best phrases whose keys begin so."""
        return _smallest(self.key_phrases[self._place(key) : self._place(key + LAST)], k)

    def _place(self, key: str) -> int:
        """How many keys come before this one; in UTF-8 they have the same order."""
        wanted, keys, bounds = key.encode(), self.keys, self.key_bounds
        places = range(len(self.key_phrases))
        return bisect_left(places, wanted, key=lambda i: keys[bounds[i] : bounds[i + 1]])

    def holding(self, asked: Typed, k: int) -> list[int]:
        """The best phrases that hold the words in any order."""
        spans = [self._place_of(word) for word in dict.fromkeys(asked.whole)]
        if asked.begun:
            spans.append(self._span(asked.begun, asked.begun + LAST))
        sizes = [int(self.word_bounds[end] - self.word_bounds[begin]) for begin, end in spans]
        if not min(sizes):
            return []
        rarest = sizes.index(min(sizes))
        if asked.begun and asked.whole and sizes[-1] > MOST_LOOKED_AT:
            rarest = sizes.index(min(sizes[:-1]))
        best = self._best(*spans.pop(rarest))
        return self._filtered(best, spans)[:k] if spans else best[:k].tolist()

    def _best(self, begin: int, end: int) -> Phrases:
        """The best phrases with one of these words, rising; of a single word they rise already."""
        held = self.word_phrases[self.word_bounds[begin] : self.word_bounds[end]]
        if end - begin > 1 and len(held) > MOST_LOOKED_AT:
            return held[:0]
        if end - begin > 1:
            return np.unique(held)[:MOST_FILTERED]
        best = held[:MOST_FILTERED]
        return best[np.append(True, best[1:] != best[:-1])] if len(best) else best

    def _place_of(self, word: str) -> tuple[int, int]:
        """The span of one word; an empty one where it is unknown."""
        begin = bisect_left(self.words, word)
        return begin, begin + (begin < len(self.words) and self.words[begin] == word)

    def _span(self, first: str, end: str) -> tuple[int, int]:
        """The words from one to before another."""
        begin = bisect_left(self.words, first)
        return begin, bisect_left(self.words, end, begin)

    def _filtered(self, phrases: Phrases, spans: Sequence[tuple[int, int]]) -> list[int]:
        """Those of the phrases that hold a word of each span."""
        for begin, end in spans:
            if end - begin == 1:
                own = self.word_phrases[self.word_bounds[begin] : self.word_bounds[end]]
                phrases = phrases[own.take(np.searchsorted(own, phrases), mode="clip") == phrases]
        for begin, end in spans:
            if end - begin > 1 and len(phrases):
                phrases = phrases[self._hold(phrases, begin, end)]
        found: list[int] = phrases.tolist()
        return found

    def _hold(self, phrases: Phrases, begin: int, end: int) -> NDArray[np.bool_]:
        """Which of the phrases hold one of these words."""
        sizes = self.phrase_bounds[phrases + 1] - self.phrase_bounds[phrases]
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1]) + np.repeat(self.phrase_bounds[phrases] - ends + sizes, sizes)
        numbers = self.phrase_words[places]
        hold: NDArray[np.bool_] = np.logical_or.reduceat((numbers >= begin) & (numbers < end), ends - sizes)
        return hold

    def _mended(self, asked: Typed) -> Iterator[Typed]:
        """What may have been meant, where words are unknown: each with one mistake taken back."""
        whole = list(asked.whole)
        for place, word in enumerate(whole):
            if not self._is_known(word, word + "\0"):
                whole[place] = next(iter(self._likely(word, True)), word)
        begun = [asked.begun]
        if asked.begun and not self._is_known(asked.begun, asked.begun + LAST):
            begun = self._likely(asked.begun, False) or begun
        mended = (Typed(tuple(whole), word) for word in begun)
        yield from (one for one in mended if one != asked)

    def _is_known(self, first: str, end: str) -> bool:
        begin, behind = self._span(first, end)
        return begin < behind

    def _likely(self, word: str, whole: bool) -> list[str]:
        """Known words, or beginnings of them, one mistake away: first that of the best phrase."""
        spans = [
            (one, self._span(one, one + ("\0" if whole else LAST)))
            for one in likely_words(word, self.letters)
        ]
        held = [
            (int(self.word_phrases[self.word_bounds[begin] : self.word_bounds[end]].min()), one)
            for one, (begin, end) in spans
            if begin < end
        ]
        return [one for _, one in sorted(held)[:3]]


def _smallest(numbers: NDArray[np.uint32], k: int) -> list[int]:
    """The k smallest, rising."""
    best = np.partition(numbers, k)[:k] if len(numbers) > k else numbers
    smallest: list[int] = np.sort(best).tolist()
    return smallest
