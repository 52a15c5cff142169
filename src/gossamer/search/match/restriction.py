# mypy: disable-error-code="arg-type, index, call-overload"
"""Condition and deletions as one document mask.

If a condition requires words, it is evaluated only on documents that hold them (`ConditionEvaluator`), one
language at a time: a document has all of its words in its own language. A document with passages in another
language has the words of these passages in that language, too. For such documents, the condition is evaluated
again with the terms of all languages at once. Conditions that require no words are evaluated as masks over
all documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from gossamer.index.index import places_of
from gossamer.index.postings import RANGE_BITS, Postings
from gossamer.index.segment import SegmentView
from gossamer.kernels.kernel import unchecked_kernel
from gossamer.model import ByLinks
from gossamer.query.conditions import (
    All,
    AtPlace,
    Condition,
    Either,
    Except,
    InAnchorText,
    NearTerms,
    TermSequence,
    TermVariants,
    needs_a_word,
)
from gossamer.search.match.evaluate import (
    ConditionEvaluator,
    Mask,
    NumbersByLanguage,
    in_any_language,
    is_word,
    marked,
    numbers_by_language,
)
from gossamer.search.match.filters import passing
from gossamer.search.match.phrases import Docs
from gossamer.search.match.places import levels_of

# Kernel: mark documents of terms
# -------------------------------


@unchecked_kernel
def mark_documents(terms: NDArray[np.int64], postings: Postings, mask: NDArray[np.bool_]) -> None:
    """Mark the documents of terms in a mask; unknown terms are below 0."""
    for term in terms:
        if term < 0:
            continue
        for e in range(np.int64(postings.term_entries[term]), np.int64(postings.term_entries[term + 1])):
            base = np.int64(postings.entry_ranges[e]) << RANGE_BITS
            for p in range(np.int64(postings.entry_postings[e]), np.int64(postings.entry_postings[e + 1])):
                mask[base + postings.posting_docs[p]] = True


REMEMBERED = 16  # masks that are cached, with a byte per document each

# Returns the fingerprints of the documents that satisfy a condition on anchor text or links, which are not
# stored in segments.
PagesOutsideIndex = Callable[[InAnchorText | ByLinks], NDArray[np.uint64]]


def nowhere(_: InAnchorText | ByLinks) -> NDArray[np.uint64]:
    """Return no document, for a collection without links."""
    return np.empty(0, np.uint64)


class DocumentMask:
    """Evaluates conditions over all documents of a segment. Safe to use from several threads.

    Queries often repeat a language or site, so the last masks of columns are cached.
    """

    def __init__(self, view: SegmentView, anchors: PagesOutsideIndex = nowhere) -> None:
        self._view = view
        self._segment = view.segment
        self._anchors = anchors
        self._passing = lru_cache(REMEMBERED)(partial(passing, view.segment.columns))
        # How strongly each document belongs to a place.
        self.belonging = lru_cache(REMEMBERED)(partial(levels_of, view.segment))

    def allowed(self, condition: Condition | None) -> Mask:
        """Return a mask of the live documents that satisfy a condition."""
        if condition is None:
            return self._view.alive()
        mask = self.satisfied(condition)
        if len(self._view.deleted):
            mask = mask.copy()  # it may be cached
            mask[self._view.deleted] = False
        return mask

    def satisfied(self, condition: Condition) -> Mask:
        """Return a mask of the documents that satisfy a condition, deleted ones included."""
        match condition:
            case Except(part):
                return ~self.satisfied(part)
            case All(parts) if not needs_a_word(condition):
                mask: Mask = np.logical_and.reduce([self.satisfied(part) for part in parts])
                return mask
            case Either() | All() | TermSequence() | NearTerms():
                mask = np.zeros(self._segment.documents, np.bool_)
                self._mark(condition, mask)
                return mask
            case InAnchorText() | ByLinks():
                return marked(self._anchored(condition), self._segment.documents)
            case AtPlace():
                return self.belonging(condition) > 0
        return self._passing(condition)

    def _mark(self, condition: Condition, mask: Mask) -> None:
        """Mark the documents that satisfy a condition; its parts share one mask, which is faster."""
        if isinstance(condition, Either):
            self._mark_words([part.slots[0] for part in condition.parts if is_word(part)], mask)
            for part in condition.parts:
                if not is_word(part):
                    self._mark(part, mask)
        elif needs_a_word(condition):
            self._mark_with_words(condition, mask)
        else:
            mask |= self.satisfied(condition)

    def _mark_words(self, words: Sequence[TermVariants], mask: Mask) -> None:
        """Mark the documents that hold any of these words, in any language."""
        terms = tuple(dict.fromkeys([term for word in words for term in word]))
        numbers = np.array(self._segment.look_up(terms).numbers, np.int64)
        mark_documents(numbers, self._segment.postings, mask)

    def _mark_with_words(self, condition: Condition, mask: Mask) -> None:
        """Mark the documents that satisfy a condition that requires words."""
        known = numbers_by_language(condition, self._segment)
        mixed = self._mixed(known)
        before = mask[mixed]
        for numbers in known.values():
            narrowed = ConditionEvaluator(self._segment, numbers, self._anchored)
            if narrowed.most(condition):
                mask[narrowed.documents(condition)] = True
        if len(mixed):  # their words are in several languages
            narrowed = ConditionEvaluator(self._segment, in_any_language(known), self._anchored)
            mask[mixed] = before | narrowed.satisfied(condition, mixed)

    def _mixed(self, known: NumbersByLanguage) -> Docs:
        """Return the documents that hold some of these terms in another language than their own."""
        if not len(self._segment.columns.passage_names):
            return np.empty(0, np.int64)
        marks, documents = self._marks, self._segment.postings.documents
        found = [
            docs[marks[docs] != language]
            for language, slots in known.items()
            for docs in map(documents, {number for numbers in slots.values() for number in numbers})
        ]
        return np.unique(np.concatenate([np.empty(0, np.int64), *found]))

    @cached_property
    def _marks(self) -> NDArray[np.str_]:
        """The mark of the language in which each document has all of its terms."""
        return np.array(self._segment.marks)[self._segment.columns.language_ids]

    def _anchored(self, condition: InAnchorText | ByLinks | AtPlace) -> Docs:
        if isinstance(condition, AtPlace):
            return np.flatnonzero(self.belonging(condition))
        return places_of(self._anchors(condition), self._segment.columns.fingerprints)
