"""Completions of a typed text; related queries; background work that builds the phrase index."""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, combinations, compress, repeat
from math import log2
from operator import is_not
from threading import Lock, Thread
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.anchor_text.page_names import NAMES, NameVotes
from gossamer.answer.completion.phrase_index import (
    Completions,
    Phrases,
    TypedPrefix,
    Weighted,
    folded_words,
)
from gossamer.answer.index_reader import IndexReader, SearchableState
from gossamer.collection.site_rules import SiteRuleTable
from gossamer.graph.generation import Generation
from gossamer.index.segment import Segment
from gossamer.index.stored_text import title_of
from gossamer.model import GossamerError, Hit
from gossamer.text.stopwords import stop_words
from gossamer.text.words import is_unspaced, joined, words, written_as

# Strip site names from titles
# ----------------------------
#
# Most sites put their name after the title of each page, or before it: "Jaguars - Wildcats". So the part
# after the last separator, or before the first one, is the site's name if many titles of a host have it.

LEAST = 3  # titles of the host that must have the part
SHARE = 0.3  # and their least share in all titles of the host
_APART = re.compile(r" (?:[-–—|·•»«]|::) |: ")


def without_site_names(titles: Sequence[str], hosts: Sequence[Hashable]) -> list[str]:
    """Remove the names of sites from titles, which have single spaces between words.

    >>> pages = ["Jaguars - Wildcats", "Lynx - Wildcats", "Leopards - Wildcats", "Cats - and dogs"]
    >>> without_site_names(pages, ["a", "a", "a", "a"])
    ['Jaguars', 'Lynx', 'Leopards', 'Cats - and dogs']
    """
    pages = Counter(hosts)
    named: Counter[tuple[Hashable, str]] = Counter()
    for title, host in zip(titles, hosts, strict=True):
        named.update({(host, edge) for edge, _ in _divided(title)})
    names = {edge for edge, count in named.items() if count >= max(LEAST, SHARE * pages[edge[0]])}
    return [_bare(title, host, names) for title, host in zip(titles, hosts, strict=True)]


def _divided(title: str) -> Iterator[tuple[str, str]]:
    """Yield the last and the first part of a title, each with the rest of the title."""
    marks = list(_APART.finditer(title))
    if marks:
        first, last = marks[0], marks[-1]
        yield title[last.end() :].strip(), title[: last.start()].strip()
        yield title[: first.start()].strip(), title[first.end() :].strip()


def _bare(title: str, host: Hashable, names: set[tuple[Hashable, str]]) -> str:
    return next((rest for edge, rest in _divided(title) if rest and (host, edge) in names), title)


# Phrases from titles, anchor text, past queries
# ----------------------------------------------
#
# Weights:
#
#     title              log2(1 + r)                     r: PageRank of the page, relative to the average
#     anchor text        log2(1 + n) + log2(1 + r) / 2   n: how many hosts use it for the page
#     frequent phrase    log2(n)                         n: how many titles have it
#     past query         2 + 2 log2(n)                   n: how often it was asked

MOST_PAGES = 500_000  # pages whose titles are read: those with the highest rank
LONGEST_TITLE = 200  # characters; longer titles are skipped
BREATH = 50  # titles between two pauses for searches: about a millisecond of work
Ranks = NDArray[np.float64]
T = TypeVar("T")


def gathered(opened: SearchableState, past: Mapping[str, int], pause: Callable[[], None]) -> Completions:
    """Gather all phrases with their weights; `pause` is called often, to let searches go first."""
    phrases = Phrases()
    for title, weight in _pausing(zip(*_titles(opened, pause), strict=True), pause):
        phrases.add(title, weight)
    spoken = frozenset(name for one in opened.searchers for name in one.snapshot.languages())
    frequent = phrases.frequent(_ignored(spoken))
    more = (
        _of_links(opened),
        ((phrase, log2(count)) for phrase, count in frequent),
        ((query, 2 + 2 * log2(count)) for query, count in past.items()),
    )
    for phrase, weight in _pausing(chain.from_iterable(more), pause):
        phrases.add(phrase, weight)
    return phrases.completions()


