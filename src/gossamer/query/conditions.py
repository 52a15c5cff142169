"""Conditions and plan in terms of the index.

TermSequence        terms one behind the other, anywhere or in one field; a sequence of one is a word
NearTerms           sequences at most so many words from each other
Site, FileType,     what the columns know
Language, DateRange
InAnchorText        the anchor text of links to a document: known outside of the segments
ByLinks             how a document is linked: known outside too
AtPlace             whether it belongs to a place: known from columns and postings together
All, Either, Except how conditions belong together

Site, FileType, Language and ByLinks are those of the query: the index needs no other terms for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gossamer.index.bm25f import Field
from gossamer.model import ByLinks, FileType, Language, Site
from gossamer.text.terms import MARK

# Terms that stand for one word: its stem in each language, or expansions.
TermVariants: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TermSequence:
    """One term of each slot, one behind the other within one field: of this field, where one is named."""

    slots: tuple[TermVariants, ...]
    field: Field | None = None

    @property
    def is_word(self) -> bool:
        """Whether it is enough to know which documents hold it."""
        return len(self.slots) == 1 and self.field is None

    def with_readings(self, readings: Mapping[TermVariants, TermVariants]) -> TermSequence:
        """The same with other terms for its words."""
        return TermSequence(tuple([readings[slot] for slot in self.slots]), self.field)


@dataclass(frozen=True, slots=True)
class NearTerms:
    """All rows in one field: one comes first, each other begins at most `within` words behind its end."""

    rows: tuple[TermSequence, ...]
    within: int


@dataclass(frozen=True, slots=True)
class DateRange:
    """Published, or fetched where that is unknown, from the first moment on and before the second."""

    first: float
    end: float


@dataclass(frozen=True, slots=True)
class InAnchorText:
    """Some link to the document says this in a row."""

    slots: tuple[TermVariants, ...]


@dataclass(frozen=True, slots=True)
class AtPlace:
    """The document belongs to a place: see `search.match.places`. Names are as people write them."""

    hosts: tuple[str, ...] = ()  # what stands on these or below them belongs to it
    sure: tuple[str, ...] = ()  # names that mean nothing else
    unsure: tuple[tuple[str, ...], ...] = ()  # names that may: those of one place together
    company: tuple[str, ...] = ()  # names that confirm them, and say too little alone
    company_hosts: tuple[str, ...] = ()
    towns: tuple[str, ...] = ()  # names that mean nothing else where they are written as names


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Except:
    """The part does not hold."""

    part: Condition


Condition: TypeAlias = (
    TermSequence
    | NearTerms
    | Site
    | FileType
    | Language
    | DateRange
    | InAnchorText
    | ByLinks
    | AtPlace
    | All
    | Either
    | Except
)


def with_readings(condition: Condition, readings: Mapping[TermVariants, TermVariants]) -> Condition:
    """The condition with other terms for its words; what links should say stays as it is."""
    match condition:
        case TermSequence():
            return condition.with_readings(readings)
        case NearTerms(rows, within):
            return NearTerms(tuple([row.with_readings(readings) for row in rows]), within)
        case All(parts) | Either(parts):
            return type(condition)(tuple([with_readings(part, readings) for part in parts]))
        case Except(part):
            return Except(with_readings(part, readings))
    return condition


def needs_a_word(condition: Condition) -> bool:
    """Whether every document that satisfies the condition holds a term of its rows."""
    match condition:
        case TermSequence() | NearTerms():
            return True
        case All(parts):
            return any(map(needs_a_word, parts))
        case Either(parts):
            return all(map(needs_a_word, parts))
    return False


def asks_for_text(condition: Condition, wanted: bool = True) -> bool:
    """Whether the condition names a text that should be there, not one that should not."""
    match condition:
        case All(parts) | Either(parts):
            return any(asks_for_text(part, wanted) for part in parts)
        case Except(part):
            return asks_for_text(part, not wanted)
        case TermSequence() | NearTerms() | InAnchorText():
            return wanted
    return False


def is_any_word(conditions: Sequence[Condition]) -> bool:
    """Whether all that is asked is `cat OR dog`: the same as both words side by side, and as quick."""
    parts = conditions[0].parts if len(conditions) == 1 and isinstance(conditions[0], Either) else ()
    return bool(parts) and all(isinstance(part, TermSequence) and part.is_word for part in parts)


def all_of(parts: Sequence[Condition | None]) -> Condition | None:
    """The parts as one condition; None where nothing is left of them."""
    flat = [one for part in parts if part for one in (part.parts if isinstance(part, All) else (part,))]
    held = tuple(dict.fromkeys(flat))
    return All(held) if len(held) > 1 else next(iter(held), None)


def either_of(parts: Sequence[Condition | None]) -> Condition | None:
    """Any of the parts as one condition; None where nothing is left of them."""
    flat = [one for part in parts if part for one in (part.parts if isinstance(part, Either) else (part,))]
    held = tuple(dict.fromkeys(flat))
    return Either(held) if len(held) > 1 else next(iter(held), None)


def except_of(part: Condition | None) -> Condition | None:
    """What the part is not."""
    if isinstance(part, Except):
        return part.part
    return Except(part) if part else None


# Plan of a query: what ranks, what must hold
# -------------------------------------------


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Words that a document must all hold, in a row or not; nothing else is asked."""

    languages: tuple[tuple[str, ...], ...]  # of each, a term of every word
    in_a_row: bool = False


