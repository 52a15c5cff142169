# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator, call-overload"
"""Cluster results and name the groups.

The titles and first sentences of the best results are compared; similar results are joined and named. The
same results are grouped whatever page of them is shown, so the groups are the same too. There are no groups
where the results do not fall apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.answer.clusters.agglomerative import (
    ALONE,
    IDF_ONE,
    LINKAGES,
    LOGS,
    MOST_SHARE,
    NOTHING,
    ONE,
    TITLE,
    Group,
    Numbers,
    Shared,
    compare,
    link,
    shared,
)
from gossamer.answer.clusters.labels import (
    ASKED,
    FOUND,
    INSIDE,
    TELLING,
    Phrase,
    find_phrases,
    labels,
    listed,
    without_site_names,
)
from gossamer.answer.listing import Listed
from gossamer.answer.prepare import Asked
from gossamer.index.bm25f import idfs
from gossamer.index.stored_text import beginnings
from gossamer.kernels import unchecked_kernel, unchecked_part
from gossamer.model import UNFETCHED, BadSetting, Cluster
from gossamer.query.conditions import mark_of
from gossamer.scoring.two_phase import Ranked
from gossamer.search.candidates import Candidates
from gossamer.search.searcher import Searcher
from gossamer.text.stopwords import LANGUAGES, stop_words
from gossamer.text.strings import CODING
from gossamer.text.terms import MARK, READ_APART, analyser, without_language
from gossamer.text.tokenizer import Runs, shared_runs

# First words of results and their rarity
# ---------------------------------------

Numbered = NDArray[np.uint32]
Rarities = NDArray[np.float64]  # 0 for what tells nothing
Generations = tuple[int, ...]  # of the index of each partition
FREQUENT = 50_000  # words of a segment that are worth knowing beforehand
SPOKEN_BY = 0.01  # of the documents: in a rarer language nothing is known beforehand


@dataclass(frozen=True, slots=True)
class Leads:
    """How results begin."""

    languages: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[bytes]  # UTF-8: few of the texts are ever shown to anybody

    def __len__(self) -> int:
        return len(self.titles)

    def whole(self, place: int) -> str:
        return f"{self.titles[place]}\n{self.texts[place].decode()}"


@dataclass(frozen=True, slots=True)
class Read:
    """Words of leads, as numbers: of each lead those of its title, and behind them those of its text."""

    words: Numbered
    terms: Numbered
    starts: Numbers  # where each title and each text begins, and the end
    asked: Numbers  # the terms of the query
    word: Callable[[int], str]
    rarity: Callable[[Numbers], Rarities]


class Reader:
    """Reads leads; remembers how rare terms are, as long as the snapshots last. Threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._of: tuple[Runs | None, Generations] = (None, ())
        self._rarities = np.empty(0)  # by the number of a term; NaN where it was not asked for

    def read(self, leads: Leads, asked: Sequence[str], searchers: Sequence[Searcher]) -> Read:
        """The words of leads and the terms of a query, with statistics of all partitions."""
        runs = shared_runs()
        titles = map(str.encode, leads.titles)
        found, counts = runs.number_utf8([*chain.from_iterable(zip(titles, leads.texts, strict=True))])
        starts = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        return Read(
            found,
            runs.terms.of_each(found, starts[::2], leads.languages),
            starts,
            runs.terms.numbers(asked).astype(np.int64),
            runs.word,
            lambda names: self._rarity(runs, names, searchers),
        )

    def learn(self, searchers: Sequence[Searcher]) -> None:
        """Reads the frequent words of all segments, so that searches meet few new ones."""
        runs = shared_runs()
        spoken = sum([one.snapshot.spoken() for one in searchers], Counter[str]())
        languages = [name for name, count in spoken.items() if count >= SPOKEN_BY * spoken.total()]
        for lexicon in [view.segment.lexicon for one in searchers for view in one.snapshot.views]:
            words, _ = runs.number_utf8([lexicon.frequent(FREQUENT)])
            for language in languages:
                terms = np.unique(runs.terms.of(words, language))
                self._rarity(runs, terms.astype(np.int64), searchers)

    def _rarity(self, runs: Runs, names: Numbers, searchers: Sequence[Searcher]) -> Rarities:
        generations = tuple([one.snapshot.generation for one in searchers])
        with self._lock:
            if self._of[0] is not runs or self._of[1] != generations:
                self._of, self._rarities = (runs, generations), np.empty(0)
            known = len(runs.terms.texts)
            if known > len(self._rarities):
                more = known * 5 // 4 - len(self._rarities)
                self._rarities = np.pad(self._rarities, (0, more), constant_values=np.nan)
            rare = self._rarities[names]
            new = np.isnan(rare)
            if new.any():
                rare[new] = rarities(runs.terms.texts.lines(names[new].astype(np.uint32)), searchers)
                self._rarities[names[new]] = rare[new]
            return rare


