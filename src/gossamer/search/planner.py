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

from gossamer.index.fields import Field, address_texts
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
    Sounding,
    Text,
    Word,
    texts,
)
from gossamer.query.dates import beginning
from gossamer.search.condition import (
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
)
from gossamer.search.emphasis import emphasised
from gossamer.search.expansion import PATTERNS, Expansions, analysers, pattern_of
from gossamer.search.plan import Plan, together_of
from gossamer.search.simple import read, simple_plan
from gossamer.search.synonyms import with_synonyms
from gossamer.text.synonyms import NO_SYNONYMS, Synonyms
from gossamer.text.words import words

NO_EXPANSIONS = Expansions()
PARTS = {"title": Field.TITLE, "url": Field.URL, "body": Field.BODY}
WISHES = (Word, Prefix, Fuzzy, Sounding)
ANY_OF_SEVERAL = (Site, FileType, Language)  # side by side: a page has only one of them


def plan(
    query: Query,
    languages: Iterable[str],
    expansions: Expansions = NO_EXPANSIONS,
    synonyms: Synonyms = NO_SYNONYMS,
    share: float = 0.0,
) -> Plan:
    """The plan of a query over a collection that speaks these languages.

    `expansions` are those of `patterns_of(query, languages)`, chosen over all partitions. A synonym counts a
    `share` of what the typed word does.
    """
    spoken = tuple(sorted(languages))
    readers = analysers(spoken)
    made = simple_plan(query.clauses, readers) or any_plan(query, spoken, expansions)
    return with_synonyms(made, query, readers, synonyms, share)


def any_plan(query: Query, languages: tuple[str, ...], expansions: Expansions = NO_EXPANSIONS) -> Plan:
    """The same for queries of every form, simple ones included."""
    return _Planner(languages, expansions).plan(query)


class _Planner:
    def __init__(self, languages: tuple[str, ...], expansions: Expansions) -> None:
        self._languages = languages
        self._expansions = expansions
        self._analysers = analysers(languages)

    def plan(self, query: Query) -> Plan:
        wanted = [text for leaf, wanted in query.leaves() if wanted for text in texts(leaf)]
        # Expansions come first: a term that was typed as well weighs as the typed word does.
        wanted.sort(key=lambda text: not isinstance(text, PATTERNS))
        typed = [word for text in wanted for word in words(text.text)]
        slots = [slot for text in wanted for slot in self._slots(text)]
        own = emphasised(typed, slots, [reader.language for reader in self._analysers])
        needed = [clause for clause in query.clauses if not isinstance(clause, WISHES)]
        conditions = self._conditions(needed)
        only_conditions = len(needed) == len(query.clauses)
        if not conditions or (only_conditions and is_any_word(conditions)):
            return Plan(own.words, emphasis=own.emphasis, telling=own.telling)
        decided = only_conditions or any(map(asks_for_text, conditions))
        condition = all_of(conditions)
        together = together_of(condition, own.words) if condition and decided else None
        return Plan(own.words, condition, decided, bool(wanted), together, own.emphasis, own.telling)

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
            case In("url", Word(typed) | Phrase(typed)):
                return either_of([self._row(Word(text), Field.URL) for text in address_texts(typed)])
            case In(part, text):
                return self._row(text, PARTS[part])
            case Near(several, within):
                rows = [row for row in map(self._row, several) if row]
                return Close(tuple(rows), within) if len(rows) > 1 else all_of(rows)
            case Word() | Prefix() | Fuzzy() | Sounding() | Phrase():
                return self._row(leaf)
        raise TypeError(leaf)

    def _row(self, text: Text, field: Field | None = None) -> Row | None:
        slots = self._slots(text)
        return Row(slots, field) if slots else None

    def _slots(self, text: Text) -> tuple[Reading, ...]:
        """The terms of each of its words; the last word of a pattern stands for many."""
        slots = read(text.text, self._analysers)
        if isinstance(text, PATTERNS) and (pattern := pattern_of(text, self._languages)):
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
