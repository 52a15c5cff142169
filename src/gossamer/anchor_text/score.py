# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""Open anchor-text index; term frequencies capped per host.

Each document of the index is one text that leads to a page (see `anchor_text.indexer`), so a phrase never
spans two texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.anchor_text.indexer import NEARBY, NOT_KEPT
from gossamer.anchor_text.unfetched import NO_PAGES, UnfetchedPages, read_unfetched
from gossamer.index.bm25f import FIELDS, Field
from gossamer.index.cursor import posting_from, seek
from gossamer.index.index import Index
from gossamer.index.manifest import NAME as MANIFEST
from gossamer.index.postings import RANGE_BITS, Postings
from gossamer.index.segment import SegmentView, Snapshot
from gossamer.kernels.kernel import prefetch, unchecked_kernel, unchecked_part
from gossamer.model import DamagedFile, WrongFormat
from gossamer.model.graph import find_keys
from gossamer.query.conditions import InAnchorText, NearTerms, TermSequence, TermVariants
from gossamer.query.vocabulary import Vocabulary
from gossamer.search.match.cooccurrence import side_by_side_in
from gossamer.search.match.restriction import DocumentMask

# Anchor-text frequencies of a query
# ----------------------------------
#
#     tf(t, d) = sum over hosts h of max over texts x of h that lead to d with t of 1 / (1 - b + b |x| / 3)
#
# |x| is the number of words of a text, 3 is that of an ordinary text, b is 1/2. If a host links to a page
# many times, only its shortest text with the word counts. Only other hosts increase the sum. Like the
# frequency of a field, tf enters BM25F with a weight of its own (`index.bm25f`), and is saturated together
# with the words of the page. References: Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple
# weighted fields", CIKM 2004; Eiron, McCurley, "Analysis of anchor text for web search", SIGIR 2003.
#
# The same formula counts the words near links over their own texts. They are added with a share of the
# weight. They never find a page, they only raise scores: so they are read only for the pages that get
# full scores. Reference: Chakrabarti et al., "Automatic resource compilation by analyzing hyperlink
# structure and associated text", WWW 1998.

Pages = NDArray[np.uint64]
Floats = NDArray[np.float64]
NearbyFrequencies = Callable[[Pages], Floats]  # weighted frequencies of the words near links to pages


@dataclass(frozen=True, slots=True)
class AnchorFrequencies:
    """Anchor-text frequencies of the words of a query, for the pages of one partition."""

    pages: Pages  # fingerprints, ascending
    frequencies: Floats  # pages x words
    holders: tuple[int, ...]  # how many pages have each word in their anchor text

    @classmethod
    def counted(cls, pages: Pages, frequencies: Floats) -> AnchorFrequencies:
        """Build from frequencies, and count the pages with each word."""
        return cls(pages, frequencies, tuple(np.count_nonzero(frequencies, axis=0).tolist()))

    def of(self, pages: Pages) -> Floats:
        """The frequencies of these pages; 0 if no link to the page has the word."""
        if not len(self.pages):
            return np.zeros((len(pages), self.frequencies.shape[1]))
        rows = find_keys(self.pages, pages)
        return np.where((rows >= 0)[:, None], self.frequencies[rows], 0.0)


@dataclass(frozen=True, slots=True)
class AnchorFrequenciesOfAll:
    """Anchor-text frequencies of all partitions; empty if anchor text does not count."""

    parts: tuple[AnchorFrequencies, ...] = ()  # by partition
    holders: tuple[int, ...] = ()  # how many pages have each word in their anchor text
    nearby: tuple[NearbyFrequencies, ...] = ()  # by partition; empty if words near links do not count

    @classmethod
    def of_all(
        cls, parts: Sequence[AnchorFrequencies], nearby: Sequence[NearbyFrequencies] = ()
    ) -> AnchorFrequenciesOfAll:
        holders = [sum(own) for own in zip(*(part.holders for part in parts), strict=True)]
        return cls(tuple(parts), tuple(holders), tuple(nearby))


NOTHING = AnchorFrequenciesOfAll()


# Kernels: anchor-text frequencies
# --------------------------------
#
# A key is a text that has a word of the query: the number of the text in its high bits, that of the word
# in its low bits. Texts are numbered by page, and within a page by host (`anchor_text.indexer`). So in
# sorted keys a page is complete when the next one begins.