def rarities(lines: bytes, searchers: Sequence[Searcher]) -> Rarities:
    """The idf of terms, one a line; function words, numbers and single letters tell nothing."""
    terms = lines.decode(*CODING).split("\n")[:-1]
    held = np.zeros(len(terms), np.int64)
    for one in searchers:
        held += one.snapshot.frequencies(lines, len(terms))
    documents = sum([one.snapshot.indexed for one in searchers])
    tells = np.array([_tells(term) for term in terms], np.bool_)
    return np.where(tells & (held > 0), idfs(documents, np.minimum(held, documents)), 0.0)


def _tells(term: str) -> bool:
    word, _, mark = term.partition(MARK)
    return len(word) > 1 and not word[0].isdigit() and word not in _function_words(mark)


@cache
def _function_words(mark: str) -> frozenset[str]:
    """The terms of function words of a language; of all that are read alike where there is no mark."""
    languages = [mark] if mark else sorted(LANGUAGES - READ_APART)
    terms = [analyser(language)[word] for language in languages for word in stop_words(language)]
    return frozenset([without_language(term) for term in terms if mark_of(term) == mark])


# Kernels: cluster and label
# --------------------------


@unchecked_part
def weigh(
    names: NDArray[np.int64],
    results: NDArray[np.int64],
    rarity: NDArray[np.float64],
    asked: NDArray[np.int64],
    most: float,
    one: int,
    weights: NDArray[np.int64],
    roles: NDArray[np.int64],
) -> None:
    """Fills what each term weighs, in `one`ths, and where it may stand in a phrase.

    What was asked for weighs nothing, and what more than `most` results hold.
    """
    for term in range(len(names)):
        is_asked = False
        for i in range(len(asked)):
            is_asked = is_asked or asked[i] == names[term]
        weights[term] = 0
        if not is_asked and not results[term] > most:
            weights[term] = np.int64(np.rint(rarity[term] * one))
        roles[term] = TELLING if weights[term] > 0 else INSIDE
        if is_asked and rarity[term] > 0:
            roles[term] = ASKED


