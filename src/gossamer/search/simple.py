"""The plans of the queries that most people type: words alone, words joined by AND, one phrase.

They are what `planner` would make of them, in a third of the time: the search itself takes little more.
"""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.model import And, Clause, Phrase, Word
from gossamer.search.condition import All, Reading, Row
from gossamer.search.plan import Plan, Together
from gossamer.text.analysis import Analyser
from gossamer.text.words import words


def simple_plan(clauses: Sequence[Clause], readers: Sequence[Analyser]) -> Plan | None:
    """The plan of a query of one of these forms; None for other queries."""
    if not (readers and clauses):
        return None
    first = clauses[0]
    if len(clauses) > 1 and type(first) is not Word:
        return None
    if type(first) is Phrase:
        return _plan_of_phrase(read(first.text, readers))
    parts = first.clauses if type(first) is And else clauses
    typed = [part.text for part in parts if type(part) is Word]
    if len(typed) < len(parts):
        return None
    if parts is clauses:
        return Plan(tuple(dict.fromkeys(read(" ".join(typed), readers))))
    return _plan_of_joined([read(word, readers) for word in typed])


def _plan_of_phrase(slots: Sequence[Reading]) -> Plan | None:
    if not slots:
        return None
    together = Together(tuple(zip(*slots, strict=True)), len(slots) > 1)
    return Plan(tuple(dict.fromkeys(slots)), Row(tuple(slots)), True, True, together)


def _plan_of_joined(rows: Sequence[Sequence[Reading]]) -> Plan | None:
    if set(map(len, rows)) != {1}:  # what was typed as one may be several words, or none
        return None
    slots = tuple(dict.fromkeys([row[0] for row in rows]))
    condition = All(tuple([Row((slot,)) for slot in slots])) if len(slots) > 1 else Row(slots)
    return Plan(slots, condition, True, True, Together(tuple(zip(*slots, strict=True))))


def read(text: str, readers: Sequence[Analyser]) -> list[Reading]:
    """The terms of each word of a text. Those of two languages differ by their marks."""
    if len(readers) == 1:
        reader = readers[0]
        return [(reader[word],) for word in words(text)]
    return [tuple([reader[word] for reader in readers]) for word in words(text)]
