"""What must hold for a document, in the terms of the index?

Row                 terms one behind the other, anywhere or in one field; a row of one is a word
Close               rows at most so many words from each other
OnSite, OfType,     what the columns know
InLanguage, Dated
Anchored            what the links to a document say: known outside of the segments
Among               how a document is linked: known outside too
Located             whether it belongs to a place: known from columns and postings together
All, Either, Except how conditions belong together
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gossamer.index.fields import Field

Reading: TypeAlias = tuple[
    str, ...
]  # terms that stand for one word: its stem in each language, or expansions


@dataclass(frozen=True, slots=True)
class Row:
    """One term of each slot, one behind the other within one field: of this field, where one is named."""

    slots: tuple[Reading, ...]
    field: Field | None = None

    @property
    def is_word(self) -> bool:
        """Whether it is enough to know which documents hold it."""
        return len(self.slots) == 1 and self.field is None


@dataclass(frozen=True, slots=True)
class Close:
    """All rows in one field: one comes first, each other begins at most `within` words behind its end."""

    rows: tuple[Row, ...]
    within: int


@dataclass(frozen=True, slots=True)
class OnSite:
    """The document's host is this one or below it."""

    host: str


@dataclass(frozen=True, slots=True)
class OfType:
    """The document's media type, or a part of it, or the extension of its address."""

    name: str


@dataclass(frozen=True, slots=True)
class InLanguage:
    """The document's language."""

    code: str


@dataclass(frozen=True, slots=True)
class Dated:
    """Published, or fetched where that is unknown, from the first moment on and before the second."""

    first: float
    end: float


@dataclass(frozen=True, slots=True)
class Anchored:
    """Some link to the document says this in a row."""

    slots: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Among:
    """The document stands so to the page of an address: it links to it, is related to it, or is it."""

    way: str
    url: str


@dataclass(frozen=True, slots=True)
class Located:
    """The document belongs to a place: see `located`. Names are as people write them."""

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
    Row | Close | OnSite | OfType | InLanguage | Dated | Anchored | Among | Located | All | Either | Except
)


def with_readings(condition: Condition, readings: Mapping[Reading, Reading]) -> Condition:
    """The condition with other terms for its words; what links should say stays as it is."""
    match condition:
        case Row(slots, field):
            return Row(tuple([readings[slot] for slot in slots]), field)
        case Close(rows, within):
            return Close(
                tuple([Row(tuple([readings[slot] for slot in row.slots]), row.field) for row in rows]), within
            )
        case All(parts):
            return All(tuple([with_readings(part, readings) for part in parts]))
        case Either(parts):
            return Either(tuple([with_readings(part, readings) for part in parts]))
        case Except(part):
            return Except(with_readings(part, readings))
    return condition


def needs_a_word(condition: Condition) -> bool:
    """Whether every document that satisfies the condition holds a term of its rows."""
    match condition:
        case Row() | Close():
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
        case Row() | Close() | Anchored():
            return wanted
    return False


def is_any_word(conditions: Sequence[Condition]) -> bool:
    """Whether all that is asked is `cat OR dog`: the same as both words side by side, and as quick."""
    parts = conditions[0].parts if len(conditions) == 1 and isinstance(conditions[0], Either) else ()
    return bool(parts) and all(isinstance(part, Row) and part.is_word for part in parts)


def all_of(parts: Sequence[Condition | None]) -> Condition | None:
    """The parts as one condition; None where nothing is left of them."""
    held = [one for part in parts if part for one in (part.parts if isinstance(part, All) else (part,))]
    return All(tuple(dict.fromkeys(held))) if len(held) > 1 else next(iter(held), None)


def either_of(parts: Sequence[Condition | None]) -> Condition | None:
    """Any of the parts as one condition; None where nothing is left of them."""
    held = [one for part in parts if part for one in (part.parts if isinstance(part, Either) else (part,))]
    return Either(tuple(dict.fromkeys(held))) if len(held) > 1 else next(iter(held), None)


def except_of(part: Condition | None) -> Condition | None:
    """What the part is not."""
    if isinstance(part, Except):
        return part.part
    return Except(part) if part else None
