# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return, call-overload"
"""Pseudo-relevance feedback; strongest terms of a page.

The best few candidates are taken for what was meant. Words that stand strongly in them and are rare elsewhere
say what the query is about, and candidates that hold these words too gain:

    gain(d) = f * q * sum over words t of  x(t) * idf(t) * impact(t, d)
    x(t)    ~ idf(t) * sum over the best pages p of  (score(p) / score(best))^4 * impact(t, p)
    f       = feedback * score(fifth) / score(best)

x has the 20 highest values, which sum to 1; q is the sum of the emphases of the query's words, so that gain
and score are on one scale. Where one page stands far before the others it is most likely the one that was
looked for, and f is small. Only long queries are read on: who describes a topic in many words wants all pages
about it, who asks in few words wants one page, from which its like lead away. Measured, the more words, the
larger the gain of the first and the smaller the loss of the second. Nor are queries in scripts without spaces
read on: the pieces that pages have in common are parts of many words, and mislead more often than they help.

References: Lavrenko, Croft, "Relevance-based language models", SIGIR 2001; Abdul-Jaleel et al., "UMass at
TREC 2004: novelty and HARD" (RM3); Rocchio, "Relevance feedback in information retrieval", 1971.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gossamer.index.bm25f import Field, idf
from gossamer.index.cursor import posting_from
from gossamer.index.postings import Postings
from gossamer.index.stored_text import StoredDocument
from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.model import UNFETCHED, DocAddress
from gossamer.query.conditions import TermVariants
from gossamer.search.searcher import Searcher
from gossamer.text.stopwords import stop_words
from gossamer.text.strings import CODING
from gossamer.text.terms import Terms, analyser, without_language
from gossamer.text.tokenizer import Tokenizer, shared_runs
from gossamer.text.words import is_unspaced

# Kernel: impacts of feedback terms
# ---------------------------------


@unchecked_kernel
def impacts_of(
    docs: NDArray[np.int64],
    order: NDArray[np.int64],
    terms: NDArray[np.int64],
    postings: Postings,
    held: NDArray[np.float64],
) -> None:
    """Fills a row a document and a column a term; a term that is unknown, below 0, is left out.

    docs[order] rise.
    """
    fill_impacts(docs, order, terms, postings, np.empty(2, np.int64), held)


@unchecked_part
def fill_impacts(
    docs: NDArray[np.int64],
    order: NDArray[np.int64],
    terms: NDArray[np.int64],
    postings: Postings,
    reached: NDArray[np.int64],
    held: NDArray[np.float64],
) -> None:
    """The loop of `impacts_of`, as a part: it counts no references to the arrays of postings."""
    for column in range(len(terms)):
        if terms[column] < 0:
            continue
        reached[:] = 0
        for row in order:
            posting = posting_from(postings, terms[column], docs[row], reached, 0)
            if posting >= 0:
                held[row, column] = postings.posting_impacts[posting]


# Which terms tell something of a page
# ------------------------------------
#
# The index leads from terms to pages; here a few pages are read again, title and text, and their
# words counted as the index counts them: impact = tf' / (k1 + tf'), see `index.bm25f`. Function
# words, numbers and single letters tell nothing of a page and are left out.

LONGEST_TEXT = 20_000  # characters of a page that are read
STRONGEST = 40  # terms of a page
REMEMBERED = 100_000  # terms of which is known whether they tell something


@lru_cache(REMEMBERED)
def tells(term: str, language: str) -> bool:
    """Whether a term says something of a page in this language."""
    word = without_language(term)
    return len(word) > 1 and not word.isdigit() and term not in _stop_terms(language)


@cache
def _stop_terms(language: str) -> frozenset[str]:
    return frozenset(analyser(language)[word] for word in stop_words(language))


LEAST_WORDS = 7  # of a query that tell something
BEST = 5  # pages that are taken for what was meant
FIFTH = BEST - 1  # the place whose score says how far the best stands before the others
SHARPNESS = 4  # the power of a page's share: the best says the most
WORDS = 20


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the best pages say: terms, and what each adds to the score of a page that holds it fully."""

    terms: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()

    def gains(self, searcher: Searcher, segment: int, docs: NDArray[np.int64]) -> NDArray[np.float64]:
        """What the terms add, a row a document and a column a term."""
        view = searcher.snapshot.views[segment].segment
        numbers = np.array(view.look_up(self.terms).numbers, np.int64)
        held = np.zeros((len(docs), len(numbers)))
        postings = view.postings
        impacts_of(docs, np.argsort(docs), numbers, postings, held)
        return held * np.array(self.weights) / np.iinfo(postings.posting_impacts.dtype).max


