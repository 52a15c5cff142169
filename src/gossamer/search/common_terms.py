"""What do the best pages have in common? The same as `feedback_of`, without making a string of each term.

Terms have numbers while the pages are read, their words are counted and the dictionaries asked; only those
that are chosen become strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary_kernel import find_terms
from gossamer.index.fields import Field
from gossamer.index.stored_document import StoredDocument
from gossamer.model import DocAddress
from gossamer.search.feedback import SHARPNESS, WORDS, Feedback
from gossamer.search.page_terms import LONGEST_TEXT, STRONGEST, tells
from gossamer.search.searcher import Searcher
from gossamer.search.strongest_kernel import TELLS, in_common, most_telling, strongest
from gossamer.text.runs import Runs, shared_runs
from gossamer.text.strings import CODING
from gossamer.text.terms import Terms

NOT_KNOWN, TELLS_NOTHING = 0, 2  # beside TELLS
KNOWN = 1  # is added to frequencies that are remembered: a term may be held by no document

Numbers = NDArray[np.uint32]
_JUDGED: WeakKeyDictionary[Terms, dict[str, NDArray[np.uint8]]] = WeakKeyDictionary()
_HELD: WeakKeyDictionary[Terms, WeakKeyDictionary[Searcher, NDArray[np.int64]]] = WeakKeyDictionary()


def feedback_from(
    searchers: Sequence[Searcher], addresses: Sequence[DocAddress], scores: Sequence[float], strength: float
) -> Feedback:
    """What these pages, best first, have in common; `strength` is that of `feedback_of`."""
    runs = shared_runs()
    shares = np.array([(score / scores[0]) ** SHARPNESS for score in scores])
    numbers, said = _said(runs, searchers, addresses, shares)
    texts = runs.terms.texts
    documents = sum(view.segment.documents for one in searchers for view in one.snapshot.views)
    frequencies = sum(
        [_held(one, runs.terms, numbers) for one in searchers], np.zeros(len(numbers), np.int64)
    )
    best, rare = np.empty(WORDS, np.int64), np.empty(len(numbers))
    size = most_telling(numbers, said, frequencies, documents, texts.arena, texts.bounds, best, rare)
    chosen = best[:size]
    worth = said[chosen].tolist()
    whole = sum(worth)
    weights = [strength * own / whole * idf for own, idf in zip(worth, rare[chosen].tolist(), strict=True)]
    terms = texts.lines(numbers[chosen]).decode(*CODING).split("\n")[:-1]
    return Feedback(tuple(terms), tuple(weights))


def _said(
    runs: Runs, searchers: Sequence[Searcher], addresses: Sequence[DocAddress], shares: NDArray[np.float64]
) -> tuple[Numbers, NDArray[np.float64]]:
    """The strongest terms of all pages, each once, and how strongly they hold it together."""
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
    found, said = np.empty(numbers.size, np.uint32), np.empty(numbers.size)
    size = in_common(numbers, impacts, sizes, shares, found, said)
    return found[:size], said[:size]


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
    table = tables.get(language, np.empty(0, np.uint8))
    if len(table) < len(terms.texts):
        table = np.pad(table, (0, len(terms.texts) * 5 // 4 - len(table)))
        tables[language] = table
    unknown = numbers[table[numbers] == NOT_KNOWN]
    for number in set(unknown.tolist()):
        table[number] = TELLS if tells(terms.texts[number], language) else TELLS_NOTHING
    return table


def _held(searcher: Searcher, terms: Terms, numbers: Numbers) -> NDArray[np.int64]:
    """How many documents of a partition hold each of the terms; asked once, it is remembered."""
    tables = _HELD.setdefault(terms, WeakKeyDictionary())
    table = tables.get(searcher, np.empty(0, np.int64))
    if len(table) < len(terms.texts):
        table = np.pad(table, (0, len(terms.texts) * 5 // 4 - len(table)))
        tables[searcher] = table
    unknown = numbers[table[numbers] == NOT_KNOWN]
    if len(unknown):
        table[unknown] = KNOWN + _looked_up(searcher, terms.texts.lines(unknown), len(unknown))
    return table[numbers] - KNOWN


def _looked_up(searcher: Searcher, lines: bytes, count: int) -> NDArray[np.int64]:
    """How many documents hold each of the terms, which are lines."""
    keys, frequencies = np.frombuffer(lines, np.uint8), np.zeros(count, np.int64)
    for segment in [view.segment for view in searcher.snapshot.views]:
        blocks, postings = segment.dictionary.blocks, segment.postings
        found = np.empty((2, count), np.int64)
        entries = postings.term_entries, postings.entry_postings
        find_terms(blocks.heads, blocks.starts, blocks.data, keys, *entries, found[0], found[1])
        frequencies += found[1]
    return frequencies
