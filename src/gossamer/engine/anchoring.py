"""From the link logs of all partitions to the texts of links, indexed in the partition of their target.

The words near links are an index of their own within that of the texts: they are asked for differently.

What is written belongs to the next generation of the graph, under its number: it counts from the moment on
in which the graph's manifest names that generation. What a killed process left is removed by the next one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.linkage import CollectionLinks
from gossamer.engine.partition import Partition
from gossamer.index.anchors import NEARBY, AnchorWriter
from gossamer.index.index import Index
from gossamer.index.manifest import NAME as MANIFEST
from gossamer.index.unfetched import NAME as UNFETCHED
from gossamer.index.unfetched import Unfetched, read_unfetched
from gossamer.links.anchors import Anchors, AnchorSieve
from gossamer.links.nearby import NearbySieve
from gossamer.model import DamagedFile, GossamerError

LANGUAGE_BITS = np.uint64(16)  # of a speaker: the language of its pages, below the number of its host
LANGUAGE_MASK = np.uint64(0xFFFF)
NOBODY = np.uint64(0xFFFFFFFFFFFFFFFF)  # the last address: it stands for all that are not known

Fingerprints = NDArray[np.uint64]
Tell = Callable[[int], None]  # so many links more are done
Note = Callable[[Anchors], None]


@dataclass(frozen=True, slots=True)
class Addresses:
    """The known addresses, rising, and what is to be known of both ends of a link."""

    fingerprints: Fingerprints
    host_ids: NDArray[np.uint32]
    language_ids: NDArray[np.uint16]
    hosts: list[str]  # in their order; the first, "", is that of unknown addresses
    homes: NDArray[np.int64]  # the partition of each host; -1: none
    languages: list[str]  # in their order

    def speakers(self, pages: Fingerprints) -> Fingerprints:
        """Host and language of pages, as one number."""
        rows = self._rows(pages)
        return (self.host_ids[rows].astype(np.uint64) << LANGUAGE_BITS) | self.language_ids[rows]

    def partitions(self, pages: Fingerprints) -> NDArray[np.int64]:
        """Where pages belong; -1 for those that nobody knows."""
        return self.homes[self.host_ids[self._rows(pages)]]

    def _rows(self, pages: Fingerprints) -> NDArray[np.int64]:
        rows = np.searchsorted(self.fingerprints, pages)
        return np.where(self.fingerprints[rows] == pages, rows, len(self.fingerprints) - 1)


def write_anchors(
    partitions: Sequence[Partition],
    generation: int,
    links: CollectionLinks,
    language: str,
    memory: int,
    unfetched: Sequence[Unfetched],
    tell: Tell,
    note: Note,
) -> tuple[int, ...]:
    """Indexes what links say, for the generation with this number; returns how many texts each partition has.

    A text is read in the language of its page, and where that is not indexed in the given one. `unfetched`
    are the pages of each partition that may be shown by what links say alone. `note` is told every text.
    """
    addresses = _addresses(partitions, language)
    folders = [partition.anchors_folder(generation) for partition in partitions]
    remove(folders)
    try:
        nearby = NearbySieve(links.representatives, addresses.speakers)
        texts = _texts(links, folders, addresses, nearby, memory, unfetched, tell, note)
        _nearby(links, folders, addresses, nearby, memory)
    except BaseException:  # half an index is of no use, and the disk may be full
        remove(folders)
        raise
    return texts


def _texts(
    links: CollectionLinks,
    folders: Sequence[Path],
    addresses: Addresses,
    nearby: NearbySieve,
    memory: int,
    unfetched: Sequence[Unfetched],
    tell: Tell,
    note: Note,
) -> tuple[int, ...]:
    """Indexes what links say, and notes what stands near them."""
    sieve = AnchorSieve(links.representatives, addresses.speakers)
    budget = memory // len(folders)
    writers = [
        AnchorWriter(folder, addresses.hosts, addresses.languages, budget, pages)
        for folder, pages in zip(folders, unfetched, strict=True)
    ]
    for columns in links.columns():
        said = sieve.new(columns)
        note(said)
        _hand_out(said, addresses, writers)
        nearby.note(columns)
        tell(len(columns.targets))
    return tuple(writer.finish() for writer in writers)


def _nearby(
    links: CollectionLinks,
    folders: Sequence[Path],
    addresses: Addresses,
    nearby: NearbySieve,
    memory: int,
) -> None:
    """Indexes the words near links, after all of them are noted."""
    budget = memory // len(folders)
    writers = [
        AnchorWriter(folder / NEARBY, addresses.hosts, addresses.languages, budget) for folder in folders
    ]
    for columns in links.columns():
        _hand_out(nearby.chosen(columns), addresses, writers)
    for writer in writers:
        writer.finish()


def _hand_out(anchors: Anchors, addresses: Addresses, writers: Sequence[AnchorWriter]) -> None:
    homes = addresses.partitions(anchors.targets)
    hosts = (anchors.speakers >> LANGUAGE_BITS).astype(np.uint32)
    languages = (anchors.speakers & LANGUAGE_MASK).astype(np.uint32)
    for number, writer in enumerate(writers):
        own = np.flatnonzero(homes == number)
        texts = [anchors.texts[i] for i in own.tolist()]
        writer.add(anchors.targets[own], hosts[own], languages[own], texts)


def _addresses(partitions: Sequence[Partition], language: str) -> Addresses:
    numbers: dict[str, int] = {"": 0}  # of hosts, as they come
    homes = [-1]
    fingerprints, host_ids = [], []
    for place, partition in enumerate(partitions):
        for piece, names, _ in partition.catalogue.urls_with_hosts():
            fingerprints.append(piece)
            host_ids.append(np.array([numbers.setdefault(name, len(numbers)) for name in names], np.uint32))
        homes += [place] * (len(numbers) - len(homes))
    known = np.concatenate([*fingerprints, [NOBODY]])
    rising = np.argsort(known, kind="stable")
    known = known[rising]
    hosts = sorted(numbers)
    order = np.array([numbers[name] for name in hosts])
    own = np.argsort(order)[np.concatenate([*host_ids, [0]])].astype(np.uint32)[rising]
    language_ids, languages = _languages(partitions, language, known)
    return Addresses(known, own, language_ids, hosts, np.array(homes)[order], languages)


def _languages(
    partitions: Sequence[Partition], language: str, known: Fingerprints
) -> tuple[NDArray[np.uint16], list[str]]:
    """The language of each known address, as the index has it."""
    indexed = [partition.index.languages() for partition in partitions]
    pages = np.concatenate([fingerprints for fingerprints, _ in indexed])
    spoken = np.concatenate([languages for _, languages in indexed])
    names = np.union1d(spoken, [language])
    ids = np.full(len(known), np.searchsorted(names, language), np.uint16)
    rows = np.searchsorted(known, pages)
    is_known = known[rows] == pages
    ids[rows[is_known]] = np.searchsorted(names, spoken[is_known])
    return ids, names.tolist()


def remove(folders: Sequence[Path]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def keep_only(partitions: Sequence[Partition], generation: int) -> None:
    """Removes the texts of all other generations."""
    for partition in partitions:
        wanted = partition.anchors_folder(generation)
        remove([folder for folder in wanted.parent.glob("*") if folder != wanted])


def damages(folder: Path, documents: int) -> Iterator[DamagedFile]:
    """What is wrong with an index of so many texts."""
    found = [*_damages(folder), *_damages(folder / NEARBY)]
    yield from found
    if not found and sum(entry.documents for entry in Index(folder).manifest().segments) != documents:
        yield DamagedFile(folder / MANIFEST, "it does not name what was written")
    for own in (folder, folder / NEARBY):
        try:
            read_unfetched(own)
        except GossamerError as error:
            yield _damage(error, own / UNFETCHED)


def _damages(folder: Path) -> Iterator[DamagedFile]:
    index = Index(folder)
    try:
        entries = index.manifest().segments
    except GossamerError as error:
        yield _damage(error, folder / MANIFEST)
        return
    for entry in entries:
        try:
            index.read(entry)
        except GossamerError as error:
            yield _damage(error, folder / entry.name)


def _damage(error: GossamerError, path: Path) -> DamagedFile:
    return error if isinstance(error, DamagedFile) else DamagedFile(path, str(error))
