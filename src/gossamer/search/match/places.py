"""Documents that belong to a place.

The index itself knows: a column is made of the postings of the names when a place is first asked for, and
remembered. So no page is indexed anew for it, and a new gazetteer counts at once.

A document on a host of the place belongs to it fully. One that holds a sure name ("Denmark") belongs to it as
strongly as it holds the name: the impact of the posting. A name that may mean something else ("Essen" is also
a meal) counts only in company: beside a sure name, or beside another name of the same place or country. The
names of countries count in any ending, those of towns where pages write them as names (`ProperNames`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import Segment
from gossamer.index.stored_text import title_and_text
from gossamer.query.conditions import AtPlace, TermSequence
from gossamer.query.expansion import analysers
from gossamer.search.match.evaluate import ConditionEvaluator
from gossamer.search.match.filters import hosts_below
from gossamer.text.terms import fold
from gossamer.text.words import occurrences, words

# Is a word written as a proper name
# ----------------------------------
#
# The index knows words by their stems, and gazetteers know towns by names in every language, written
# by ear too: "Lids" is Leeds, and has the stem of a pot's lid. So a name counts where the word is
# mostly written as the name is, and with a capital. A few of the pages that hold it tell that.

LOOKED_AT = 8  # pages that hold a word
LONGEST_TEXT = 10_000  # bytes of a text that are read
SHORTEST_INFLECTED = 5  # letters of a name that may have another last letter

# In these, towns have endings: Warszawa is mostly met as "w Warszawie".
_INFLECTED = "cs el et eu fi hr hu hy lt lv pl ro ru sk sl sr tr uk"
INFLECTED = frozenset(_INFLECTED.split())


class ProperNames:
    """The words of a segment that are names. What was found out is remembered."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._capital: dict[int, bool] = {}  # by the number of the term

    def is_written(self, name: str, number: int, language: str) -> bool:
        """Whether the term of this number is mostly written as this name is."""
        return is_form(fold(self._segment.dictionary.form(number)), fold(name), language)

    def has_capital(self, number: int) -> bool:
        """Whether pages mostly write a term with a capital; what no script gives one counts as if."""
        known = self._capital.get(number)
        if known is None:
            known = self._capital[number] = self._found_capital(number)
        return known

    def _found_capital(self, number: int) -> bool:
        form = self._segment.dictionary.form(number)
        capital = form[:1].upper() + form[1:]
        if capital == form:
            return True
        texts = self._texts(self._segment.postings.documents(number))
        small = [_has(text, form) for text in texts]  # a page that has both means the word
        capitals = [_has(text, capital) and not own for text, own in zip(texts, small, strict=True)]
        return sum(capitals) > sum(small) or not any(small)

    def _texts(self, docs: NDArray[np.int64]) -> list[str]:
        """Of a few of these documents, from first to last."""
        few = docs[:: -(-len(docs) // LOOKED_AT) or 1]
        parts = map(title_and_text, self._segment.stored.several(few))
        return [(b"%b\n%b" % (title, text[:LONGEST_TEXT])).decode(errors="ignore") for title, text in parts]


def _has(text: str, form: str) -> bool:
    return next(occurrences(text, form), None) is not None


def is_form(form: str, name: str, language: str) -> bool:
    """Whether a written form is that of a name; where names have endings, in any of them.

    >>> is_form("lid", "lids", "en"), is_form("warszawie", "warszawa", "pl")
    (False, True)
    """
    if form == name:
        return True
    return language in INFLECTED and len(name) >= SHORTEST_INFLECTED and form.startswith(name[:-1])


FULLY = 255
LEAST = 56  # of FULLY: weaker is a name in a menu, or once in a long text, which says little of a page
Levels = NDArray[np.uint8]  # how much each document belongs to a place, of FULLY
Held = tuple[NDArray[np.int64], Levels]  # documents, and how strongly each holds a name


def levels_of(segment: Segment, located: AtPlace) -> Levels:
    """How much each document of a segment belongs to a place."""
    named = _Named(segment, located)
    found = np.maximum(named.levels(located.sure), named.towns(located.towns)[1])
    if located.unsure:
        first, second = _two_strongest(map(named.towns, located.unsure))
        confirmed = (found > 0) | (named.levels(located.company) > 0)
        confirmed |= _on_hosts(segment, (*located.hosts, *located.company_hosts))
        np.maximum(found, np.where(confirmed, first, second), out=found)
    found[found < LEAST] = 0
    found[_on_hosts(segment, located.hosts)] = FULLY
    return found


def _two_strongest(several: Iterable[tuple[Levels, Levels]]) -> tuple[Levels, Levels]:
    """Of each document the highest level of a name as it is written, and the second of what surely is one."""
    first = best = second = np.zeros(1, np.uint8)
    for written, proper in several:
        first = np.maximum(first, written)
        second = np.maximum(second, np.minimum(best, proper))
        best = np.maximum(best, proper)
    return first, second


def _on_hosts(segment: Segment, hosts: Sequence[str]) -> NDArray[np.bool_]:
    """Which documents stand on one of these hosts or below it; "dk" is above all that end so."""
    columns = segment.columns
    mask = np.zeros(segment.documents, np.bool_)
    for host in hosts:
        mask |= hosts_below(columns.host_names, host)[columns.host_ids]
    return mask


class _Named:
    """The documents of a segment by the names that they hold."""

    def __init__(self, segment: Segment, located: AtPlace) -> None:
        self._segment = segment
        self._readers = analysers(tuple(segment.columns.languages() or [""]))
        self._proper = ProperNames(segment)
        names = {*located.sure, *located.towns, *located.company, *chain.from_iterable(located.unsure)}
        typed = {word for name in names for word in words(name)}
        terms = tuple({reader[word] for reader in self._readers for word in typed})
        numbers = segment.look_up(terms).numbers if terms else []
        self._numbers = dict(zip(terms, numbers, strict=True))

    def levels(self, names: Iterable[str]) -> Levels:
        """How strongly each document holds one of these names, in any ending."""
        return self._strongest(self._held(terms) for name in names for _, terms in self._read(words(name)))

    def towns(self, names: Iterable[str]) -> tuple[Levels, Levels]:
        """How strongly each document holds one of these towns: as it is written, and surely as a name."""
        held: list[Held] = []
        sure: list[Held] = []
        for name in map(words, names):
            for language, terms in self._read(name):
                number = self._numbers[terms[0]]
                if len(name) > 1:  # hardly anything else
                    sure.append(self._held(terms))
                elif self._proper.is_written(name[0], number, language):
                    (sure if self._proper.has_capital(number) else held).append(self._held(terms))
        return self._strongest([*held, *sure]), self._strongest(sure)

    def _strongest(self, several: Iterable[Held]) -> Levels:
        levels = np.zeros(self._segment.documents, np.uint8)
        for docs, own in several:
            levels[docs] = np.maximum(levels[docs], own)
        return levels

    def _read(self, name: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
        """The terms of a name in each language that has them all."""
        for reader in self._readers if name else ():
            terms = [reader[word] for word in name]
            if min(self._numbers[term] for term in terms) >= 0:
                yield reader.language, terms

    def _held(self, terms: Sequence[str]) -> Held:
        """The documents that hold terms in a row."""
        numbers = [self._numbers[term] for term in terms]
        if len(terms) == 1:
            return self._postings(numbers[0])
        row = TermSequence(tuple((term,) for term in terms))
        known = {slot: [number] for slot, number in zip(row.slots, numbers, strict=True)}
        docs = ConditionEvaluator(self._segment, known, _nothing).documents(row)
        lists = map(self._postings, numbers)
        return docs, np.min([own[np.searchsorted(held, docs)] for held, own in lists], axis=0)

    def _postings(self, number: int) -> Held:
        postings = self._segment.postings
        return postings.documents(number), postings.levels(number)


def _nothing(_: object) -> NDArray[np.int64]:
    return np.empty(0, np.int64)