@dataclass(frozen=True, slots=True)
class LanguagePreference:
    """What pages of each language count, where not all count alike: see `language_preference`."""

    shares: Mapping[str, float] = field(default_factory=dict)  # by the mark of the language's terms
    language: str = ""  # in which the query surely is

    def leaves(self, terms: Iterable[str]) -> bool:
        """Whether the languages of all these terms count in full."""
        return not self.shares or all(self.shares.get(mark_of(term), 1.0) == 1.0 for term in terms)

    def of_terms(self, weights: dict[str, int]) -> dict[str, int]:
        """The weights of terms, each as its language counts."""
        if not self.shares:
            return weights
        share = self.shares.get
        return {term: max(1, round(own * share(mark_of(term), 1.0))) for term, own in weights.items()}


class _KnownReadings(dict[TermVariants, TermVariants]):
    """From the terms of a word to those that something holds; it fills itself."""

    def __init__(self, held: Mapping[str, int]) -> None:
        super().__init__()
        self._held = held

    def __missing__(self, reading: TermVariants) -> TermVariants:
        known = tuple([term for term in reading if self._held.get(term, 1)]) or reading[:1]
        self[reading] = known
        return known


def mark_of(term: str) -> str:
    """What names the language in a term."""
    return term.partition(MARK)[2]


@dataclass(slots=True)  # not frozen: one is made for every query, and freezing takes three times as long
class Plan:
    """What `planner` makes of a query. Nobody changes one: `replace` makes another."""

    words: tuple[TermVariants, ...]  # these rank: the terms of each word
    condition: Condition | None = None
    decided: bool = False  # the condition alone says what matches; else a word must be there too
    ranks: bool = True  # False when the query only restricts
    together: Conjunction | None = None  # the same as the condition, where it is no more than that
    emphasis: tuple[float, ...] = ()  # of each word, at most 1; nothing where all count alike
    telling: int = 0  # how many of the words, the first of them, are more than function words
    leaning: LanguagePreference = LanguagePreference()  # towards the language of the query
    shares: Mapping[str, float] = field(default_factory=dict)  # of terms that count less than typed ones
    forms: tuple[tuple[str, ...], ...] = ()  # of the first words, as they were typed
    also: tuple[str, ...] = ()  # terms for which a document may match, but that do not rank
    rows: tuple[TermSequence, ...] = ()  # synonyms of several words, which count only where they stand so
    wished: Condition | None = None  # one of the words or rows, where not each term that ranks is enough
    languages: tuple[str, ...] = ()  # in which the words were read
    terms: tuple[str, ...] = field(init=False, compare=False)  # that rank, each once

    def __post_init__(self) -> None:
        self.terms = tuple(dict.fromkeys([term for word in self.words for term in word]))

    def of_known(self, held: Mapping[str, int]) -> Plan:
        """The same without terms that nothing holds: a word is read in all languages, and stands in few.

        A word keeps its first term at least. Terms of conditions that are not among those that rank stay.
        """
        if all(map(held.__getitem__, self.terms)):
            return self
        known = _KnownReadings(held)
        words = tuple(map(known.__getitem__, self.words))
        left = frozenset([term for word in words for term in word])
        return replace(
            self,
            words=words,
            shares={term: share for term, share in self.shares.items() if term in left},
            condition=with_readings(self.condition, known) if self.condition else None,
            wished=with_readings(self.wished, known) if self.wished else None,
        )

    @property
    def in_rows(self) -> dict[str, list[TermSequence]]:
        """The terms that count only in rows, and in which."""
        held: dict[str, list[TermSequence]] = {}
        for row in self.rows:
            for (term,) in row.slots:
                held.setdefault(term, []).append(row)
        return {term: rows for term, rows in held.items() if term in self.shares}

    @property
    def words_alone(self) -> tuple[TermVariants, ...]:
        """The words, without those terms that count only in rows."""
        if not self.rows:
            return self.words
        in_rows = self.in_rows
        return tuple(tuple(term for term in word if term not in in_rows) for word in self.words)

    @property
    def matches_without_words(self) -> bool:
        """Whether a document may match that holds none of the words that rank."""
        ranked = self.condition and needs_a_word(self.condition) and not self.also
        return self.ranks and self.decided and not ranked


def together_of(condition: Condition, words: Sequence[TermVariants]) -> Conjunction | None:
    """The condition as words that must all be there, or stand in a row; None where it asks for anything else.

    None also where a word that ranks is not among them, or stands for several terms of a language.
    """
    in_a_row = isinstance(condition, TermSequence) and len(condition.slots) > 1
    rows = condition.parts if isinstance(condition, All) else (condition,)
    slots = [
        slot for row in rows if isinstance(row, TermSequence) and row.field is None for slot in row.slots
    ]
    if not in_a_row and not all(isinstance(row, TermSequence) and row.is_word for row in rows):
        return None
    if not slots or set(slots) != set(words):
        return None
    marks = dict.fromkeys(mark_of(term) for slot in slots for term in slot)
    spoken = [[[term for term in slot if mark_of(term) == mark] for slot in slots] for mark in marks]
    if not all(len(terms) == 1 for slots_of_one in spoken for terms in slots_of_one):
        return None
    return Conjunction(tuple(tuple(terms[0] for terms in slots_of_one) for slots_of_one in spoken), in_a_row)
