"""Synonyms: the owner's list, and its use in plans.

    tv, television           each also finds the others
    laptop -> notebook       only from left to right
    [en fr]                  begins the entries for pages in these languages; [*] those for all
    # a comment

An entry may have several words. Words are compared as terms, so "colours" finds what "colour" does. Languages
without a stemmer are treated as one: entries for one of them hold for pages in all of them. The same is true
of the three codes of Norwegian.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, groupby
from pathlib import Path

from gossamer.model import BadSetting, Query, Word
from gossamer.query.conditions import Condition, Plan, TermSequence, TermVariants, either_of
from gossamer.query.expansion import LANGUAGE_SETS, analysers
from gossamer.text.language_codes import canonical_code
from gossamer.text.terms import READ_APART, SNOWBALL, analyser
from gossamer.text.words import words

NAME = "synonyms.txt"
EVERY = "*"
ARROW = "->"
MOST_WORDS = 8  # that an entry may have
_SECTION = re.compile(r"\[\s*(\*|[A-Za-z]{2,3}(?:[\s,]+[A-Za-z]{2,3})*)\s*\]")
Terms = tuple[str, ...]
# By first term: pairs of typed terms and their synonym.
Table = Mapping[str, Sequence[tuple[Terms, Terms]]]


@dataclass(frozen=True, slots=True)
class SynonymRule:
    """A typed entry and its synonym, for some languages, or for all if `languages` is empty."""

    typed: str
    instead: str
    languages: frozenset[str]


@dataclass(frozen=True)
class Synonyms:
    """The entries of a list."""

    rules: tuple[SynonymRule, ...] = ()
    _tables: dict[Terms, Table] = field(default_factory=dict, compare=False, repr=False)  # by languages
    _firsts: dict[tuple[Terms, ...], frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    def found(self, terms: Sequence[str], languages: tuple[str, ...]) -> Iterator[tuple[range, Terms]]:
        """Yield the places of terms that have a synonym, with its terms.

        All languages must have one analyser.

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
        """Return whether an entry begins with one of the terms, in any of these languages.

        Most queries have no synonyms, and this check is fast.
        """
        if spoken not in self._firsts:
            self._firsts[spoken] = frozenset(first for one in spoken for first in self._table(one))
        return not self._firsts[spoken].isdisjoint(terms)

    def _table(self, languages: tuple[str, ...]) -> Table:
        if languages not in self._tables:
            self._tables[languages] = _table_of(self.rules, languages)
        return self._tables[languages]


def _table_of(rules: tuple[SynonymRule, ...], languages: tuple[str, ...]) -> Table:
    """Return the rules for some languages as terms, without those whose sides have the same terms."""
    read = analyser(languages[0]).terms
    table: dict[str, list[tuple[Terms, Terms]]] = {}
    for rule in rules:
        if not rule.languages or not rule.languages.isdisjoint(languages):
            typed, instead = tuple(read(rule.typed)), tuple(read(rule.instead))
            pairs = table.setdefault(typed[0], [])
            if typed != instead and (typed, instead) not in pairs:
                pairs.append((typed, instead))
    return table


NO_SYNONYMS = Synonyms()


def read_synonyms(text: str, name: str) -> Synonyms:
    """Parse a list of synonyms; raise BadSetting with the file and the line of an error."""
    rules: list[SynonymRule] = []
    languages: frozenset[str] = frozenset()
    for number, written in enumerate(text.splitlines(), 1):
        line = written.partition("#")[0].strip()
        try:
            if line.startswith("["):
                languages = _languages(line)
            elif line:
                rules += [SynonymRule(typed, instead, languages) for typed, instead in _pairs(line)]
        except ValueError as error:
            raise BadSetting(f"{name}, line {number}: {error}") from None
    return Synonyms(tuple(dict.fromkeys(rules)))


def starter_list() -> str:
    """Return the list that a new collection gets."""
    return (Path(__file__).parent / "lists" / "synonyms.txt").read_text(encoding="utf-8")


def _languages(line: str) -> frozenset[str]:
    section = _SECTION.fullmatch(line)
    if section is None:
        raise ValueError(f"{line} should have language codes, as in [en] or [en fr], or be [*]")
    if section[1] == EVERY:
        return frozenset()
    named = {code: canonical_code(code) for code in section[1].replace(",", " ").split()}
    if none := [code for code, language in named.items() if not language]:
        raise ValueError(f"{line} should have language codes, but {none[0]} is not one")
    return frozenset(one for language in named.values() for one in _stemmed_alike(language))


