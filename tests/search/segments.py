"""Postings made by hand: a segment without text, for the algorithms alone."""

from __future__ import annotations

import numpy as np

from gossamer.index.postings import RANGE_BITS, Postings
from gossamer.search.link_rank import NEUTRAL, LinkRankFactors
from gossamer.search.retrieve.top_k import Documents, RetrievalTask, as_weights
from gossamer.search.weighting import Impacts

WIDE = {"entries": np.int64, "ranges": np.uint32}
SMALL = {"entries": np.uint32, "ranges": np.uint16}


def postings_of(lists, levels=np.uint8, kinds=SMALL):
    """`lists` has for each term its documents with their impacts; positions are left out."""
    term_entries, ranges, highest, begins, docs, impacts = [0], [], [], [], [], []
    for one in lists:
        last = -1
        for doc, impact in sorted(one.items()):
            if doc >> RANGE_BITS != last:
                last = doc >> RANGE_BITS
                ranges.append(last)
                begins.append(len(docs))
                highest.append(0)
            docs.append(doc & ((1 << RANGE_BITS) - 1))
            impacts.append(impact)
            highest[-1] = max(highest[-1], impact)
        term_entries.append(len(ranges))
    nothing = np.empty(0, np.uint32)
    return Postings(
        np.array(term_entries, kinds["entries"]),
        np.array(ranges, kinds["ranges"]),
        np.array(highest, levels),
        np.array([*begins, len(docs)], kinds["entries"]),
        np.array(docs, np.uint16),
        np.array(impacts, levels),
        nothing,
        nothing.astype(np.uint8),
    )


class Counted(Postings):
    """Postings whose impacts are term frequencies, for schemes that reckon with these."""

    def counts(self):
        return self.posting_impacts.astype(np.int64)


def counted(texts):
    """The postings of some texts, words separated by blanks; the words, and the texts' lengths."""
    words = sorted({word for text in texts for word in text.split()})
    lists = [{doc: n for doc, text in enumerate(texts) if (n := text.split().count(word))} for word in words]
    made = postings_of(lists, np.uint16)
    return Counted(*made), words, np.array([len(text.split()) for text in texts])


def task_of(postings, terms, weights, documents, allowed=None, factors=None, fingerprints=None):
    levels = postings.posting_impacts
    if fingerprints is None:
        fingerprints = np.arange(documents, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return RetrievalTask(
        np.array(terms, np.int64),
        as_weights(weights, np.iinfo(levels.dtype).max),
        Impacts(postings),
        Documents(
            fingerprints,
            np.empty(0, np.bool_) if allowed is None else allowed,
            LinkRankFactors.of(np.full(documents, NEUTRAL, np.uint16) if factors is None else factors),
        ),
    )


def plain_ranking(task, k, lists, everything=False):
    """Every document's score by the definition; those that hold all terms only, if everything is asked."""
    ranking = []
    terms, weights = task.terms.tolist(), [int(w) for w in task.weights]
    fingerprints, allowed, factors = task.documents
    for doc in range(len(fingerprints)):
        held = [term for term in terms if doc in lists[term]]
        if not held or (len(allowed) and not allowed[doc]) or (everything and len(held) < len(terms)):
            continue
        total = sum(w * lists[t][doc] for t, w in zip(terms, weights, strict=True) if doc in lists[t])
        ranking.append((-total * int(factors.of_document[doc]), int(fingerprints[doc]), doc))
    return [(-score, fingerprint, doc) for score, fingerprint, doc in sorted(ranking)[:k]]


def rows(ranking):
    return list(zip(*(column.tolist() for column in ranking), strict=True))
