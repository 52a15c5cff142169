"""Synchronise the index with the catalogue; rebuild.

There is no flag for indexed pages. The index knows which pages it has and when each was fetched. Pages that
the catalogue keeps but the index lacks are added; pages that the index has but the catalogue does not keep
are removed. So a crash at any time loses only the work since the last commit.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.partition import Partition, weightings
from gossamer.config import Config
from gossamer.crawl.ingest import TRUNCATED, page_at
from gossamer.extract.workers.pool import ExtractionPool
from gossamer.index.bm25f import FIELDS, Weighting
from gossamer.index.manifest import SegmentEntry
from gossamer.index.writer import SegmentWriter
from gossamer.model import Page, Url
from gossamer.model.errors import BEYOND_ONE_PAGE, INTERNAL_ERROR, internal_error
from gossamer.model.graph import find_keys
from gossamer.model.notebook import NotebookTable
from gossamer.model.progress import Observer, StepProgress
from gossamer.storage.catalogue.schema import UrlRow
from gossamer.storage.warc import Job, read_job
from gossamer.web.robots import product_token


def extraction_pool(config: Config) -> ExtractionPool[Job]:
    return ExtractionPool(config.extract, read_job, product_token(config.fetch.user_agent))


async def index(
    partitions: Sequence[Partition],
    config: Config,
    rebuild: bool,
    merge: bool,
    observer: Observer[StepProgress] | None,
) -> IndexSummary:
    """Bring the index up to date, so that every kept page is searchable."""
    with closing(extraction_pool(config)) as pool:
        return await IndexRun(partitions, config, pool, observer).run(rebuild, merge)


# Refit BM25F pivot lengths
# -------------------------
#
# Pivot lengths are frozen at the first commit. In a crawl the first pages are mostly home pages, which
# are shorter than later pages, and their selection is random. So after each synchronisation the pivots
# are compared with the actual average lengths. If they differ, impacts are computed again from
# positions (`index.reweigh`), without reading any page. In a small collection any difference counts, so
# that weights do not depend on the order of pages. In a large collection, where this takes longer, only
# differences above `TOLERATED` count.

SMALL = 100_000  # documents
TOLERATED = 0.1  # of a pivot, in a larger collection


def fit_pivots(partitions: Sequence[Partition], weighting: Weighting) -> bool:
    """Refit the pivots of all partitions if they are off; return whether they were."""
    lengths, documents = np.zeros(FIELDS, np.int64), 0
    for partition in partitions:
        own, alive = partition.index.total_lengths()
        lengths, documents = lengths + own, documents + alive
    fresh = replace(weighting, pivots=Weighting.frozen_for(lengths, documents).pivots)
    if not documents or _fits(weighting, fresh, 0.0 if documents <= SMALL else TOLERATED):
        return False
    for partition in partitions:
        partition.index.reweigh(fresh)
    return True


def _fits(weighting: Weighting, fresh: Weighting, tolerated: float) -> bool:
    pairs = zip(weighting.pivots, fresh.pivots, strict=True)
    return all(abs(old - new) <= tolerated * new for old, new in pairs)


Fingerprints = NDArray[np.uint64]
READ_AHEAD = 8  # pages extracted ahead while another page is indexed


@dataclass(frozen=True, slots=True)
class IndexSummary(NotebookTable):
    """Report what indexing did.

    Attributes:
        documents: How many pages can be searched now.
        added: How many pages were added.
        removed: How many pages were removed.
        segments: How many segments the index has.
        seconds: How long it took.
        unreadable: How many kept pages could not be read from the page store.
        failed: Pages that an internal error left out, as URL and reason.
    """

    documents: int
    added: int
    removed: int
    segments: int
    seconds: float
    unreadable: int = 0
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexDifference:
    """Pages to add to a partition's index, and pages to remove from it."""

    missing: Fingerprints
    gone: Fingerprints  # no longer kept, or replaced by a newer version


def difference(partition: Partition, rebuild: bool = False) -> IndexDifference:
    """Compare the catalogue with the index; for a rebuild, all kept pages are missing."""
    kept, kept_at = partition.catalogue.kept_versions()
    if rebuild:
        return IndexDifference(kept, np.empty(0, np.uint64))
    held, held_at = partition.index.versions()
    order = np.argsort(held)
    held, held_at = held[order], held_at[order]
    return IndexDifference(
        missing=kept[find_keys(held, kept, held_at, np.nan) != kept_at],
        gone=held[find_keys(kept, held, kept_at, np.nan) != held_at],
    )


