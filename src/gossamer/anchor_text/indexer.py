"""Write and verify the anchor-text index of a partition.

The words near links have an index of their own, in a folder within that of the anchor texts.

The index is written for the next generation of the graph and has its number. It becomes valid when the
manifest of the graph names that generation. The next run removes what a killed process left behind.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.anchor_text.select import AnchorColumns, AnchorDeduplicator, NearbyTextSampler
from gossamer.anchor_text.unfetched import NAME as UNFETCHED
from gossamer.anchor_text.unfetched import NO_PAGES, UnfetchedPages, read_unfetched, write_unfetched
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
from gossamer.model.graph import find_keys
from gossamer.storage.files import disk_errors, sync_folder
from gossamer.text.terms import analyser

# Writer of anchor-text segments
# ------------------------------
#
# Each anchor text is a document of its own, so that no phrase match spans two texts. The document has
# the fingerprint of the page that the link leads to, and the host of the page with the link. A segment
# is sorted by fingerprint and then by host, so the texts of a page are side by side, and so are those
# of one host among them. The text itself is stored only if the page was not fetched: then it is all
# that results can show.

WEIGHTING = Weighting(pivots=(1.0,) * FIELDS)  # anchor texts are short, so pivots are not measured
BYTES_A_TOKEN = 10  # the peak while a segment is built, as for pages
BYTES_A_TEXT = 100
NEARBY = "near"  # the folder of the index of words near links, within the anchor-text folder
NOT_KEPT = np.uint32(0xFFFFFFFF)  # the slot of a text that is not stored
Numbers = NDArray[np.uint32]
Column = tuple[NDArray[np.uint64], Numbers, Numbers, Numbers, Numbers]


@dataclass(eq=False)
class AnchorWriter:
    """Write anchor texts to an index: a folder with segments, each as large as memory allows.

    `hosts` and `languages` are sorted names. The texts that are added refer to them by number.
    """

    _folder: Path
    _hosts: Sequence[str]
    _languages: Sequence[str]
    _memory: int
    _unfetched: UnfetchedPages = NO_PAGES
    _entries: list[SegmentEntry] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._vocabulary = SegmentVocabulary()
        self._stream = TermStream()
        self._columns: list[Column] = []  # targets, hosts, languages, lengths, slots of stored texts
        self._texts = 0
        self._stored = StoredWriter(TextsWriter)

    @property
    def memory(self) -> int:
        """Roughly how many bytes are needed to write what is collected."""
        collected = len(self._stream) * BYTES_A_TOKEN + self._texts * BYTES_A_TEXT
        return collected + self._vocabulary.memory + self._stored.memory

    def add(
        self,
        targets: NDArray[np.uint64],
        hosts: NDArray[np.uint32],
        languages: NDArray[np.uint32],
        texts: Sequence[str],
    ) -> None:
        """Add the anchor texts of links, one per row. Texts without a word are skipped."""
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
        """Store the texts of unfetched pages; return the slot of each text."""
        shown = np.flatnonzero(self._unfetched.rows(targets) >= 0)
        places = np.full(len(targets), NOT_KEPT)
        places[shown] = np.arange(len(self._stored), len(self._stored) + len(shown))
        self._stored.extend(texts[i].encode("utf-8", "replace") for i in shown.tolist())
        return places

    def finish(self) -> int:
        """Write the rest and the manifest; return the number of documents."""
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
        """Build the parts of a segment, and empty the writer."""
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
            lexicon=NO_WORDS,  # the spelling of words is learned from pages alone
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


LANGUAGE_BITS = np.uint64(16)  # the low bits of a linking host: the language of the page with the link
LANGUAGE_MASK = np.uint64(0xFFFF)
UNKNOWN = np.uint64(0xFFFFFFFFFFFFFFFF)  # the last fingerprint: its row stands for all unknown pages
Fingerprints = NDArray[np.uint64]
Progress = Callable[[int], None]  # called with the number of links that were read since the last call
Note = Callable[[AnchorColumns], None]


@dataclass(frozen=True, slots=True)
class LinkEndpoints:
    """Host, language and partition of every known page, in ascending order of fingerprints.

    The last row stands for unknown pages: `find_keys` returns -1 for these, which indexes that row.
    """

    fingerprints: Fingerprints
    host_ids: NDArray[np.uint32]
    language_ids: NDArray[np.uint16]
    hosts: list[str]  # sorted; the first, "", is the host of unknown pages
    homes: NDArray[np.int64]  # the partition of each host; -1: none
    languages: list[str]  # sorted

    def linking_hosts(self, pages: Fingerprints) -> Fingerprints:
        """Host and language of pages, as one number."""
        rows: NDArray[np.int64] = find_keys(self.fingerprints, pages)
        return (self.host_ids[rows].astype(np.uint64) << LANGUAGE_BITS) | self.language_ids[rows]

    def partitions(self, pages: Fingerprints) -> NDArray[np.int64]:
        """The partitions of pages; -1 for unknown ones."""
        rows: NDArray[np.int64] = find_keys(self.fingerprints, pages)
        return self.homes[self.host_ids[rows]]


def write_anchors(
    partitions: Sequence[Partition],
    generation: int,
    links: CommittedLinks,
    language: str,
    memory: int,
    unfetched: Sequence[UnfetchedPages],
    tell: Progress,
    note: Note,
) -> tuple[int, ...]:
    """Index anchor text for this generation of the graph; return the number of texts of each partition.

    A text is read in the language of the page with the link, or in `language` if that page is not indexed.
    `unfetched` are the pages of each partition that results may show by their anchor text alone. `note` is
    called with every text.
    """
    addresses = _addresses(partitions, language)
    folders = [partition.anchors_folder(generation) for partition in partitions]
    remove(folders)

    def writers(into: Sequence[Path], shown: Sequence[UnfetchedPages]) -> list[AnchorWriter]:
        known, budget = (addresses.hosts, addresses.languages), memory // len(folders)
        return [AnchorWriter(folder, *known, budget, own) for folder, own in zip(into, shown, strict=True)]

    try:
        nearby = NearbyTextSampler(links.canonical_pages, addresses.linking_hosts)
        deduplicator = AnchorDeduplicator(links.canonical_pages, addresses.linking_hosts)
        of_texts = writers(folders, unfetched)
        for columns in links.columns():
            new_texts = deduplicator.new(columns)
            note(new_texts)
            _add_by_partition(new_texts, addresses, of_texts)
            nearby.note(columns)
            tell(len(columns.targets))
        del deduplicator  # it takes much memory
        texts = tuple(writer.finish() for writer in of_texts)
        of_nearby = writers([folder / NEARBY for folder in folders], [NO_PAGES] * len(folders))
        for columns in links.columns():
            _add_by_partition(nearby.chosen(columns), addresses, of_nearby)
        for writer in of_nearby:
            writer.finish()
    except BaseException:  # half an index is useless, and the disk may be full
        remove(folders)
        raise
    return texts


def _add_by_partition(
    anchors: AnchorColumns, addresses: LinkEndpoints, writers: Sequence[AnchorWriter]
) -> None:
    homes = addresses.partitions(anchors.targets)
    hosts = (anchors.linking_hosts >> LANGUAGE_BITS).astype(np.uint32)
    languages = (anchors.linking_hosts & LANGUAGE_MASK).astype(np.uint32)
    for number, writer in enumerate(writers):
        own = np.flatnonzero(homes == number)
        texts = [anchors.texts[i] for i in own.tolist()]
        writer.add(anchors.targets[own], hosts[own], languages[own], texts)


def _addresses(partitions: Sequence[Partition], language: str) -> LinkEndpoints:
    numbers: dict[str, int] = {"": 0}  # of hosts, in the order in which they are first read
    homes = [-1]
    fingerprints, host_ids = [], []
    for place, partition in enumerate(partitions):
        for piece, names, _ in partition.catalogue.urls_with_hosts():
            fingerprints.append(piece)
            host_ids.append(np.array([numbers.setdefault(name, len(numbers)) for name in names], np.uint32))
        homes += [place] * (len(numbers) - len(homes))
    known = np.concatenate([*fingerprints, [UNKNOWN]])
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
    """The language of each known page, from the index; `language` for pages that are not indexed."""
    indexed = [partition.index.languages() for partition in partitions]
    pages = np.concatenate([fingerprints for fingerprints, _ in indexed])
    spoken = np.concatenate([languages for _, languages in indexed])
    names = np.union1d(spoken, [language])
    ids = np.full(len(known), np.searchsorted(names, language), np.uint16)
    rows = find_keys(known, pages)
    is_known = rows >= 0
    ids[rows[is_known]] = np.searchsorted(names, spoken[is_known])
    return ids, names.tolist()


def remove(folders: Sequence[Path]) -> None:
    """Delete folders, as far as that is possible."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def keep_only(partitions: Sequence[Partition], generation: int) -> None:
    """Remove the anchor-text indexes of all other generations."""
    for partition in partitions:
        wanted = partition.anchors_folder(generation)
        remove([folder for folder in wanted.parent.glob("*") if folder != wanted])


def damages(folder: Path, documents: int) -> Iterator[DamagedFile]:
    """Check an index that should hold this many texts; yield what is damaged."""
    found = [*_damages(folder), *_damages(folder / NEARBY)]
    yield from found
    if not found and sum(entry.documents for entry in Index(folder).manifest().segments) != documents:
        yield DamagedFile(folder / MANIFEST, "it does not list the texts that were written")
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
