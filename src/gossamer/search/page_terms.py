"""Which terms does a page hold most strongly, by what it says?

The index leads from terms to pages; here a few pages are read again, title and text, and their words counted
as the index counts them: impact = tf' / (k1 + tf'), see `index.weighting`. Function words, numbers and single
letters tell nothing of a page and are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import Field
from gossamer.index.stored_document import StoredDocument
from gossamer.kernel import kernels_are_loaded
from gossamer.model import DocAddress
from gossamer.search.searcher import Searcher
from gossamer.text.analysis import analyser, without_language
from gossamer.text.runs import shared_runs
from gossamer.text.stopwords import stop_words

LONGEST_TEXT = 20_000  # characters of a page that are read
STRONGEST = 40  # terms of a page
REMEMBERED = 100_000  # terms of which is known whether they tell something

Impacts = Mapping[str, float]  # how strongly a page holds each of these terms
Shares = NDArray[np.float64]  # what one word in the title adds to tf', and one in the text


def strongest_terms(searcher: Searcher, address: DocAddress) -> Impacts:
    """The terms that tell a page apart, and how strongly it holds them."""
    weighting = searcher.snapshot.weighting
    assert weighting is not None, "a document was found in an index without a weighting"
    segment = searcher.snapshot.views[address.segment].segment
    shares = weighting.shares(segment.columns.lengths[[address.doc]])[0][[Field.TITLE, Field.BODY]]
    page = segment.stored.document(address.doc)
    count = counted if kernels_are_loaded() else counted_without_kernel
    strongest = sorted([(-tf, term) for term, tf in count(page, shares)])
    return {term: -tf / (weighting.k1 - tf) for tf, term in strongest[:STRONGEST]}


def counted(page: StoredDocument, shares: Shares) -> list[tuple[str, float]]:
    """The telling terms of a page, and tf' of each; not of those that cannot be among the strongest."""
    runs = shared_runs()
    words, counts = runs.number([page.title, page.text[:LONGEST_TEXT]])
    terms, places = np.unique(runs.terms.of(words, page.language), return_inverse=True)
    frequencies = np.bincount(places, np.repeat(shares, counts), len(terms))
    found: list[tuple[str, float]] = []
    least = 0.0
    for place in np.argsort(-frequencies, kind="stable").tolist():
        # Equals of the last are looked at too: the order among them is that of the terms.
        if len(found) >= STRONGEST and frequencies[place] < least:
            break
        if tells(term := runs.terms.texts[int(terms[place])], page.language):
            found.append((term, float(frequencies[place])))
            least = found[-1][1]
    return found


def counted_without_kernel(page: StoredDocument, shares: Shares) -> list[tuple[str, float]]:
    """The same for all terms, in plain Python."""
    frequencies: dict[str, float] = defaultdict(float)
    for text, share in zip((page.title, page.text[:LONGEST_TEXT]), shares.tolist(), strict=True):
        for term in analyser(page.language).terms(text):
            frequencies[term] += share
    return [(term, tf) for term, tf in frequencies.items() if tells(term, page.language)]


@lru_cache(REMEMBERED)
def tells(term: str, language: str) -> bool:
    """Whether a term says something of a page in this language."""
    word = without_language(term)
    return len(word) > 1 and not word.isdigit() and term not in _stop_terms(language)


@cache
def _stop_terms(language: str) -> frozenset[str]:
    return frozenset(analyser(language)[word] for word in stop_words(language))
