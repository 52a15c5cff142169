"""Which terms does a plan look for besides those that were typed?

Plain words are expanded, alone or side by side, and nothing else: who writes a phrase or an operator means
what is written. A synonym of one word is one more term of the words that it stands for, so that a page with
both gains little by the second; a synonym of several words is looked for as words of their own, which share
what one would count. So is one of a word that does not rank itself, because only its parts stand for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from gossamer.model import Query, Word
from gossamer.search.condition import Reading
from gossamer.search.expansion import analysers
from gossamer.search.plan import Plan
from gossamer.search.simple import read
from gossamer.text.analysis import READ_APART
from gossamer.text.synonyms import Synonyms


def with_synonyms(
    plan: Plan, query: Query, languages: Sequence[str], synonyms: Synonyms, share: float
) -> Plan:
    """The plan with what the list knows; a synonym counts `share` of what the typed word does."""
    if not (share and synonyms.rules):
        return plan
    words = {word: word for word in plan.words}
    shares: dict[str, float] = {}
    for slots, terms in _found(query, languages, synonyms):
        new = tuple(dict.fromkeys(term for term in terms if term not in plan.terms))
        placed = [slot for slot in dict.fromkeys(slots) if slot in words] if len(terms) == 1 else []
        if placed:
            words |= {slot: tuple(dict.fromkeys(words[slot] + new)) for slot in placed}
        else:
            words |= {(term,): (term,) for term in new}
        shares |= {term: max(share / len(terms), shares.get(term, 0.0)) for term in new}
    if not shares:
        return plan
    emphasis = plan.emphasis and plan.emphasis + (1.0,) * (len(words) - len(plan.words))
    return replace(plan, words=tuple(words.values()), emphasis=emphasis, shares=shares)


def synonyms_of(query: Query, languages: Sequence[str], synonyms: Synonyms) -> Reading:
    """All terms that may stand for plain words of the query."""
    return tuple(dict.fromkeys(term for _, terms in _found(query, languages, synonyms) for term in terms))


def _found(
    query: Query, languages: Sequence[str], synonyms: Synonyms
) -> Iterator[tuple[Sequence[Reading], Sequence[str]]]:
    """The typed words for which something may stand, and its terms."""
    readers = analysers(tuple(languages))
    unmarked = tuple(language for language in languages if language not in READ_APART)
    for are_words, run in groupby(query.clauses, lambda clause: isinstance(clause, Word)):
        if are_words:
            slots = read(" ".join([clause.text for clause in run if isinstance(clause, Word)]), readers)
            for number, reader in enumerate(readers):
                alike = (reader.language,) if reader.language else unmarked
                for place, terms in synonyms.found([slot[number] for slot in slots], alike):
                    yield slots[place.start : place.stop], terms
