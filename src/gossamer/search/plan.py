"""What does a parsed query ask of the index?

Words rank. Phrases rank by their words and restrict to documents that hold them; sites and exclusions
restrict. Every word is read in each language that the collection speaks; its readings are one word still,
and weigh as much as the word is rare in all languages together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gossamer.model import Not, Phrase, Query, Site, Word
from gossamer.text.analysis import analyser, readings
from gossamer.text.words import words

Reading = tuple[str, ...]  # terms that belong together


@dataclass(frozen=True, slots=True)
class Plan:
    """A query in the terms of the index."""

    words: tuple[Reading, ...]  # these rank: the terms of each word, one a language
    phrases: tuple[tuple[Reading, ...], ...] = ()  # one reading of each must occur
    without: tuple[tuple[Reading, ...], ...] = ()  # no reading of these may occur
    sites: tuple[str, ...] = ()  # any of these
    without_sites: tuple[str, ...] = ()
    ranks: bool = True  # False when the query only restricts

    @property
    def terms(self) -> tuple[str, ...]:
        """Every term that ranks, once."""
        return tuple(dict.fromkeys(term for word in self.words for term in word))


def plan(query: Query, languages: Iterable[str]) -> Plan:
    """The plan of a query over a collection that speaks these languages."""
    spoken = sorted(languages)
    typed: dict[str, None] = {}
    phrases: list[tuple[Reading, ...]] = []
    without: list[tuple[Reading, ...]] = []
    sites: list[str] = []
    without_sites: list[str] = []
    ranks = False
    for clause in query.clauses:
        match clause:
            case Word(text) | Phrase(text):
                ranks = True
                typed.update(dict.fromkeys(words(text)))
                if isinstance(clause, Phrase) and (found := readings(text, spoken)):
                    phrases.append(tuple(found))
            case Site(host):
                sites.append(host)
            case Not(Site(host)):
                without_sites.append(host)
            case Not(Word(text) | Phrase(text)):
                without.append(tuple(readings(text, spoken)))
    analysers = {analyser(language).language: analyser(language) for language in spoken}.values()
    ranking = tuple(tuple(one[word] for one in analysers) for word in typed)
    return Plan(ranking, tuple(phrases), tuple(without), tuple(sites), tuple(without_sites), ranks)