NO_FEEDBACK = Feedback()


def gains(
    searcher: Searcher, segment: int, docs: NDArray[np.int64], feedback: Feedback
) -> NDArray[np.float64]:
    """What feedback adds to the sums of some documents of a segment."""
    if segment == UNFETCHED or not feedback.terms:
        return np.zeros(len(docs))
    return feedback.gains(searcher, segment, docs).sum(axis=1)


def words_among(words: Sequence[TermVariants]) -> int:
    """How many of the words of a query are whole ones, not pieces of an unspaced script."""
    return sum([not is_unspaced(readings[0]) for readings in words])


def strength(scores: Sequence[float], feedback: float) -> float:
    """How far the best pages are believed: `scores` fall."""
    return feedback * scores[FIFTH] / scores[0] if len(scores) > FIFTH and scores[0] > 0 else 0.0


# Kernels: strongest terms of a page
# ----------------------------------
#
# Of equals the one comes first that stands first in the order of bytes, which is that of characters.
# String s is arena[bounds[s] : bounds[s + 1]].

TELLS = 1  # of a term: worth naming
EMPTY = -1  # of a slot
MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: spreads numbers over the slots
TOP = np.uint64(32)
ONE = np.uint64(1)


@unchecked_part
def slot_of(slots: NDArray[np.int64], known: NDArray[np.uint32], number: int) -> np.uint64:
    """The slot of a number, taken or to be taken; there are a power of 2 of them."""
    mask = np.uint64(len(slots) - 1)
    slot = ((np.uint64(number) * MIX) >> TOP) & mask
    while slots[slot] != EMPTY and known[slots[slot]] != number:
        slot = (slot + ONE) & mask
    return slot


@unchecked_part
def sorts_before(arena: NDArray[np.uint8], bounds: NDArray[np.int64], one: int, other: int) -> bool:
    """Whether a string stands before another one."""
    a, b = np.uint64(bounds[one]), np.uint64(bounds[other])
    a_end, b_end = np.uint64(bounds[one + 1]), np.uint64(bounds[other + 1])
    while a < a_end and b < b_end and arena[a] == arena[b]:
        a += ONE
        b += ONE
    if a == a_end or b == b_end:
        return b < b_end
    return arena[a] < arena[b]


@unchecked_part
def keep(
    best: NDArray[np.int64],
    size: int,
    place: int,
    values: NDArray[np.float64],
    numbers: NDArray[np.uint32],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
) -> int:
    """Puts a place among the best by value if it belongs there; returns how many there are now."""
    at = size
    while at > 0:
        other = best[at - 1]
        if values[other] > values[place]:
            break
        if values[other] == values[place] and sorts_before(arena, bounds, numbers[other], numbers[place]):
            break
        if at < len(best):
            best[at] = other
        at -= 1
    if at < len(best):
        best[at] = place
    return min(size + 1, len(best))


