"""Index of phrases: find them by prefix or by words; build it.

Phrases (titles, anchor texts, frequent runs of words, past queries) are numbered by falling weight, so the
best phrases have the smallest numbers. They are found in two ways: by a prefix, in the sorted list of keys,
and by words in any order. The last word may be incomplete.

key       the words of a phrase, folded (case, accents) and joined by spaces
phrase p  text    texts[text_bounds[p] : text_bounds[p + 1]]
          words   words[phrase_words[i]], i from phrase_bounds[p] to before phrase_bounds[p + 1]
word w    phrases word_phrases[word_bounds[w] : word_bounds[w + 1]], ascending
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

from gossamer.model.graph import starts_of
from gossamer.text.strings import heads_of, sort_alike
from gossamer.text.terms import fold
from gossamer.text.words import joined, words, written_as

# Prefixes with one typing error
# ------------------------------

SHORTEST_CORRECTED = 3  # characters; for shorter words, too many words are one mistake away
LONGEST_CORRECTED = 24
_STEP = 0x80  # size of a block of code points: letters in one block are of one script


def likely_words(word: str, letters: str) -> Iterator[str]:
    """Yield all strings that are one insertion, deletion, substitution or swap away from a word.

    Of the letters, only those in the same blocks as letters of the word are inserted: nobody types a Greek
    letter in a Russian word.

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


LONGEST_TYPED = 200  # characters of a typed text that are read
MOST_WORDS = 10  # words of it that are read
MOST_LOOKED_AT = 20_000  # phrases with words that begin with a prefix; if there are more, none is searched
MOST_FILTERED = 5_000  # best phrases with one word; the other words are searched only in these
LAST = "\U0010ffff"  # sorts after every character
Numbers = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class TypedPrefix:
    """A text that is being typed."""

    whole: tuple[str, ...]  # complete words
    begun: str  # the incomplete last word, or ""

    @property
    def key(self) -> str:
        return " ".join((*self.whole, self.begun))


def typed(text: str) -> TypedPrefix:
    """Split a typed text into complete words and an incomplete one.

    >>> typed("Shared Mém"), typed("shared ")
    (TypedPrefix(whole=('shared',), begun='mem'), TypedPrefix(whole=('shared',), begun=''))
    """
    cut = text[:LONGEST_TYPED]
    found = folded_words(cut)[:MOST_WORDS]
    if not found or cut[-1].isspace():
        return TypedPrefix(found, "")
    return TypedPrefix(found[:-1], found[-1])


def folded_words(text: str) -> tuple[str, ...]:
    """The words of a text, without case and accents."""
    found = words(text)
    return tuple(found if text.isascii() else [fold(word) for word in found])