@unchecked_part
def name_groups(
    pairs: NDArray[np.int64],
    count: int,
    least: float,
    into: NDArray[np.int64],
    members: NDArray[np.int64],
    group_of: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> int:
    """Numbers the groups of at least so many, the largest first, then that with the best result.

    `pairs` are the results that were joined, the better first; `into` and `members` are room to work in.
    """
    n = len(group_of)
    for result in range(n):
        into[result], members[result], group_of[result] = result, 0, ALONE
    for step in range(count - 1, -1, -1):
        into[pairs[step, 1]] = into[pairs[step, 0]]
    for result in range(n):
        members[into[result]] += 1
    for group in range(len(sizes)):
        largest = 0
        for result in range(1, n):
            if members[result] > members[largest]:
                largest = result
        if members[largest] < least:
            return group
        for result in range(n):
            if into[result] == largest:
                group_of[result] = group
        sizes[group], members[largest] = members[largest], 0
    return len(sizes)


@unchecked_kernel
def group_and_name(
    terms: NDArray[np.int64],
    starts: NDArray[np.int64],
    names: NDArray[np.int64],
    results: NDArray[np.int64],
    rarity: NDArray[np.float64],
    asked: NDArray[np.int64],
    logs: NDArray[np.int64],
    numbers: tuple[int, int, int],
    shares: tuple[float, float, float],
    average: bool,
    group_of: NDArray[np.int64],
    phrases: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> int:
    """Fills the group of each result, and of each group where its best phrases begin, and their lengths.

    How many groups there are comes back. numbers: what a word of a title counts, what an idf of 1 is, what a
    cosine of 1 is. shares: how many results may hold a term, the least likeness, and the fewest results of a
    group. What else is filled is told by the kernels of the steps.
    """
    n, (title, idf_one, one), (most, like, least) = len(group_of), numbers, shares
    weights, roles = np.empty(len(names), np.int64), np.empty(len(names), np.int64)
    weigh(names, results, rarity, asked, most, idf_one, weights, roles)
    between = np.zeros((n, n), np.int64)
    compare(terms, starts, results, weights, logs, title, one, between)
    for result in range(n):
        between[result, result] = NOTHING
    pairs, sizes = np.empty((n, 2), np.int64), np.empty(len(scores), np.int64)
    count = link(between, average, like * one, pairs)
    into, members = np.empty(n, np.int64), np.empty(n, np.int64)
    found = name_groups(pairs, count, least, into, members, group_of, sizes)
    if found:
        firsts, lengths = phrases[0, :found], phrases[1, :found]
        find_phrases(terms, starts, roles, group_of, sizes[:found], firsts, lengths, scores[:found])
    return found


# Cluster and label in one call
# -----------------------------
#
# Terms are weighed, results compared and joined (`agglomerative`), and the phrases that the large
# groups have in common are found (`labels`).

MOST = 8  # groups that are worth a look
LEAST_SHARE = 0.05  # of the results that a group must hold, and two of them anyhow
Grouped = tuple[list[Group], list[list[Phrase]]]


def grouped(words: Shared, rarity: NDArray[np.float64], asked: Numbers, linkage: str) -> Grouped:
    """The largest groups, and of each the phrases that tell it best from the others.

    `rarity` is that of the words' terms, `asked` names the terms of the query.
    """
    if not len(words.terms):
        return [], []
    group_of = np.empty(len(words), np.int64)
    found, scores = np.empty((2, MOST, FOUND), np.int64), np.empty((MOST, FOUND))
    count = group_and_name(
        words.terms,
        words.starts,
        words.names,
        words.results,
        rarity,
        asked,
        LOGS,
        (TITLE, IDF_ONE, ONE),
        (MOST_SHARE * len(words), LINKAGES[linkage], least_of(len(words))),
        linkage == "average",
        group_of,
        found,
        scores,
    )
    members: list[list[int]] = [[] for _ in range(count)]
    for result, group in enumerate(group_of.tolist()):
        if group != ALONE:
            members[group].append(result)
    best = listed(words, found[0, :count], found[1, :count], scores[:count])
    return list(map(tuple, members)), best


def least_of(results: int) -> float:
    """How many of the results a group must hold."""
    return max(2.0, LEAST_SHARE * results)


GROUPED = 64  # results, the best ones
TITLES = 3  # of the best results of a group, so that it can be seen what is in it
LEAD = 1_000  # bytes of a text that are read
REMEMBERED = 200  # answers: people page through results, and look at one group after the other
FEWEST = 3  # groups that are worth a look
LARGEST_SHARE = 0.75  # of the results in one group: beyond, they do not fall apart
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
    return several and max(sizes) <= LARGEST_SHARE * results and sum(sizes) >= LEAST_TOGETHER * results


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