SLOPE = 0.5
ORDINARY = 3.0  # words
STEPS = 256.0  # shares are multiples of 1 / STEPS, so that sums are exact in any order
WORD_BITS = np.uint64(16)  # the low bits of a key
WORD = np.uint64((1 << 16) - 1)
AHEAD = np.uint64(12)  # how many texts ahead columns are prefetched, because they are far apart in memory
ONE, ZERO, RANGE = np.uint64(1), np.uint64(0), np.uint64(RANGE_BITS)


@unchecked_kernel
def texts_with(
    terms: NDArray[np.int64], word_of: NDArray[np.int64], postings: Postings, keys: NDArray[np.uint64]
) -> None:
    """Fill in a key for each posting of the terms; `word_of` has the word of each term."""
    n = ZERO
    term_entries, entry_ranges = postings.term_entries, postings.entry_ranges
    entry_postings, posting_docs = postings.entry_postings, postings.posting_docs
    for j in range(len(terms)):
        word = np.uint64(word_of[j])
        for e in range(np.uint64(term_entries[terms[j]]), np.uint64(term_entries[terms[j] + 1])):
            base = np.uint64(entry_ranges[e]) << RANGE
            for p in range(np.uint64(entry_postings[e]), np.uint64(entry_postings[e + ONE])):
                keys[n] = ((base + np.uint64(posting_docs[p])) << WORD_BITS) | word
                n += ONE


@unchecked_part
def add_best(
    best: NDArray[np.float64], row: np.uint64, frequencies: NDArray[np.float64], holders: NDArray[np.int64]
) -> None:
    """Add the best shares of one host to the sums of a row; count the words that are new in the row."""
    for word in range(np.uint64(len(best))):
        if best[word] > 0:
            holders[word] += frequencies[row, word] == 0
            frequencies[row, word] += best[word]
            best[word] = 0


@unchecked_part
def share_of(length: int) -> float:
    """The weight of a word in a text with `length` words."""
    return np.rint(STEPS / (1 - SLOPE + SLOPE * length / ORDINARY)) / STEPS


@unchecked_kernel
def sum_shares(
    keys: NDArray[np.uint64],
    fingerprints: NDArray[np.uint64],
    host_ids: NDArray[np.uint32],
    lengths: NDArray[np.uint32],
    fields: np.uint64,
    column: np.uint64,
    by_host: bool,
    pages: NDArray[np.uint64],
    hosts: NDArray[np.uint32],
    frequencies: NDArray[np.float64],
    holders: NDArray[np.int64],
) -> int:
    """Fill a row for each page, or for each page and linking host if `by_host`; return the number of rows.

    `keys` are those of `texts_with`, sorted. `lengths` has `fields` numbers for each text. Only the
    number in `column` is used. `holders`, zeros at first, receives the number of rows with each word.
    """
    rows = ZERO
    best = np.zeros(frequencies.shape[1])
    count = np.uint64(len(keys))
    for i in range(count):
        if i + AHEAD < count:
            ahead = keys[i + AHEAD] >> WORD_BITS
            prefetch(fingerprints, ahead)
            prefetch(host_ids, ahead)
            prefetch(lengths, ahead * fields + column)
        text, word = keys[i] >> WORD_BITS, keys[i] & WORD
        page, host = fingerprints[text], host_ids[text]
        if rows == ZERO or page != pages[rows - ONE] or host != hosts[rows - ONE]:
            if rows > ZERO:
                add_best(best, rows - ONE, frequencies, holders)
            if rows == ZERO or by_host or page != pages[rows - ONE]:
                pages[rows] = page
                for other in range(np.uint64(len(best))):
                    frequencies[rows, other] = 0.0
                rows += ONE
            hosts[rows - ONE] = host
        best[word] = max(best[word], share_of(lengths[text * fields + column]))
    if rows > ZERO:
        add_best(best, rows - ONE, frequencies, holders)
    return np.int64(rows)


@unchecked_part
def fill_keys(
    pages: NDArray[np.uint64],
    begins: NDArray[np.int64],
    terms: NDArray[np.int64],
    word_of: NDArray[np.int64],
    postings: Postings,
    fingerprints: NDArray[np.uint64],
    reached: NDArray[np.int64],
    keys: NDArray[np.uint64],
) -> int:
    """Fill in the keys of the texts that lead to pages, in order; return their number.

    `begins` has the first text of each page.
    """
    found = np.int64(0)
    for i in range(len(pages)):
        text = begins[i]
        while text < len(fingerprints) and fingerprints[text] == pages[i]:
            for t in range(len(terms)):
                if posting_from(postings, terms[t], text, reached, 2 * t) >= 0:
                    keys[found] = (np.uint64(text) << WORD_BITS) | np.uint64(word_of[t])
                    found += 1
            text += 1
    return found


