# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return, call-overload"
"""Pseudo-relevance feedback; strongest terms of a page.

The best few candidates are assumed to be relevant. Words that have a high impact in them and are rare
elsewhere describe the subject of the query. The scores of candidates that hold these words increase:

    gain(d) = f * q * sum over words t of  x(t) * idf(t) * impact(t, d)
    x(t)    ~ idf(t) * sum over the best pages p of  (score(p) / score(best))^4 * impact(t, p)
    f       = feedback * score(fifth) / score(best)

Only the 20 highest values of x are kept, and they sum to 1. q is the sum of the emphases of the query words,
so that gain and score have the same scale. If one page is far ahead of the others, it is most likely the
wanted one, and f is small. Feedback applies only to long queries. A user who describes a topic in many words
wants all pages about it. A user who types few words wants one page, and similar pages only distract. In
measurements, the longer the query, the more feedback helps the first user and the less it harms the second.
Feedback does not apply to scripts without spaces: their terms are pieces that belong to many words, and
mislead more often than they help.

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
    """Fill in the impact of each term (column) in each document (row); skip unknown terms, below 0.

    docs[order] must be in ascending order.
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
    """Run the loop of `impacts_of` in a part, because parts do not count references to arrays."""
    for column in range(len(terms)):
        if terms[column] < 0:
            continue
        reached[:] = 0
        for row in order:
            posting = posting_from(postings, terms[column], docs[row], reached, 0)
            if posting >= 0:
                held[row, column] = postings.posting_impacts[posting]


# Content terms of a page
# -----------------------
#
# The index maps terms to pages, not pages to terms. So title and text of a few pages are read again, and
# their words are counted as in the index: impact = tf' / (k1 + tf'), see `index.bm25f`. Function words,
# numbers and single letters do not describe a page and are left out.

LONGEST_TEXT = 20_000  # characters of a page that are read
STRONGEST = 40  # terms of a page
REMEMBERED = 100_000  # terms for which the result of `tells` is cached


@lru_cache(REMEMBERED)
def tells(term: str, language: str) -> bool:
    """Return whether a term describes a page in this language."""
    word = without_language(term)
    return len(word) > 1 and not word.isdigit() and term not in _stop_terms(language)


@cache
def _stop_terms(language: str) -> frozenset[str]:
    return frozenset(analyser(language)[word] for word in stop_words(language))


LEAST_WORDS = 7  # content words of a query with feedback
BEST = 5  # pages that are assumed to be relevant
FIFTH = BEST - 1  # index of the page whose score is compared with the best
SHARPNESS = 4  # exponent of relative scores: the best page counts most
WORDS = 20  # feedback terms