@dataclass(frozen=True, slots=True)
class Completions:
    """The index of phrases, with the layout in this module's docstring. Threads may share it."""

    texts: bytes
    text_bounds: NDArray[np.uint32]
    keys: bytes
    key_bounds: NDArray[np.uint32]
    key_phrases: NDArray[np.uint32]  # the phrase of each key; keys are sorted
    words: list[str]  # sorted
    word_bounds: NDArray[np.int64]
    word_phrases: NDArray[np.uint32]
    phrase_bounds: NDArray[np.int64]
    phrase_words: NDArray[np.uint32]
    letters: str  # of all words

    def __len__(self) -> int:
        return len(self.key_phrases)

    def complete(self, text: str, k: int) -> list[str]:
        """Find at most k phrases that complete a text, the best first.

        Phrases that begin with the text come first, then phrases with its words. If there are none, one
        typing error per word is corrected.
        """
        asked = typed(text)
        if not asked.key.strip():
            return []
        found = self._found(asked, k, but=" ".join(folded_words(text[:LONGEST_TYPED])))
        if not found:
            for likely in self._corrected(asked):
                found = list(dict.fromkeys([*found, *self._found(likely, k)]))
        return [self.text(phrase) for phrase in found[:k]]

    def text(self, phrase: int) -> str:
        return self.texts[self.text_bounds[phrase] : self.text_bounds[phrase + 1]].decode()

    def words_in(self, phrase: int) -> list[str]:
        numbers = self.phrase_words[self.phrase_bounds[phrase] : self.phrase_bounds[phrase + 1]]
        return [self.words[number] for number in numbers.tolist()]

    def _found(self, asked: TypedPrefix, k: int, but: str = "") -> list[int]:
        """Phrases that begin with the text or have its words, without the one whose key is `but`."""
        found = self.beginning(asked.key, k + 1)
        if len(found) < k + 1:
            known = set(found)
            found += [one for one in self.holding(asked, 2 * k + 2) if one not in known]
        return [phrase for phrase in found if " ".join(self.words_in(phrase)) != but]

    def beginning(self, key: str, k: int) -> list[int]:
        """The best phrases whose keys begin with a prefix."""
        phrases = self.key_phrases[self._place(key) : self._place(key + LAST)]
        best = np.partition(phrases, k)[:k] if len(phrases) > k else phrases
        smallest: list[int] = np.sort(best).tolist()
        return smallest

    def _place(self, key: str) -> int:
        """How many keys come before this one. Keys are compared as UTF-8, which has the same order."""
        wanted, keys, bounds = key.encode(), self.keys, self.key_bounds
        places = range(len(self.key_phrases))
        return bisect_left(places, wanted, key=lambda i: keys[bounds[i] : bounds[i + 1]])

    def holding(self, asked: TypedPrefix, k: int) -> list[int]:
        """The best phrases with the words in any order."""
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
        """The best phrases with one of these words, ascending; those of a single word are so already."""
        held = self._phrases_with(begin, end)
        if end - begin > 1 and len(held) > MOST_LOOKED_AT:
            return held[:0]
        if end - begin > 1:
            return np.unique(held)[:MOST_FILTERED]
        best = held[:MOST_FILTERED]
        return best[np.append(True, best[1:] != best[:-1])] if len(best) else best

    def _phrases_with(self, begin: int, end: int) -> Numbers:
        """The phrases of these words, word by word."""
        return self.word_phrases[self.word_bounds[begin] : self.word_bounds[end]]

    def _span(self, first: str, end: str) -> tuple[int, int]:
        """The range of words from `first` to before `end`. A word with NUL as `end` includes that word."""
        begin = bisect_left(self.words, first)
        return begin, bisect_left(self.words, end, begin)

    def _filtered(self, phrases: Numbers, spans: Sequence[tuple[int, int]]) -> list[int]:
        """Keep the phrases that have a word of each span."""
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
        """Which of the phrases have one of these words."""
        sizes = self.phrase_bounds[phrases + 1] - self.phrase_bounds[phrases]
        numbers = self.phrase_words[_ranges(self.phrase_bounds[phrases], sizes)]
        firsts = np.cumsum(sizes) - sizes
        hold: NDArray[np.bool_] = np.logical_or.reduceat((numbers >= begin) & (numbers < end), firsts)
        return hold

    def _corrected(self, asked: TypedPrefix) -> Iterator[TypedPrefix]:
        """Yield the text with its unknown words corrected, one typing error in each."""
        whole = list(asked.whole)
        for place, word in enumerate(whole):
            if not self._is_known(word, "\0"):
                whole[place] = next(iter(self._likely(word, "\0")), word)
        begun = [asked.begun]
        if asked.begun and not self._is_known(asked.begun, LAST):
            begun = self._likely(asked.begun, LAST) or begun
        corrected = (TypedPrefix(tuple(whole), word) for word in begun)
        yield from (one for one in corrected if one != asked)

    def _is_known(self, word: str, end: str) -> bool:
        begin, behind = self._span(word, word + end)
        return begin < behind

    def _likely(self, word: str, end: str) -> list[str]:
        """Known words, or prefixes of them, that are one mistake away; first the one with the best phrase."""
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
# People search for runs of one to three words that several titles have, and that do not begin or end with a
# function word. A run that is nearly always a part of one longer run is left out: nobody searches for
# "york stock".

LEAST = 3  # titles that must have the run
MOST = 200_000  # runs, the most frequent
WITHIN = 0.8  # a run is left out if this share of its places is in one longer run
SHORTEST_TELLING = 2  # characters of a word that may begin or end a run
Codes = NDArray[np.uint64]


def frequent_runs(
    tokens: Codes, sizes: NDArray[np.int64], forms: Sequence[str], stop_words: Collection[str]
) -> list[tuple[str, int]]:
    """Find the frequent runs as they are written, and how often each occurs, the most frequent first.

    `tokens` holds the words of all titles as indexes of `forms`. `sizes` holds the number of words of each
    title.
    """
    may_end = np.array([_may_end_run(form, stop_words) for form in forms], np.bool_)
    runs = [_counted(tokens, sizes, may_end, length) for length in (1, 2, 3)]
    shown = sorted(_outside(runs), key=lambda one: (-one[1], len(one[0])))[:MOST]
    return [(joined([forms[word] for word in own]), count) for own, count in shown]


def _may_end_run(form: str, stop_words: Collection[str]) -> bool:
    return len(form) >= SHORTEST_TELLING and not form.isdigit() and form not in stop_words


def _counted(
    tokens: NDArray[np.uint64], sizes: NDArray[np.int64], may_end: NDArray[np.bool_], length: int
) -> dict[tuple[int, ...], int]:
    """Count the frequent runs of a length; `may_end` marks the words that may begin or end a run."""
    places = _begins(sizes, length)
    if not len(places):
        return {}
    first, last = tokens[places].astype(np.int64), tokens[places + length - 1].astype(np.int64)
    places = places[may_end[first] & may_end[last]]
    rows = np.stack([tokens[places + step] for step in range(length)], axis=1)
    _, firsts, counts = np.unique(_codes(rows, len(may_end)), return_index=True, return_counts=True)
    kept = counts >= LEAST
    found = zip(rows[firsts[kept]].tolist(), counts[kept].tolist(), strict=True)
    return {tuple(run): count for run, count in found}


