"""How do the pages of several segments become those of one?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.index.files import arrays_writer
from gossamer.index.stored import Stored
from gossamer.index.stored_writer import AT_ONCE, PagesWriter


def merge_stored(
    path: Path, parts: Sequence[Stored], masks: Sequence[NDArray[np.bool_]], order: NDArray[np.int64]
) -> None:
    """Writes what is shown of the pages that the masks leave.

    The dictionary is that of the largest part. What was compressed by it is not opened.
    """
    slots = []
    largest = max([part for part in parts if len(part.dictionary)], key=_size, default=None)
    dictionary = largest.dictionary.tobytes() if largest else b""
    with arrays_writer(path) as out:
        writer = PagesWriter(partial(out.append, "data"), dictionary)
        for stored, mask in zip(parts, masks, strict=True):
            lives = np.zeros(len(stored.slots), np.bool_)
            lives[stored.slots[mask]] = True
            places = len(writer) + np.cumsum(lives) - lives
            slots.append(places[stored.slots[mask]].astype(np.uint32))
            if dictionary and stored.dictionary.tobytes() == dictionary:
                _take_over(writer, stored, np.flatnonzero(lives))
            else:
                writer.extend(stored.each(np.flatnonzero(lives).astype(np.uint32)))
        writer.settle()
        writer.finish(out, np.concatenate(slots)[order])


def _size(stored: Stored) -> int:
    return len(stored.data)


def _take_over(writer: PagesWriter, stored: Stored, pages: NDArray[np.int64]) -> None:
    """Adds the pages that live: those in a row at once."""
    for row in np.split(pages, np.flatnonzero(np.diff(pages) > 1) + 1):
        for first in range(0, len(row), AT_ONCE):
            some = row[first : first + AT_ONCE]
            writer.take_over(stored, int(some[0]), int(some[-1]) + 1)