@dataclass(frozen=True, slots=True)
class Feedback:
    """Feedback terms, with the gain of a page that holds each with the highest impact."""

    terms: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()

    def gains(self, searcher: Searcher, segment: int, docs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the gain of each document (row) by each term (column)."""
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
    """Return the gain of each document of a segment by feedback."""
    if segment == UNFETCHED or not feedback.terms:
        return np.zeros(len(docs))
    return feedback.gains(searcher, segment, docs).sum(axis=1)


def words_among(words: Sequence[TermVariants]) -> int:
    """Return the number of query words that are not pieces of an unspaced script."""
    return sum([not is_unspaced(readings[0]) for readings in words])


def strength(scores: Sequence[float], feedback: float) -> float:
    """Return f of the module's formula; `scores` must be in descending order."""
    return feedback * scores[FIFTH] / scores[0] if len(scores) > FIFTH and scores[0] > 0 else 0.0


# Kernels: strongest terms of a page
# ----------------------------------
#
# Equal terms are sorted by their bytes, which is the order of their characters. String s is
# arena[bounds[s] : bounds[s + 1]].

TELLS = 1  # the term describes a page
EMPTY = -1  # a free slot
MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: spreads numbers over the slots
TOP = np.uint64(32)
ONE = np.uint64(1)


@unchecked_part
def slot_of(slots: NDArray[np.int64], known: NDArray[np.uint32], number: int) -> np.uint64:
    """Return the slot of a number in a hash table, or a free one; the number of slots is a power of 2."""
    mask = np.uint64(len(slots) - 1)
    slot = ((np.uint64(number) * MIX) >> TOP) & mask
    while slots[slot] != EMPTY and known[slots[slot]] != number:
        slot = (slot + ONE) & mask
    return slot


@unchecked_part
def sorts_before(arena: NDArray[np.uint8], bounds: NDArray[np.int64], one: int, other: int) -> bool:
    """Return whether a string sorts before another one."""
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
    """Insert a place into the best by value, if it belongs there; return their new number."""
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
    """Fill in the strongest terms of a page and their impacts; return their number, at most len(numbers).

    The first `titled` terms are from the title, the others from the text.
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
# Terms are numbers while pages are tokenised, words are counted and dictionaries are searched. Only the
# chosen terms become strings.

NOT_KNOWN, TELLS_NOTHING = 0, 2  # other values than TELLS
KNOWN = 1  # added to cached frequencies, because the frequency of a known term may be 0
Numbers = NDArray[np.uint32]
_JUDGED: WeakKeyDictionary[Terms, dict[str, NDArray[np.uint8]]] = WeakKeyDictionary()
_HELD: WeakKeyDictionary[Terms, WeakKeyDictionary[Searcher, NDArray[np.int64]]] = WeakKeyDictionary()


def feedback_from(
    searchers: Sequence[Searcher], addresses: Sequence[DocAddress], scores: Sequence[float], strength: float
) -> Feedback:
    """Return the common terms of some pages, best first; `strength` is f times q."""
    runs = shared_runs()
    shares = np.array([(score / scores[0]) ** SHARPNESS for score in scores])
    numbers, impacts = _common_terms(runs, searchers, addresses, shares)
    documents = sum(view.segment.documents for one in searchers for view in one.snapshot.views)
    held = sum([_held(one, runs.terms, numbers) for one in searchers], np.zeros(len(numbers), np.int64))
    known = np.flatnonzero(held)
    rare = np.array([idf(documents, min(own, documents)) for own in held[known].tolist()])
    worth = impacts[known] * rare
    least = np.partition(worth, -WORDS)[-WORDS] if len(worth) > WORDS else 0.0
    rows = np.flatnonzero(worth >= least)  # more than WORDS only if some are equal
    texts = runs.terms.texts.lines(numbers[known[rows]]).decode(*CODING).split("\n")[:-1]
    found = zip(worth[rows].tolist(), texts, rare[rows].tolist(), strict=True)
    best = sorted(found, key=lambda one: (-one[0], one[1]))[:WORDS]
    whole = sum([own for own, _, _ in best])
    weights = [strength * own / whole * rarity for own, _, rarity in best]
    return Feedback(tuple([term for _, term, _ in best]), tuple(weights))


def strongest_terms(searchers: Sequence[Searcher], address: DocAddress) -> dict[str, float]:
    """Return the terms that describe a page and their impacts, the strongest first."""
    runs = shared_runs()
    numbers, impacts, sizes = _strongest(runs, searchers, [address])
    size = int(sizes[0])
    terms = [runs.terms.texts[number] for number in numbers[0, :size].tolist()]
    return dict(zip(terms, impacts[0, :size].tolist(), strict=True))


def _common_terms(
    runs: Tokenizer,
    searchers: Sequence[Searcher],
    addresses: Sequence[DocAddress],
    shares: NDArray[np.float64],
) -> tuple[Numbers, NDArray[np.float64]]:
    """Return the distinct strongest terms of all pages, and the weighted sums of their impacts."""
    numbers, impacts, sizes = _strongest(runs, searchers, addresses)
    filled = np.arange(STRONGEST) < sizes[:, None]
    found, places = np.unique(numbers[filled], return_inverse=True)
    return found, np.bincount(places, (shares[:, None] * impacts)[filled], len(found))


def _strongest(
    runs: Tokenizer, searchers: Sequence[Searcher], addresses: Sequence[DocAddress]
) -> tuple[Numbers, NDArray[np.float64], NDArray[np.int64]]:
    """Return the strongest terms of each page, one row per page, their impacts, and their number."""
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
    """Return how much an occurrence in title and text of a page adds to tf', and k1."""
    weighting, segment = searcher.snapshot.weighting, searcher.snapshot.views[address.segment].segment
    assert weighting is not None, "a document was found in an index without a weighting"
    lengths, shares = segment.columns.lengths[address.doc].tolist(), []
    for f in (Field.TITLE, Field.BODY):  # like `Weighting.shares`, but faster for two numbers
        slope, pivot = weighting.slopes[f], weighting.pivots[f]
        shares.append(weighting.weights[f] / (1.0 - slope + slope * lengths[f] / pivot))
    return np.array(shares), weighting.k1


def _judged(terms: Terms, numbers: Numbers, language: str) -> NDArray[np.uint8]:
    """Return a table of TELLS and TELLS_NOTHING by term number, filled in for the given numbers."""
    tables = _JUDGED.setdefault(terms, {})
    table = tables[language] = _grown(tables.get(language, np.empty(0, np.uint8)), len(terms.texts))
    for number in set(numbers[table[numbers] == NOT_KNOWN].tolist()):
        table[number] = TELLS if tells(terms.texts[number], language) else TELLS_NOTHING
    return table


def _grown(table: NDArray[Any], size: int) -> NDArray[Any]:
    """Return a table with at least `size` elements, and some spare ones if it grows."""
    return np.pad(table, (0, size * 5 // 4 - len(table))) if len(table) < size else table


def _held(searcher: Searcher, terms: Terms, numbers: Numbers) -> NDArray[np.int64]:
    """Return the document frequencies of terms in a partition, from a cache."""
    tables = _HELD.setdefault(terms, WeakKeyDictionary())
    table = tables[searcher] = _grown(tables.get(searcher, np.empty(0, np.int64)), len(terms.texts))
    unknown = numbers[table[numbers] == NOT_KNOWN]
    if len(unknown):
        lines = terms.texts.lines(unknown)
        table[unknown] = KNOWN + searcher.snapshot.frequencies(lines, len(unknown))
    return table[numbers] - KNOWN