def _pausing(items: Iterable[T], pause: Callable[[], None]) -> Iterator[T]:
    for number, item in enumerate(items, 1):
        yield item
        if not number % BREATH:
            pause()


def _titles(opened: SearchableState, pause: Callable[[], None]) -> tuple[list[str], list[float]]:
    """The titles of the best pages, without the names of their sites, and their weights."""
    segments = [view for one in opened.searchers for view in one.snapshot.views]
    ranks = [_relative(opened.generation, view.segment.columns.fingerprints) for view in segments]
    alive = [view.alive() for view in segments]
    least = _least([rank[mask] for rank, mask in zip(ranks, alive, strict=True)])
    titles: list[str] = []
    hosts: list[int] = []
    weights: list[float] = []
    for number, (view, own, mask) in enumerate(zip(segments, ranks, alive, strict=True)):
        docs = np.flatnonzero(mask & (own >= least))
        docs = docs[np.argsort(view.segment.stored.slots[docs], kind="stable")]
        titles += _pausing(_read(view.segment, docs), pause)
        hosts += (view.segment.columns.host_ids[docs].astype(np.int64) + (number << 32)).tolist()
        weights += np.log2(1 + own[docs]).tolist()
    return without_site_names(titles, hosts), weights


def _read(segment: Segment, docs: NDArray[np.int64]) -> Iterator[str]:
    for data in segment.stored.each(segment.stored.slots[docs]):
        title = " ".join(title_of(data).split())
        yield title if len(title) <= LONGEST_TITLE else ""


def _relative(generation: Generation | None, pages: NDArray[np.uint64]) -> Ranks:
    """PageRank relative to the average; 1 if the links are not ranked."""
    if generation is None or "pagerank" not in generation.ranks:
        return np.ones(len(pages))
    return generation.lookup("pagerank", pages) * len(generation.nodes)


def _least(ranks: list[Ranks]) -> float:
    """The lowest rank of a page whose title is read."""
    every = np.concatenate(ranks) if ranks else np.empty(0)
    if len(every) <= MOST_PAGES:
        return 0.0
    return float(np.partition(every, -MOST_PAGES)[-MOST_PAGES])


def _of_links(opened: SearchableState) -> Iterator[Weighted]:
    generation = opened.generation
    if generation is None or not generation.has(NAMES[0]):
        return
    naming = NameVotes.of_arrays({name: generation.array(name) for name in NAMES})
    ranks = np.log2(1 + _relative(generation, naming.targets)) / 2
    weights = np.log2(1.0 + naming.counts) + ranks
    shown = _allowed(opened.site_rules, generation, naming.targets)
    yield from compress(zip(naming.texts, weights.tolist(), strict=True), shown)


def _allowed(rules: SiteRuleTable, generation: Generation, pages: NDArray[np.uint64]) -> Iterable[bool]:
    """Whether each page may be shown: pages of blocked sites may not."""
    if not rules or not len(generation.nodes):
        return repeat(True)
    hosts, nodes = generation.sites("hosts"), generation.nodes.find(pages)
    numbers = np.where(nodes >= 0, hosts.site_of(np.maximum(nodes, 0)), -1).tolist()
    blocked = {number for number in set(numbers) if number >= 0 and rules.blocks(hosts.names[number])}
    return [number not in blocked for number in numbers]


# Related queries
# ---------------
#
# A related query is a phrase with all words of the query and at least one more, which is no function
# word. First come phrases of the index (`Completions`), and among these the ones whose added words are in
# the titles of the best results. Then come runs of words in these titles.

MOST = 8
MOST_ADDED = 3  # words that a related query adds
LOOKED_AT = 30  # phrases of the index that are considered
LONGEST_QUERY = 4  # words; longer queries are specific enough
SHORTEST = 3  # letters of a word that may have another ending
ENDING = 2  # letters
LEAST_TITLES = 2  # titles that must have a run of words