def _begins(sizes: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """The places at which a run of a length begins and stays within its title."""
    return _ranges(np.cumsum(sizes) - sizes, np.maximum(sizes - length + 1, 0))


def _codes(rows: Codes, words: int) -> Codes:
    """A number for each run. With more than two million words, some runs of three words share a number."""
    codes = rows[:, 0].copy()
    for column in range(1, rows.shape[1]):
        codes = codes * np.uint64(max(words, 1)) + rows[:, column]
    return codes


def _outside(runs: Sequence[dict[tuple[int, ...], int]]) -> list[tuple[tuple[int, ...], int]]:
    """Leave out the runs that are nearly always a part of one longer run."""
    within: dict[tuple[int, ...], int] = {}
    for longer in runs[1:]:
        for run, count in longer.items():
            for part in (run[1:], run[:-1]):
                within[part] = max(within.get(part, 0), count)
    every = [one for own in runs for one in own.items()]
    return [(run, count) for run, count in every if within.get(run, 0) < WITHIN * count]


# Build the phrase index
# ----------------------

LONGEST_PHRASE = 80  # characters; nobody reads longer phrases while typing
MOST_LETTERS = 200  # letters that are tried instead of a mistyped one
Weighted = tuple[str, float]  # a phrase as it is shown, and its weight
Bounds = NDArray[np.int64]


class Phrases:
    """Collect phrases and build the index.

    Phrases with the same words are one phrase, which has the highest weight of them. The first one is shown:
    titles are added before anchor texts, because they are written more carefully.
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}  # by key
        self._texts: list[str] = []
        self._weights = array("d")
        self._words: dict[str, int] = {}  # numbers, in the order in which words are added
        self._written: dict[int, str] = {}  # the words that are written with other letters than their keys
        self._tokens = array("I")
        self._sizes = array("I")

    def add(self, text: str, weight: float) -> None:
        """Add a phrase, unless it is too long or has no word."""
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
        """Runs of words that several phrases share, in small letters, and how often each occurs."""
        forms = [self._written.get(number, word) for word, number in self._words.items()]
        tokens, sizes = np.array(self._tokens, np.uint64), np.array(self._sizes, np.int64)
        return frequent_runs(tokens, sizes, forms, stop_words)

    def completions(self) -> Completions:
        """Build the index."""
        keys = [key.encode() for key in self._places]
        by_key = _in_order(*_packed(keys))
        lengths = np.fromiter(map(len, self._texts), np.int64, len(self._texts))
        # Of phrases with the same weight, the shorter comes first.
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
        """The words of each phrase, as numbers of the vocabulary."""
        table = _inverse([self._words[word] for word in vocabulary])
        sizes = np.array(self._sizes, np.int64)
        places = _ranges((np.cumsum(sizes) - sizes)[ranked], sizes[ranked])
        return table[np.array(self._tokens, np.int64)[places]], starts_of(sizes[ranked])


def _inverse(order: Sequence[int] | Bounds) -> Numbers:
    """The inverse of a permutation."""
    places = np.empty(len(order), np.uint32)
    places[order] = np.arange(len(order), dtype=np.uint32)
    return places


def _packed(pieces: Sequence[bytes]) -> tuple[bytes, Numbers]:
    """Join pieces; return also the start of each, and the end of the last."""
    sizes = np.fromiter(map(len, pieces), np.int64, len(pieces))
    return b"".join(pieces), starts_of(sizes).astype(np.uint32)


def _ranges(firsts: Bounds, sizes: Bounds) -> Bounds:
    """The numbers of all ranges, range by range."""
    ends = np.cumsum(sizes)
    ranges: Bounds = np.arange(int(sizes.sum())) + np.repeat(firsts - ends + sizes, sizes)
    return ranges


def _in_order(keys: bytes, bounds: Numbers) -> Bounds:
    """The places of the keys in sorted order."""
    places = np.arange(len(bounds) - 1, dtype=np.uint32)
    arena, wide = np.frombuffer(keys, np.uint8), bounds.astype(np.int64)
    heads = heads_of(arena, wide, places)
    order = np.argsort(heads, kind="stable")
    ordered = places[order]
    sort_alike(arena, wide, heads[order], ordered)
    return ordered.astype(np.int64)


def _inverted(numbers: Numbers, bounds: Bounds, size: int) -> tuple[Numbers, Bounds]:
    """The phrases of each word, ascending."""
    phrases = np.repeat(np.arange(len(bounds) - 1, dtype=np.uint32), np.diff(bounds))
    order = np.argsort(numbers, kind="stable")
    return phrases[order], starts_of(np.bincount(numbers, minlength=size))


def _letters(vocabulary: Sequence[str]) -> str:
    """The most frequent letters."""
    counted = Counter(chain.from_iterable(vocabulary))
    return "".join(letter for letter, _ in counted.most_common(MOST_LETTERS) if letter.isalnum())
