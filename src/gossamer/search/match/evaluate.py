"""Evaluate conditions on documents, language by language.

A document has all of its words as terms of one language, so each language is asked for itself: a word is then
mostly one term. Of a conjunction the words are looked up first, rarest first, then what columns know, then
what is joined otherwise, and positions last: each on what is left.
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
Numbers = Mapping[TermVariants, Sequence[int]]  # of those terms of a slot that a segment has in one language
NumbersByLanguage = dict[str, dict[TermVariants, list[int]]]
AnchoredDocs = Callable[[InAnchorText | ByLinks | AtPlace], Docs]


@dataclass(frozen=True, slots=True)
class MatchedDocuments:
    """Documents, and where they stand in the lists of terms that are alone in their slots."""

    docs: Docs
    hits: dict[TermVariants, TermHits] = field(default_factory=dict)

    def keeping(self, mask: Mask) -> MatchedDocuments:
        docs = self.docs[mask]
        rows = np.arange(len(docs))
        kept = {slot: TermHits(rows, one.postings[mask]) for slot, one in self.hits.items()}
        return MatchedDocuments(docs, kept)


class ConditionEvaluator:
    """A segment's documents of one language, in which the terms of a condition have these numbers."""

    def __init__(self, segment: Segment, numbers: Numbers, anchored: AnchoredDocs) -> None:
        self._segment = segment
        self._numbers = numbers
        self._anchored = anchored
        self._frequencies: dict[TermVariants, int] = {}

    def documents(self, condition: Condition) -> Docs:
        """Those that satisfy the condition; it asks for words (`ConditionEvaluator.most` is not None)."""
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
        """How many documents may satisfy the condition; None where no word limits them."""
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
        """The documents that satisfy all parts, at least one of which is a row or rows."""
        slots = dict.fromkeys(slot for part in parts for slot in slots_of(part))
        positional = any(isinstance(part, TermSequence | NearTerms) and not is_word(part) for part in parts)
        found = self._with_words(slots, positional)
        left = [part for part in sorted(parts, key=_cost) if not is_word(part)]
        for part in left[:-1]:
            found = found.keeping(self._passing(part, found))
        return found.docs[self._passing(left[-1], found)] if left else found.docs

    def _passing(self, part: Condition, found: MatchedDocuments) -> Mask:
        if isinstance(part, TermSequence | NearTerms):
            return self._in_place(part, found)
        return self.satisfied(part, found.docs)

    def _with_words(self, slots: Iterable[TermVariants], with_hits: bool) -> MatchedDocuments:
        """The documents that hold a term of every slot, the rarest asked first."""
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
        """Of each of these documents, whether it satisfies the condition."""
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
        """Each part is asked only of the documents that satisfy none before it."""
        satisfied = np.zeros(len(docs), np.bool_)
        for part in parts:
            left = np.flatnonzero(~satisfied)
            satisfied[left] = self.satisfied(part, docs[left])
        return satisfied

    def _all(self, parts: Sequence[Condition], docs: Docs) -> Mask:
        left = np.arange(len(docs))
        slots = dict.fromkeys(slot for part in parts for slot in slots_of(part))
        for slot in sorted(slots, key=self._frequency):
            left = left[self._holds(slot, docs[left])]
        for part in sorted(parts, key=_cost):
            if not is_word(part):
                left = left[self._passing(part, MatchedDocuments(docs[left]))]
        return marked(left, len(docs))

    def _in_place(self, condition: TermSequence | NearTerms, found: MatchedDocuments) -> Mask:
        """Of documents that hold a term of every slot, whether these stand as they should."""
        if not len(found.docs):
            return np.zeros(0, np.bool_)
        return holding(self._segment, condition, self._known, found.docs, found.hits)

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
    """The numbers of all terms that a condition asks for and the segment has, by language and slot.

    Most segments have a word in few of the languages in which it could be.
    """
    found: NumbersByLanguage = defaultdict(dict)
    for slot in dict.fromkeys(_all_slots(condition)):
        for term in slot:
            if (number := segment.dictionary.number(term)) >= 0:
                found[term.partition(MARK)[2]].setdefault(slot, []).append(number)
    return found


def in_any_language(known: NumbersByLanguage) -> Numbers:
    """The numbers of all languages together."""
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
    """The slots of which every document that satisfies the condition holds a term."""
    match condition:
        case TermSequence(slots):
            return slots
        case NearTerms(rows):
            return tuple(slot for row in rows for slot in row.slots)
    return ()


def is_word(condition: Condition) -> TypeGuard[TermSequence]:
    """Whether the condition asks for one word, wherever it stands."""
    return isinstance(condition, TermSequence) and condition.is_word


def _cost(condition: Condition) -> int:
    """What is cheap to ask of a document comes first."""
    match condition:
        case Site() | FileType() | Language() | DateRange():
            return 0
        case TermSequence() | NearTerms():
            return 2
    return 1


def marked(places: NDArray[np.int64], size: int) -> Mask:
    """True at these places."""
    mask = np.zeros(size, np.bool_)
    mask[places] = True
    return mask
