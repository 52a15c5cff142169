"""How do phrases become something that can be asked at every letter?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from gossamer.results.completion import Completions, folded_words

LONGEST_PHRASE = 80  # characters; whatever is longer nobody reads while typing
MOST_LETTERS = 200  # different ones that are tried in the place of a mistyped one

Weighted = tuple[str, float]  # a phrase as it is shown, and what it weighs


def completions_of(phrases: Iterable[Weighted]) -> Completions:
    """What answers for these phrases; those with the same words weigh what the heaviest does.

    The first of them is shown: titles come before texts of links, which people write more carelessly.
    """
    heaviest: dict[tuple[str, ...], Weighted] = {}
    for text, weight in phrases:
        words = folded_words(text) if len(text) <= LONGEST_PHRASE else ()
        if words:
            shown, most = heaviest.get(words, (text, weight))
            heaviest[words] = (shown, max(weight, most))
    # Equal ones by length: the shorter says the same sooner.
    ranked = sorted(heaviest.items(), key=lambda one: (-one[1][1], len(one[1][0]), one[1][0]))
    rows = [words for words, _ in ranked]
    texts, text_bounds = _joined([text for _, (text, _) in ranked])
    keys = [" ".join(row).encode() for row in rows]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    key_bytes, key_bounds = _packed([keys[i] for i in order])
    vocabulary = sorted(set(chain.from_iterable(rows)))
    numbers, bounds = _numbered(rows, vocabulary)
    word_phrases, word_bounds = _inverted(numbers, bounds, len(vocabulary))
    return Completions(
        texts=texts,
        text_bounds=text_bounds,
        keys=key_bytes,
        key_bounds=key_bounds,
        key_phrases=np.array(order, np.uint32),
        words=vocabulary,
        word_bounds=word_bounds,
        word_phrases=word_phrases,
        phrase_bounds=bounds,
        phrase_words=numbers,
        letters=_letters(vocabulary),
    )


def _joined(texts: Sequence[str]) -> tuple[bytes, NDArray[np.uint32]]:
    return _packed([text.encode("utf-8", "replace") for text in texts])


def _packed(pieces: Sequence[bytes]) -> tuple[bytes, NDArray[np.uint32]]:
    """Pieces one behind the other, and where each begins; what ends the last comes at the end."""
    return b"".join(pieces), _bounds(pieces).astype(np.uint32)


def _bounds(rows: Sequence[bytes] | Sequence[tuple[str, ...]]) -> NDArray[np.int64]:
    bounds = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=bounds[1:])
    return bounds


def _numbered(
    rows: Sequence[tuple[str, ...]], vocabulary: Sequence[str]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    number = {word: place for place, word in enumerate(vocabulary)}
    bounds = _bounds(rows)
    tokens = map(number.__getitem__, chain.from_iterable(rows))
    return np.fromiter(tokens, np.uint32, int(bounds[-1])), bounds


def _inverted(
    numbers: NDArray[np.uint32], bounds: NDArray[np.int64], words: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Of each word the phrases that hold it, rising."""
    phrases = np.repeat(np.arange(len(bounds) - 1, dtype=np.uint32), np.diff(bounds))
    order = np.argsort(numbers, kind="stable")
    starts = np.zeros(words + 1, np.int64)
    np.cumsum(np.bincount(numbers, minlength=words), out=starts[1:])
    return phrases[order], starts


def _letters(vocabulary: Sequence[str]) -> str:
    """The most frequent letters."""
    counted = Counter(chain.from_iterable(vocabulary))
    return "".join(letter for letter, _ in counted.most_common(MOST_LETTERS) if letter.isalnum())
