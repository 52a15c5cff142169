"""What do links say of pages? An index of the texts of links, opened when it is first asked.

A document of it is one text that leads to a page (`index.anchors`), so words in a row are words of one text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.index.anchors import NEARBY, NOT_KEPT
from gossamer.index.index import Index
from gossamer.index.manifest import NAME as MANIFEST
from gossamer.index.snapshot import Snapshot
from gossamer.index.unfetched import Unfetched, read_unfetched
from gossamer.model import DamagedFile, WrongFormat
from gossamer.search.condition import Anchored, Close, Row
from gossamer.search.restrict import Restriction
from gossamer.search.voices import Voices
from gossamer.search.wordbook import Wordbook

REMEMBERED = 16  # conditions whose pages are remembered: every segment of a search asks again

Texts = Anchored | Row | Close  # what a text of a link can satisfy


class AnchorIndex:
    """The texts of links to the pages of one partition. Safe to use from several threads."""

    def __init__(self, folder: Path, documents: int) -> None:
        """`documents` is how many there must be."""
        self.folder = folder
        self._documents = documents

    def __call__(self, condition: Texts) -> NDArray[np.uint64]:
        """The pages to which a link says this, by fingerprint, rising; not all of them need be indexed."""
        return self._remembered(condition)

    @cached_property
    def snapshot(self) -> Snapshot:
        """Raises DamagedFile where it is not what was written."""
        snapshot = _opened(self.folder)
        if snapshot.documents != self._documents:
            what = f"it names {snapshot.documents} texts of links, {self._documents} were written"
            raise DamagedFile(self.folder / MANIFEST, what)
        return snapshot

    def opened(self) -> AnchorIndex:
        """Itself, with all files open. Raises DamagedFile where one is not what was written."""
        _ = self.snapshot, self.unfetched, self.nearby
        return self

    @cached_property
    def voices(self) -> Voices:
        return Voices(self.snapshot)

    @cached_property
    def nearby(self) -> Voices:
        """The words near the links."""
        return Voices(_opened(self.folder / NEARBY))

    @cached_property
    def wordbook(self) -> Wordbook:
        """What the texts and the words near them know of words."""
        return Wordbook([self.snapshot, self.nearby.snapshot])

    @cached_property
    def unfetched(self) -> Unfetched:
        """The pages that are known by these texts alone, and may be shown."""
        return read_unfetched(self.folder) if self._documents else Unfetched.of((), ())

    def texts(self, page: int) -> tuple[list[str], str]:
        """What links say of a page that was not fetched: first what most hosts say, then what is shorter.

        And the language of one of them.
        """
        said: Counter[str] = Counter()
        language = ""
        for view in self.snapshot.views:
            segment = view.segment
            bounds = np.searchsorted(segment.columns.fingerprints, np.array([page, page + 1], np.uint64))
            slots = segment.stored.slots[bounds[0] : bounds[1]]
            said.update(map(bytes.decode, segment.stored.each(slots[slots != NOT_KEPT])))
            if len(slots):
                language = segment.columns.languages()[int(segment.columns.language_ids[bounds[0]])]
        return sorted(said, key=lambda text: (-said[text], len(text), text)), language

    @cached_property
    def _remembered(self) -> Callable[[Texts], NDArray[np.uint64]]:
        return lru_cache(REMEMBERED)(partial(_pages, self.snapshot))


def _opened(folder: Path) -> Snapshot:
    try:
        return Index(folder).snapshot()
    except WrongFormat as error:
        raise DamagedFile(folder / MANIFEST, "another version wrote it", "run: gossamer rank") from error


def _pages(snapshot: Snapshot, condition: Texts) -> NDArray[np.uint64]:
    asked = Row(condition.slots) if isinstance(condition, Anchored) else condition
    found = [np.empty(0, np.uint64)]
    for view in snapshot.views:
        found.append(view.segment.columns.fingerprints[Restriction(view).allowed(asked)])
    pages = np.sort(np.concatenate(found))  # `np.unique` hashes, and takes longer
    return pages[np.append(pages[1:] != pages[:-1], True)] if len(pages) else pages
