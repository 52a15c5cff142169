"""Which words may stand for those that were typed, by a list that the owner of a collection edits?

    tv, television           each also finds the others
    laptop -> notebook       only from the left to the right
    [en fr]                  begins the entries for pages in these languages; [*] those for all
    # a comment

Entries may be of several words. Words are compared as terms, so "colours" finds what "colour" does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from gossamer.model import BadSetting
from gossamer.text.analysis import analyser
from gossamer.text.words import words

EVERY = "*"
ARROW = "->"
MOST_WORDS = 8  # that an entry may have

_SECTION = re.compile(r"\[\s*(\*|[A-Za-z]{2,3}(?:[\s,]+[A-Za-z]{2,3})*)\s*\]")

Terms = tuple[str, ...]
Table = Mapping[
    str, Sequence[tuple[Terms, Terms]]
]  # by the first term: what was typed, what may stand for it


@dataclass(frozen=True, slots=True)
class Rule:
    """What may be typed, and what may stand for it; in these languages, or in every one."""

    typed: str
    instead: str
    languages: frozenset[str]


@dataclass(frozen=True)
class Synonyms:
    """The entries of a list."""

    rules: tuple[Rule, ...] = ()
    _tables: dict[str, Table] = field(default_factory=dict, compare=False, repr=False)  # by language

    def found(self, terms: Sequence[str], language: str) -> Iterator[tuple[range, Terms]]:
        """Where terms of a language stand that others may stand for, and which.

        >>> typed = analyser("en").terms("old televisions")
        >>> [place for place, _ in read_synonyms("tv, television", "a list").found(typed, "en")]
        [range(1, 2)]
        """
        table = self._table(language)
        for start, first in enumerate(terms):
            for typed, instead in table.get(first, ()):
                if tuple(terms[start : start + len(typed)]) == typed:
                    yield range(start, start + len(typed)), instead

    def _table(self, language: str) -> Table:
        if language not in self._tables:
            self._tables[language] = _table_of(self.rules, language)
        return self._tables[language]


NO_SYNONYMS = Synonyms()


def _table_of(rules: tuple[Rule, ...], language: str) -> Table:
    """The rules of a language in its terms; what is one term on both sides says nothing."""
    read = analyser(language).terms
    table: dict[str, list[tuple[Terms, Terms]]] = {}
    for rule in rules:
        if not rule.languages or language in rule.languages:
            typed, instead = tuple(read(rule.typed)), tuple(read(rule.instead))
            pairs = table.setdefault(typed[0], [])
            if typed != instead and (typed, instead) not in pairs:
                pairs.append((typed, instead))
    return table


def read_synonyms(text: str, name: str) -> Synonyms:
    """The entries of a list; raises BadSetting, which names the file and the line."""
    rules: list[Rule] = []
    languages: frozenset[str] = frozenset()
    for number, written in enumerate(text.splitlines(), 1):
        line = written.partition("#")[0].strip()
        try:
            if line.startswith("["):
                languages = _languages(line)
            elif line:
                rules += [Rule(typed, instead, languages) for typed, instead in _pairs(line)]
        except ValueError as error:
            raise BadSetting(f"{name}, line {number}: {error}") from None
    return Synonyms(tuple(dict.fromkeys(rules)))


def starter_list() -> str:
    """What a new collection begins with."""
    return (files(__package__) / "lists" / "synonyms.txt").read_text(encoding="utf-8")


def _languages(line: str) -> frozenset[str]:
    section = _SECTION.fullmatch(line)
    if section is None:
        raise ValueError(f"{line} should name languages by their codes, such as [en] or [en fr], or be [*]")
    return frozenset(section[1].lower().replace(",", " ").split()) - {EVERY}


def _pairs(line: str) -> Iterator[tuple[str, str]]:
    sides = [_entries(side) for side in line.split(ARROW)]
    if len(sides) > 2:
        raise ValueError(f"there is more than one {ARROW}")
    if len(sides) == 1 and len(sides[0]) < 2:
        raise ValueError(f"{line} stands alone; write at least two, with a comma between them")
    for typed in sides[0]:
        yield from ((typed, instead) for instead in sides[-1] if instead != typed)


def _entries(side: str) -> list[str]:
    entries = [entry.strip() for entry in side.split(",")]
    for entry in entries:
        if not 1 <= len(words(entry)) <= MOST_WORDS:
            raise ValueError(f"{entry!r} should be of one to {MOST_WORDS} words")
    return entries