@dataclass(slots=True, eq=False)
class IndexRun:
    """One run over all partitions."""

    _partitions: Sequence[Partition]
    _config: Config
    _pool: ExtractionPool[Job]
    _observer: Observer[StepProgress] | None = None
    _done: int = 0
    _total: int = 0

    async def run(self, rebuild: bool = False, merge: bool = False) -> IndexSummary:
        """Index missing pages, and remove pages that are no longer kept.

        Segments are written and merged on a thread, while the next segment is filled and a crawl continues.
        """
        begun = time.perf_counter()
        rebuild = rebuild or len(weightings(self._partitions)) > 1
        self._done = 0
        changes = [difference(partition, rebuild) for partition in self._partitions]
        self._total = sum(len(change.missing) for change in changes)
        # A segment is filled while the one before it is written.
        budget = self._config.index.memory_mb * 1_000_000 // (2 * len(self._partitions))
        language = self._config.text.language
        jobs = [
            _PartitionJob(partition, change, self._pages(partition, change), language, budget)
            for partition, change in zip(self._partitions, changes, strict=True)
        ]
        for job in jobs:
            await job.fill()
        weighting = self._weighting(jobs, rebuild)
        for job in jobs:
            await self._write_segments(job, weighting, rebuild)
        if rebuild:
            for job in jobs:
                job.swap(weighting)
        for job in jobs:
            index = job.partition.index
            await asyncio.to_thread(index.merge, self._config.index.merge_factor)
            await asyncio.to_thread(index.merge_all if merge else index.merge_if_fragmented)
        await asyncio.to_thread(fit_pivots, self._partitions, weighting)
        for job in jobs:
            job.note_troubles()
        return self._summary(changes, jobs, begun)

    async def _write_segments(self, job: _PartitionJob, weighting: Weighting, rebuild: bool) -> None:
        write = job.write_beside if rebuild else job.commit
        finished = False
        while not finished:
            finished, full = job.finished, job.take()
            writing = asyncio.create_task(asyncio.to_thread(write, full, weighting))
            try:
                if not finished:
                    await job.fill()
            finally:
                await writing
            self._done += full.pages
            if self._observer and self._total:
                self._observer(StepProgress("indexing", self._done, self._total))

    def _weighting(self, jobs: Sequence[_PartitionJob], rebuild: bool) -> Weighting:
        """Return the frozen weighting, which all partitions share so that their scores are comparable."""
        if not rebuild and (known := weightings(self._partitions)):
            return known.pop()
        lengths = sum((job.writer.total_lengths() for job in jobs), np.zeros(1, np.int64))
        documents = sum(len(job.writer) for job in jobs)
        return Weighting.frozen_for(lengths, documents, self._config.weighting)

    async def _pages(self, partition: Partition, change: IndexDifference) -> AsyncIterator[_StoredPage]:
        """Yield the missing pages, read and extracted a few pages ahead."""
        ahead: deque[asyncio.Task[_StoredPage]] = deque()
        for fingerprint in change.missing.tolist():
            row = partition.catalogue.url(fingerprint)
            if row is None or row.verdict is None or not row.verdict.keep:
                continue  # a concurrent crawl has dropped it meanwhile
            ahead.append(asyncio.create_task(self._stored_page(partition, row)))
            if len(ahead) >= READ_AHEAD:
                yield await ahead.popleft()
        while ahead:
            yield await ahead.popleft()

    async def _stored_page(self, partition: Partition, row: UrlRow) -> _StoredPage:
        fetched_at = row.fetched_at or 0.0
        try:
            assert row.address is not None, f"{row.url} is kept but not in the page store"
            page = await page_at(self._pool, partition, row.address, row.url, fetched_at)
        except BEYOND_ONE_PAGE:
            raise
        except Exception as error:
            page = Page(row.url, fetched_at, problem=internal_error(error))
        return _StoredPage(page, row.reason)

    def _summary(
        self, changes: Sequence[IndexDifference], jobs: Sequence[_PartitionJob], begun: float
    ) -> IndexSummary:
        manifests = [partition.index.manifest() for partition in self._partitions]
        return IndexSummary(
            documents=sum(entry.alive for manifest in manifests for entry in manifest.segments),
            added=self._done,
            removed=sum(len(np.setdiff1d(change.gone, change.missing)) for change in changes),
            segments=sum(len(manifest.segments) for manifest in manifests),
            unreadable=sum(len(job.unreadable) for job in jobs),
            failed={url.text: reason for job in jobs for url, reason in job.failed.items()},
            seconds=time.perf_counter() - begun,
        )


