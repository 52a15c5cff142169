"""What does a parsed query ask of the index?

Words rank. Phrases rank by their words and restrict to documents that hold them; sites and exclusions
restrict. Every word is read in each language that the collection speaks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gossamer.model import Not, Phrase, Query, Site, Word
from gossamer.text.analysis import readings

Reading = tuple[str, ...]  # the terms of a phrase in one language


@dataclass(frozen=True, slots=True)
class Plan:
    """A query in the terms of the index."""

    terms: tuple[str, ...]  # these rank
    phrases: tuple[tuple[Reading, ...], ...] = ()  # one reading of each must occur
    without: tuple[tuple[Reading, ...], ...] = ()  # no reading of these may occur
    sites: tuple[str, ...] = ()  # any of these
    without_sites: tuple[str, ...] = ()
    ranks: bool = True  # False when the query only restricts


def plan(query: Query, languages: Iterable[str]) -> Plan:
    """The plan of a query over a collection that speaks these languages."""
    spoken = [*languages, ""]
    terms: dict[str, None] = {}
    phrases: list[tuple[Reading, ...]] = []
    without: list[tuple[Reading, ...]] = []
    sites: list[str] = []
    without_sites: list[str] = []
    ranks = False
    for clause in query.clauses:
        match clause:
            case Word(text) | Phrase(text):
                ranks = True
                found = readings(text, spoken)
                terms.update(dict.fromkeys(term for reading in found for term in reading))
                if isinstance(clause, Phrase):
                    phrases.append(tuple(found))
            case Site(host):
                sites.append(host)
            case Not(Site(host)):
                without_sites.append(host)
            case Not(Word(text) | Phrase(text)):
                without.append(tuple(readings(text, spoken)))
    return Plan(tuple(terms), tuple(phrases), tuple(without), tuple(sites), tuple(without_sites), ranks)
