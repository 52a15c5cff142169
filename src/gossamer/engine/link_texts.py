"""What do the links of a page say? Read from the link log, where the graph remembers that they stand."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.linkage import record_at
from gossamer.engine.partition import Partition
from gossamer.links.generation import Generation
from gossamer.links.nodes import NO_NODE
from gossamer.model import LinkFlag
from gossamer.store.linklog import LoggedLink

Fingerprints = NDArray[np.uint64]


class LinkTexts:
    """The texts of links between the pages of a generation."""

    def __init__(self, partitions: Sequence[Partition], generation: Generation) -> None:
        self._partitions = partitions
        self._generation = generation

    def nodes(self, fingerprints: Fingerprints) -> NDArray[np.int64]:
        """The nodes of addresses, by the page that each stands for; -1 for those that are none."""
        found = self._generation.nodes.find(fingerprints)
        aliases, ends = self._aliases
        if not len(aliases):
            return found
        where = np.searchsorted(aliases, fingerprints).clip(max=len(aliases) - 1)
        stands_for = np.where(ends[where] == NO_NODE, -1, ends[where].astype(np.int64))
        return np.where(aliases[where] == fingerprints, stands_for, found)

    def said(self, source: int, targets: Fingerprints, vouched: bool) -> list[tuple[str, ...]]:
        """What the links of a node say of each target, each thing once, in the order of the page."""
        keys = self._keys(targets)
        texts: dict[Hashable, dict[str, None]] = {key: {} for key in keys}
        for key, text in self._links(source, vouched):
            if text and key in texts:
                texts[key].setdefault(text)
        return [tuple(texts[key]) for key in keys]

    def _links(self, source: int, vouched: bool) -> Iterator[tuple[Hashable, str]]:
        """Targets and texts of the links of a node, of all addresses that stand for it."""
        nodes, places = self._records
        begin, end = np.searchsorted(nodes, np.array([source, source + 1], np.int64))
        for place in places[begin:end].tolist():
            record = record_at(self._partitions, place)
            links = [link for link in record.links if _counts(link, vouched)] if record else []
            keys = self._keys(np.array([link.target for link in links], np.uint64))
            yield from zip(keys, (link.anchor for link in links), strict=True)

    def _keys(self, fingerprints: Fingerprints) -> list[Hashable]:
        """What tells pages apart: the node, or else the fingerprint."""
        rows = zip(self.nodes(fingerprints).tolist(), fingerprints.tolist(), strict=True)
        return [node if node >= 0 else ("no node", page) for node, page in rows]

    @cached_property
    def _aliases(self) -> tuple[Fingerprints, NDArray[np.uint32]]:
        return self._generation.array("alias-fingerprints"), self._generation.array("alias-nodes")

    @cached_property
    def _records(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        return self._generation.array("record-nodes"), self._generation.array("record-places")


def _counts(link: LoggedLink, vouched: bool) -> bool:
    return not link.flags & LinkFlag.CANONICAL and bool(link.flags & LinkFlag.NOFOLLOW) != vouched
