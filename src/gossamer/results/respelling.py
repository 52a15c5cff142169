"""How is a query spelt better, with everything but the misspelt words left as it was typed?

A word that the collection knows is left alone, and so is one that is short. For the others a known word may
be meant, or two (`thequick`); of two words the space between them may have slipped (`sear chengine`), or not
belong there. Words that were written as one, or with a space that slipped, must stand side by side in some
document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Protocol

from gossamer.results.spelling import LIKELY, SURE, Guess, Typed, guess, respaced
from gossamer.text.channel import Meant

SHORTEST = 4  # letters; below, nearly everything is near to everything
MOST_WORDS = 8  # doubtful ones of a query for which others are looked for
RARE = 20_000  # a known word that fewer than one in so many documents hold may be a mistake of their writers
APART, TOGETHER, SLIPPED = 250, 200, 250  # the costs of a space left out, put in, and put elsewhere
BEST_PLACES = 3  # for a space: by the rarer of the two words
SHORTEST_PART = 2  # letters
WEIGHT, HIGHEST = 0.4, 2.0  # of the context


class Vocabulary(Protocol):
    """What a collection knows of words."""

    @property
    def size(self) -> int:
        """How many documents there are."""
        ...

    def documents(self, words: Sequence[str]) -> list[int]:
        """How many documents hold each word, in any of its forms."""
        ...

    def near(self, word: str) -> Sequence[Meant]:
        """Words that occur and may be meant by this one; none where it is too frequent itself."""
        ...

    def strangeness(self, word: str) -> float: ...

    def same(self, several: Sequence[str], other: str) -> Sequence[bool]:
        """Of each of several words, whether it and the other are forms of one."""
        ...

    def together(self, pairs: Sequence[tuple[str, str]], side_by_side: bool) -> Sequence[int]:
        """How many documents hold both words of each pair."""
        ...


@dataclass(frozen=True, slots=True)
class Spelt:
    """A word of a query that may be misspelt, in small letters, and where it stands."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Respelt:
    """A query spelt better; `sure` says whether it may be searched for unasked."""

    text: str
    sure: bool


@dataclass(frozen=True, slots=True)
class _Change:
    start: int
    end: int
    words: str
    sureness: float
    is_known: bool = False  # what was typed is a word, too


def respelt(text: str, typed: Sequence[Spelt], vocabulary: Vocabulary) -> Respelt | None:
    """The query with the words that were meant; None where nothing is likely enough."""
    held = dict(zip(typed, vocabulary.documents([one.word for one in typed]), strict=True))
    rare = vocabulary.size // RARE
    doubtful = [one for one in typed if len(one.word) >= SHORTEST and held[one] <= rare][:MOST_WORDS]
    if not doubtful:
        return None
    changes = [change for change in _slipped(text, typed, held, vocabulary) if change.sureness >= LIKELY]
    taken = {place for change in changes for place in range(change.start, change.end)}
    for one in doubtful:
        if one.start not in taken and (change := _changed(one, typed, held, vocabulary)):
            changes.append(change)
    changes = [change for change in changes if change.sureness >= LIKELY]
    sure = all(change.sureness >= SURE and not change.is_known for change in changes)
    return Respelt(_written(text, changes), sure) if changes else None


def _changed(
    one: Spelt, typed: Sequence[Spelt], held: dict[Spelt, int], vocabulary: Vocabulary
) -> _Change | None:
    others = [other.word for other in typed if other.word != one.word and held[other]][:2]
    asked = Typed(one.word, vocabulary.strangeness(one.word), held[one] > 0)
    there = {other.word for other in typed} - {one.word}  # nobody means a word twice
    known = [meant for meant in vocabulary.near(one.word) if meant.count and meant.word not in there]
    best = guess(asked, known, vocabulary.same, lambda word: _context(word, others, vocabulary))
    if best is not None and not vocabulary.documents([best.words])[0]:
        best = None  # it stood in documents that are gone
    if not held[one]:
        best = max(
            [*_apart(one.word, asked, APART, vocabulary), *filter(None, [best])], key=_score, default=None
        )
    return _Change(one.start, one.end, best.words, best.sureness, held[one] > 0) if best else None


def _score(one: Guess) -> float:
    return one.score


def _context(word: str, others: Sequence[str], vocabulary: Vocabulary) -> float:
    """How much oftener than by chance a word stands in documents with the others, as a logarithm."""
    if not others:
        return 0.0
    own, *each = vocabulary.documents([word, *others])
    both = vocabulary.together([(word, other) for other in others], False)
    by_chance = [own * held / max(1, vocabulary.size) for held in each]
    total = sum(log((count + 0.5) / (chance + 0.5)) for count, chance in zip(both, by_chance, strict=True))
    return max(-HIGHEST, min(HIGHEST, WEIGHT * total / len(others)))


def _apart(joined: str, asked: Typed, cost: int, vocabulary: Vocabulary, but: int = 0) -> list[Guess]:
    """The word as two that stand side by side somewhere; not parted at the place `but`."""
    places = [n for n in range(SHORTEST_PART, len(joined) - SHORTEST_PART + 1) if n != but]
    parts = [(joined[:n], joined[n:]) for n in places]
    held = vocabulary.documents([part for pair in parts for part in pair])
    rarer = {pair: min(held[2 * n], held[2 * n + 1]) for n, pair in enumerate(parts)}
    best = [pair for pair in sorted(parts, key=lambda pair: -rarer[pair])[:BEST_PLACES] if rarer[pair]]
    both = zip(best, vocabulary.together(best, True) if best else (), strict=True)
    return [respaced(asked, Meant(" ".join(pair), count, cost)) for pair, count in both if count]


def _slipped(
    text: str, typed: Sequence[Spelt], held: dict[Spelt, int], vocabulary: Vocabulary
) -> list[_Change]:
    """Pairs of words, one of them unknown, that are one word, or two with the space elsewhere."""
    changes: list[_Change] = []
    for one, other in pairwise(typed):
        is_free = not changes or changes[-1].end <= one.start
        if not is_free or (held[one] and held[other]) or text[one.end : other.start].strip():
            continue
        joined = one.word + other.word
        if len(joined) < 2 * SHORTEST_PART + 1:
            continue
        asked = Typed(joined, vocabulary.strangeness(joined))
        guesses = _apart(joined, asked, SLIPPED, vocabulary, len(one.word))
        if count := vocabulary.documents([joined])[0]:
            guesses.append(respaced(asked, Meant(joined, count, TOGETHER)))
        if best := max(guesses, key=_score, default=None):
            changes.append(_Change(one.start, other.end, best.words, best.sureness))
    return changes


def _written(text: str, changes: Sequence[_Change]) -> str:
    """The query with the changes made, each as the typed word was written."""
    for change in sorted(changes, key=lambda change: -change.start):
        typed = text[change.start : change.end]
        text = text[: change.start] + _as_typed(change.words, typed) + text[change.end :]
    return text


def _as_typed(words: str, typed: str) -> str:
    """With a capital where one was typed, and the sigma that ends a Greek word."""
    if words.endswith("σ"):
        words = words[:-1] + "ς"
    return words[:1].upper() + words[1:] if typed[:1].isupper() else words
