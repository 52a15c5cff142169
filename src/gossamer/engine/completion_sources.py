"""What do pages and links offer as the end of what somebody is typing?

a title            weighs  log2(1 + r),  r the page's PageRank relative to the average
a text of links            log2(1 + n) + log2(1 + r) / 2,  n how many hosts say it of that page
a frequent phrase          log2(n),  n how many titles have it
a past query               2 + 2 log2(n),  n how often it was asked
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from math import log2
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.newest import Opened
from gossamer.index.segment import Segment
from gossamer.index.stored_document import title_of
from gossamer.links.generation import Generation
from gossamer.links.naming_texts import NAMES, NamingTexts
from gossamer.results.completion import Completions
from gossamer.results.completion_build import Phrases, Weighted
from gossamer.results.site_names import without_site_names
from gossamer.text.stopwords import stop_words

MOST_PAGES = 500_000  # whose titles are read: those of the highest rank
LONGEST_TITLE = 200  # characters; longer ones are no titles
BREATH = 50  # titles after which others may go first: about a millisecond

Ranks = NDArray[np.float64]
T = TypeVar("T")


def gathered(opened: Opened, past: Mapping[str, int], pause: Callable[[], None]) -> Completions:
    """Everything that is offered, by its weight; `pause` lets others go first now and then."""
    phrases = Phrases()
    for title, weight in _pausing(zip(*_titles(opened, pause), strict=True), pause):
        phrases.add(title, weight)
    spoken = {name for one in opened.searchers for name in one.snapshot.languages()}
    frequent = phrases.frequent(frozenset().union(*map(stop_words, spoken)))
    more = (
        _of_links(opened.generation),
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


def _titles(opened: Opened, pause: Callable[[], None]) -> tuple[list[str], list[float]]:
    """The titles of the best pages without the names of their sites, and what they weigh."""
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
    """PageRank relative to the average; 1 where nothing is ranked."""
    if generation is None or "pagerank" not in generation.ranks:
        return np.ones(len(pages))
    return generation.lookup("pagerank", pages) * len(generation.nodes)


def _least(ranks: list[Ranks]) -> float:
    """The rank from which on titles are read."""
    every = np.concatenate(ranks) if ranks else np.empty(0)
    if len(every) <= MOST_PAGES:
        return 0.0
    return float(np.partition(every, -MOST_PAGES)[-MOST_PAGES])


def _of_links(generation: Generation | None) -> Iterator[Weighted]:
    if generation is None or f"{NAMES[0]}.npy" not in generation.files:
        return
    naming = NamingTexts.of_arrays({name: generation.array(name) for name in NAMES})
    ranks = np.log2(1 + _relative(generation, naming.targets)) / 2
    weights = np.log2(1.0 + naming.counts) + ranks
    yield from zip(naming.texts, weights.tolist(), strict=True)
