# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator, call-overload"
"""Cluster the best results and label the clusters.

Results are compared by their titles and first sentences. Always the best results are clustered, so every page
of the results shows the same clusters. If the results have no clear groups, there are no clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from gossamer.answer.clusters.agglomerative import (
    ALONE,
    LINKAGES,
    Group,
    Numbers,
    Shared,
    compare,
    link,
    shared,
)
from gossamer.answer.clusters.labels import (
    Phrase,
    find_phrases,
    labels,
    listed,
    weigh,
    without_site_names,
)
from gossamer.answer.listing import ResultList
from gossamer.answer.prepare import PreparedQuery
from gossamer.index.bm25f import idfs
from gossamer.index.stored_text import beginnings
from gossamer.kernels.kernel import unchecked_kernel
from gossamer.model import UNFETCHED, Cluster
from gossamer.model.graph import starts_of
from gossamer.query.conditions import mark_of
from gossamer.search.candidates import Candidates
from gossamer.search.searcher import Searcher
from gossamer.text.stopwords import LANGUAGES, stop_words
from gossamer.text.strings import CODING
from gossamer.text.terms import MARK, READ_APART, analyser, without_language
from gossamer.text.tokenizer import Tokenizer, shared_runs

# First words of results and their rarity
# ---------------------------------------

Numbered = NDArray[np.uint32]
Rarities = NDArray[np.float64]  # 0 for terms without weight
Generations = tuple[int, ...]  # of the index of each partition
FREQUENT = 50_000  # words of a segment whose rarity is computed beforehand
SPOKEN_BY = 0.01  # the least share of documents in a language whose words are read beforehand


@dataclass(frozen=True, slots=True)
class ResultLeads:
    """The titles and first sentences of results."""

    languages: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[bytes]  # UTF-8, because few of them are decoded

    def whole(self, place: int) -> str:
        """The title and the first sentences of a result."""
        return f"{self.titles[place]}\n{self.texts[place].decode()}"


@dataclass(frozen=True, slots=True)
class LeadTerms:
    """The words of leads, as numbers: for each lead those of its title, then those of its text."""

    words: Numbered
    terms: Numbered
    starts: Numbers  # the start of each title and each text, and the end of the last
    asked: Numbers  # the terms of the query
    word: Callable[[int], str]
    rarity: Callable[[Numbers], Rarities]


class LeadReader:
    """Read leads, and cache the rarity of terms until the index changes. Threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._of: tuple[Tokenizer | None, Generations] = (None, ())
        self._rarities = np.empty(0)  # by the number of a term; NaN if it is not computed yet

    def read(self, leads: ResultLeads, asked: Sequence[str], searchers: Sequence[Searcher]) -> LeadTerms:
        """Read the words of leads and the terms of a query, with statistics of all partitions."""
        runs = shared_runs()
        titles = map(str.encode, leads.titles)
        found, counts = runs.number_utf8([*chain.from_iterable(zip(titles, leads.texts, strict=True))])
        starts = starts_of(counts)
        terms = runs.terms.of_each(found, starts[::2], leads.languages)
        of_query = runs.terms.numbers(asked).astype(np.int64)
        rarity = partial(self._rarity, runs, searchers)
        return LeadTerms(found, terms, starts, of_query, runs.word, rarity)

    def learn(self, searchers: Sequence[Searcher], spoken: Mapping[str, int]) -> None:
        """Compute the rarity of the frequent words of all segments, so that searches compute few.

        `spoken` is the number of documents in each language.
        """
        runs, total = shared_runs(), sum(spoken.values())
        languages = [name for name, count in spoken.items() if count >= SPOKEN_BY * total]
        for lexicon in [view.segment.lexicon for one in searchers for view in one.snapshot.views]:
            words, _ = runs.number_utf8([lexicon.frequent(FREQUENT)])
            for language in languages:
                terms = np.unique(runs.terms.of(words, language))
                self._rarity(runs, searchers, terms.astype(np.int64))

    def _rarity(self, runs: Tokenizer, searchers: Sequence[Searcher], names: Numbers) -> Rarities:
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
    """The idf of terms, one per line; 0 for function words, numbers and single letters."""
    terms = lines.decode(*CODING).split("\n")[:-1]
    held = np.zeros(len(terms), np.int64)
    for one in searchers:
        held += one.snapshot.frequencies(lines, len(terms))
    documents = sum([one.snapshot.indexed for one in searchers])
    has_weight = np.array([_has_weight(term) for term in terms], np.bool_)
    return np.where(has_weight & (held > 0), idfs(documents, np.minimum(held, documents)), 0.0)


