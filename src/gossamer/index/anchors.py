"""Texts of links become segments: a document is what one host says, in one language, of one page.

Its fingerprint is that of the page that the link leads to, its host the one that says so. The documents of
a page stand side by side, as those of a segment rise by fingerprint, and those of one host within them. A
text is a document of its own: so no phrase reaches from one into another. It is kept to be shown where the
page was not fetched: then nothing else is known of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.disk import disk_errors, sync_folder
from gossamer.index.columns import Columns, coded
from gossamer.index.fields import FIELDS, Field
from gossamer.index.lexicon import NO_WORDS
from gossamer.index.manifest import Manifest, SegmentEntry, write_manifest
from gossamer.index.postings import invert
from gossamer.index.segment import SegmentContent, write_segment
from gossamer.index.stored_writer import StoredWriter, TextsWriter
from gossamer.index.stream import Stream
from gossamer.index.unfetched import Unfetched, write_unfetched
from gossamer.index.vocabulary import Vocabulary
from gossamer.index.weighting import Weighting
from gossamer.text.analysis import analyser

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
        unfetched: Unfetched | None = None,
    ) -> None:
        self._folder = folder
        self._hosts = hosts
        self._languages = languages
        self._memory = memory
        self._unfetched = unfetched or Unfetched.of((), ())
        self._entries: list[SegmentEntry] = []
        self._start()

    def _start(self) -> None:
        self._vocabulary = Vocabulary()
        self._stream = Stream()
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
