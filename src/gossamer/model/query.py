"""Query tree: words, phrases, fields, operators.

Word, Prefix, Fuzzy, Sounding,   text
Phrase
In, Near                         text in one part of a page, texts close to each other
Site, FileType, Language,        properties of a page other than its text
Before, After, ByLinks, ByPlace
Not, And, Or, Group              operators
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
    """Every word with this prefix."""

    text: str


@dataclass(frozen=True, slots=True)
class Fuzzy:
    """The word, or one that differs by at most `mistakes` letters. None: the length of the word decides."""

    text: str
    mistakes: int | None = None


@dataclass(frozen=True, slots=True)
class Sounding:
    """The word, or one that sounds like it.

    `way` is "sounds", the best method for the language of the word, or "soundex".
    """

    text: str
    way: str = "sounds"


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that must stand next to each other."""

    text: str


Text: TypeAlias = Word | Prefix | Fuzzy | Sounding | Phrase


@dataclass(frozen=True, slots=True)
class In:
    """Text in one part of a page: "title", "url", "body", or "anchor" (text of links to the page)."""

    part: str
    text: Text


@dataclass(frozen=True, slots=True)
class Near:
    """Texts at most `within` words apart, in any order."""

    texts: tuple[Text, ...]
    within: int


@dataclass(frozen=True, slots=True)
class Site:
    """Only pages of this host or its subdomains."""

    host: str


@dataclass(frozen=True, slots=True)
class FileType:
    """Only documents of this media type, or with this ending of the URL."""

    name: str


@dataclass(frozen=True, slots=True)
class Language:
    """Only pages in this language, named by its code."""

    code: str


@dataclass(frozen=True, slots=True)
class ByLinks:
    """Only pages with this relation to the page of this URL.

    "link": they link to it. "related": pages that link to it also link to them. "info": the page itself.
    """

    way: str
    url: str


@dataclass(frozen=True, slots=True)
class ByPlace:
    """Only pages about a place: "country" is the name of a country, "near" the name of a town."""

    way: str
    name: str


@dataclass(frozen=True, slots=True)
class Before:
    """Only pages dated before this day, month or year, as typed."""

    day: str


@dataclass(frozen=True, slots=True)
class After:
    """Only pages dated on or after the first day of this day, month or year, as typed."""

    day: str


@dataclass(frozen=True, slots=True)
class Not:
    """Only pages that do not match the clause."""

    clause: Clause


@dataclass(frozen=True, slots=True)
class And:
    """All clauses match."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one clause matches."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Clauses without an operator between them. Plain words are optional, all other clauses must match."""

    clauses: tuple[Clause, ...]


Filter: TypeAlias = Site | FileType | Language | Before | After | ByLinks | ByPlace


def texts(leaf: Leaf) -> tuple[Text, ...]:
    """Return the texts of a leaf; empty for a filter."""
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
    """A query as it was typed, and its parsed clauses."""

    text: str
    clauses: tuple[Clause, ...]

    def leaves(self) -> Iterator[tuple[Leaf, bool]]:
        """Yield every leaf, and whether it is wanted (True) or excluded by a Not (False)."""
        for clause in self.clauses:
            yield from leaves(clause)

    def texts(self) -> Iterator[Text]:
        """Yield every text, wanted or excluded."""
        for leaf, _ in self.leaves():
            yield from texts(leaf)


def leaves(clause: Clause, wanted: bool = True) -> Iterator[tuple[Leaf, bool]]:
    """Yield the leaves of a tree, each with whether an even number of Nots stands above it."""
    match clause:
        case Not(inner):
            yield from leaves(inner, not wanted)
        case And(parts) | Or(parts) | Group(parts):
            for part in parts:
                yield from leaves(part, wanted)
        case _:
            yield clause, wanted
