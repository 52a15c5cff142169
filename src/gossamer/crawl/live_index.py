"""Index pages while the crawl runs.

A kept page is added to the segment writer of its partition at once, and then released from memory. Full
writers become segments, on a thread. If a page is removed or replaced meanwhile, the next segment corrects
it. At the end of a crawl, and every hour in a continuous crawl, the index is synchronised with the catalogue
(`LiveIndex.complete`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import numpy as np

from gossamer.collection.partition import Partition, weightings
from gossamer.index.bm25f import Weighting
from gossamer.index.settings import IndexSettings, WeightingSettings
from gossamer.index.writer import SegmentWriter
from gossamer.model import Page, Url
from gossamer.text.settings import TextSettings


class _Filling:
    """The open segment of one partition."""

    def __init__(self, partition: Partition, language: str) -> None:
        self.partition = partition
        self.writer = SegmentWriter(language)
        self.fingerprints: set[int] = set()
        self.gone: set[int] = set()  # pages to be removed from the index
        self.newer: dict[int, Page] = {}  # second versions of pages in the writer, for the next segment

    def add(self, page: Page) -> None:
        self.gone.discard(page.url.fingerprint)
        if page.url.fingerprint in self.fingerprints:
            self.newer[page.url.fingerprint] = page
        else:
            self.fingerprints.add(page.url.fingerprint)
            self.writer.add(page)

    def remove(self, fingerprint: int) -> None:
        self.newer.pop(fingerprint, None)
        self.gone.add(fingerprint)

    def commit(self, weighting: Weighting) -> None:
        """Add the pages to the index, and remove their earlier versions."""
        going = self.fingerprints | self.gone
        if self.fingerprints or (self.gone and self.partition.index.manifest().segments):
            gone = np.fromiter(going, np.uint64, len(going))
            self.partition.index.commit(self.writer, gone, weighting)


class LiveIndex:
    """Adds kept pages to the index during a crawl."""

    def __init__(
        self,
        partitions: Sequence[Partition],
        route: Callable[[str], int],
        index: IndexSettings,
        weighting: WeightingSettings,
        text: TextSettings,
        synchronise: Callable[[], Awaitable[int]],
    ) -> None:
        """`synchronise` makes the index match the catalogue, and returns the number of added pages."""
        self._partitions = partitions
        self._route = route
        self._settings = index
        self._weights = weighting
        self._language = text.language
        self._synchronise = synchronise
        self._fillings = self._empty()

    def _empty(self) -> list[_Filling]:
        return [_Filling(partition, self._language) for partition in self._partitions]

    def add(self, page: Page) -> None:
        """Add a kept page; a later version replaces an earlier one."""
        self._fillings[self._route(page.url.host)].add(page)

    def remove(self, url: Url) -> None:
        """Remove a page."""
        self._fillings[self._route(url.host)].remove(url.fingerprint)

    @property
    def waits(self) -> bool:
        """Whether any change is not searchable yet."""
        return any(filling.fingerprints or filling.gone for filling in self._fillings)

    def __len__(self) -> int:
        """Return the number of pages that are not searchable yet."""
        return sum(len(filling.fingerprints) for filling in self._fillings)

    @property
    def is_full(self) -> bool:
        memory = sum(filling.writer.memory for filling in self._fillings)
        return len(self) >= self._settings.every_pages or memory >= self._settings.memory_mb * 1_000_000

    async def flush(self) -> int:
        """Make all pages so far searchable; return their number."""
        full, self._fillings = self._fillings, self._empty()
        for old, new in zip(full, self._fillings, strict=True):
            new.gone = old.gone & old.fingerprints  # added and removed since: remove from the old segment
            for page in old.newer.values():
                new.add(page)
        weighting = self._weighting(full)
        for filling in full:
            await asyncio.to_thread(filling.commit, weighting)
            await asyncio.to_thread(filling.partition.index.merge, self._settings.merge_factor)
        return sum(len(filling.fingerprints) - len(filling.writer.refused) for filling in full)

    async def complete(self) -> int:
        """Flush, and synchronise the index with the catalogue; return the number of added pages.

        The crawl loop (`crawl.loop.Crawl`) calls it at the end of a crawl and every hour of a continuous one.
        `synchronise`, which `jobs.crawl` passes in, runs a `jobs.sync_index.IndexRun`.
        """
        return await self.flush() + await self._synchronise()

    def _weighting(self, fillings: Sequence[_Filling]) -> Weighting:
        """Return the collection's frozen weighting; if there is none, compute it from these first pages."""
        if known := weightings(self._partitions):
            return known.pop()
        lengths = sum((filling.writer.total_lengths() for filling in fillings), np.zeros(1, np.int64))
        documents = sum(len(filling.writer) for filling in fillings)
        return Weighting.frozen_for(lengths, documents, self._weights)
