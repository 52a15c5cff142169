"""Which documents belong to a place, and how much? By their hosts, and by the names in them.

The index itself knows: a column is made of the postings of the names when a place is first asked for, and
remembered. So no page is indexed anew for it, and a new gazetteer counts at once.

A document on a host of the place belongs to it fully. One that holds a sure name ("Denmark") belongs to it as
strongly as it holds the name: the impact of the posting. A name that may mean something else ("Essen" is also
a meal) counts only in company: beside a sure name, or beside another name of the same place or country.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import Segment
from gossamer.search.condition import Located, Row
from gossamer.search.expansion import analysers
from gossamer.search.filters import hosts_below
from gossamer.search.narrow import Narrowed
from gossamer.text.words import words

FULLY = 255
LEAST = 56  # of FULLY: weaker is a name in a menu, or once in a long text, which says little of a page

Levels = NDArray[np.uint8]  # how much each document belongs to a place, of FULLY
Held = tuple[NDArray[np.int64], Levels]  # documents, and how strongly each holds a name


def levels_of(segment: Segment, located: Located) -> Levels:
    """How much each document of a segment belongs to a place."""
    named = _Named(segment, located)
    found = named.levels(located.sure)
    if located.unsure:
        first, second = _two_strongest([named.levels(names) for names in located.unsure])
        confirmed = (found > 0) | (named.levels(located.company) > 0)
        confirmed |= _on_hosts(segment, (*located.hosts, *located.company_hosts))
        np.maximum(found, np.where(confirmed, first, second), out=found)
    found[found < LEAST] = 0
    found[_on_hosts(segment, located.hosts)] = FULLY
    return found


def _two_strongest(several: Iterable[Levels]) -> tuple[Levels, Levels]:
    """Of each document the highest level, and the second."""
    first = second = np.zeros(1, np.uint8)
    for own in several:
        second = np.maximum(second, np.minimum(first, own))
        first = np.maximum(first, own)
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

    def __init__(self, segment: Segment, located: Located) -> None:
        self._segment = segment
        self._readers = analysers(tuple(segment.columns.languages() or [""]))
        names = {*located.sure, *located.company, *(name for names in located.unsure for name in names)}
        typed = {word for name in names for word in words(name)}
        terms = tuple({reader[word] for reader in self._readers for word in typed})
        numbers = segment.look_up(terms).numbers if terms else []
        self._numbers = dict(zip(terms, numbers, strict=True))

    def levels(self, names: Iterable[str]) -> Levels:
        """How strongly each document holds one of these names."""
        levels = np.zeros(self._segment.documents, np.uint8)
        for name in names:
            for docs, own in self._held(words(name)):
                levels[docs] = np.maximum(levels[docs], own)
        return levels

    def _held(self, name: Sequence[str]) -> Iterator[Held]:
        """The documents of each language that hold a name; one of several words in a row."""
        for reader in self._readers if name else ():
            terms = [reader[word] for word in name]
            numbers = [self._numbers[term] for term in terms]
            if min(numbers) < 0:
                continue
            if len(terms) == 1:
                yield self._postings(numbers[0])
                continue
            row = Row(tuple((term,) for term in terms))
            known = {slot: [number] for slot, number in zip(row.slots, numbers, strict=True)}
            docs = Narrowed(self._segment, known, _nothing).documents(row)
            lists = map(self._postings, numbers)
            yield docs, np.min([own[np.searchsorted(held, docs)] for held, own in lists], axis=0)

    def _postings(self, number: int) -> Held:
        postings = self._segment.postings
        return postings.documents(number), postings.levels(number, postings.posting_impacts)


def _nothing(_: object) -> NDArray[np.int64]:
    return np.empty(0, np.int64)
