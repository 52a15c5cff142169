"""Which easier queries might find something when this one found nothing?"""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import And, Clause, Not, Phrase, Query, Site, Word
from gossamer.query.written import side_by_side


@dataclass(frozen=True, slots=True)
class Easier:
    """A query to try instead, and in what it differs."""

    how: str  # the key of a phrase
    query: str


def easier(query: Query) -> list[Easier]:
    """Ways to ask for more: each lifts one kind of restriction.

    >>> asked = Query("", (And((Word("jaguar"), Phrase("new world"))), Site("example.org")))
    >>> [way.query for way in easier(asked)]
    ['jaguar "new world" site:example.org', 'jaguar AND "new world"']
    """
    loosened = (
        ("without_quotes", [_loosened(clause) for clause in query.clauses]),
        ("any_word", [part for clause in query.clauses for part in _parts(clause)]),
        ("all_sites", [clause for clause in query.clauses if not isinstance(clause, Site)]),
        ("without_exclusions", [clause for clause in query.clauses if not isinstance(clause, Not)]),
    )
    return [
        Easier(how, side_by_side(clauses))
        for how, clauses in loosened
        if tuple(clauses) != query.clauses and any(not isinstance(clause, Not) for clause in clauses)
    ]


def _loosened(clause: Clause) -> Clause:
    return Word(clause.text) if isinstance(clause, Phrase) else clause


def _parts(clause: Clause) -> tuple[Clause, ...]:
    return clause.clauses if isinstance(clause, And) else (clause,)
