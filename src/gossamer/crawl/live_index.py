"""Index pages while the crawl runs.

A page that is kept goes into its partition's segment writer at once and is not held any longer. When enough
have come the writers become segments, on a thread. What is too much in them, or too old, goes with the next.
At the end of a crawl, and now and then in one without end, the index is brought to what the catalogue says
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
    """One partition's writer, and the pages in it."""

    def __init__(self, partition: Partition, language: str) -> None:
        self.partition = partition
        self.writer = SegmentWriter(language)
        self.fingerprints: set[int] = set()
        self.gone: set[int] = set()  # pages that leave the index
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
        """The pages come in, and earlier versions of them go."""
        going = self.fingerprints | self.gone
        if self.fingerprints or (self.gone and self.partition.index.manifest().segments):
            gone = np.fromiter(going, np.uint64, len(going))
            self.partition.index.commit(self.writer, gone, weighting)


class LiveIndex:
    """Takes kept pages in as they come."""

    def __init__(
        self,
        partitions: Sequence[Partition],
        route: Callable[[str], int],
        index: IndexSettings,
        weighting: WeightingSettings,
        text: TextSettings,
        synchronise: Callable[[], Awaitable[int]],
    ) -> None:
        """`synchronise` brings the index to what the catalogue says, and returns how many pages it added."""
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
        """A page is kept; of several versions the last counts."""
        self._fillings[self._route(page.url.host)].add(page)

    def remove(self, url: Url) -> None:
        """A page is kept no more."""
        self._fillings[self._route(url.host)].remove(url.fingerprint)

    @property
    def waits(self) -> bool:
        """Whether there is anything that a search does not see yet."""
        return any(filling.fingerprints or filling.gone for filling in self._fillings)

    def __len__(self) -> int:
        """Pages that are not searchable yet."""
        return sum(len(filling.fingerprints) for filling in self._fillings)

    @property
    def is_full(self) -> bool:
        memory = sum(filling.writer.memory for filling in self._fillings)
        return len(self) >= self._settings.every_pages or memory >= self._settings.memory_mb * 1_000_000

    async def flush(self) -> int:
        """Makes what has come so far searchable; how many pages that were."""
        full, self._fillings = self._fillings, self._empty()
        for old, new in zip(full, self._fillings, strict=True):
            new.gone = old.gone & old.fingerprints  # what came and went: out of the segment that it is in now
            for page in old.newer.values():
                new.add(page)
        weighting = self._weighting(full)
        for filling in full:
            await asyncio.to_thread(filling.commit, weighting)
            await asyncio.to_thread(filling.partition.index.merge, self._settings.merge_factor)
        return sum(len(filling.fingerprints) - len(filling.writer.refused) for filling in full)

    async def complete(self) -> int:
        """Flushes, and brings the index to what the catalogue says; how many pages came in.

        The crawl loop (`crawl.loop.Crawl`) calls it at the end of a crawl and every hour of one without end.
        `synchronise`, which `jobs.crawl` passes in, runs a `jobs.sync_index.IndexRun`.
        """
        return await self.flush() + await self._synchronise()

    def _weighting(self, fillings: Sequence[_Filling]) -> Weighting:
        """The collection's frozen weighting; the first pages decide, where there is none."""
        if known := weightings(self._partitions):
            return known.pop()
        lengths = sum((filling.writer.total_lengths() for filling in fillings), np.zeros(1, np.int64))
        documents = sum(len(filling.writer) for filling in fillings)
        return Weighting.frozen_for(lengths, documents, self._weights)
