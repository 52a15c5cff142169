"""Evaluate conditions on documents, language by language.

A document has all of its words as terms of one language, so each language is asked for itself: a word is then
mostly one term. Of a conjunction the words are looked up first, rarest first, then what columns know, then
what is joined otherwise, and positions last: each on what is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import Segment
from gossamer.query.conditions import (
    All,
    Among,
    Anchored,
    Close,
    Condition,
    Dated,
    Either,
    Except,
    InLanguage,
    Located,
    OfType,
    OnSite,
    Reading,
    Row,
)
from gossamer.search.match.filters import passing
from gossamer.search.match.phrases import Docs, Hits, conjunction, hits, holding
from gossamer.text.terms import MARK

Mask = NDArray[np.bool_]
Numbers = Mapping[Reading, Sequence[int]]  # of those terms of a slot that a segment has in one language
NumbersByLanguage = dict[str, dict[Reading, list[int]]]
AnchoredDocs = Callable[[Anchored | Among | Located], Docs]


@dataclass(frozen=True, slots=True)
class Found:
    """Documents, and where they stand in the lists of terms that are alone in their slots."""

    docs: Docs
    hits: dict[Reading, Hits] = field(default_factory=dict)

    def keeping(self, mask: Mask) -> Found:
        docs = self.docs[mask]
        rows = np.arange(len(docs))
        kept = {slot: Hits(rows, one.postings[mask]) for slot, one in self.hits.items()}
        return Found(docs, kept)


class Narrowed:
    """A segment's documents of one language, in which the terms of a condition have these numbers."""

    def __init__(self, segment: Segment, numbers: Numbers, anchored: AnchoredDocs) -> None:
        self._segment = segment
        self._numbers = numbers
        self._anchored = anchored
        self._frequencies: dict[Reading, int] = {}

    def documents(self, condition: Condition) -> Docs:
        """Those that satisfy the condition; it asks for words (`Narrowed.most` is not None)."""
        match condition:
            case Row((slot,), None):
                return self._holding_any(slot)
            case Row() | Close():
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
            case Row() | Close():
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
        positional = any(isinstance(part, Row | Close) and not _is_word(part) for part in parts)
        found = self._with_words(slots, positional)
        left = [part for part in sorted(parts, key=_cost) if not _is_word(part)]
        for part in left[:-1]:
            found = found.keeping(self._passing(part, found))
        return found.docs[self._passing(left[-1], found)] if left else found.docs

    def _passing(self, part: Condition, found: Found) -> Mask:
        if isinstance(part, Row | Close):
            return self._in_place(part, found)
        return self.satisfied(part, found.docs)

    def _with_words(self, slots: Iterable[Reading], with_hits: bool) -> Found:
        """The documents that hold a term of every slot, the rarest asked first."""
        ordered = sorted(slots, key=self._frequency)
        alone = [slot for slot in ordered if len(self._known(slot)) == 1]
        if not self._frequency(ordered[0]):
            return Found(np.empty(0, np.int64))
        if alone:
            numbers = [self._known(slot)[0] for slot in alone]
            docs, where = conjunction(self._segment.postings, numbers, with_hits)
            found = Found(docs, dict(zip(alone, where, strict=False)))
        else:
            found = Found(self._holding_any(ordered[0]))
        for slot in ordered:
            if len(self._known(slot)) > 1:
                found = found.keeping(self._holds(slot, found.docs))
        return found

    def satisfied(self, condition: Condition, docs: Docs) -> Mask:
        """Of each of these documents, whether it satisfies the condition."""
        match condition:
            case OnSite() | OfType() | InLanguage() | Dated():
                return passing(self._segment.columns, condition, docs)
            case Except(part):
                return ~self.satisfied(part, docs)
            case Anchored() | Among() | Located():
                return np.isin(docs, self._anchored(condition), assume_unique=True)
            case Either(parts):
                return self._either(parts, docs)
            case All(parts):
                return self._all(parts, docs)
            case Row() | Close():
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
            if not _is_word(part):
                left = left[self._passing(part, Found(docs[left]))]
        return marked(left, len(docs))

    def _in_place(self, condition: Row | Close, found: Found) -> Mask:
        """Of documents that hold a term of every slot, whether these stand as they should."""
        if not len(found.docs):
            return np.zeros(0, np.bool_)
        return holding(self._segment, condition, self._known, found.docs, found.hits)

    def _holds(self, slot: Reading, docs: Docs) -> Mask:
        mask = np.zeros(len(docs), np.bool_)
        for number in self._known(slot):
            mask[hits(self._segment.postings, number, docs).rows] = True
        return mask

    def _holding_any(self, slot: Reading) -> Docs:
        found = [self._segment.postings.documents(number) for number in self._known(slot)]
        return found[0] if len(found) == 1 else np.unique(np.concatenate([np.empty(0, np.int64), *found]))

    def _frequency(self, slot: Reading) -> int:
        if slot not in self._frequencies:
            self._frequencies[slot] = sum(map(self._segment.postings.frequency, self._known(slot)))
        return self._frequencies[slot]

    def _known(self, slot: Reading) -> Sequence[int]:
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
    joined: dict[Reading, list[int]] = defaultdict(list)
    for slots in known.values():
        for slot, numbers in slots.items():
            joined[slot] += numbers
    return dict(joined)


def _all_slots(condition: Condition) -> Iterator[Reading]:
    match condition:
        case All(parts) | Either(parts):
            for part in parts:
                yield from _all_slots(part)
        case Except(part):
            yield from _all_slots(part)
        case _:
            yield from slots_of(condition)


def slots_of(condition: Condition) -> tuple[Reading, ...]:
    """The slots of which every document that satisfies the condition holds a term."""
    match condition:
        case Row(slots):
            return slots
        case Close(rows):
            return tuple(slot for row in rows for slot in row.slots)
    return ()


def _is_word(condition: Condition) -> bool:
    return isinstance(condition, Row) and condition.is_word


def _cost(condition: Condition) -> int:
    """What is cheap to ask of a document comes first."""
    match condition:
        case OnSite() | OfType() | InLanguage() | Dated():
            return 0
        case Row() | Close():
            return 2
    return 1


def marked(places: NDArray[np.int64], size: int) -> Mask:
    """True at these places."""
    mask = np.zeros(size, np.bool_)
    mask[places] = True
    return mask