@unchecked_kernel
def texts_of(
    pages: NDArray[np.uint64],
    terms: NDArray[np.int64],
    word_of: NDArray[np.int64],
    postings: Postings,
    fingerprints: NDArray[np.uint64],
) -> NDArray[np.uint64]:
    """Return the sorted keys of the texts that lead to these pages, without reading other texts.

    The pages are ascending and unique. The words of the terms are ascending.
    """
    begins = np.empty(len(pages), np.int64)
    text, texts, count = 0, 0, len(fingerprints)
    for i in range(len(pages)):
        text = seek(fingerprints, text, count, pages[i])
        begins[i] = text
        while text < count and fingerprints[text] == pages[i]:
            text += 1
        texts += text - begins[i]
    keys = np.empty(texts * len(terms), np.uint64)
    reached = np.zeros(2 * len(terms), np.int64)
    return keys[: fill_keys(pages, begins, terms, word_of, postings, fingerprints, reached, keys)]


# Anchor-text term frequencies over hosts
# ---------------------------------------


class AnchorScorer:
    """Anchor-text term frequencies of one partition, capped per linking host."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    @property
    def has_text(self) -> bool:
        """Whether the index has any text."""
        return bool(self.snapshot.views)

    def term_frequencies(
        self, words: Sequence[TermVariants], pages: Pages | None = None
    ) -> AnchorFrequencies:
        """Frequencies of each word for these pages, which are unique; by default for all with a word."""
        views = self.snapshot.views
        if len(views) == 1:
            targets, _, frequencies, holders = _in_segment(views[0], words, pages, False)
            return AnchorFrequencies(targets, frequencies, tuple(holders.tolist()))
        parts = [(np.empty(0, np.uint64), np.empty(0, np.int64), np.empty((0, len(words))))]
        for view, numbers in zip(views, self._host_numbers, strict=True):
            targets, hosts, frequencies, _ = _in_segment(view, words, pages, True)
            parts.append((targets, numbers[hosts], frequencies))
        targets, hosts, shares = (np.concatenate(column) for column in zip(*parts, strict=True))
        if not len(targets):
            return AnchorFrequencies.counted(targets, shares)
        order = np.lexsort((hosts, targets))
        return AnchorFrequencies.counted(*_capped_per_host(targets[order], hosts[order], shares[order]))

    def of(self, pages: Pages, words: Sequence[TermVariants], weight: float) -> Floats:
        """Frequencies of each word for these pages, times a weight. Only their texts are read."""
        return np.rint(STEPS * weight * self.term_frequencies(words, pages).of(pages)) / STEPS

    @cached_property
    def _host_numbers(self) -> list[NDArray[np.int64]]:
        """For each segment, the numbers of its hosts among the hosts of all segments."""
        lists = [view.segment.columns.hosts() or [""] for view in self.snapshot.views]
        numbers = {name: place for place, name in enumerate(sorted(set().union(*lists)))}
        return [np.array([numbers[name] for name in names]) for names in lists]


def _in_segment(
    view: SegmentView, words: Sequence[TermVariants], wanted: Pages | None, by_host: bool
) -> tuple[Pages, NDArray[np.uint32], Floats, NDArray[np.int64]]:
    """Read one segment: pages, the segment's numbers of their hosts, frequencies, and rows by word."""
    segment, columns = view.segment, view.segment.columns
    terms = [(term, word) for word, own in enumerate(words) for term in own]
    found = segment.look_up(tuple([term for term, _ in terms]))
    known = [(place, word) for place, (_, word) in zip(found.numbers, terms, strict=True) if place >= 0]
    lists = (
        np.array([place for place, _ in known], np.int64),
        np.array([word for _, word in known], np.int64),
        segment.postings,
    )
    if wanted is None:
        keys = np.empty(sum(found.frequencies), np.uint64)
        texts_with(*lists, keys)
        keys.sort()
    else:
        keys = texts_of(np.sort(wanted), *lists, columns.fingerprints)
    pages, hosts = np.empty(len(keys), np.uint64), np.empty(len(keys), np.uint32)
    frequencies, holders = np.empty((len(keys), len(words))), np.zeros(len(words), np.int64)
    lengths = columns.lengths.reshape(-1), np.uint64(FIELDS), np.uint64(Field.BODY)
    places = columns.fingerprints, columns.host_ids, *lengths
    size = sum_shares(keys, *places, by_host, pages, hosts, frequencies, holders)
    return pages[:size], hosts[:size], frequencies[:size], holders