def _has_weight(term: str) -> bool:
    word, _, mark = term.partition(MARK)
    return len(word) > 1 and not word[0].isdigit() and word not in _function_words(mark)


@cache
def _function_words(mark: str) -> frozenset[str]:
    """The terms of a language's function words; without a mark, of all languages that share an analyser."""
    languages = [mark] if mark else sorted(LANGUAGES - READ_APART)
    terms = [analyser(language)[word] for language in languages for word in stop_words(language)]
    return frozenset([without_language(term) for term in terms if mark_of(term) == mark])


# Kernels: cluster and label
# --------------------------

MOST = 8  # groups that are shown


@unchecked_kernel
def large_groups(pairs: Numbers, n: int, least: float) -> tuple[Numbers, Numbers]:
    """Number the groups with at least `least` of n results by size, ties by their best results.

    `pairs` are the results that were joined, the better first. Return the group of each result, or ALONE, and
    the size of each group.
    """
    into, members, group_of = np.arange(n), np.zeros(n, np.int64), np.full(n, ALONE)
    sizes = np.empty(MOST, np.int64)
    for step in range(len(pairs) - 1, -1, -1):
        into[pairs[step, 1]] = into[pairs[step, 0]]
    for result in range(n):
        members[into[result]] += 1
    for group in range(MOST):
        largest = 0
        for result in range(1, n):
            if members[result] > members[largest]:
                largest = result
        if members[largest] < least:
            return group_of, sizes[:group]
        for result in range(n):
            if into[result] == largest:
                group_of[result] = group
        sizes[group], members[largest] = members[largest], 0
    return group_of, sizes