def related(
    query: str, titles: Sequence[str], stop_words: Collection[str], known: Completions | None = None
) -> tuple[str, ...]:
    """Find at most eight related queries; `titles` are those of the best results.

    >>> related("jaguar", ["Jaguar cars", "The Jaguar E-Type", "Jaguar cars of the sixties"], {"the", "of"})
    ('jaguar cars',)
    """
    asked = folded_words(query)
    if not 0 < len(asked) <= LONGEST_QUERY:
        return ()
    rows = [folded_words(title) for title in titles]
    in_titles = frozenset(chain.from_iterable(rows))
    found: dict[frozenset[str], str] = {}  # by the added words
    for text in chain(_known(asked, in_titles, known), _of_titles(asked, titles, rows, stop_words)):
        own = folded_words(text)
        added = frozenset(_added(own, asked)).difference(stop_words)
        if added and len(own) <= len(asked) + MOST_ADDED and not any(added >= other for other in found):
            found[added] = text
            if len(found) == MOST:
                break
    return tuple(found.values())


def _added(words: Sequence[str], asked: tuple[str, ...]) -> list[str]:
    """The words that are neither words of the query nor forms of these."""
    # The quick test comes first: forms of a word begin with it.
    return [
        word
        for word in words
        if word not in asked and not (word.startswith(asked) and any(_is_form(word, one) for one in asked))
    ]


def _is_form(word: str, asked: str) -> bool:
    """Whether a word is a form of another one, with or without an ending, such as cats for cat."""
    if len(asked) < SHORTEST:
        return word == asked
    return word.startswith(asked) and len(word) <= len(asked) + ENDING


def _holds(words: Sequence[str], asked: Sequence[str]) -> bool:
    return all(any(_is_form(word, one) for word in words) for one in asked)


def _known(asked: tuple[str, ...], in_titles: frozenset[str], known: Completions | None) -> Iterator[str]:
    """Phrases of the index with all words of the query; first those whose added words are in titles."""
    if known is None:
        return
    phrases = known.holding(TypedPrefix(asked, ""), LOOKED_AT)
    if len(phrases) < MOST:
        likely = known.holding(TypedPrefix(asked[:-1], asked[-1]), LOOKED_AT)
        phrases += [one for one in likely if one not in phrases and _holds(known.words_in(one), asked)]
    rows = [(phrase, _added(known.words_in(phrase), asked)) for phrase in phrases]
    ranked = sorted([(in_titles.isdisjoint(own), phrase) for phrase, own in rows])
    yield from (known.text(phrase) for _, phrase in ranked)


def _of_titles(
    asked: tuple[str, ...], titles: Sequence[str], rows: Sequence[Sequence[str]], stop_words: Collection[str]
) -> Iterator[str]:
    """Runs of words that several titles have, with all words of the query."""
    counted: Counter[str] = Counter()
    for title, row in zip(titles, rows, strict=True):
        counted.update(set(_runs(asked, title, row, stop_words)))
    often = {run: count for run, count in counted.items() if count >= LEAST_TITLES}
    whole = [(run, count) for run, count in often.items() if run.isascii() or not _is_cut(run, often)]
    yield from (run for run, _ in sorted(whole, key=lambda one: (-one[1], len(one[0]), one[0])))


def _is_cut(run: str, often: Mapping[str, int]) -> bool:
    """Whether a run in a script without spaces is part of a longer run in every title that has it."""
    if not (is_unspaced(run[0]) or is_unspaced(run[-1])):
        return False
    return any(len(other) > len(run) and run in other and often[other] == often[run] for other in often)


def _runs(
    asked: tuple[str, ...], title: str, row: Sequence[str], stop_words: Collection[str]
) -> Iterator[str]:
    key = " ".join(("", *row))
    if not all(f" {one}" in key for one in asked):  # a quick test: forms of a word begin with it
        return
    places = [[place for place, word in enumerate(row) if _is_form(word, one)] for one in asked]
    if not all(places):
        return
    forms = row if title.isascii() else written_as(title, words(title))
    tells = [place for place, form in enumerate(forms) if form not in stop_words]
    for begin, last in combinations(tells, 2):
        if len(asked) <= last - begin < len(asked) + MOST_ADDED and all(
            any(begin <= place <= last for place in own) for own in places
        ):
            yield joined(forms[begin : last + 1])


