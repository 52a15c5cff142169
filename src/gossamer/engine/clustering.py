"""What are the results of a query about? Groups of those that are alike, each with a label.

The best results are read as they begin, title and text (`cluster_words`); those that are alike are joined
(`results.grouping`) and named (`results.labels`). The results that are grouped are the same whatever page of
them is shown, so groups are too. There are none where the results do not fall apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gossamer.engine.asking import Asked
from gossamer.engine.cluster_words import Leads, Read, Reader
from gossamer.engine.listing import Listed
from gossamer.index.stored_document import beginnings
from gossamer.model import UNFETCHED, BadSetting, Cluster
from gossamer.results.clustering import LINKAGES, Group
from gossamer.results.grouping import grouped
from gossamer.results.labels import labels, without_site_names
from gossamer.results.likeness import shared
from gossamer.results.phrases import Phrase
from gossamer.search.candidates import Candidates, Numbers
from gossamer.search.phases import Ranked
from gossamer.search.searcher import Searcher

GROUPED = 64  # results, the best ones
TITLES = 3  # of the best results of a group, so that it can be seen what is in it
LEAD = 1_000  # bytes of a text that are read
REMEMBERED = 200  # answers: people page through results, and look at one group after the other
FEWEST = 3  # groups that are worth a look
MOST_SHARE = 0.75  # of the results in one group: beyond, they do not fall apart
LEAST_TOGETHER = 1 / 3  # of the results in all groups: below, they fall to dust


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups of results, and the places of the results in each."""

    clusters: tuple[Cluster, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()

    def named(self, label: str) -> tuple[int, ...] | None:
        """The places of the results in the group of this name; None where there is no such group."""
        for cluster, places in zip(self.clusters, self.places, strict=True):
            if cluster.is_called(label):
                return places
        return None

    def unknown(self, label: str) -> tuple[str, ...]:
        """What is to be said where a group was asked for that is none of these."""
        if not label or self.named(label) is not None:
            return ()
        return (f"there is no group of results called {label}, so all results are shown",)


NOT_GROUPED = Grouping()


class _Named(NamedTuple):
    group: Group
    cluster: Cluster


class Clustering:
    """Groups what searches find. Threads may share it."""

    def __init__(self, linkage: str) -> None:
        self._linkage = linkage
        self._reader = Reader()
        self._made: dict[object, list[_Named]] = {}  # the newest, by what was grouped

    def learn(self, searchers: Sequence[Searcher]) -> None:
        """Gets to know the words with which results will begin."""
        self._reader.learn(searchers)

    def grouped(self, asked: Asked, listed: Listed) -> Grouping:
        """The groups of the best results, the largest first, where they are asked for."""
        if not (asked.request.clusters or asked.request.cluster):
            return NOT_GROUPED
        if self._linkage not in LINKAGES:
            raise BadSetting(f"unknown way to group {self._linkage!r}; there are: {', '.join(LINKAGES)}")
        places = _best(listed.found, [place for own in listed.arranged.behind.values() for place in own])
        if len(places) < 2 * FEWEST:
            return NOT_GROUPED
        best, searchers = listed.found.candidates.taken(places), asked.searchers
        terms = (*asked.search.plan.terms, *asked.search.plan.also)
        generations = tuple([one.snapshot.generation for one in searchers])
        key = best.pages.tobytes(), terms, generations
        named = self._made.get(key)
        if named is None:
            leads = _leads(best, searchers)
            read = self._reader.read(leads, terms, searchers)
            named = self._made[key] = _named(read, leads, self._linkage)
            for old in list(self._made)[:-REMEMBERED]:
                self._made.pop(old, None)
        own = places.tolist()
        return Grouping(
            tuple([one.cluster for one in named]),
            tuple([tuple([own[number] for number in one.group]) for one in named]),
        )


def _falls_apart(sizes: Sequence[int], results: int) -> bool:
    """Whether groups of these sizes tell something about so many results."""
    several = len(sizes) >= FEWEST
    return several and max(sizes) <= MOST_SHARE * results and sum(sizes) >= LEAST_TOGETHER * results


def _best(found: Ranked, folded: Collection[int]) -> Numbers:
    """The places of the best results that were fetched, but for those that are folded behind others."""
    wanted = found.candidates.segments[: found.window] != UNFETCHED
    if folded:
        wanted[list(folded)] = False
    return np.flatnonzero(wanted)[:GROUPED]


def _leads(candidates: Candidates, searchers: Sequence[Searcher]) -> Leads:
    found = [b""] * len(candidates)
    for partition, segment, rows in candidates.by_segment():
        stored = searchers[partition].snapshot.views[segment].segment.stored
        several = stored.several(candidates.docs[rows])
        if isinstance(rows, slice):  # all
            found = several
        else:
            for row, one in zip(rows.tolist(), several, strict=True):
                found[row] = one
    languages, titles, texts = beginnings(found, LEAD)
    return Leads(languages, without_site_names(titles), texts)


def _named(read: Read, leads: Leads, linkage: str) -> list[_Named]:
    """Groups of leads with their labels; none where the leads do not fall apart."""
    words = shared(read.terms, read.starts)
    large, found = grouped(words, read.rarity(words.names), read.asked, linkage)

    def words_of(phrase: Phrase) -> list[str]:
        return [read.word(word) for word in read.words[phrase.first :][: len(phrase.terms)].tolist()]

    told = labels(found, large, leads.whole, words_of)
    named = [
        _Named(group, Cluster(label, len(group), _titles([leads.titles[one] for one in group])))
        for group, label in zip(large, told, strict=True)
        if label
    ]
    return named if _falls_apart([len(one.group) for one in named], len(leads)) else []


def _titles(titles: Iterable[str]) -> tuple[str, ...]:
    """Those of the best, each once, in one line."""
    found: dict[str, None] = {}
    for title in titles:
        if line := " ".join(title.split()):
            found[line] = None
        if len(found) == TITLES:
            break
    return tuple(found)
