"""Documents that belong to a place.

A column for a place is computed from the postings of its names on first use, and cached. So no page needs to
be indexed again, and a new gazetteer takes effect at once.

A document on a host of the place belongs to it fully. A document with an unambiguous name ("Denmark") belongs
to it as strongly as the impact of the posting. An ambiguous name ("Essen" is also German for food) counts
only together with an unambiguous name, or with another name of the same place or country. The names of
countries count with any inflection, those of towns only if pages write them as names (`ProperNames`).
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

# Words that are written as proper names
# --------------------------------------
#
# The index holds stems, and gazetteers have names of towns in every language, also phonetic ones: "Lids"
# is a name of Leeds and has the same stem as the lid of a pot. So a name counts only if pages mostly write
# the word like the name, with a capital. A few of the pages that hold the word are read for this.

LOOKED_AT = 8  # pages that are read for a word
LONGEST_TEXT = 10_000  # bytes of a text that are read
SHORTEST_INFLECTED = 5  # letters of a name whose last letter may change

# Languages that inflect the names of towns: Warszawa mostly occurs as "w Warszawie".
_INFLECTED = "cs el et eu fi hr hu hy lt lv pl ro ru sk sl sr tr uk"
INFLECTED = frozenset(_INFLECTED.split())


class ProperNames:
    """The words of a segment that are written as names. Results are cached."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._capital: dict[int, bool] = {}  # by the number of a term

    def is_written(self, name: str, number: int, language: str) -> bool:
        """Return whether the most frequent form of a term is a form of a name."""
        return is_form(fold(self._segment.dictionary.form(number)), fold(name), language)

    def has_capital(self, number: int) -> bool:
        """Return whether pages mostly write a term with a capital; True in scripts without capitals."""
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
        small = [_has(text, form) for text in texts]  # a page with both forms uses the ordinary word
        capitals = [_has(text, capital) and not own for text, own in zip(texts, small, strict=True)]
        return sum(capitals) > sum(small) or not any(small)

    def _texts(self, docs: NDArray[np.int64]) -> list[str]:
        """Return the texts of a few documents, evenly chosen."""
        stored = self._segment.stored.several(docs[:: -(-len(docs) // LOOKED_AT) or 1])
        return [title_and_text(data, LONGEST_TEXT).decode(errors="ignore") for data in stored]


def _has(text: str, form: str) -> bool:
    return next(occurrences(text, form), None) is not None


def is_form(form: str, name: str, language: str) -> bool:
    """Return whether a written form is a form of a name, inflected or not.

    >>> is_form("lid", "lids", "en"), is_form("warszawie", "warszawa", "pl")
    (False, True)
    """
    if form == name:
        return True
    return language in INFLECTED and len(name) >= SHORTEST_INFLECTED and form.startswith(name[:-1])


FULLY = 255  # level of a document that belongs to a place fully
LEAST = 56  # of FULLY; a name in a menu, or once in a long text, is weaker and does not count
Levels = NDArray[np.uint8]  # how strongly each document belongs to a place, up to FULLY
Held = tuple[NDArray[np.int64], Levels]  # documents, with the impact of a name in each


def levels_of(segment: Segment, located: AtPlace) -> Levels:
    """Return how strongly each document of a segment belongs to a place."""
    named = _NamedDocuments(segment, located)
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
    """Return the highest level of any name in each document, and the second highest among proper names."""
    first = best = second = np.zeros(1, np.uint8)
    for written, proper in several:
        first = np.maximum(first, written)
        second = np.maximum(second, np.minimum(best, proper))
        best = np.maximum(best, proper)
    return first, second


def _on_hosts(segment: Segment, hosts: Sequence[str]) -> NDArray[np.bool_]:
    """Return which documents are on one of these hosts, or below it, as all ".dk" hosts are below "dk"."""
    columns = segment.columns
    mask = np.zeros(segment.documents, np.bool_)
    for host in hosts:
        mask |= hosts_below(columns.host_names, host)[columns.host_ids]
    return mask


class _NamedDocuments:
    """Finds documents of a segment by names."""

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
        """Return the highest impact of any of these names in each document, with any inflection."""
        return self._strongest(self._held(terms) for name in names for _, terms in self._read(words(name)))

    def towns(self, names: Iterable[str]) -> tuple[Levels, Levels]:
        """Return the highest impact of these towns in each document: in any form, and as a proper name."""
        held: list[Held] = []
        sure: list[Held] = []
        for name in map(words, names):
            for language, terms in self._read(name):
                number = self._numbers[terms[0]]
                if len(name) > 1:  # several words hardly mean anything else
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
        """Yield the terms of a name in each language in which the segment holds all of them."""
        for reader in self._readers if name else ():
            terms = [reader[word] for word in name]
            if min(self._numbers[term] for term in terms) >= 0:
                yield reader.language, terms

    def _held(self, terms: Sequence[str]) -> Held:
        """Return the documents that hold adjacent terms."""
        numbers = [self._numbers[term] for term in terms]
        if len(terms) == 1:
            return self._postings(numbers[0])
        row = TermSequence(tuple((term,) for term in terms))
        known = {slot: [number] for slot, number in zip(row.slots, numbers, strict=True)}
        docs = ConditionEvaluator(self._segment, known, _no_documents).documents(row)
        lists = map(self._postings, numbers)
        return docs, np.min([own[np.searchsorted(held, docs)] for held, own in lists], axis=0)

    def _postings(self, number: int) -> Held:
        postings = self._segment.postings
        return postings.documents(number), postings.levels(number)


def _no_documents(_: object) -> NDArray[np.int64]:
    return np.empty(0, np.int64)