@unchecked_kernel
def strongest(
    terms: NDArray[np.uint32],
    titled: int,
    shares: NDArray[np.float64],
    k1: float,
    tells: NDArray[np.uint8],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    numbers: NDArray[np.uint32],
    impacts: NDArray[np.float64],
) -> int:
    """Fills in the strongest terms of a page, as many as there is room for, and their impacts; how many.

    The first `titled` terms stand in the title, the others in the text.
    """
    size, known = 2, 0
    while size < 2 * len(terms):
        size *= 2
    slots = np.full(size, EMPTY, np.int64)
    own, frequencies = np.empty(len(terms), np.uint32), np.empty(len(terms))
    for i in range(len(terms)):
        slot = slot_of(slots, own, terms[i])
        if slots[slot] == EMPTY:
            slots[slot] = known
            own[known], frequencies[known] = terms[i], 0.0
            known += 1
        frequencies[slots[slot]] += shares[0] if i < titled else shares[1]
    best, count = np.empty(len(numbers), np.int64), 0
    for place in range(known):
        if tells[own[place]] == TELLS:
            count = keep(best, count, place, frequencies, own, arena, bounds)
    for i in range(count):
        frequency = frequencies[best[i]]
        numbers[i], impacts[i] = own[best[i]], frequency / (k1 + frequency)
    return count


# Feedback terms by number
# ------------------------
#
# Terms have numbers while the pages are read, their words are counted and the dictionaries asked;
# only those that are chosen become strings.

NOT_KNOWN, TELLS_NOTHING = 0, 2  # beside TELLS
KNOWN = 1  # is added to frequencies that are remembered: a term may be held by no document
Numbers = NDArray[np.uint32]
_JUDGED: WeakKeyDictionary[Terms, dict[str, NDArray[np.uint8]]] = WeakKeyDictionary()
_HELD: WeakKeyDictionary[Terms, WeakKeyDictionary[Searcher, NDArray[np.int64]]] = WeakKeyDictionary()


def feedback_from(
    searchers: Sequence[Searcher], addresses: Sequence[DocAddress], scores: Sequence[float], strength: float
) -> Feedback:
    """What these pages, best first, have in common; `strength` holds f and q."""
    runs = shared_runs()
    shares = np.array([(score / scores[0]) ** SHARPNESS for score in scores])
    numbers, said = _said(runs, searchers, addresses, shares)
    documents = sum(view.segment.documents for one in searchers for view in one.snapshot.views)
    held = sum([_held(one, runs.terms, numbers) for one in searchers], np.zeros(len(numbers), np.int64))
    known = np.flatnonzero(held)
    rare = np.array([idf(documents, min(own, documents)) for own in held[known].tolist()])
    worth = said[known] * rare
    least = np.partition(worth, -WORDS)[-WORDS] if len(worth) > WORDS else 0.0
    rows = np.flatnonzero(worth >= least)  # more than are wanted only where some are worth the same
    texts = runs.terms.texts.lines(numbers[known[rows]]).decode(*CODING).split("\n")[:-1]
    found = zip(worth[rows].tolist(), texts, rare[rows].tolist(), strict=True)
    best = sorted(found, key=lambda one: (-one[0], one[1]))[:WORDS]
    whole = sum([own for own, _, _ in best])
    weights = [strength * own / whole * rarity for own, _, rarity in best]
    return Feedback(tuple([term for _, term, _ in best]), tuple(weights))


def strongest_terms(searchers: Sequence[Searcher], address: DocAddress) -> dict[str, float]:
    """The terms that tell a page apart, the strongest first, and how strongly it holds each."""
    runs = shared_runs()
    numbers, impacts, sizes = _strongest(runs, searchers, [address])
    size = int(sizes[0])
    terms = [runs.terms.texts[number] for number in numbers[0, :size].tolist()]
    return dict(zip(terms, impacts[0, :size].tolist(), strict=True))


