"""The plans of the queries that most people type: words alone, words joined by AND, one phrase.

They are what `planner` would make of them, in a third of the time: the search itself takes little more.
"""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.model import And, Clause, Phrase, Word
from gossamer.search.condition import All, Condition, Reading, Row
from gossamer.search.emphasis import Emphasised, emphasised
from gossamer.search.plan import Plan, Together
from gossamer.text.readers import Readers
from gossamer.text.words import words, written_as


def simple_plan(clauses: Sequence[Clause], readers: Readers, languages: Sequence[str]) -> Plan | None:
    """The plan of a query of one of these forms; None for other queries.

    One reader may read several of the languages, but each has function words of its own.
    """
    if not (readers and clauses):
        return None
    first = clauses[0]
    if len(clauses) > 1 and type(first) is not Word:
        return None
    if type(first) is Phrase:
        return _plan_of_phrase(first.text, readers, languages)
    parts = first.clauses if type(first) is And else clauses
    typed = [part.text for part in parts if type(part) is Word]
    if len(typed) < len(parts):
        return None
    if parts is clauses:
        return _plan_of_words(" ".join(typed), readers, languages)
    return _plan_of_joined(typed, readers, languages)


def _plan_of_words(text: str, readers: Readers, languages: Sequence[str]) -> Plan:
    typed = words(text)
    own = emphasised(typed, read_words(typed, readers), languages, written_as(text, typed))
    return plan_of_words(own, languages)


def plan_of_words(own: Emphasised, languages: Sequence[str]) -> Plan:
    """Where any of the words is enough."""
    return Plan(
        own.words,
        emphasis=own.emphasis,
        telling=own.telling,
        forms=own.forms,
        languages=tuple(languages),
    )


def _plan_of_phrase(text: str, readers: Readers, languages: Sequence[str]) -> Plan | None:
    typed = words(text)
    if not typed:
        return None
    slots = read_words(typed, readers)
    own = emphasised(typed, slots, languages, written_as(text, typed))
    together = Together(tuple(zip(*slots, strict=True)), len(slots) > 1)
    row = Row(tuple(slots))
    return _decided(own, row, together, languages)


def _plan_of_joined(texts: Sequence[str], readers: Readers, languages: Sequence[str]) -> Plan | None:
    rows = [words(text) for text in texts]
    if set(map(len, rows)) != {1}:  # what was typed as one may be several words, or none
        return None
    typed = [row[0] for row in rows]
    read_as = read_words(typed, readers)
    written = [written_as(text, row)[0] for text, row in zip(texts, rows, strict=True)]
    own = emphasised(typed, read_as, languages, written)
    slots = tuple(dict.fromkeys(read_as))
    condition = All(tuple([Row((slot,)) for slot in slots])) if len(slots) > 1 else Row(slots)
    together = Together(tuple(zip(*slots, strict=True)))
    return _decided(own, condition, together, languages)


def _decided(own: Emphasised, condition: Condition, together: Together, languages: Sequence[str]) -> Plan:
    """Where the condition alone says what matches."""
    return Plan(
        own.words,
        condition,
        True,
        True,
        together,
        own.emphasis,
        own.telling,
        forms=own.forms,
        languages=tuple(languages),
    )


def read(text: str, readers: Readers) -> list[Reading]:
    """The terms of each word of a text."""
    return read_words(words(text), readers)


def read_words(typed: Sequence[str], readers: Readers) -> list[Reading]:
    """The terms of each word. Those of two languages differ by their marks."""
    return readers.read_all(typed)
