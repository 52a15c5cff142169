"""What does a parsed query ask of the index?

Every text that is asked for ranks by its words. A plain word is only a wish: a document that holds any of
them may answer. Everything else (phrases, fields, what operators join, exclusions) is a condition. Where a
condition asks for text, it alone decides what answers, and the plain words beside it only rank; where
conditions only filter, one of the words must be there too.

Every word is read in each language that the collection speaks; its readings are one word still, and weigh
as much as the word is rare in all languages together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gossamer.index.fields import Field
from gossamer.model import (
    After,
    And,
    Before,
    Clause,
    FileType,
    Filter,
    Fuzzy,
    Group,
    In,
    Language,
    Leaf,
    Near,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Site,
    Text,
    Word,
    texts,
)
from gossamer.query.dates import beginning
from gossamer.search.condition import (
    All,
    Anchored,
    Close,
    Condition,
    Dated,
    InLanguage,
    OfType,
    OnSite,
    Reading,
    Row,
    all_of,
    asks_for_text,
    either_of,
    except_of,
    is_any_word,
    needs_a_word,
)
from gossamer.search.expansion import Expansions, analysers, pattern_of
from gossamer.text.words import words

NO_EXPANSIONS = Expansions()
PARTS = {"title": Field.TITLE, "url": Field.URL, "body": Field.BODY}
WISHES = (Word, Prefix, Fuzzy)
ANY_OF_SEVERAL = (Site, FileType, Language)  # side by side: a page has only one of them


@dataclass(frozen=True, slots=True)
class Plan:
    """A query in the terms of the index."""

    words: tuple[Reading, ...]  # these rank: the terms of each word
    condition: Condition | None = None
    decided: bool = False  # the condition alone says what matches; else a word must be there too
    ranks: bool = True  # False when the query only restricts
    terms: tuple[str, ...] = field(init=False, compare=False)  # that rank, each once

    def __post_init__(self) -> None:
        terms = dict.fromkeys([term for word in self.words for term in word])
        object.__setattr__(self, "terms", tuple(terms))

    @property
    def required(self) -> tuple[Reading, ...]:
        """The words that must all be there, where the condition says nothing else; else none."""
        parts = self.condition.parts if isinstance(self.condition, All) else (self.condition,)
        rows = [part for part in parts if isinstance(part, Row) and part.is_word]
        return tuple(row.slots[0] for row in rows) if self.decided and len(rows) == len(parts) else ()

    @property
    def phrase(self) -> tuple[Reading, ...]:
        """The words that must stand in a row, where the condition says nothing else; else none."""
        row = self.condition if isinstance(self.condition, Row) else None
        return row.slots if row and self.decided and row.field is None and len(row.slots) > 1 else ()

    @property
    def matches_without_words(self) -> bool:
        """Whether a document may match that holds none of the words that rank."""
        return self.ranks and self.decided and not (self.condition and needs_a_word(self.condition))


def plan(query: Query, languages: Iterable[str], expansions: Expansions = NO_EXPANSIONS) -> Plan:
    """The plan of a query over a collection that speaks these languages.

    `expansions` are those of `patterns_of(query, languages)`, chosen over all partitions.
    """
    spoken = tuple(sorted(languages))
    typed = [clause.text for clause in query.clauses if type(clause) is Word]
    if len(typed) == len(query.clauses):
        return _plan_of_words(typed, spoken)
    return _Planner(spoken, expansions).plan(query)


def _plan_of_words(typed: Sequence[str], languages: tuple[str, ...]) -> Plan:
    """What most queries are: nothing but words, which all rank. The same as the planner's, in less time."""
    readers = analysers(languages)
    found = [word for text in typed for word in words(text)]
    return Plan(tuple(dict.fromkeys([tuple([reader[word] for reader in readers]) for word in found])))


class _Planner:
    def __init__(self, languages: Sequence[str], expansions: Expansions) -> None:
        self._languages = languages
        self._expansions = expansions
        self._analysers = analysers(languages)

    def plan(self, query: Query) -> Plan:
        wanted = [text for leaf, wanted in query.leaves() if wanted for text in texts(leaf)]
        # Expansions come first: a term that was typed as well weighs as the typed word does.
        wanted.sort(key=lambda text: not isinstance(text, Prefix | Fuzzy))
        slots = dict.fromkeys(slot for text in wanted for slot in self._slots(text))
        ranking = tuple(filter(None, slots))
        needed = [clause for clause in query.clauses if not isinstance(clause, WISHES)]
        conditions = self._conditions(needed)
        only_conditions = len(needed) == len(query.clauses)
        if not conditions or (only_conditions and is_any_word(conditions)):
            return Plan(ranking)
        decided = only_conditions or any(map(asks_for_text, conditions))
        return Plan(ranking, all_of(conditions), decided, bool(wanted))

    def _conditions(self, clauses: Sequence[Clause]) -> list[Condition]:
        """What must hold, of parts that stand side by side; plain words are not among them."""
        conditions = [self._condition(one) for one in clauses if not isinstance(one, ANY_OF_SEVERAL)]
        for kind in ANY_OF_SEVERAL:
            conditions.append(either_of([self._condition(one) for one in clauses if isinstance(one, kind)]))
        return [one for one in conditions if one]

    def _condition(self, clause: Clause) -> Condition | None:
        """None for what says nothing, such as a word without a letter."""
        match clause:
            case Not(inner):
                return except_of(self._condition(inner))
            case And(clauses):
                return all_of([self._condition(one) for one in clauses])
            case Or(clauses):
                return either_of([self._condition(one) for one in clauses])
            case Group(clauses):
                return self._group(clauses)
            case Site() | FileType() | Language() | Before() | After():
                return _filter(clause)
        return self._text(clause)

    def _group(self, clauses: Sequence[Clause]) -> Condition | None:
        conditions = self._conditions([one for one in clauses if not isinstance(one, WISHES)])
        if any(map(asks_for_text, conditions)):
            return all_of(conditions)
        wishes = either_of([self._condition(one) for one in clauses if isinstance(one, WISHES)])
        return all_of([*conditions, wishes])

    def _text(self, leaf: Leaf) -> Condition | None:
        match leaf:
            case In("anchor", text):
                slots = self._slots(text)
                return Anchored(slots) if slots else None
            case In(part, text):
                return self._row(text, PARTS[part])
            case Near(several, within):
                rows = [row for row in map(self._row, several) if row]
                return Close(tuple(rows), within) if len(rows) > 1 else all_of(rows)
            case Word() | Prefix() | Fuzzy() | Phrase():
                return self._row(leaf)
        raise TypeError(leaf)

    def _row(self, text: Text, field: Field | None = None) -> Row | None:
        slots = self._slots(text)
        return Row(slots, field) if slots else None

    def _slots(self, text: Text) -> tuple[Reading, ...]:
        """The terms of each of its words; the last word of a pattern stands for many."""
        typed = words(text.text)
        # The terms of two languages differ by their marks.
        slots = [tuple([one[word] for one in self._analysers]) for word in typed]
        if isinstance(text, Prefix | Fuzzy) and (pattern := pattern_of(text, self._languages)):
            slots[-1] = self._expansions.terms.get(pattern, ())
        return tuple(slots)


def _filter(clause: Filter) -> Condition:
    match clause:
        case Site(host):
            return OnSite(host)
        case FileType(name):
            return OfType(name)
        case Language(code):
            return InLanguage(code)
        case Before(day):
            return Dated(-math.inf, beginning(day))
        case After(day):
            return Dated(beginning(day), math.inf)