PATIENCE = 50  # the least time between two gatherings, as a multiple of the time that one takes
LEAST_PATIENCE = 5.0  # the least time between two gatherings, in seconds
PAST_FRESH = 600.0  # seconds after which past queries are read again
Pause = Callable[[], None]
PastQueries = Callable[[], Mapping[str, int]]  # past queries, and how often they were asked
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Gathered:
    completions: Completions
    parts: tuple[object, ...]  # what it was gathered from
    at: float
    took: float


@dataclass(slots=True, eq=False)
class CompletionService:
    """Complete typed texts with phrases of the index.

    The phrases are gathered in a background thread, which takes seconds in a large collection.
    """

    _newest: IndexReader
    _past: PastQueries | None = None
    _pause: Pause = lambda: None  # called often during the work, to let searches go first
    _gathered: _Gathered | None = None
    _gathering: Lock = field(default_factory=Lock)

    def suggest(self, text: str, k: int, wait: bool = True) -> list[str]:
        """Complete a text; without `wait`, return an empty list until the phrases are gathered."""
        if self._gathered is None and wait:
            with self._gathering:
                if self._gathered is None:
                    self._gather()
        known = self._gathered
        self.start()
        return known.completions.complete(text, k) if known else []

    def related(self, query: str, hits: Sequence[Hit], language: str) -> tuple[str, ...]:
        """Related queries, with phrases of the index if these are gathered."""
        known = self._gathered
        titles = [hit.title for hit in hits]
        spoken = frozenset([language or "en", *(hit.language for hit in hits)])
        return related(query, titles, _ignored(spoken), known.completions if known else None)

    def start(self) -> None:
        """Start to gather phrases in a background thread, if there are none or they are stale."""
        if self._is_stale() and self._gathering.acquire(blocking=False):
            Thread(target=self._gather_and_release, name="completions", daemon=True).start()

    def _is_stale(self) -> bool:
        known = self._gathered
        if known is None:
            return True
        age = time.monotonic() - known.at
        if age < max(LEAST_PATIENCE, PATIENCE * known.took):
            return False
        if self._past is not None and age > PAST_FRESH:
            return True
        parts = self._newest.opened(False).parts
        return len(parts) != len(known.parts) or any(map(is_not, parts, known.parts))

    def _gather_and_release(self) -> None:
        try:
            self._gather()
        except GossamerError as error:  # searches report it, too; this is retried after a while
            _LOG.warning("no suggestions: %s", error)
            known = self._gathered or _Gathered(Phrases().completions(), (), 0.0, 0.0)
            self._gathered = replace(known, at=time.monotonic())
        finally:
            self._gathering.release()

    def _gather(self) -> None:
        begun = time.thread_time()  # without the time of pauses
        opened = self._newest.opened(False)
        completions = gathered(opened, self._past() if self._past else {}, self._pause)
        took = time.thread_time() - begun
        self._gathered = _Gathered(completions, opened.parts, time.monotonic(), took)


@lru_cache(maxsize=64)
def _ignored(spoken: frozenset[str]) -> frozenset[str]:
    """The function words of several languages."""
    return frozenset().union(*map(stop_words, spoken))


# Pause background work while queries run
# ---------------------------------------

STEP = 0.001  # seconds between two checks
LONGEST = 0.02  # seconds of one pause, so that background work ends even if searches never stop


class BackgroundPause:
    """Make background work wait for searches, which enter this as a context. Threads share it."""

    def __init__(self) -> None:
        self._held: list[None] = []  # an item for each running search; append and pop need no lock

    def __enter__(self) -> None:
        self._held.append(None)

    def __exit__(self, *raised: object) -> None:
        self._held.pop()

    def pause(self) -> None:
        """Wait until no search runs, `LONGEST` at most. Other threads can run in any case."""
        end = time.monotonic() + LONGEST
        time.sleep(0)
        while self._held and time.monotonic() < end:
            time.sleep(STEP)
