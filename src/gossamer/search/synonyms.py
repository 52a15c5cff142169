"""Which terms does a plan look for besides those that were typed?

Plain words are expanded, alone or side by side, and nothing else: who writes a phrase or an operator means
what is written. A synonym of one word is one more term of the words that it stands for, so that a page with
both gains little by the second; one of a word that does not rank itself, because only its parts stand for it,
is a word of its own. A synonym of several words is looked for as a phrase: its words share what one would
count, and do so only in pages where they stand in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, groupby

from gossamer.model import Query, Word
from gossamer.search.condition import Condition, Reading, Row, either_of
from gossamer.search.expansion import LANGUAGE_SETS, analysers
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
    rows: dict[Row, None] = {}
    for slots, terms in _found(query, languages, synonyms):
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


def _row(terms: Sequence[str]) -> Row:
    return Row(tuple((term,) for term in terms))


def _wished(plan: Plan) -> Condition | None:
    """One of the words, or one of the rows; a word that only stands in rows is not enough."""
    in_rows = plan.in_rows
    alone = [Row((word,)) for word in plan.words if len(word) > 1 or word[0] not in in_rows]
    return either_of([*alone, *plan.rows])


def synonyms_of(query: Query, languages: Sequence[str], synonyms: Synonyms) -> list[Row]:
    """All that may stand for plain words of the query."""
    return list(dict.fromkeys(_row(terms) for _, terms in _found(query, languages, synonyms)))


def _found(
    query: Query, languages: Sequence[str], synonyms: Synonyms
) -> Iterator[tuple[Sequence[Reading], Sequence[str]]]:
    """The typed words for which something may stand, and its terms."""
    readers = analysers(tuple(languages))
    alike = _read_alike(tuple(languages))
    for are_words, run in groupby(query.clauses, lambda clause: isinstance(clause, Word)):
        if are_words:
            slots = read(" ".join([clause.text for clause in run if isinstance(clause, Word)]), readers)
            if synonyms.any_begins(chain(*slots), alike):
                for number, spoken in enumerate(alike):
                    for place, terms in synonyms.found([slot[number] for slot in slots], spoken):
                        yield slots[place.start : place.stop], terms


@lru_cache(LANGUAGE_SETS)
def _read_alike(languages: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The languages of each reader."""
    unmarked = tuple(language for language in languages if language not in READ_APART)
    return tuple((one.language,) if one.language else unmarked for one in analysers(languages))
