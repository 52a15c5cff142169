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

from gossamer.results.spelling import LIKELY, MOST_BY_CONTEXT, SURE, Guess, Typed, guess, respaced
from gossamer.text.channel import Meant

SHORTEST = 4  # letters; below, nearly everything is near to everything
MOST_WORDS = 8  # doubtful ones of a query for which others are looked for
RARE = 20_000  # a known word that fewer than one in so many documents hold may be a mistake of their writers
APART, TOGETHER, SLIPPED = 250, 200, 250  # the costs of a space left out, put in, and put elsewhere
BEST_PLACES = 3  # for a space: by the rarer of the two words
SHORTEST_PART = 2  # letters
WEIGHT = 0.4  # of the context


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
    guesses = [] if held[one] else _apart(one.word, asked, APART, vocabulary)
    best = guess(
        asked,
        known,
        vocabulary.same,
        lambda words: _context(words, others, vocabulary),
        likely=not guesses,  # beside others an unlikely one with a better score says that none is meant
    )
    if best is not None and vocabulary.documents([best.words])[0]:  # else those documents are gone
        guesses.append(best)
    best = max(guesses, key=_score, default=None)
    return _Change(one.start, one.end, best.words, best.sureness, held[one] > 0) if best else None


def _score(one: Guess) -> float:
    return one.score


def _context(words: Sequence[str], others: Sequence[str], vocabulary: Vocabulary) -> list[float]:
    """How much oftener than by chance each word stands in documents with the others, as logarithms."""
    if not others:
        return [0.0] * len(words)
    asked = [*words, *others]
    held = dict(zip(asked, vocabulary.documents(asked), strict=True))
    pairs = [(word, other) for word in words for other in others]
    both = dict(zip(pairs, vocabulary.together(pairs, False), strict=True))
    found = []
    for word in words:
        by_chance = [held[word] * held[other] / max(1, vocabulary.size) for other in others]
        counts = [both[word, other] for other in others]
        total = sum(log((n + 0.5) / (chance + 0.5)) for n, chance in zip(counts, by_chance, strict=True))
        found.append(max(-MOST_BY_CONTEXT, min(MOST_BY_CONTEXT, WEIGHT * total / len(others))))
    return found


def _apart(joined: str, asked: Typed, cost: int, vocabulary: Vocabulary, but: int = 0) -> list[Guess]:
    """The word as two that stand side by side somewhere; not parted at the place `but`."""
    places = [n for n in range(SHORTEST_PART, len(joined) - SHORTEST_PART + 1) if n != but]
    rarer = _rarer([(joined[:n], joined[n:]) for n in places], vocabulary)
    best = sorted(rarer, key=lambda pair: -rarer[pair])[:BEST_PLACES]
    both = zip(best, vocabulary.together(best, True) if best else (), strict=True)
    return [respaced(asked, Meant(" ".join(pair), count, cost)) for pair, count in both if count]


def _rarer(pairs: Sequence[tuple[str, str]], vocabulary: Vocabulary) -> dict[tuple[str, str], int]:
    """Of each pair of known words, how many documents hold the rarer; most longer ones are not known."""
    by_length = [sorted(pair, key=len) for pair in pairs]
    longer = vocabulary.documents([longer for _, longer in by_length])
    likely = [place for place, held in enumerate(longer) if held]
    shorter = vocabulary.documents([by_length[place][0] for place in likely])
    both = zip(likely, shorter, strict=True)
    return {pairs[place]: min(longer[place], held) for place, held in both if held}


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