def _capped_per_host(
    pages: NDArray[Any], hosts: NDArray[np.int64], shares: Floats
) -> tuple[NDArray[Any], Floats]:
    """Sum the highest shares of each host for each page. The columns are sorted by page and host."""
    begins = _begins((pages[1:] != pages[:-1]) | (hosts[1:] != hosts[:-1]))
    once, of = np.maximum.reduceat(shares, begins, axis=0), pages[begins]
    begins = _begins(of[1:] != of[:-1])
    return of[begins], np.add.reduceat(once, begins, axis=0)


def _begins(changes: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The places at which a new run begins."""
    return np.flatnonzero(np.append(True, changes))


REMEMBERED = 16  # conditions whose pages are cached: each segment of a search asks for the same
LinkTextCondition = InAnchorText | TermSequence | NearTerms  # the conditions that an anchor text can satisfy


class AnchorIndex:
    """The anchor-text index of one partition. Safe to use from several threads."""

    def __init__(self, folder: Path, documents: int) -> None:
        """Create the index, which is opened when it is first used, and must have this many documents."""
        self.folder = folder
        self._documents = documents

    def __call__(self, condition: LinkTextCondition) -> NDArray[np.uint64]:
        """The fingerprints, ascending, of the pages with a matching anchor text. Some may not be indexed."""
        return self._cached_pages(condition)

    @cached_property
    def _cached_pages(self) -> Callable[[LinkTextCondition], NDArray[np.uint64]]:
        # Not bound to self: a reference cycle would keep the files open until the next garbage collection.
        return lru_cache(REMEMBERED)(partial(_pages, self.snapshot))

    @cached_property
    def snapshot(self) -> Snapshot:
        """The open index. Raises DamagedFile if it is not the one that was written."""
        snapshot = _opened(self.folder)
        if snapshot.documents != self._documents:
            what = f"it has {snapshot.documents} anchor texts, but {self._documents} were written"
            raise DamagedFile(self.folder / MANIFEST, what)
        return snapshot

    def opened(self) -> AnchorIndex:
        """Open all files and return self. Raises DamagedFile if a file is not the one that was written."""
        _ = self.snapshot, self.unfetched, self.nearby
        return self

    @cached_property
    def voices(self) -> AnchorScorer:
        """The scorer of anchor texts."""
        return AnchorScorer(self.snapshot)

    @cached_property
    def nearby(self) -> AnchorScorer:
        """The scorer of the words near links."""
        return AnchorScorer(_opened(self.folder / NEARBY))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of anchor texts and of the words near links."""
        return Vocabulary([self.snapshot, self.nearby.snapshot], side_by_side_in)

    @cached_property
    def unfetched(self) -> UnfetchedPages:
        """The pages that were not fetched, and that results may show by their anchor text."""
        return read_unfetched(self.folder) if self._documents else NO_PAGES

    def texts(self, page: int) -> tuple[list[str], str]:
        """The anchor texts of an unfetched page, by descending frequency, then by length; and its language.

        The language is that of one of the linking pages.
        """
        counts: Counter[str] = Counter()
        language = ""
        for view in self.snapshot.views:
            segment = view.segment
            bounds = np.searchsorted(segment.columns.fingerprints, np.array([page, page + 1], np.uint64))
            slots = segment.stored.slots[bounds[0] : bounds[1]]
            counts.update(map(bytes.decode, segment.stored.each(slots[slots != NOT_KEPT])))
            if len(slots):
                language = segment.columns.languages()[int(segment.columns.language_ids[bounds[0]])]
        return sorted(counts, key=lambda text: (-counts[text], len(text), text)), language


def _opened(folder: Path) -> Snapshot:
    try:
        return Index(folder).snapshot()
    except WrongFormat as error:
        raise DamagedFile(folder / MANIFEST, "another version wrote it", "run: gossamer rank") from error


def _pages(snapshot: Snapshot, condition: LinkTextCondition) -> NDArray[np.uint64]:
    asked = TermSequence(condition.slots) if isinstance(condition, InAnchorText) else condition
    found = [view.segment.columns.fingerprints[DocumentMask(view).allowed(asked)] for view in snapshot.views]
    # `np.unique` hashes, which takes longer.
    pages = np.sort(np.concatenate([np.empty(0, np.uint64), *found]))
    return pages[np.append(pages[1:] != pages[:-1], True)] if len(pages) else pages