def _said(
    runs: Tokenizer,
    searchers: Sequence[Searcher],
    addresses: Sequence[DocAddress],
    shares: NDArray[np.float64],
) -> tuple[Numbers, NDArray[np.float64]]:
    """The strongest terms of all pages, each once, and how strongly they hold it together."""
    numbers, impacts, sizes = _strongest(runs, searchers, addresses)
    filled = np.arange(STRONGEST) < sizes[:, None]
    found, places = np.unique(numbers[filled], return_inverse=True)
    return found, np.bincount(places, (shares[:, None] * impacts)[filled], len(found))


def _strongest(
    runs: Tokenizer, searchers: Sequence[Searcher], addresses: Sequence[DocAddress]
) -> tuple[Numbers, NDArray[np.float64], NDArray[np.int64]]:
    """The strongest terms of each page, a row a page; how strongly it holds them; and how many they are."""
    pages = [_page(searchers, address) for address in addresses]
    words, counts = runs.number([text for page in pages for text in (page.title, page.text[:LONGEST_TEXT])])
    numbers = np.empty((len(pages), STRONGEST), np.uint32)
    impacts, sizes = np.empty(numbers.shape), np.empty(len(pages), np.int64)
    begin = 0
    for row, (page, address) in enumerate(zip(pages, addresses, strict=True)):
        titled = int(counts[2 * row])
        end = begin + titled + int(counts[2 * row + 1])
        terms = runs.terms.of(words[begin:end], page.language)
        judged = _judged(runs.terms, terms, page.language)
        texts = runs.terms.texts
        weights, k1 = _weights(searchers[address.partition], address)
        arrays = texts.arena, texts.bounds, numbers[row], impacts[row]
        sizes[row] = strongest(terms, titled, weights, k1, judged, *arrays)
        begin = end
    return numbers, impacts, sizes


def _page(searchers: Sequence[Searcher], address: DocAddress) -> StoredDocument:
    return searchers[address.partition].snapshot.views[address.segment].segment.stored.document(address.doc)


def _weights(searcher: Searcher, address: DocAddress) -> tuple[NDArray[np.float64], float]:
    """What one word in the title of a page adds to tf', and one in its text; and k1."""
    weighting, segment = searcher.snapshot.weighting, searcher.snapshot.views[address.segment].segment
    assert weighting is not None, "a document was found in an index without a weighting"
    lengths, shares = segment.columns.lengths[address.doc].tolist(), []
    for f in (Field.TITLE, Field.BODY):  # as `Weighting.shares` has it, for two numbers
        slope, pivot = weighting.slopes[f], weighting.pivots[f]
        shares.append(weighting.weights[f] / (1.0 - slope + slope * lengths[f] / pivot))
    return np.array(shares), weighting.k1


def _judged(terms: Terms, numbers: Numbers, language: str) -> NDArray[np.uint8]:
    """By number, which terms tell something of a page in this language; known for those that are given."""
    tables = _JUDGED.setdefault(terms, {})
    table = tables[language] = _grown(tables.get(language, np.empty(0, np.uint8)), len(terms.texts))
    unknown = numbers[table[numbers] == NOT_KNOWN]
    for number in set(unknown.tolist()):
        table[number] = TELLS if tells(terms.texts[number], language) else TELLS_NOTHING
    return table


def _grown(table: NDArray[Any], size: int) -> NDArray[Any]:
    """A table with a place for so many terms, and some more for those that come."""
    return np.pad(table, (0, size * 5 // 4 - len(table))) if len(table) < size else table


def _held(searcher: Searcher, terms: Terms, numbers: Numbers) -> NDArray[np.int64]:
    """How many documents of a partition hold each of the terms; asked once, it is remembered."""
    tables = _HELD.setdefault(terms, WeakKeyDictionary())
    table = tables[searcher] = _grown(tables.get(searcher, np.empty(0, np.int64)), len(terms.texts))
    unknown = numbers[table[numbers] == NOT_KNOWN]
    if len(unknown):
        lines = terms.texts.lines(unknown)
        table[unknown] = KNOWN + searcher.snapshot.frequencies(lines, len(unknown))
    return table[numbers] - KNOWN
