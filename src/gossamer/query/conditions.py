"""Conditions and plan in terms of the index.

TermSequence        adjacent terms, anywhere or in one field; a sequence of one is a word
NearTerms           sequences within a number of words from each other
Site, FileType,     properties that are stored in columns
Language, DateRange
InAnchorText        the anchor text of links to a document, stored outside the segments
ByLinks             the links of a document, stored outside the segments
AtPlace             whether a document belongs to a place, from columns and postings
All, Either, Except combinations of conditions

Site, FileType, Language and ByLinks are the classes of the parsed query: they need no translation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gossamer.index.bm25f import Field
from gossamer.model import ByLinks, FileType, Language, Site
from gossamer.text.terms import MARK

# The terms of one word: its stem in each language, or its expansions.
TermVariants: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TermSequence:
    """Adjacent terms in one field, one of each slot; in any field if `field` is None."""

    slots: tuple[TermVariants, ...]
    field: Field | None = None

    @property
    def is_word(self) -> bool:
        """Whether this is one word in any field, so that its position does not matter."""
        return len(self.slots) == 1 and self.field is None

    def with_readings(self, readings: Mapping[TermVariants, TermVariants]) -> TermSequence:
        """Return the sequence with other terms for its words."""
        return TermSequence(tuple([readings[slot] for slot in self.slots]), self.field)


@dataclass(frozen=True, slots=True)
class NearTerms:
    """All rows in one field; each begins at most `within` words after the end of the first."""

    rows: tuple[TermSequence, ...]
    within: int


@dataclass(frozen=True, slots=True)
class DateRange:
    """Publication date, or fetch date if that is unknown, from `first` on and before `end`."""

    first: float
    end: float


@dataclass(frozen=True, slots=True)
class InAnchorText:
    """Adjacent terms in the anchor text of some link to the document."""

    slots: tuple[TermVariants, ...]


@dataclass(frozen=True, slots=True)
class AtPlace:
    """The document belongs to a place, see `search.match.places`. Names are not stemmed."""

    hosts: tuple[str, ...] = ()  # documents on these hosts, or below them, belong to the place
    sure: tuple[str, ...] = ()  # unambiguous names
    unsure: tuple[tuple[str, ...], ...] = ()  # ambiguous names, grouped by place
    company: tuple[str, ...] = ()  # names that confirm ambiguous ones, but do not suffice alone
    company_hosts: tuple[str, ...] = ()  # hosts that confirm ambiguous names
    towns: tuple[str, ...] = ()  # names that are unambiguous if written as names


@dataclass(frozen=True, slots=True)
class All:
    """All parts are satisfied."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """At least one part is satisfied."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Except:
    """The part is not satisfied."""

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
    """Return the condition with other terms for its words; anchor text is not changed."""
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
    """Return whether every document that satisfies the condition holds one of its terms."""
    match condition:
        case TermSequence() | NearTerms():
            return True
        case All(parts):
            return any(map(needs_a_word, parts))
        case Either(parts):
            return all(map(needs_a_word, parts))
    return False


def asks_for_text(condition: Condition, wanted: bool = True) -> bool:
    """Return whether the condition requires some text; excluded text does not count."""
    match condition:
        case All(parts) | Either(parts):
            return any(asks_for_text(part, wanted) for part in parts)
        case Except(part):
            return asks_for_text(part, not wanted)
        case TermSequence() | NearTerms() | InAnchorText():
            return wanted
    return False


def is_any_word(conditions: Sequence[Condition]) -> bool:
    """Return whether the query is just `cat OR dog`, which matches the same documents as `cat dog`."""
    parts = conditions[0].parts if len(conditions) == 1 and isinstance(conditions[0], Either) else ()
    return bool(parts) and all(isinstance(part, TermSequence) and part.is_word for part in parts)


def all_of(parts: Sequence[Condition | None]) -> Condition | None:
    """Combine conditions; all must be satisfied. Return None if there are none."""
    return _combined(All, parts)


def either_of(parts: Sequence[Condition | None]) -> Condition | None:
    """Combine conditions; at least one must be satisfied. Return None if there are none."""
    return _combined(Either, parts)


def _combined(kind: type[All | Either], parts: Sequence[Condition | None]) -> Condition | None:
    flat = [one for part in parts if part for one in (part.parts if isinstance(part, kind) else (part,))]
    held = tuple(dict.fromkeys(flat))
    return kind(held) if len(held) > 1 else next(iter(held), None)


