"""Query tree: words, phrases, fields, operators.

Word, Prefix, Fuzzy, Sounding,   text
Phrase
In, Near                         text in one part of a page, texts close to each other
Site, FileType, Language,        what is known of a page besides its text
Before, After, ByLinks, ByPlace
Not, And, Or, Group              how the parts belong together
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Word:
    """One word as typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """Every word that begins so."""

    text: str


@dataclass(frozen=True, slots=True)
class Fuzzy:
    """The word, or one that differs from it by a few letters; without a number its length decides."""

    text: str
    mistakes: int | None = None


@dataclass(frozen=True, slots=True)
class Sounding:
    """The word, or one that sounds like it: by "sounds", the best way for its language, or by "soundex"."""

    text: str
    way: str = "sounds"


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that must stand next to each other."""

    text: str


Text: TypeAlias = Word | Prefix | Fuzzy | Sounding | Phrase


@dataclass(frozen=True, slots=True)
class In:
    """Text in one part of a page: "title", "url", "body" or, of links to it, "anchor"."""

    part: str
    text: Text


@dataclass(frozen=True, slots=True)
class Near:
    """Texts that stand at most so many words from each other, in any order."""

    texts: tuple[Text, ...]
    within: int


@dataclass(frozen=True, slots=True)
class Site:
    """Only pages of this host or of hosts below it."""

    host: str


@dataclass(frozen=True, slots=True)
class FileType:
    """Only documents of this media type, or whose address ends so."""

    name: str


@dataclass(frozen=True, slots=True)
class Language:
    """Only pages in this language, named by its code."""

    code: str


@dataclass(frozen=True, slots=True)
class ByLinks:
    """Only pages that stand so to the page of this address.

    "link": they link to it; "related": they are linked from where it is; "info": it is that page.
    """

    way: str
    url: str


@dataclass(frozen=True, slots=True)
class ByPlace:
    """Only pages that belong to the place of this name: "country" by way of a country, "near" of a town."""

    way: str
    name: str


@dataclass(frozen=True, slots=True)
class Before:
    """Only pages from before this day, month or year, as typed."""

    day: str


@dataclass(frozen=True, slots=True)
class After:
    """Only pages from the beginning of this day, month or year on, as typed."""

    day: str


@dataclass(frozen=True, slots=True)
class Not:
    """Only pages for which the clause does not hold."""

    clause: Clause


@dataclass(frozen=True, slots=True)
class And:
    """All of these hold."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of these holds."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Parts side by side, without an operator between them: plain words are wishes, all else must hold."""

    clauses: tuple[Clause, ...]


Filter: TypeAlias = Site | FileType | Language | Before | After | ByLinks | ByPlace


def texts(leaf: Leaf) -> tuple[Text, ...]:
    """The texts that a leaf speaks of; none for what is no text."""
    match leaf:
        case In(_, text):
            return (text,)
        case Near(several, _):
            return several
        case Word() | Prefix() | Fuzzy() | Sounding() | Phrase():
            return (leaf,)
    return ()


Leaf: TypeAlias = Text | In | Near | Filter
Clause: TypeAlias = Leaf | Not | And | Or | Group


@dataclass(frozen=True, slots=True)
class Query:
    """What was typed, and what it means: its parts side by side."""

    text: str
    clauses: tuple[Clause, ...]

    def leaves(self) -> Iterator[tuple[Leaf, bool]]:
        """Every part that holds no others, and whether it is wanted (or ruled out by a Not)."""
        for clause in self.clauses:
            yield from leaves(clause)

    def texts(self) -> Iterator[Text]:
        """Every text that is asked for or ruled out."""
        for leaf, _ in self.leaves():
            yield from texts(leaf)


def leaves(clause: Clause, wanted: bool = True) -> Iterator[tuple[Leaf, bool]]:
    """The leaves of a tree, each with whether an even number of Nots stands above it."""
    match clause:
        case Not(inner):
            yield from leaves(inner, not wanted)
        case And(parts) | Or(parts) | Group(parts):
            for part in parts:
                yield from leaves(part, wanted)
        case _:
            yield clause, wanted
