"""Evaluate conditions on documents, one language at a time.

A document has all of its words as terms of one language, so each language is evaluated separately. A word
then mostly has one term. The parts of a conjunction are evaluated in this order, each on the remaining
documents: words, the rarest first; columns; other conditions; positions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import Segment
from gossamer.model import ByLinks, FileType, Language, Site
from gossamer.query.conditions import (
    All,
    AtPlace,
    Condition,
    DateRange,
    Either,
    Except,
    InAnchorText,
    NearTerms,
    TermSequence,
    TermVariants,
)
from gossamer.search.match.filters import passing
from gossamer.search.match.phrases import Docs, TermHits, conjunction, holding, holds_any
from gossamer.text.terms import MARK

Mask = NDArray[np.bool_]
Numbers = Mapping[TermVariants, Sequence[int]]  # the terms of each slot in one language of a segment
NumbersByLanguage = dict[str, dict[TermVariants, list[int]]]
AnchoredDocs = Callable[[InAnchorText | ByLinks | AtPlace], Docs]


@dataclass(frozen=True, slots=True)
class MatchedDocuments:
    """Documents, with their postings of terms that are the only one of their slot."""

    docs: Docs
    hits: dict[TermVariants, TermHits] = field(default_factory=dict)

    def keeping(self, mask: Mask) -> MatchedDocuments:
        """Return the documents in a mask."""
        docs = self.docs[mask]
        rows = np.arange(len(docs))
        kept = {slot: TermHits(rows, one.postings[mask]) for slot, one in self.hits.items()}
        return MatchedDocuments(docs, kept)


class ConditionEvaluator:
    """Evaluates a condition on a segment in one language; `numbers` maps slots to terms of the segment."""

    def __init__(self, segment: Segment, numbers: Numbers, anchored: AnchoredDocs) -> None:
        self._segment = segment
        self._numbers = numbers
        self._anchored = anchored
        self._frequencies: dict[TermVariants, int] = {}

    def documents(self, condition: Condition) -> Docs:
        """Return the documents that satisfy a condition, which must require words: `most` is not None."""
        match condition:
            case TermSequence((slot,), None):
                return self._holding_any(slot)
            case TermSequence() | NearTerms():
                return self._conjunction((condition,))
            case All(parts) if any(map(slots_of, parts)):
                return self._conjunction(parts)
            case All(parts):
                chances = [(most, part) for part in parts if (most := self.most(part)) is not None]
                docs = self.documents(min(chances, key=lambda chance: chance[0])[1])
                return docs[self.satisfied(condition, docs)]
            case Either(parts):
                return np.unique(np.concatenate([self.documents(part) for part in parts]))
        raise TypeError(condition)

    def most(self, condition: Condition) -> int | None:
        """Return an upper bound of the documents that satisfy a condition; None if it requires no word."""
        match condition:
            case TermSequence() | NearTerms():
                return min(map(self._frequency, slots_of(condition)))
            case All(parts):
                return min((most for part in parts if (most := self.most(part)) is not None), default=None)
            case Either(parts):
                several = [self.most(part) for part in parts]
                known = [most for most in several if most is not None]
                return sum(known) if len(known) == len(several) else None
        return None

    def _conjunction(self, parts: Sequence[Condition]) -> Docs:
        """Return the documents that satisfy all parts. At least one part must be a sequence of terms."""
        slots = dict.fromkeys(slot for part in parts for slot in slots_of(part))
        positional = any(isinstance(part, TermSequence | NearTerms) and not is_word(part) for part in parts)
        found = self._with_words(slots, positional)
        left = [part for part in sorted(parts, key=_cost) if not is_word(part)]
        for part in left[:-1]:
            found = found.keeping(self._passing(part, found))
        return found.docs[self._passing(left[-1], found)] if left else found.docs

    def _passing(self, part: Condition, found: MatchedDocuments) -> Mask:
        """Return which documents satisfy a part; they must hold its words."""
        if not isinstance(part, TermSequence | NearTerms):
            return self.satisfied(part, found.docs)
        if not len(found.docs):
            return np.zeros(0, np.bool_)
        return holding(self._segment, part, self._known, found.docs, found.hits)

    def _with_words(self, slots: Iterable[TermVariants], with_hits: bool) -> MatchedDocuments:
        """Return the documents that hold a term of every slot; the rarest slot is evaluated first."""
        ordered = sorted(slots, key=self._frequency)
        alone = [slot for slot in ordered if len(self._known(slot)) == 1]
        if not self._frequency(ordered[0]):
            return MatchedDocuments(np.empty(0, np.int64))
        if alone:
            numbers = [self._known(slot)[0] for slot in alone]
            docs, where = conjunction(self._segment.postings, numbers, with_hits)
            found = MatchedDocuments(docs, dict(zip(alone, where, strict=False)))
        else:
            found = MatchedDocuments(self._holding_any(ordered[0]))
        for slot in ordered:
            if len(self._known(slot)) > 1:
                found = found.keeping(self._holds(slot, found.docs))
        return found

    def satisfied(self, condition: Condition, docs: Docs) -> Mask:
        """Return which documents satisfy a condition."""
        match condition:
            case Site() | FileType() | Language() | DateRange():
                return passing(self._segment.columns, condition, docs)
            case Except(part):
                return ~self.satisfied(part, docs)
            case InAnchorText() | ByLinks() | AtPlace():
                return np.isin(docs, self._anchored(condition), assume_unique=True)
            case Either(parts):
                return self._either(parts, docs)
            case All(parts):
                return self._all(parts, docs)
            case TermSequence() | NearTerms():
                return self._all((condition,), docs)

    def _either(self, parts: Sequence[Condition], docs: Docs) -> Mask:
        """Return which documents satisfy any part; each part is evaluated on the remaining documents."""
        satisfied = np.zeros(len(docs), np.bool_)
        for part in parts:
            left = np.flatnonzero(~satisfied)
            satisfied[left] = self.satisfied(part, docs[left])
        return satisfied

    def _all(self, parts: Sequence[Condition], docs: Docs) -> Mask:
        """Return which documents satisfy all parts; each part is evaluated on the remaining documents."""
        left = np.arange(len(docs))
        slots = dict.fromkeys(slot for part in parts for slot in slots_of(part))
        for slot in sorted(slots, key=self._frequency):
            left = left[self._holds(slot, docs[left])]
        for part in sorted(parts, key=_cost):
            if not is_word(part):
                left = left[self._passing(part, MatchedDocuments(docs[left]))]
        return marked(left, len(docs))

    def _holds(self, slot: TermVariants, docs: Docs) -> Mask:
        return holds_any(self._segment.postings, self._known(slot), docs)

    def _holding_any(self, slot: TermVariants) -> Docs:
        found = [self._segment.postings.documents(number) for number in self._known(slot)]
        return found[0] if len(found) == 1 else np.unique(np.concatenate([np.empty(0, np.int64), *found]))

    def _frequency(self, slot: TermVariants) -> int:
        if slot not in self._frequencies:
            self._frequencies[slot] = sum(map(self._segment.postings.frequency, self._known(slot)))
        return self._frequencies[slot]

    def _known(self, slot: TermVariants) -> Sequence[int]:
        return self._numbers.get(slot, ())


def numbers_by_language(condition: Condition, segment: Segment) -> NumbersByLanguage:
    """Return the numbers of the terms of a condition in a segment, by language and slot.

    Most segments hold a word in few languages.
    """
    found: NumbersByLanguage = defaultdict(dict)
    for slot in dict.fromkeys(_all_slots(condition)):
        for term in slot:
            if (number := segment.dictionary.number(term)) >= 0:
                found[term.partition(MARK)[2]].setdefault(slot, []).append(number)
    return found


def in_any_language(known: NumbersByLanguage) -> Numbers:
    """Return the numbers of the terms of all languages, by slot."""
    joined: dict[TermVariants, list[int]] = defaultdict(list)
    for slots in known.values():
        for slot, numbers in slots.items():
            joined[slot] += numbers
    return dict(joined)


def _all_slots(condition: Condition) -> Iterator[TermVariants]:
    match condition:
        case All(parts) | Either(parts):
            for part in parts:
                yield from _all_slots(part)
        case Except(part):
            yield from _all_slots(part)
        case _:
            yield from slots_of(condition)


def slots_of(condition: Condition) -> tuple[TermVariants, ...]:
    """Return the slots of a sequence: every document that satisfies it holds a term of each."""
    match condition:
        case TermSequence(slots):
            return slots
        case NearTerms(rows):
            return tuple(slot for row in rows for slot in row.slots)
    return ()


def is_word(condition: Condition) -> TypeGuard[TermSequence]:
    """Return whether a condition requires one word in any field."""
    return isinstance(condition, TermSequence) and condition.is_word


def _cost(condition: Condition) -> int:
    """Return the relative cost of evaluating a condition on a document."""
    match condition:
        case Site() | FileType() | Language() | DateRange():
            return 0
        case TermSequence() | NearTerms():
            return 2
    return 1


def marked(places: NDArray[np.int64], size: int) -> Mask:
    """Return a mask that is True at some places."""
    mask = np.zeros(size, np.bool_)
    mask[places] = True
    return mask