@unchecked_kernel
def group_and_name(
    words: Shared, rarity: Rarities, asked: Numbers, average: bool, alike: float, least: float
) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
    """Find the group of each result, and the best phrases of each group with their scores.

    Groups with a similarity of `alike` are joined; those with fewer than `least` results are left out.
    """
    weights, roles = np.empty(len(words.names), np.int64), np.empty(len(words.names), np.int64)
    weigh(words, rarity, asked, weights, roles)
    pairs = link(compare(words, weights), average, alike)
    group_of, sizes = large_groups(pairs, len(words.starts) // 2, least)
    phrases, scores = find_phrases(words, roles, group_of, sizes)
    return group_of, phrases, scores


# Cluster and label in one call
# -----------------------------

LEAST_SHARE = 0.05  # the least share of the results in a group, which has two results at least


def grouped(
    words: Shared, rarity: Rarities, asked: Numbers, linkage: str
) -> tuple[list[Group], list[list[Phrase]]]:
    """Find the largest groups, and the phrases that best distinguish each from the others.

    `rarity` has the idf of each term in `words`; `asked` has the numbers of the query's terms.
    """
    if not len(words.terms):
        return [], []
    average, alike, least = linkage == "average", LINKAGES[linkage], least_of(words.size)
    group_of, phrases, scores = group_and_name(words, rarity, asked, average, alike, least)
    members: list[list[int]] = [[] for _ in scores]
    for result, group in enumerate(group_of.tolist()):
        if group != ALONE:
            members[group].append(result)
    return list(map(tuple, members)), listed(words, phrases, scores)


def least_of(results: int) -> float:
    """The least number of results in a group."""
    return max(2.0, LEAST_SHARE * results)


GROUPED = 64  # the best results, which are clustered
TITLES = 3  # titles of the best results of a cluster, which are shown with it
LEAD = 1_000  # bytes of a text that are read
REMEMBERED = 200  # clusterings that are cached, for users who page through results and look at clusters
FEWEST = 3  # clusters; if there are fewer, none is shown
LARGEST_SHARE = 0.75  # of the results in one cluster; if it has more, no clusters are shown
LEAST_TOGETHER = 1 / 3  # of the results in all clusters; if they have fewer, no clusters are shown


@dataclass(frozen=True, slots=True)
class Grouping:
    """Clusters of results, and the places of the results in each."""

    clusters: tuple[Cluster, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()

    def named(self, label: str) -> tuple[int, ...] | None:
        """The places of the results in the cluster with this label; None if there is no such cluster."""
        for cluster, places in zip(self.clusters, self.places, strict=True):
            if cluster.is_called(label):
                return places
        return None

    def unknown(self, label: str) -> tuple[str, ...]:
        """A note for a requested cluster that does not exist."""
        if not label or self.named(label) is not None:
            return ()
        return (f"there is no group of results called {label}, so all results are shown",)


NOT_GROUPED = Grouping()


class Clustering:
    """Cluster the results of searches. Threads may share it."""

    def __init__(self, linkage: str) -> None:
        self._linkage = linkage
        self._reader = LeadReader()
        # A cache. Its places count the clustered results, not all results.
        self._made: dict[object, Grouping] = {}

    def learn(self, searchers: Sequence[Searcher], spoken: Mapping[str, int]) -> None:
        """Read frequent words beforehand; see `LeadReader.learn`."""
        self._reader.learn(searchers, spoken)

    def grouped(self, prepared: PreparedQuery, listed: ResultList) -> Grouping:
        """Cluster the best results, if the request asks for that; the largest cluster comes first."""
        if not (prepared.options.clusters or prepared.options.cluster):
            return NOT_GROUPED
        places = _best(listed)
        if len(places) < 2 * FEWEST:
            return NOT_GROUPED
        best, searchers = listed.found.candidates.taken(places), prepared.searchers
        terms = (*prepared.search.plan.terms, *prepared.search.plan.also)
        generations = tuple([one.snapshot.generation for one in searchers])
        key = best.pages.tobytes(), terms, generations
        named = self._made.get(key)
        if named is None:
            leads = _leads(best, searchers)
            read = self._reader.read(leads, terms, searchers)
            named = self._made[key] = _named(read, leads, self._linkage)
            for old in list(self._made)[:-REMEMBERED]:
                self._made.pop(old, None)
        return replace(named, places=tuple([tuple(places[list(group)].tolist()) for group in named.places]))


def _is_clear(sizes: Sequence[int], results: int) -> bool:
    """Whether groups of these sizes are a useful division of the results."""
    if len(sizes) < FEWEST:
        return False
    return max(sizes) <= LARGEST_SHARE * results and sum(sizes) >= LEAST_TOGETHER * results


def _best(listed: ResultList) -> Numbers:
    """The places of the best results, without unfetched and folded ones."""
    wanted = listed.found.candidates.segments[: listed.found.rerank_depth] != UNFETCHED
    wanted[[*chain.from_iterable(listed.arranged.folded_under.values())]] = False
    return np.flatnonzero(wanted)[:GROUPED]


def _leads(candidates: Candidates, searchers: Sequence[Searcher]) -> ResultLeads:
    found = [b""] * len(candidates)
    for partition, segment, rows in candidates.by_segment():
        stored = searchers[partition].snapshot.views[segment].segment.stored
        places = np.arange(len(candidates))[rows].tolist()
        for place, one in zip(places, stored.several(candidates.docs[rows]), strict=True):
            found[place] = one
    languages, titles, texts = beginnings(found, LEAD)
    return ResultLeads(languages, without_site_names(titles), texts)


def _named(read: LeadTerms, leads: ResultLeads, linkage: str) -> Grouping:
    """Group leads and label the groups; no groups if they are not clear."""
    words = shared(read.terms, read.starts)
    large, found = grouped(words, read.rarity(words.names), read.asked, linkage)

    def words_of(phrase: Phrase) -> list[str]:
        return [read.word(word) for word in read.words[phrase.first :][: len(phrase.terms)].tolist()]

    label_of = dict(zip(large, labels(found, large, leads.whole, words_of), strict=True))
    named = tuple([group for group in large if label_of[group]])
    if not _is_clear([len(group) for group in named], len(leads.titles)):
        return NOT_GROUPED
    titles = [_titles([leads.titles[one] for one in group]) for group in named]
    shown = zip(named, titles, strict=True)
    return Grouping(tuple([Cluster(label_of[group], len(group), own) for group, own in shown]), named)


def _titles(titles: Iterable[str]) -> tuple[str, ...]:
    """The first titles, without duplicates and line breaks."""
    lines = [" ".join(title.split()) for title in titles]
    return tuple(dict.fromkeys(filter(None, lines)))[:TITLES]