class _StoredPage(NamedTuple):
    """A page from the page store."""

    page: Page
    reason: str  # error or truncation noted in the catalogue


@dataclass(frozen=True, slots=True)
class _FullSegment:
    """Pages that become a segment, and the documents to be removed by the same commit."""

    writer: SegmentWriter
    gone: Fingerprints
    pages: int


@dataclass(eq=False)
class _PartitionJob:
    """Index a partition's pages, segment by segment, within the memory budget."""

    partition: Partition
    _change: IndexDifference
    _pages: AsyncIterator[_StoredPage]
    _language: str
    _budget: int

    def __post_init__(self) -> None:
        self.writer = SegmentWriter(self._language)
        self.finished = False
        self.unreadable: list[Page] = []
        self.failed: dict[Url, str] = {}
        self._earlier: dict[Url, str] = {}  # reasons that the catalogue already has for pages
        self._gone = self._change.gone
        self._in_writer: list[int] = []
        self._rebuilt: list[SegmentEntry] = []

    async def fill(self) -> None:
        """Add pages to the writer until it is full or there are no more."""
        async for page, reason in self._pages:
            if reason:
                self._earlier[page.url] = reason
            if page.problem.startswith(INTERNAL_ERROR):
                self.failed[page.url] = page.problem
                continue
            if page.problem:
                self.unreadable.append(page)
                continue
            self.writer.add(page)
            self._in_writer.append(page.url.fingerprint)
            if self.writer.memory >= self._budget:
                return
        self.finished = True

    def take(self) -> _FullSegment:
        """Return the filled segment and start a new one; the last one also removes pages no longer kept."""
        self.writer.flush()
        self.failed |= self.writer.refused
        gone = self._gone
        if not self.finished:
            gone = np.intersect1d(self._gone, np.array(self._in_writer, np.uint64))
        self._gone = np.setdiff1d(self._gone, gone)
        full = _FullSegment(self.writer, gone, len(self.writer))
        self.writer = SegmentWriter(self._language)
        self._in_writer.clear()
        return full

    def commit(self, full: _FullSegment, weighting: Weighting) -> None:
        """Write a segment and commit it."""
        if full.pages or len(full.gone):
            self.partition.index.commit(full.writer, full.gone, weighting)

    def write_beside(self, full: _FullSegment, weighting: Weighting) -> None:
        """For a rebuild: write a segment without committing it; `swap` commits all of them."""
        number = self.partition.index.manifest().next_segment + len(self._rebuilt)
        if full.pages:
            self._rebuilt.append(self.partition.index.write(full.writer, weighting, number))

    def swap(self, weighting: Weighting) -> None:
        """Replace the old segments by the rebuilt ones."""
        index = self.partition.index
        index.replace(self._rebuilt, weighting, index.manifest().next_segment + len(self._rebuilt))

    def note_troubles(self) -> None:
        """Store in the catalogue why pages were left out; clear old errors of pages that were indexed.

        Pages with a damaged record are queued to be fetched again.
        """
        left_out = self.failed.keys() | {page.url for page in self.unreadable}
        noted = {
            url: self._cut(url).strip()
            for url, reason in self._earlier.items()
            if reason.startswith(INTERNAL_ERROR) and url not in left_out
        }
        noted |= {url: reason + self._cut(url) for url, reason in self.failed.items()}
        for url, reason in noted.items():
            self.partition.catalogue.explain(url.fingerprint, reason)
        if noted:
            self.partition.catalogue.commit()
        for page in self.unreadable:
            if page.problem.startswith("unreadable-record"):
                self.partition.lose(page.url.fingerprint, "damaged-record")

    def _cut(self, url: Url) -> str:
        """Return the truncation mark if the page has one: it is kept in addition to other reasons."""
        return f" {TRUNCATED}" if self._earlier.get(url, "").endswith(TRUNCATED) else ""
