"""Phrases by prefix and by words; build.

Phrases (titles, texts of links, frequent runs of words, past queries) have numbers by falling weight, so the
best of many are those with the smallest numbers. They are found in two ways: by their whole beginning, in
the order of their keys, and by their words in any order, the last of them perhaps half typed.

key       the words of a phrase, folded (case, accents) and joined by spaces
phrase p  text    texts[text_bounds[p] : text_bounds[p + 1]]
          words   words[phrase_words[i]], i from phrase_bounds[p] to before phrase_bounds[p + 1]
word w    phrases word_phrases[word_bounds[w] : word_bounds[w + 1]], rising
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from gossamer.text.strings import heads_of, sort_alike
from gossamer.text.terms import fold
from gossamer.text.words import joined, words, written_as

# Prefixes with one typing error
# ------------------------------

SHORTEST_CORRECTED = 3  # characters; below, everything is one mistake away from everything
LONGEST_CORRECTED = 24
_STEP = 0x80  # code points within which letters of one script stand


def likely_words(word: str, letters: str) -> Iterator[str]:
    """All that is one insertion, deletion, substitution or swap away, of these letters.

    Only letters near those of the word are put in: nobody types a Greek letter in a Russian word.

    >>> [one for one in likely_words("jga", "ag") if one in {"jag", "ja", "ga", "jaga", "jgag"}]
    ['ga', 'ja', 'jag', 'jaga', 'jgag']
    """
    if not SHORTEST_CORRECTED <= len(word) <= LONGEST_CORRECTED:
        return
    blocks = {ord(letter) // _STEP for letter in word}
    near = [letter for letter in letters if ord(letter) // _STEP in blocks]
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    yield from dict.fromkeys(head + tail[1:] for head, tail in cuts[:-1])
    yield from (head + tail[1] + tail[0] + tail[2:] for head, tail in cuts[:-2] if tail[0] != tail[1])
    for letter in near:
        yield from (head + letter + tail for head, tail in cuts)
        yield from (head + letter + tail[1:] for head, tail in cuts[:-1] if tail[0] != letter)


LONGEST_TYPED = 200  # characters of what is typed that are read
MOST_WORDS = 10  # of what is typed
MOST_LOOKED_AT = 20_000  # phrases with words that begin so; where there are more, their beginnings will do
MOST_FILTERED = 5_000  # the best phrases with a word, among which the other words are looked for
LAST = "\U0010ffff"  # behind every character
Numbers = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class TypedPrefix:
    """What is typed, as far as it has come."""

    whole: tuple[str, ...]  # words that are finished
    begun: str  # the word that may go on; "" where none is begun

    @property
    def key(self) -> str:
        return " ".join((*self.whole, self.begun))


def typed(text: str) -> TypedPrefix:
    """
    >>> typed("Shared Mém"), typed("shared ")
    (TypedPrefix(whole=('shared',), begun='mem'), TypedPrefix(whole=('shared',), begun=''))
    """
    cut = text[:LONGEST_TYPED]
    found = folded_words(cut)[:MOST_WORDS]
    if not found or cut[-1].isspace():
        return TypedPrefix(found, "")
    return TypedPrefix(found[:-1], found[-1])


def folded_words(text: str) -> tuple[str, ...]:
    """The words of a text without case and accents: by these it is found."""
    found = words(text)
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
        found = self._found(asked, k, but=" ".join(folded_words(text[:LONGEST_TYPED])))
        if not found:
            for likely in self._mended(asked):
                found = list(dict.fromkeys([*found, *self._found(likely, k)]))
        return [self.text(phrase) for phrase in found[:k]]

    def text(self, phrase: int) -> str:
        return self.texts[self.text_bounds[phrase] : self.text_bounds[phrase + 1]].decode()

    def words_in(self, phrase: int) -> list[str]:
        numbers = self.phrase_words[self.phrase_bounds[phrase] : self.phrase_bounds[phrase + 1]]
        return [self.words[number] for number in numbers.tolist()]

    def _found(self, asked: TypedPrefix, k: int, but: str = "") -> list[int]:
        """Phrases that begin so or hold the words, but not the one with this key."""
        found = self.beginning(asked.key, k + 1)
        if len(found) < k + 1:
            known = set(found)
            found += [one for one in self.holding(asked, 2 * k + 2) if one not in known]
        return [phrase for phrase in found if " ".join(self.words_in(phrase)) != but]

    def beginning(self, key: str, k: int) -> list[int]:
        """The best phrases whose keys begin so."""
        phrases = self.key_phrases[self._place(key) : self._place(key + LAST)]
        best = np.partition(phrases, k)[:k] if len(phrases) > k else phrases
        smallest: list[int] = np.sort(best).tolist()
        return smallest

    def _place(self, key: str) -> int:
        """How many keys come before this one; in UTF-8 they have the same order."""
        wanted, keys, bounds = key.encode(), self.keys, self.key_bounds
        places = range(len(self.key_phrases))
        return bisect_left(places, wanted, key=lambda i: keys[bounds[i] : bounds[i + 1]])

    def holding(self, asked: TypedPrefix, k: int) -> list[int]:
        """The best phrases that hold the words in any order."""
        spans = [self._span(word, word + "\0") for word in dict.fromkeys(asked.whole)]
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

    def _best(self, begin: int, end: int) -> Numbers:
        """The best phrases with one of these words, rising; of a single word they rise already."""
        held = self._phrases_with(begin, end)
        if end - begin > 1 and len(held) > MOST_LOOKED_AT:
            return held[:0]
        if end - begin > 1:
            return np.unique(held)[:MOST_FILTERED]
        best = held[:MOST_FILTERED]
        return best[np.append(True, best[1:] != best[:-1])] if len(best) else best

    def _phrases_with(self, begin: int, end: int) -> Numbers:
        """The phrases of each of these words, one word behind the other."""
        return self.word_phrases[self.word_bounds[begin] : self.word_bounds[end]]

    def _span(self, first: str, end: str) -> tuple[int, int]:
        """The words from one to before another; "\0" behind a word is the end of it alone."""
        begin = bisect_left(self.words, first)
        return begin, bisect_left(self.words, end, begin)

    def _filtered(self, phrases: Numbers, spans: Sequence[tuple[int, int]]) -> list[int]:
        """Those of the phrases that hold a word of each span."""
        for begin, end in spans:
            if end - begin == 1:
                own = self._phrases_with(begin, end)
                phrases = phrases[own.take(np.searchsorted(own, phrases), mode="clip") == phrases]
        for begin, end in spans:
            if end - begin > 1 and len(phrases):
                phrases = phrases[self._hold(phrases, begin, end)]
        found: list[int] = phrases.tolist()
        return found

    def _hold(self, phrases: Numbers, begin: int, end: int) -> NDArray[np.bool_]:
        """Which of the phrases hold one of these words."""
        sizes = self.phrase_bounds[phrases + 1] - self.phrase_bounds[phrases]
        numbers = self.phrase_words[_ranges(self.phrase_bounds[phrases], sizes)]
        firsts = np.cumsum(sizes) - sizes
        hold: NDArray[np.bool_] = np.logical_or.reduceat((numbers >= begin) & (numbers < end), firsts)
        return hold

    def _mended(self, asked: TypedPrefix) -> Iterator[TypedPrefix]:
        """What may have been meant, where words are unknown: each with one mistake taken back."""
        whole = list(asked.whole)
        for place, word in enumerate(whole):
            if not self._is_known(word, "\0"):
                whole[place] = next(iter(self._likely(word, "\0")), word)
        begun = [asked.begun]
        if asked.begun and not self._is_known(asked.begun, LAST):
            begun = self._likely(asked.begun, LAST) or begun
        mended = (TypedPrefix(tuple(whole), word) for word in begun)
        yield from (one for one in mended if one != asked)

    def _is_known(self, word: str, end: str) -> bool:
        begin, behind = self._span(word, word + end)
        return begin < behind

    def _likely(self, word: str, end: str) -> list[str]:
        """Known words, or beginnings of them, one mistake away: first that of the best phrase."""
        spans = [(one, self._span(one, one + end)) for one in likely_words(word, self.letters)]
        held = [
            (int(self._phrases_with(begin, behind).min()), one)
            for one, (begin, behind) in spans
            if begin < behind
        ]
        return [one for _, one in sorted(held)[:3]]


# Frequent word runs of titles
# ----------------------------
#
# A run of one to three words that stands in at least `LEAST` different titles, and neither begins nor
# ends with a function word, is something that people look for. A shorter run that hardly ever stands
# outside of a longer one is left out: nobody looks for "york stock".

LEAST = 3  # titles that have the run
MOST = 200_000  # runs, the most frequent
WITHIN = 0.8  # the share of a run's places within one longer run, from which it is left out
SHORTEST_TELLING = 2  # characters of a word that tells something
Codes = NDArray[np.uint64]


def frequent_runs(
    tokens: Codes, sizes: NDArray[np.int64], forms: Sequence[str], stop_words: Collection[str]
) -> list[tuple[str, int]]:
    """The runs as they are written, and in how many places they stand, the most frequent first.

    Titles are numbers into `forms` one behind the other; `sizes` says how many each has.
    """
    tells = np.array([_tells(form, stop_words) for form in forms], np.bool_)
    runs = [_counted(tokens, sizes, tells, length) for length in (1, 2, 3)]
    shown = sorted(_outside(runs), key=lambda one: (-one[1], len(one[0])))[:MOST]
    return [(joined([forms[word] for word in own]), count) for own, count in shown]


def _tells(form: str, stop_words: Collection[str]) -> bool:
    return len(form) >= SHORTEST_TELLING and not form.isdigit() and form not in stop_words


def _counted(
    tokens: NDArray[np.uint64], sizes: NDArray[np.int64], tells: NDArray[np.bool_], length: int
) -> dict[tuple[int, ...], int]:
    """The frequent runs of so many words."""
    places = _begins(sizes, length)
    if not len(places):
        return {}
    told = tells[tokens[places].astype(np.int64)] & tells[tokens[places + length - 1].astype(np.int64)]
    rows = np.stack([tokens[places[told] + step] for step in range(length)], axis=1)
    codes = _codes(rows, len(tells))
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    kept = counts >= LEAST
    found = zip(rows[first[kept]].tolist(), counts[kept].tolist(), strict=True)
    return {tuple(run): count for run, count in found}


def _begins(sizes: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """The places at which a run of so many words begins that ends in the same title."""
    return _ranges(np.cumsum(sizes) - sizes, np.maximum(sizes - length + 1, 0))


def _codes(rows: Codes, words: int) -> Codes:
    """One number for each run; three words of two million fit into 64 bits, beyond that some coincide."""
    codes = rows[:, 0].copy()
    for column in range(1, rows.shape[1]):
        codes = codes * np.uint64(max(words, 1)) + rows[:, column]
    return codes


def _outside(runs: Sequence[dict[tuple[int, ...], int]]) -> list[tuple[tuple[int, ...], int]]:
    """The runs that often enough stand outside of any one longer run."""
    within: dict[tuple[int, ...], int] = {}
    for longer in runs[1:]:
        for run, count in longer.items():
            for part in (run[1:], run[:-1]):
                within[part] = max(within.get(part, 0), count)
    every = [one for own in runs for one in own.items()]
    return [(run, count) for run, count in every if within.get(run, 0) < WITHIN * count]


# Build the phrase index
# ----------------------

LONGEST_PHRASE = 80  # characters; whatever is longer nobody reads while typing
MOST_LETTERS = 200  # different ones that are tried in the place of a mistyped one
Weighted = tuple[str, float]  # a phrase as it is shown, and what it weighs
Bounds = NDArray[np.int64]


class Phrases:
    """Collects phrases. Those with the same words are one, as heavy as the heaviest of them.

    The first of them is shown: titles come before texts of links, which people write more carelessly.
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}  # by key
        self._texts: list[str] = []
        self._weights = array("d")
        self._words: dict[str, int] = {}  # numbers, as they come
        self._written: dict[int, str] = {}  # how words are written that are not as their keys are
        self._tokens = array("I")
        self._sizes = array("I")

    def add(self, text: str, weight: float) -> None:
        """A phrase; one that is too long to be read, or has no word, is passed over."""
        found = folded_words(text) if len(text) <= LONGEST_PHRASE else ()
        if not found:
            return
        place = self._places.setdefault(" ".join(found), len(self._texts))
        if place < len(self._texts):
            self._weights[place] = max(self._weights[place], weight)
            return
        known = self._words
        numbers = [known.setdefault(word, len(known)) for word in found]
        if not text.isascii():
            self._written.update(zip(numbers, written_as(text, words(text)), strict=True))
        self._texts.append(text)
        self._weights.append(weight)
        self._tokens.extend(numbers)
        self._sizes.append(len(numbers))

    def frequent(self, stop_words: Collection[str]) -> list[tuple[str, int]]:
        """Runs of words that several phrases have in common, in small letters, and in how many places."""
        forms = [self._written.get(number, word) for word, number in self._words.items()]
        tokens, sizes = np.array(self._tokens, np.uint64), np.array(self._sizes, np.int64)
        return frequent_runs(tokens, sizes, forms, stop_words)

    def completions(self) -> Completions:
        """What answers for all that was added."""
        keys = [key.encode() for key in self._places]
        by_key = _in_order(*_packed(keys))
        lengths = np.fromiter(map(len, self._texts), np.int64, len(self._texts))
        # Of equal weight the shorter comes first: it says the same sooner.
        ranked = np.lexsort((_inverse(by_key), lengths, -np.array(self._weights)))
        texts, text_bounds = _packed([self._texts[i].encode("utf-8", "replace") for i in ranked.tolist()])
        vocabulary = sorted(self._words)
        phrase_words, phrase_bounds = self._in_rows(ranked, vocabulary)
        word_phrases, word_bounds = _inverted(phrase_words, phrase_bounds, len(vocabulary))
        sorted_keys, key_bounds = _packed([keys[place] for place in by_key.tolist()])
        return Completions(
            texts=texts,
            text_bounds=text_bounds,
            keys=sorted_keys,
            key_bounds=key_bounds,
            key_phrases=_inverse(ranked)[by_key],
            words=vocabulary,
            word_bounds=word_bounds,
            word_phrases=word_phrases,
            phrase_bounds=phrase_bounds,
            phrase_words=phrase_words,
            letters=_letters(vocabulary),
        )

    def _in_rows(self, ranked: Bounds, vocabulary: Sequence[str]) -> tuple[Numbers, Bounds]:
        """The words of each phrase, as numbers into the vocabulary."""
        table = _inverse([self._words[word] for word in vocabulary])
        sizes = np.array(self._sizes, np.int64)
        places = _ranges((np.cumsum(sizes) - sizes)[ranked], sizes[ranked])
        return table[np.array(self._tokens, np.int64)[places]], _bounds(sizes[ranked])


