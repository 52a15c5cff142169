"""What do the best pages have in common? Pseudo-relevance feedback, as a part of the second phase.

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

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.weighting import idf
from gossamer.kernel import kernels_are_loaded
from gossamer.model import UNFETCHED, TermStats
from gossamer.search.condition import Reading
from gossamer.search.feedback_kernel import impacts_of
from gossamer.search.page_terms import Impacts
from gossamer.search.searcher import Searcher
from gossamer.text.words import is_unspaced

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
        if kernels_are_loaded():
            impacts_of(
                docs,
                np.argsort(docs),
                numbers,
                postings.term_entries,
                postings.entry_ranges,
                postings.entry_postings,
                postings.posting_docs,
                postings.posting_impacts,
                held,
            )
        else:
            for column in np.flatnonzero(numbers >= 0).tolist():
                held[:, column] = searcher.levels(segment, int(numbers[column]), docs)
        gains: NDArray[np.float64] = (
            held * np.array(self.weights) / np.iinfo(postings.posting_impacts.dtype).max
        )
        return gains


NO_FEEDBACK = Feedback()


def gains(
    searcher: Searcher, segment: int, docs: NDArray[np.int64], feedback: Feedback
) -> NDArray[np.float64]:
    """What feedback adds to the sums of some documents of a segment."""
    if segment == UNFETCHED or not feedback.terms:
        return np.zeros(len(docs))
    added: NDArray[np.float64] = feedback.gains(searcher, segment, docs).sum(axis=1)
    return added


def words_among(words: Sequence[Reading]) -> int:
    """How many of the words of a query are whole ones, not pieces of an unspaced script."""
    return sum([not is_unspaced(readings[0]) for readings in words])


def strength(scores: Sequence[float], feedback: float) -> float:
    """How far the best pages are believed: `scores` fall."""
    return feedback * scores[FIFTH] / scores[0] if len(scores) > FIFTH and scores[0] > 0 else 0.0


def feedback_of(
    pages: Sequence[Impacts], scores: Sequence[float], stats: TermStats, strength: float
) -> Feedback:
    """What pages with these scores, best first, have in common; `strength` holds f and q."""
    said: dict[str, float] = defaultdict(float)
    for impacts, score in zip(pages, scores, strict=True):
        share = (score / scores[0]) ** SHARPNESS
        for term, impact in impacts.items():
            said[term] += share * impact
    documents = stats.documents
    known = [(term, min(n, documents)) for term, n in stats.frequencies.items() if n]
    rare = {term: idf(documents, n) for term, n in known}
    worth = sorted([(-said[term] * own, term) for term, own in rare.items()])[:WORDS]
    whole = sum(value for value, _ in worth)
    return Feedback(
        tuple([term for _, term in worth]),
        tuple([strength * value / whole * rare[term] for value, term in worth]),
    )
