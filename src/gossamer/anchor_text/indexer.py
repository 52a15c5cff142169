"""Write and verify the anchor-text index of a partition.

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

from gossamer.anchor_text.select import AnchorColumns, AnchorDeduplicator, NearbyTextSampler
from gossamer.anchor_text.unfetched import NAME as UNFETCHED
from gossamer.anchor_text.unfetched import UnfetchedPages, read_unfetched, write_unfetched
from gossamer.collection.partition import Partition
from gossamer.graph.build import CommittedLinks
from gossamer.index.bm25f import FIELDS, Field, Weighting
from gossamer.index.dictionary import NO_WORDS
from gossamer.index.index import Index
from gossamer.index.manifest import NAME as MANIFEST
from gossamer.index.manifest import Manifest, SegmentEntry, write_manifest
from gossamer.index.postings import invert
from gossamer.index.segment import Columns, SegmentContent, coded, write_segment
from gossamer.index.stored_text import StoredWriter, TextsWriter
from gossamer.index.writer import SegmentVocabulary, TermStream
from gossamer.model import DamagedFile, GossamerError
from gossamer.storage.files import disk_errors, sync_folder
from gossamer.text.terms import analyser

# Writer of anchor-text segments
# ------------------------------
#
# Its fingerprint is that of the page that the link leads to, its host the one that says so. The
# documents of a page stand side by side, as those of a segment rise by fingerprint, and those of one
# host within them. A text is a document of its own: so no phrase reaches from one into another. It is
# kept to be shown where the page was not fetched: then nothing else is known of that.

WEIGHTING = Weighting(pivots=(1.0,) * FIELDS)  # texts of links are short everywhere: nothing is frozen
BYTES_A_TOKEN = 10  # the peak while a segment is built, as for pages
BYTES_A_TEXT = 100
NEARBY = "near"  # the folder, within that of the texts, of the index of words near links
NOT_KEPT = np.uint32(0xFFFFFFFF)  # instead of the place of a text that is not shown
Numbers = NDArray[np.uint32]
Column = tuple[NDArray[np.uint64], Numbers, Numbers, Numbers, Numbers]


class AnchorWriter:
    """Texts in, the index of a generation out: a folder with segments, each as large as memory allows.

    `hosts` and `languages` are names in their order; texts come with numbers into them.
    """

    def __init__(
        self,
        folder: Path,
        hosts: Sequence[str],
        languages: Sequence[str],
        memory: int,
        unfetched: UnfetchedPages | None = None,
    ) -> None:
        self._folder = folder
        self._hosts = hosts
        self._languages = languages
        self._memory = memory
        self._unfetched = unfetched or UnfetchedPages.of((), ())
        self._entries: list[SegmentEntry] = []
        self._start()

    def _start(self) -> None:
        self._vocabulary = SegmentVocabulary()
        self._stream = TermStream()
        self._columns: list[Column] = []  # targets, hosts, languages, lengths, places of what is kept
        self._texts = 0
        self._stored = StoredWriter(TextsWriter)

    @property
    def memory(self) -> int:
        """About how many bytes it will take to write what is collected."""
        collected = len(self._stream) * BYTES_A_TOKEN + self._texts * BYTES_A_TEXT
        return collected + self._vocabulary.memory + self._stored.memory

    def add(
        self,
        targets: NDArray[np.uint64],
        hosts: NDArray[np.uint32],
        languages: NDArray[np.uint32],
        texts: Sequence[str],
    ) -> None:
        """Texts of links, one a row; those without a word are passed over."""
        if not len(texts):
            return
        order = np.argsort(languages, kind="stable")
        spoken, sizes = np.unique(languages, return_counts=True)
        stretches = [
            (analyser(self._languages[code]).language, size)
            for code, size in zip(spoken.tolist(), sizes.tolist(), strict=True)
        ]
        numbers, lengths = self._vocabulary.read([texts[i] for i in order.tolist()], stretches)
        says = lengths > 0
        rows = order[says]
        self._stream.append(numbers)
        kept = self._keep(targets[rows], [texts[i] for i in rows.tolist()])
        self._columns.append((targets[rows], hosts[rows], languages[rows], lengths[says], kept))
        self._texts += len(rows)
        if self.memory >= self._memory:
            self._write()

    def _keep(self, targets: NDArray[np.uint64], texts: Sequence[str]) -> Numbers:
        """Keeps the texts that will be shown; returns as which, of all texts."""
        shown = np.flatnonzero(self._unfetched.rows(targets) >= 0)
        places = np.full(len(targets), NOT_KEPT)
        places[shown] = np.arange(len(self._stored), len(self._stored) + len(shown))
        self._stored.extend(texts[i].encode("utf-8", "replace") for i in shown.tolist())
        return places

    def finish(self) -> int:
        """Writes what is left and the manifest; returns how many documents there are."""
        if self._texts:
            self._write()
        with disk_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        write_unfetched(self._folder, self._unfetched)
        entries = tuple(self._entries)
        write_manifest(self._folder, Manifest(1, len(entries) + 1, WEIGHTING, entries))
        with disk_errors(self._folder):
            for folder in (self._folder.parent, self._folder.parent.parent):
                sync_folder(folder)  # the folder and its parent may be new
        return sum(entry.documents for entry in entries)

    def _write(self) -> None:
        documents, content = self._texts, self._content()
        name = f"segment-{len(self._entries) + 1:06d}"
        write_segment(self._folder / name, content)
        self._entries.append(SegmentEntry(name, documents, size=len(content.postings.positions)))

    def _content(self) -> SegmentContent:
        """Everything a segment consists of. The writer is empty afterwards."""
        columns = (np.concatenate(part) for part in zip(*self._columns, strict=True))
        targets, hosts, languages, sizes, kept = columns
        order = np.lexsort((hosts, targets))
        begins = np.cumsum(sizes, dtype=np.int64) - sizes
        lengths = np.zeros((len(order), FIELDS), np.uint32)
        lengths[:, Field.BODY] = sizes[order]
        terms = self._vocabulary.terms()
        stream, counts = self._stream.drain(terms.of_word)
        content = SegmentContent(
            dictionary=self._vocabulary.dictionary(terms, counts),
            lexicon=NO_WORDS,  # what links say is spelt as pages are
            postings=invert(stream, len(terms), begins[order], lengths, WEIGHTING),
            columns=self._columns_of(targets[order], hosts[order], languages[order], lengths),
            stored=self._stored,
            slots=kept[order],
        )
        self._start()
        return content

    def _columns_of(
        self,
        targets: NDArray[np.uint64],
        hosts: NDArray[np.uint32],
        languages: NDArray[np.uint32],
        lengths: NDArray[np.uint32],
    ) -> Columns:
        used_hosts, host_ids = np.unique(hosts, return_inverse=True)
        used_languages, language_ids = np.unique(languages, return_inverse=True)
        unknown = np.full(len(targets), np.nan)
        return Columns(
            fingerprints=targets,
            fetched_at=unknown,
            published=unknown,
            lengths=lengths,
            sketches=np.empty((len(targets), 0), np.uint8),
            host_ids=host_ids.astype(np.uint32),
            language_ids=language_ids.astype(np.uint32),
            type_ids=np.zeros(len(targets), np.uint32),
            host_names=coded([self._hosts[number] for number in used_hosts.tolist()])[1],
            language_names=coded([self._languages[number] for number in used_languages.tolist()])[1],
            type_names=coded([""])[1],
        )


LANGUAGE_BITS = np.uint64(16)  # of a speaker: the language of its pages, below the number of its host
LANGUAGE_MASK = np.uint64(0xFFFF)
NOBODY = np.uint64(0xFFFFFFFFFFFFFFFF)  # the last address: it stands for all that are not known
Fingerprints = NDArray[np.uint64]
Tell = Callable[[int], None]  # so many links more are done
Note = Callable[[AnchorColumns], None]


@dataclass(frozen=True, slots=True)
class LinkEndpoints:
    """The known addresses, rising, and what is to be known of both ends of a link."""

    fingerprints: Fingerprints
    host_ids: NDArray[np.uint32]
    language_ids: NDArray[np.uint16]
    hosts: list[str]  # in their order; the first, "", is that of unknown addresses
    homes: NDArray[np.int64]  # the partition of each host; -1: none
    languages: list[str]  # in their order

    def linking_hosts(self, pages: Fingerprints) -> Fingerprints:
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
    links: CommittedLinks,
    language: str,
    memory: int,
    unfetched: Sequence[UnfetchedPages],
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

    def writers(into: Sequence[Path], shown: Sequence[UnfetchedPages | None]) -> list[AnchorWriter]:
        known, budget = (addresses.hosts, addresses.languages), memory // len(folders)
        return [AnchorWriter(folder, *known, budget, own) for folder, own in zip(into, shown, strict=True)]

    try:
        nearby = NearbyTextSampler(links.canonical_pages, addresses.linking_hosts)
        sieve = AnchorDeduplicator(links.canonical_pages, addresses.linking_hosts)
        of_texts = writers(folders, unfetched)
        for columns in links.columns():
            new_texts = sieve.new(columns)
            note(new_texts)
            _hand_out(new_texts, addresses, of_texts)
            nearby.note(columns)
            tell(len(columns.targets))
        del sieve  # it takes much memory, and what follows does not need it
        texts = tuple(writer.finish() for writer in of_texts)
        of_nearby = writers([folder / NEARBY for folder in folders], [None] * len(folders))
        for columns in links.columns():
            _hand_out(nearby.chosen(columns), addresses, of_nearby)
        for writer in of_nearby:
            writer.finish()
    except BaseException:  # half an index is of no use, and the disk may be full
        remove(folders)
        raise
    return texts


def _hand_out(anchors: AnchorColumns, addresses: LinkEndpoints, writers: Sequence[AnchorWriter]) -> None:
    homes = addresses.partitions(anchors.targets)
    hosts = (anchors.speakers >> LANGUAGE_BITS).astype(np.uint32)
    languages = (anchors.speakers & LANGUAGE_MASK).astype(np.uint32)
    for number, writer in enumerate(writers):
        own = np.flatnonzero(homes == number)
        texts = [anchors.texts[i] for i in own.tolist()]
        writer.add(anchors.targets[own], hosts[own], languages[own], texts)


def _addresses(partitions: Sequence[Partition], language: str) -> LinkEndpoints:
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
    return LinkEndpoints(known, own, language_ids, hosts, np.array(homes)[order], languages)


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
