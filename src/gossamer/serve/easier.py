"""Which easier queries might find something when this one found nothing?"""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import Clause, Not, Phrase, Query, Site, Word


@dataclass(frozen=True, slots=True)
class Easier:
    """A query to try instead, and in what it differs."""

    label: str
    query: str


def easier(query: Query) -> list[Easier]:
    """Ways to ask for more: each lifts one kind of restriction."""
    loosened = (
        ("without the quotation marks", [_loosened(clause) for clause in query.clauses]),
        ("on all sites", [clause for clause in query.clauses if not isinstance(clause, Site)]),
        ("without the exclusions", [clause for clause in query.clauses if not isinstance(clause, Not)]),
    )
    return [
        Easier(label, " ".join(map(written, clauses)))
        for label, clauses in loosened
        if tuple(clauses) != query.clauses and any(not isinstance(clause, Not) for clause in clauses)
    ]


def _loosened(clause: Clause) -> Clause:
    return Word(clause.text) if isinstance(clause, Phrase) else clause


def written(clause: Clause) -> str:
    """A clause as one would type it.

    >>> written(Not(Phrase("new world")))
    '-"new world"'
    """
    if isinstance(clause, Not):
        return "-" + written(clause.clause)
    if isinstance(clause, Phrase):
        return f'"{clause.text}"'
    return f"site:{clause.host}" if isinstance(clause, Site) else clause.text
