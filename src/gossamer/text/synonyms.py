"""Which words may stand for those that were typed, by a list that the owner of a collection edits?

    tv, television           each also finds the others
    laptop -> notebook       only from the left to the right
    [en fr]                  begins the entries for pages in these languages; [*] those for all
    # a comment

Entries may be of several words. Words are compared as terms, so "colours" finds what "colour" does. Languages
without a stemmer are read alike: what is said of one that a collection speaks holds for its pages in all of
them. So are the three codes of Norwegian.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from gossamer.model import BadSetting
from gossamer.text.analysis import SNOWBALL, analyser
from gossamer.text.codes import canonical_code
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
    _tables: dict[Terms, Table] = field(default_factory=dict, compare=False, repr=False)  # by languages
    _firsts: dict[tuple[Terms, ...], frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    def found(self, terms: Sequence[str], languages: tuple[str, ...]) -> Iterator[tuple[range, Terms]]:
        """Where terms stand that others may stand for, and which; they are of languages that are read alike.

        >>> typed = analyser("en").terms("old televisions")
        >>> [place for place, _ in read_synonyms("tv, television", "a list").found(typed, ("en",))]
        [range(1, 2)]
        """
        table = self._table(languages)
        for start, first in enumerate(terms):
            for typed, instead in table.get(first, ()):
                if tuple(terms[start : start + len(typed)]) == typed:
                    yield range(start, start + len(typed)), instead

    def any_begins(self, terms: Iterable[str], spoken: tuple[tuple[str, ...], ...]) -> bool:
        """Whether `found` may find something, with one of the terms as its first, in any of these languages.

        Most queries have nothing of the kind, and this is quickly seen.
        """
        if spoken not in self._firsts:
            self._firsts[spoken] = frozenset(first for one in spoken for first in self._table(one))
        return not self._firsts[spoken].isdisjoint(terms)

    def _table(self, languages: tuple[str, ...]) -> Table:
        if languages not in self._tables:
            self._tables[languages] = _table_of(self.rules, languages)
        return self._tables[languages]


NO_SYNONYMS = Synonyms()


def _table_of(rules: tuple[Rule, ...], languages: tuple[str, ...]) -> Table:
    """The rules of languages in their terms; what is one term on both sides says nothing."""
    read = analyser(languages[0]).terms
    table: dict[str, list[tuple[Terms, Terms]]] = {}
    for rule in rules:
        if not rule.languages or not rule.languages.isdisjoint(languages):
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
    if section[1] == EVERY:
        return frozenset()
    named = {code: canonical_code(code) for code in section[1].replace(",", " ").split()}
    if none := [code for code, language in named.items() if not language]:
        raise ValueError(f"{line} should name languages by their codes, and {none[0]} is that of none")
    return frozenset(one for language in named.values() for one in _stemmed_alike(language))


def _stemmed_alike(language: str) -> set[str]:
    """The language and those that have its stemmer: Norwegian goes by three codes."""
    stemmer = SNOWBALL.get(language)
    return {language} | {code for code, own in SNOWBALL.items() if own == stemmer}


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
