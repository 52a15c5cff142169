"""Correct the spelling of a query: best corrections, confidence, word splits, context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from math import exp, log
from operator import attrgetter, eq
from typing import NamedTuple

from gossamer.answer.spelling.error_model import Correction, strangeness
from gossamer.answer.spelling.known_words import Words, words_in
from gossamer.model import And, Clause, Phrase, Query, Word
from gossamer.query.expansion import analysers
from gossamer.query.syntax import TokenKind, tokens
from gossamer.query.vocabulary import Vocabulary, known_compounds
from gossamer.search.match.cooccurrence import WordForms, counted, counted_as_written
from gossamer.text.terms import LANGUAGE as VIETNAMESE
from gossamer.text.words import is_unspaced, words

# Query words that may be misspelt
# --------------------------------
#
# Only plain words are corrected. The following are not corrected: words in quotation marks, in a field or
# excluded by a minus; patterns (`jag*`, `jagaur~`); words with a digit or sign; short names in capitals.

SHORT_NAME = 5  # letters of a word in capitals that may be an abbreviation
_AROUND = ".,;:!?'’()[]"


class WordSpan(NamedTuple):
    """A word of a query that may be misspelt, in small letters, with its start and end."""

    word: str
    start: int
    end: int


def correctable_words(query: str) -> Iterator[WordSpan]:
    """Yield the words of a query that may be corrected, in order.

    >>> query = 'Jagaur "new wrold" -carr site:example.org NASA (bgi cat)'
    >>> [place.word for place in correctable_words(query)]
    ['jagaur', 'bgi', 'cat']
    """
    ruled_out = 0  # the number of open parentheses after a minus
    excluded = False
    for token in tokens(query):
        if token.kind is TokenKind.OPEN and (ruled_out or excluded):
            ruled_out += 1
        elif token.kind is TokenKind.CLOSE and ruled_out:
            ruled_out -= 1
        elif token.kind is TokenKind.WORD and not (token.field or ruled_out or excluded):
            yield from _plain(token.text, token.position)
        excluded = token.kind is TokenKind.NOT


def _plain(text: str, position: int) -> Iterator[WordSpan]:
    bare = text.strip(_AROUND)
    start = position + text.find(bare)
    if not bare.isalpha() or is_unspaced(bare) or (bare.isupper() and 1 < len(bare) <= SHORT_NAME):
        return
    if len(own := words(bare)) == 1:
        yield WordSpan(own[0], start, start + len(bare))


# Best correction of a word and its confidence
# --------------------------------------------
#
# The noisy channel: the best correction is the known word with the highest P(meant) P(typed | meant), in
# logarithms
#
#     score(w) = 0.54 ln count(w) - cost(w) / 100 + context(w)
#
# with the cost of `error_model`. A logistic model gives the confidence. It is higher if the known word is
# near and frequent and has few rivals, and if the typed word looks strange. The weights were fitted to
# corrections of misspellings (right and wrong ones) and of correct words that the index lacks.
# `SUGGEST_CONFIDENCE` and `AUTOCORRECT_CONFIDENCE` were chosen so that nearly all such correct words are left
# alone (docs/spelling.md has the figures).

SUGGEST_CONFIDENCE = -0.9  # the least confidence of a correction that is shown
AUTOCORRECT_CONFIDENCE = 0.0  # and of one that is searched without a click

# The weights of the confidence.
BASE, COST, COUNT, LENGTH, RIVALS, STRANGE, PART = -2.9, -0.40, 0.25, -0.12, -1.75, 0.23, -2.1
KNOWN_STEM = 2.0  # confidence that is subtracted if other forms of the typed word are known
KNOWN = 2.0  # and if the typed word itself is known
MORE_FREQUENT = 1000  # a known word is corrected only to a word that is this many times as frequent
RIVALS_LOOKED_AT = 20
IN_CONTEXT = 3  # corrections that are compared by their context
CLOSE = 2.5  # the least difference of scores that the context cannot change
MOST_BY_CONTEXT = 2.0  # the most that the context adds or subtracts
Same = Callable[[Sequence[str], str], Sequence[bool]]  # for each word, whether it is a form of another word
Scored = tuple[float, Correction]

# How well each word fits the other words of the query, as a logarithm; 0 is neutral.
Context = Callable[[Sequence[str]], Sequence[float]]


@dataclass(frozen=True, slots=True)
class TypedWord:
    """A word that may be misspelt."""

    word: str
    strangeness: float  # the cost of its letters, see `error_model.strangeness`
    is_form: bool = False  # other forms of it are known


@dataclass(frozen=True, slots=True)
class SpellingGuess:
    """A correction of a word, with its confidence. Above 0 it is more likely right than wrong."""

    words: str
    score: float
    # Exact between SUGGEST_CONFIDENCE and AUTOCORRECT_CONFIDENCE, else only a bound.
    sureness: float


def guess(
    typed: TypedWord, known: Sequence[Correction], same: Same, context: Context, likely: bool = False
) -> SpellingGuess | None:
    """Find the best correction of a typed word; None if no other word is similar.

    With `likely`, the result may also be None if no correction reaches `SUGGEST_CONFIDENCE`.
    """
    own = sum(one.count for one in known if one.word == typed.word)
    rivals = [one for one in known if one.word != typed.word]
    if max((one.count for one in rivals), default=0) < own * MORE_FREQUENT:
        return None
    ordered = sorted([(one.score, one) for one in rivals], key=_by_score)
    ordered = (_other_words(typed.word, ordered, same) if typed.is_form else ordered)[:RIVALS_LOOKED_AT]
    close = [one for _, one in _close(ordered)]
    if all(one.count < own * MORE_FREQUENT for one in close):
        return None
    less = KNOWN if own else KNOWN_STEM if typed.is_form else 0.0
    # The confidence without rivals and with the best context.
    highest = max(_sureness(typed, one) for one in close) - less + MOST_BY_CONTEXT
    if likely and highest < SUGGEST_CONFIDENCE:
        return None
    ordered = _in_context(ordered, context)
    if ordered[0][1].count < own * MORE_FREQUENT:
        return None
    best, first = ordered[0]
    return SpellingGuess(first.word, best, _confidence(typed, ordered, same, first.score - best + less))


def _confidence(typed: TypedWord, ordered: Sequence[Scored], same: Same, less: float) -> float:
    """The confidence of the first correction, compared with its rivals.

    Forms of its word are not rivals, but they are looked up only if this can change the decision.
    """
    best, first = ordered[0]
    alone = _sureness(typed, first) - less
    if alone < SUGGEST_CONFIDENCE:
        return alone
    shares = [exp(other - best) for other, _ in ordered[1:]]
    beside_all = _sureness(typed, first, sum(shares)) - less
    if beside_all >= AUTOCORRECT_CONFIDENCE:
        return beside_all
    forms = same([one.word for _, one in ordered[1:]], first.word)
    others = sum(share for share, is_form in zip(shares, forms, strict=True) if not is_form)
    return _sureness(typed, first, others) - less


def _other_words(word: str, ordered: Sequence[Scored], same: Same) -> list[Scored]:
    """The first corrections that are no forms of the word."""
    found: list[Scored] = []
    for begin in range(0, len(ordered), RIVALS_LOOKED_AT):
        some = ordered[begin : begin + RIVALS_LOOKED_AT]
        forms = same([one.word for _, one in some], word)
        found += [pair for pair, is_form in zip(some, forms, strict=True) if not is_form]
        if len(found) >= RIVALS_LOOKED_AT:
            break
    return found


def _by_score(pair: Scored) -> tuple[float, str]:
    return -pair[0], pair[1].word


def _close(ordered: Sequence[Scored]) -> list[Scored]:
    """The best corrections, whose order the context may change."""
    return [pair for pair in ordered[:IN_CONTEXT] if pair[0] > ordered[0][0] - CLOSE]


def _in_context(ordered: list[Scored], context: Context) -> list[Scored]:
    """Order the best corrections by their context, too; they stay before the others."""
    few = _close(ordered)
    added = context([one.word for _, one in few])
    judged = [(own + more, one) for (own, one), more in zip(few, added, strict=True)]
    return sorted(judged, key=_by_score) + ordered[len(few) :]


def respace(typed: TypedWord, meant: Correction) -> SpellingGuess:
    """Make a guess that changes only spaces, and so has no rivals."""
    return SpellingGuess(meant.word, meant.score, _sureness(typed, meant, is_part=False))


def _sureness(typed: TypedWord, meant: Correction, rivals: float = 0.0, is_part: bool | None = None) -> float:
    """The logistic model; `rivals` is the sum of their probabilities, relative to that of the word."""
    if is_part is None:
        is_part = _is_part(typed.word, meant.word)
    return (
        BASE
        + COST * meant.cost / 100
        + COUNT * log(meant.count)
        + LENGTH * len(typed.word)
        + RIVALS * log(1 + rivals)
        + STRANGE * typed.strangeness
        + PART * is_part
    )


def _is_part(one: str, other: str) -> bool:
    """Whether one word begins or ends with the other, as derived words and compounds do."""
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter) or longer.endswith(shorter)


# Corrected query text
# --------------------
#
# Short words and known words are not corrected, except for rare ones. Other words may stand for one known
# word, or for two (`thequick`). Two words may stand for one, or have the space in the wrong place (`sear
# chengine`). Two words that replace one word, or get another space, must stand side by side in some document.

SHORTEST = 4  # letters; too many words are near a shorter word
MOST_WORDS = 8  # words of a query that are corrected
RARE = 20_000  # a known word in at most one of this many documents may be a spelling error itself
APART, TOGETHER, SLIPPED = 250, 200, 250  # the costs of a missing, an extra and a misplaced space
BEST_PLACES = 3  # places of a space that are tried: those where the rarer of the two words is most frequent
SHORTEST_PART = 2  # letters
WEIGHT = 0.4  # of the context


@dataclass(frozen=True, slots=True)
class CorrectedQuery:
    """A corrected query; `sure` is true if it may be searched without a click."""

    text: str
    sure: bool


@dataclass(frozen=True, slots=True)
class _Change:
    start: int
    end: int
    words: str
    sureness: float
    is_known: bool = False  # the typed word is known


def respelt(text: str, typed: Sequence[WordSpan], vocabulary: SpellingCorrector) -> CorrectedQuery | None:
    """Correct the words of a query; None if no correction is likely enough."""
    held = dict(zip(typed, vocabulary.documents([one.word for one in typed]), strict=True))
    rare = vocabulary.size // RARE
    doubtful = [one for one in typed if len(one.word) >= SHORTEST and held[one] <= rare][:MOST_WORDS]
    if not doubtful:
        return None
    changes = _likely(_respaced(text, held, vocabulary))
    taken = {place for change in changes for place in range(change.start, change.end)}
    single = (_changed(one, held, vocabulary) for one in doubtful if one.start not in taken)
    changes += _likely(filter(None, single))
    sure = all(change.sureness >= AUTOCORRECT_CONFIDENCE and not change.is_known for change in changes)
    return CorrectedQuery(_written(text, changes), sure) if changes else None


def _likely(changes: Iterable[_Change]) -> list[_Change]:
    return [change for change in changes if change.sureness >= SUGGEST_CONFIDENCE]


def _changed(one: WordSpan, held: dict[WordSpan, int], vocabulary: SpellingCorrector) -> _Change | None:
    """Correct one word; `held` are all words of the query, with how many documents have them."""
    others = [other.word for other in held if other.word != one.word and held[other]][:2]
    asked = TypedWord(one.word, vocabulary.letter_model_cost(one.word), held[one] > 0)
    there = {other.word for other in held} - {one.word}  # queries rarely have a word twice
    known = [meant for meant in vocabulary.near(one.word) if meant.count and meant.word not in there]
    guesses = [] if held[one] else _apart(one.word, asked, APART, vocabulary)

    def context(words: Sequence[str]) -> list[float]:
        return _context(words, others, vocabulary)

    # If the word could be two words, an unlikely correction with a better score still rules these out.
    best = guess(asked, known, vocabulary.same, context, likely=not guesses)
    if best is not None and vocabulary.documents([best.words])[0]:  # else its documents were deleted
        guesses.append(best)
    best = max(guesses, key=attrgetter("score"), default=None)
    return _Change(one.start, one.end, best.words, best.sureness, held[one] > 0) if best else None


def _context(words: Sequence[str], others: Sequence[str], vocabulary: SpellingCorrector) -> list[float]:
    """Compare how often each word is in one document with the others to chance, as logarithms."""
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


def _apart(
    joined: str, asked: TypedWord, cost: int, vocabulary: SpellingCorrector, but: int = 0
) -> list[SpellingGuess]:
    """Split a word into two words that stand side by side in a document, at any place but `but`."""
    places = [n for n in range(SHORTEST_PART, len(joined) - SHORTEST_PART + 1) if n != but]
    rarer = _rarer([(joined[:n], joined[n:]) for n in places], vocabulary)
    best = sorted(rarer, key=lambda pair: -rarer[pair])[:BEST_PLACES]
    both = zip(best, vocabulary.together(best, True) if best else (), strict=True)
    return [respace(asked, Correction(" ".join(pair), count, cost)) for pair, count in both if count]


def _rarer(pairs: Sequence[tuple[str, str]], vocabulary: SpellingCorrector) -> dict[tuple[str, str], int]:
    """How many documents have the rarer word of each pair, for pairs of known words."""
    # The longer words are looked up first, because most of them are unknown.
    by_length = [sorted(pair, key=len) for pair in pairs]
    longer = vocabulary.documents([longer for _, longer in by_length])
    likely = [place for place, held in enumerate(longer) if held]
    shorter = vocabulary.documents([by_length[place][0] for place in likely])
    both = zip(likely, shorter, strict=True)
    return {pairs[place]: min(longer[place], held) for place, held in both if held}


def _respaced(text: str, held: dict[WordSpan, int], vocabulary: SpellingCorrector) -> list[_Change]:
    """Correct the space between two words if one of them is unknown: remove or move it."""
    changes: list[_Change] = []
    for one, other in pairwise(held):
        is_free = not changes or changes[-1].end <= one.start
        if not is_free or (held[one] and held[other]) or text[one.end : other.start].strip():
            continue
        joined = one.word + other.word
        if len(joined) < 2 * SHORTEST_PART + 1:
            continue
        asked = TypedWord(joined, vocabulary.letter_model_cost(joined))
        guesses = _apart(joined, asked, SLIPPED, vocabulary, len(one.word))
        if count := vocabulary.documents([joined])[0]:
            guesses.append(respace(asked, Correction(joined, count, TOGETHER)))
        if best := max(guesses, key=attrgetter("score"), default=None):
            changes.append(_Change(one.start, other.end, best.words, best.sureness))
    return changes


def _written(text: str, changes: Sequence[_Change]) -> str:
    """Apply changes to the query, with the capitals of the typed words."""
    for change in sorted(changes, key=lambda change: -change.start):
        typed = text[change.start : change.end]
        text = text[: change.start] + _as_typed(change.words, typed) + text[change.end :]
    return text


def _as_typed(words: str, typed: str) -> str:
    """Write words with the capital of the typed word, and with a final sigma in Greek."""
    if words.endswith("σ"):
        words = words[:-1] + "ς"
    return words[:1].upper() + words[1:] if typed[:1].isupper() else words


REACH, FARTHER = 2, 3  # letters that may be wrong, and in long words if no near word is found
LONG = 7  # letters of a long word
NEAR_ENOUGH = 300  # the highest cost of a near word
MOST = 900  # the highest cost of a correction
FEW = 2_000  # with this many words or fewer, the letter model of a segment is unreliable
USUAL = 2.5  # the least strangeness that is assumed then, per letter
Count = Callable[[Query], int]  # how many documents match a query


class SpellingCorrector:
    """Correct the spelling of a query by the words of all partitions."""

    def __init__(self, vocabulary: Vocabulary, languages: Iterable[str], count: Count) -> None:
        self._vocabulary = vocabulary
        self._views = vocabulary.views
        self._languages = tuple(sorted(languages))
        self._readers = analysers(self._languages)
        self._count = count

    def suggestion(self, query: Query) -> CorrectedQuery | None:
        """Correct a query; None if nothing is likely to be misspelt."""
        typed = list(correctable_words(query.text))
        return respelt(query.text, typed, self) if typed else None

    def unknown(self, query: Query) -> frozenset[str]:
        """The words of a query that no document has."""
        typed = list(dict.fromkeys(word for text in query.texts() for word in words(text.text)))
        held = zip(typed, self.documents(typed), strict=True)
        return frozenset(word for word, count in held if not count)

    @property
    def size(self) -> int:
        """The number of documents."""
        return self._vocabulary.documents

    def documents(self, asked: Sequence[str]) -> list[int]:
        """How many documents have each word, in any of its forms."""
        return self._vocabulary.frequencies(asked, self._languages)

    def near(self, word: str) -> list[Correction]:
        """Known words near a word; none if the word itself is too frequent to be misspelt."""
        everything = self._all_words()
        own = sum(one.count(word) for one in everything)
        if own and not any(self._frequent(one, word, own) for one in everything):
            return []
        found = self._within(word, REACH)
        if len(word) >= LONG and min((one.cost for one in found), default=MOST) > NEAR_ENOUGH:
            return self._within(word, FARTHER)
        return found

    def _frequent(self, words: Words, word: str, own: int) -> bool:
        """Whether a word near a known one is frequent enough in a segment to be its correction."""
        rarest = -(-own * MORE_FREQUENT // len(self._views))  # so frequent in at least one of the segments
        return any(one.word != word for one in words.near(word, REACH, MOST, rarest))

    def _within(self, word: str, reach: int) -> list[Correction]:
        found: dict[str, Correction] = {}
        for own in self._all_words():
            for one in own.near(word, reach, MOST):
                before = found.get(one.word)
                found[one.word] = Correction(one.word, one.count + before.count, one.cost) if before else one
        return list(found.values())

    def letter_model_cost(self, word: str) -> float:
        """The strangeness of a word: its cost in the letter model of the largest segment."""
        largest = max(self._all_words(), key=len, default=None)
        own = strangeness(largest.habits, word) if largest else 0.0
        return own if largest and len(largest) > FEW else max(own, USUAL * len(word))

    def _all_words(self) -> list[Words]:
        return [words_in(view.segment.lexicon) for view in self._views]

    def same(self, several: Sequence[str], other: str) -> list[bool]:
        """For each of several words, whether it is a form of the other word."""
        own = self._readers.read(other)
        return [any(map(eq, one, own)) for one in self._readers.read_all(several, remembered=False)]

    def together(self, pairs: Sequence[tuple[str, str]], side_by_side: bool) -> list[int]:
        """How many documents have both words of each pair.

        They are counted in the postings if a query would find the same, else by a query.
        """
        simple = frozenset(filter(self._is_simple, chain(*pairs)))
        read = [pair for pair in pairs if simple.issuperset(pair)]
        counts = (self._side_by_side(read) if side_by_side else self._in_one(read)) if read else []
        known = dict(zip(read, counts, strict=True))
        return [known[pair] if pair in known else self._count(_both(pair, side_by_side)) for pair in pairs]

    def _side_by_side(self, pairs: Sequence[tuple[str, str]]) -> list[int]:
        read = {word: self._vocabulary.reading(word, self._languages) for word in chain(*pairs)}
        return counted(self._views, [(read[one], read[other]) for one, other in pairs], True)

    def _in_one(self, pairs: Sequence[tuple[str, str]]) -> list[int]:
        """In how many documents both words of each pair are, in any spelling."""
        written = {word: self._written(word) for word in dict.fromkeys(chain(*pairs))}
        plain = [pair for pair in pairs if written[pair[0]].is_plain and written[pair[1]].is_plain]
        read = [(written[one].word, written[other].word) for one, other in plain]
        known = dict(zip(plain, counted(self._views, read, False), strict=True)) if plain else {}
        return [
            known[pair] if pair in known else self._as_written(pair, (written[pair[0]], written[pair[1]]))
            for pair in pairs
        ]

    def _as_written(self, both: tuple[str, str], pair: tuple[WordForms, WordForms]) -> int:
        if any(len(view.segment.columns.passage_names) for view in self._views):
            return self._count(_both(both, False))
        return counted_as_written(self._views, *pair)

    def _is_simple(self, word: str) -> bool:
        """Whether the tokenizer reads a word as itself, alone and next to other words."""
        return words(word) == [word] and (word.isascii() or VIETNAMESE not in self._languages)

    def _written(self, word: str) -> WordForms:
        """A word with the compounds and parts that match it in a query."""
        made = known_compounds(Query("", (Word(word),)), self._vocabulary, self._languages)
        parts = made.parts.get(word)
        both = (self._readers.read(parts[0]), self._readers.read(parts[1])) if parts else None
        return WordForms(self._vocabulary.reading(word, self._languages), both, made.longer.get(word, ()))


def _both(pair: tuple[str, str], side_by_side: bool) -> Query:
    clause: Clause = Phrase(" ".join(pair)) if side_by_side else And((Word(pair[0]), Word(pair[1])))
    return Query("", (clause,))
