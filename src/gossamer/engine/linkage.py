"""The links of all partitions as they were committed: what the graph and the texts of links are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.partition import LINK_LOG, Partition
from gossamer.links.aliases import Fingerprints, Representatives
from gossamer.links.numbering import Addresses
from gossamer.links.source import LinkSource
from gossamer.model.graph import LinkColumns
from gossamer.store.linklog import LinkRecord

PLACE_BITS = 48  # of a place in a log; above it stands the number of the partition


class CollectionLinks:
    """What counts when this is made; a crawl may go on meanwhile."""

    def __init__(self, partitions: Sequence[Partition]) -> None:
        self._partitions = partitions
        self._records = [
            partition.link_log.latest(partition.catalogue.committed().get(LINK_LOG, 0))
            for partition in partitions
        ]
        pairs = [partition.catalogue.redirects() for partition in partitions]
        aliases, ends = (np.concatenate(column) for column in zip(*pairs, strict=True))
        self.representatives = Representatives((aliases, ends))

    def columns(self, anchors: bool = True) -> Iterator[LinkColumns]:
        """The latest links of every page, piece by piece."""
        for partition, records in zip(self._partitions, self._records, strict=True):
            yield from partition.link_log.columns(records, anchors)

    def source(self) -> LinkSource:
        """The same, as the graph is built of it."""
        return LinkSource(
            lambda: self.columns(anchors=False),
            sum(int(records.counts.sum()) for records in self._records),
            self._places,
            self.representatives,
            lambda: (partition.catalogue.kept_versions()[0] for partition in self._partitions),
            self._addresses,
        )

    def _places(self) -> Iterator[tuple[Fingerprints, NDArray[np.int64]]]:
        for number, records in enumerate(self._records):
            yield records.sources, records.starts | (number << PLACE_BITS)

    def _addresses(self) -> Iterator[Addresses]:
        for partition in self._partitions:
            yield from (Addresses(*piece) for piece in partition.catalogue.urls_with_hosts())


def record_at(partitions: Sequence[Partition], place: int) -> LinkRecord | None:
    """The links that stand at a place that a graph remembers; None when they are gone."""
    number, start = place >> PLACE_BITS, place & ((1 << PLACE_BITS) - 1)
    return partitions[number].link_log.at(start) if number < len(partitions) else None