def _stemmed_alike(language: str) -> set[str]:
    """Return the language and those with the same stemmer: Norwegian has three codes."""
    stemmer = SNOWBALL.get(language)
    return {language} | {code for code, own in SNOWBALL.items() if own == stemmer}


def _pairs(line: str) -> Iterator[tuple[str, str]]:
    sides = [_entries(side) for side in line.split(ARROW)]
    if len(sides) > 2:
        raise ValueError(f"more than one {ARROW}")
    if len(sides) == 1 and len(sides[0]) < 2:
        raise ValueError(f"{line} is only one entry; write at least two, separated by a comma")
    for typed in sides[0]:
        yield from ((typed, instead) for instead in sides[-1] if instead != typed)


def _entries(side: str) -> list[str]:
    entries = [entry.strip() for entry in side.split(",")]
    for entry in entries:
        if not 1 <= len(words(entry)) <= MOST_WORDS:
            raise ValueError(f"{entry!r} should have one to {MOST_WORDS} words")
    return entries


# Add synonyms to a plan
# ----------------------
#
# Only plain words get synonyms: phrases and operands of operators mean exactly what was typed. A synonym
# of one word becomes another term of the typed word, so that a page with both gains little by the second.
# If the typed word does not rank, because its parts replace it, the synonym becomes a word of its own. A
# synonym of several words is a phrase: its words share the weight of one word, and count only in pages in
# which they are adjacent.


def with_synonyms(
    plan: Plan, query: Query, languages: Sequence[str], synonyms: Synonyms, share: float
) -> Plan:
    """Add synonyms to a plan; the weight of a synonym is `share` times that of the typed word."""
    words = {word: word for word in plan.words}
    shares: dict[str, float] = {}
    rows: dict[TermSequence, None] = {}
    for slots, terms in _synonyms_in(query, languages, synonyms):
        new = tuple(dict.fromkeys(term for term in terms if term not in plan.terms))
        placed = [slot for slot in dict.fromkeys(slots) if slot in words] if len(terms) == 1 else []
        if placed:
            words |= {slot: tuple(dict.fromkeys(words[slot] + new)) for slot in placed}
        else:
            words |= {(term,): (term,) for term in new}
        shares |= {term: max(share / len(terms), shares.get(term, 0.0)) for term in new}
        if len(terms) > 1:
            rows[_row(terms)] = None
    if not shares:
        return plan
    emphasis = plan.emphasis and plan.emphasis + (1.0,) * (len(words) - len(plan.words))
    made = replace(plan, words=tuple(words.values()), emphasis=emphasis, shares=shares, rows=tuple(rows))
    return replace(made, wished=_wished(made)) if rows and not plan.decided else made


def _row(terms: Sequence[str]) -> TermSequence:
    return TermSequence(tuple((term,) for term in terms))


def _wished(plan: Plan) -> Condition | None:
    """Require a word or a row of the plan; a word of a row alone is not enough."""
    in_rows = plan.in_rows
    alone = [TermSequence((word,)) for word in plan.words if len(word) > 1 or word[0] not in in_rows]
    return either_of([*alone, *plan.rows])


def synonyms_of(query: Query, languages: Sequence[str], synonyms: Synonyms) -> list[TermSequence]:
    """Return all synonyms of plain words of the query."""
    return list(dict.fromkeys(_row(terms) for _, terms in _synonyms_in(query, languages, synonyms)))


def _synonyms_in(
    query: Query, languages: Sequence[str], synonyms: Synonyms
) -> Iterator[tuple[Sequence[TermVariants], Sequence[str]]]:
    """Yield typed words that have a synonym, and the terms of the synonym."""
    readers = analysers(tuple(languages))
    alike = _read_alike(tuple(languages))
    for are_words, run in groupby(query.clauses, lambda clause: isinstance(clause, Word)):
        if are_words:
            typed = " ".join([clause.text for clause in run if isinstance(clause, Word)])
            slots = readers.read_all(words(typed))
            if synonyms.any_begins(chain(*slots), alike):
                for number, spoken in enumerate(alike):
                    for place, terms in synonyms.found([slot[number] for slot in slots], spoken):
                        yield slots[place.start : place.stop], terms


@lru_cache(LANGUAGE_SETS)
def _read_alike(languages: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the languages of each analyser."""
    unmarked = tuple(language for language in languages if language not in READ_APART)
    return tuple((one.language,) if one.language else unmarked for one in analysers(languages))