def _inverse(order: Sequence[int] | Bounds) -> Numbers:
    """The place of each number in an order of all of them."""
    places = np.empty(len(order), np.uint32)
    places[order] = np.arange(len(order), dtype=np.uint32)
    return places


def _packed(pieces: Sequence[bytes]) -> tuple[bytes, Numbers]:
    """Pieces one behind the other, and where each begins; what ends the last comes at the end."""
    sizes = np.fromiter(map(len, pieces), np.int64, len(pieces))
    return b"".join(pieces), _bounds(sizes).astype(np.uint32)


def _bounds(sizes: Bounds) -> Bounds:
    bounds = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=bounds[1:])
    return bounds


def _ranges(firsts: Bounds, sizes: Bounds) -> Bounds:
    """All numbers of ranges, one range behind the other."""
    ends = np.cumsum(sizes)
    ranges: Bounds = np.arange(int(sizes.sum())) + np.repeat(firsts - ends + sizes, sizes)
    return ranges


def _in_order(keys: bytes, bounds: Numbers) -> Bounds:
    """The places of the keys, rising."""
    places = np.arange(len(bounds) - 1, dtype=np.uint32)
    arena, wide = np.frombuffer(keys, np.uint8), bounds.astype(np.int64)
    heads = heads_of(arena, wide, places)
    order = np.argsort(heads, kind="stable")
    ordered = places[order]
    sort_alike(arena, wide, heads[order], ordered)
    return ordered.astype(np.int64)


def _inverted(numbers: Numbers, bounds: Bounds, size: int) -> tuple[Numbers, Bounds]:
    """Of each word the phrases that hold it, rising."""
    phrases = np.repeat(np.arange(len(bounds) - 1, dtype=np.uint32), np.diff(bounds))
    order = np.argsort(numbers, kind="stable")
    return phrases[order], _bounds(np.bincount(numbers, minlength=size))


def _letters(vocabulary: Sequence[str]) -> str:
    """The most frequent letters."""
    counted = Counter(chain.from_iterable(vocabulary))
    return "".join(letter for letter, _ in counted.most_common(MOST_LETTERS) if letter.isalnum())