def except_of(part: Condition | None) -> Condition | None:
    """Negate a condition; return None if there is none."""
    if isinstance(part, Except):
        return part.part
    return Except(part) if part else None


# Plan of a query: terms that rank, and a condition
# -------------------------------------------------


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Words that a document must all hold, adjacent or not, without further conditions."""

    languages: tuple[tuple[str, ...], ...]  # for each language, one term per word
    in_a_row: bool = False


@dataclass(frozen=True, slots=True)
class LanguagePreference:
    """Score factors of languages, see `language_preference`; empty if all are 1."""

    shares: Mapping[str, float] = field(default_factory=dict)  # by the mark of the language in terms
    language: str = ""  # of the query, if certain

    def leaves(self, terms: Iterable[str]) -> bool:
        """Return whether the languages of all these terms have the factor 1."""
        return not self.shares or all(self.shares.get(mark_of(term), 1.0) == 1.0 for term in terms)

    def of_terms(self, weights: dict[str, int]) -> dict[str, int]:
        """Multiply the weights of terms by the factors of their languages."""
        if not self.shares:
            return weights
        share = self.shares.get
        return {term: max(1, round(own * share(mark_of(term), 1.0))) for term, own in weights.items()}


class _KnownReadings(dict[TermVariants, TermVariants]):
    """A cache that maps the terms of a word to those that some document holds."""

    def __init__(self, held: Mapping[str, int]) -> None:
        super().__init__()
        self._held = held

    def __missing__(self, reading: TermVariants) -> TermVariants:
        known = tuple([term for term in reading if self._held.get(term, 1)]) or reading[:1]
        self[reading] = known
        return known


def mark_of(term: str) -> str:
    """Return the mark of the language in a term."""
    return term.partition(MARK)[2]


@dataclass(slots=True)  # not frozen: every query makes one, and a frozen one takes three times as long
class Plan:
    """The plan of a query, made by `planner`. Use `replace` instead of changing one."""

    words: tuple[TermVariants, ...]  # words that rank, with their terms
    condition: Condition | None = None
    decided: bool = False  # whether the condition alone decides what matches; else a word is needed, too
    ranks: bool = True  # False if the query only filters
    together: Conjunction | None = None  # the condition as a conjunction, if it is no more than that
    emphasis: tuple[float, ...] = ()  # weight of each word in the query, at most 1; empty if all are 1
    telling: int = 0  # how many words, the first ones, are content words
    leaning: LanguagePreference = LanguagePreference()  # score factors of languages
    shares: Mapping[str, float] = field(default_factory=dict)  # weights of terms that were not typed
    forms: tuple[tuple[str, ...], ...] = ()  # the typed forms of the first words
    also: tuple[str, ...] = ()  # terms that make a document match, but do not rank
    rows: tuple[TermSequence, ...] = ()  # synonyms of several words, which count only if adjacent
    wished: Condition | None = None  # requires a word or a row, if a ranking term alone is not enough
    languages: tuple[str, ...] = ()  # in which the words were analysed
    terms: tuple[str, ...] = field(init=False, compare=False)  # distinct terms that rank

    def __post_init__(self) -> None:
        self.terms = tuple(dict.fromkeys([term for word in self.words for term in word]))

    def of_known(self, held: Mapping[str, int]) -> Plan:
        """Return the plan without terms that no document holds; `held` has document frequencies.

        A word is analysed in all languages, but pages hold it in few. Each word keeps at least its first
        term. Terms of conditions that do not rank are kept.
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
        """The terms that count only in rows, with their rows."""
        held: dict[str, list[TermSequence]] = {}
        for row in self.rows:
            for (term,) in row.slots:
                held.setdefault(term, []).append(row)
        return {term: rows for term, rows in held.items() if term in self.shares}

    @property
    def words_alone(self) -> tuple[TermVariants, ...]:
        """The words, without the terms that count only in rows."""
        if not self.rows:
            return self.words
        in_rows = self.in_rows
        return tuple(tuple(term for term in word if term not in in_rows) for word in self.words)

    @property
    def matches_without_words(self) -> bool:
        """Whether a document may match that holds none of the ranking words."""
        ranked = self.condition and needs_a_word(self.condition) and not self.also
        return self.ranks and self.decided and not ranked


def together_of(condition: Condition, words: Sequence[TermVariants]) -> Conjunction | None:
    """Return the condition as a conjunction or a phrase; None if it requires anything else.

    It is also None if the condition lacks a ranking word, or a word has several terms in one language.
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
