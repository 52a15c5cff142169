"""Which kept page does this one nearly repeat?

The 84 bytes of a sketch are cut into b bands of r = 84/b bytes, and pages that agree in a whole band are
compared (Broder 1997; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", 3.4). Two pages of
resemblance s share a band with the probability

    1 - (1 - s^r)^b,

an S-curve that climbs around s = (1/b)^(1/r). With 12 bands of 7 bytes that is 0.70: pages that resemble
each other by 0.9 meet in 99.96 of 100 cases, by 0.8 in 94, by 0.5 in 9, by 0.3 in 0.3. Those that meet are
compared over the whole sketch. When more than `CROWD` pages share a band, as under a flood of pages from one
mould, only the first ones are found by it: so the time for a page does not grow with their number.
"""

from __future__ import annotations

from math import ceil
from secrets import randbits
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.model import BadSetting
from gossamer.quality.bands_kernel import (
    FIRST,
    RECORD,
    Table,
    enter,
    enter_all,
    nearest,
    record_of,
    take_out,
)
from gossamer.quality.settings import QualitySettings
from gossamer.text.shingles import CHANCE, SKETCH_BYTES, resemblance_of

LOAD = 0.75  # of the table: above, probing takes long
GROWTH = 1.5
SMALLEST = 1024
MOST_RECORDS = RECORD - FIRST


class Sketches:
    """The sketches of all kept pages, in memory: 160 to 200 bytes a page with 12 bands."""

    def __init__(self, settings: QualitySettings) -> None:
        if SKETCH_BYTES % settings.bands:
            raise BadSetting(f"[quality] bands must be a divisor of {SKETCH_BYTES}, not {settings.bands}")
        self._settings = settings
        self._keys = settings.bands + 1
        # The fewest agreeing bytes whose estimate reaches the threshold.
        self._least = ceil(SKETCH_BYTES * (CHANCE + settings.near_duplicates * (1 - CHANCE)) - 1e-9)
        self._free: list[int] = []  # records that may be written again
        self._records = 0  # that have been written, live or not
        self._used = 0  # slots of the table that are not empty
        self._table = Table(
            np.empty(0, np.uint64),
            np.empty((0, SKETCH_BYTES), np.uint8),
            np.empty(0, np.bool_),
            np.zeros(SMALLEST, np.uint32),
            settings.bands,
            np.uint64(randbits(64)),
        )

    def wants(self, words: int) -> bool:
        """Whether a page of so many words is compared at all: others need neither be looked up nor added."""
        return self._settings.near_duplicates < 1 and words >= self._settings.shortest

    def find(self, sketch: bytes, words: int, fingerprint: int) -> tuple[int, float] | None:
        """The kept page that this one resembles most, if by the threshold at least, and by how much.

        Of those that share a band with it; of several alike the one with the smallest fingerprint. The page
        itself, as it was kept before, does not count.
        """
        if not self.wants(words):
            return None
        record, matches = nearest(self._table, _bytes_of(sketch), np.uint64(fingerprint), self._least)
        return (int(self._table.fingerprints[record]), resemblance_of(matches)) if record >= 0 else None

    def add(self, fingerprint: int, sketch: bytes) -> None:
        """A page is kept; what was known of it is replaced."""
        row = _bytes_of(sketch)
        self.remove(fingerprint)
        self._make_room(1)
        if not self._free:
            self._free.append(self._append(1))
        record = self._free.pop()
        self._write(slice(record, record + 1), np.array([fingerprint], np.uint64), row)
        self._used += enter(self._table, record)

    def remove(self, fingerprint: int) -> bool:
        """A page is kept no longer; whether it was known."""
        record = record_of(self._table, np.uint64(fingerprint))
        if record < 0:
            return False
        take_out(self._table, record)
        self._table.live[record] = False
        self._free.append(record)
        return True

    def load(self, fingerprints: NDArray[np.uint64], sketches: NDArray[np.uint8]) -> None:
        """Adds many at once: a sketch of 84 bytes in a row for each fingerprint."""
        if sketches.shape != (len(fingerprints), SKETCH_BYTES):
            raise ValueError(f"{len(fingerprints)} pages need as many sketches, not {sketches.shape}")
        self._make_room(len(fingerprints))
        first = self._append(len(fingerprints))
        self._write(slice(first, self._records), fingerprints, sketches)
        self._used += enter_all(self._table, first, self._records)
        self._free = np.flatnonzero(~self._table.live[: self._records]).tolist()

    def __len__(self) -> int:
        return self._records - len(self._free)

    def _write(self, where: slice, fingerprints: NDArray[np.uint64], sketches: NDArray[np.uint8]) -> None:
        self._table.fingerprints[where] = fingerprints
        self._table.sketches[where] = sketches
        self._table.live[where] = True

    def _make_room(self, pages: int) -> None:
        """In the table, for so many more pages."""
        if self._used + pages * self._keys > LOAD * len(self._table.entries):
            self._rewrite(int(GROWTH / LOAD * (len(self) + pages) * self._keys))

    def _append(self, records: int) -> int:
        """Makes room for more records, not yet live; returns the first."""
        if self._records + records > MOST_RECORDS:
            raise OverflowError(f"more than {MOST_RECORDS} pages in one table of sketches")
        first, self._records = self._records, self._records + records
        fingerprints, sketches, live, *_ = self._table
        if self._records > len(live):
            size = max(int(GROWTH * len(live)), self._records)
            self._table = self._table._replace(
                fingerprints=_longer(fingerprints, size),
                sketches=_longer(sketches, size),
                live=_longer(live, size),
            )
        return first

    def _rewrite(self, slots: int) -> None:
        """Enters everything into a new table, without the marks of what was taken out."""
        self._table = self._table._replace(entries=np.zeros(0, np.uint32))  # not old and new at once
        self._table = self._table._replace(entries=np.zeros(max(SMALLEST, slots), np.uint32))
        self._used = enter_all(self._table, 0, self._records)


def _bytes_of(sketch: bytes) -> NDArray[np.uint8]:
    if len(sketch) != SKETCH_BYTES:
        raise ValueError(f"a sketch has {SKETCH_BYTES} bytes, not {len(sketch)}")
    return np.frombuffer(sketch, np.uint8)


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.empty((size, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
