"""Find near duplicates by banded sketches (LSH).

The 84 bytes of a sketch are cut into b bands of r = 84/b bytes. Pages that agree in a whole band are compared
over the whole sketch (Broder 1997; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", 3.4). Two
pages of resemblance s share a band with the probability

    1 - (1 - s^r)^b,

an S-curve that is steepest near s = (1/b)^(1/r). With 12 bands of 7 bytes that is 0.70. A pair of pages is
compared with a probability of 99.96% for a resemblance of 0.9, 94% for 0.8, 9% for 0.5 and 0.3% for 0.3.
If more than `CROWD` pages share a band, for example pages from one template, only the first ones are found by
it. So the time for a page does not grow with their number.
"""

from __future__ import annotations

from math import ceil
from secrets import randbits
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.duplicates.settings import QualitySettings
from gossamer.kernels.kernel import unchecked_kernel
from gossamer.model import BadSetting
from gossamer.text.shingles import CHANCE, SKETCH_BYTES, mixed, resemblance_of

# Kernels: LSH band table
# -----------------------
#
# A record has a key for each band of its sketch, and one for its fingerprint. The table is a hash table
# with open addressing. An entry has 32 bits: 26 are the number of the record, and 6 come from the hash of
# the key, so that few unequal records are compared. A removed entry leaves a mark, and probing continues
# past it. The table is rebuilt before entries and marks fill three quarters of it.

CROWD = 32  # records that are entered for one band; a band that more pages share is not distinctive
EMPTY, REMOVED, FIRST = 0, 1, 2  # the lower bits of an entry are FIRST + its record
RECORD_BITS = 26
RECORD = (1 << RECORD_BITS) - 1
HALF = np.uint64(32)


class SketchTable(NamedTuple):
    """The arrays of a `NearDuplicateIndex`, as kernels use them."""

    fingerprints: NDArray[np.uint64]  # of each record
    sketches: NDArray[np.uint8]  # of each record
    live: NDArray[np.bool_]  # whether the record counts
    entries: NDArray[np.uint32]
    bands: int
    salt: np.uint64  # random in each process, so that nobody can craft pages that collide in one slot


@unchecked_kernel
def band_hash(table: SketchTable, sketch: NDArray[np.uint8], band: int) -> np.uint64:
    """Return the hash of one band of a sketch."""
    rows = len(sketch) // table.bands
    hashed = table.salt ^ np.uint64(band)
    for i in range(band * rows, (band + 1) * rows):
        hashed = (hashed ^ np.uint64(sketch[i])) * np.uint64(0x9E3779B97F4A7C15)
        hashed ^= hashed >> HALF
    return mixed(hashed)


@unchecked_kernel
def key_hash(table: SketchTable, record: int, key: int) -> np.uint64:
    """Return the hash of a key of a record. Keys 0 to bands - 1 are bands, key `bands` is the fingerprint."""
    if key == table.bands:
        return mixed(table.fingerprints[record] ^ table.salt)
    return band_hash(table, table.sketches[record], key)


@unchecked_kernel
def home(table: SketchTable, hashed: np.uint64) -> int:
    """Return the slot where probing for a hash begins."""
    return signed(((hashed >> HALF) * np.uint64(len(table.entries))) >> HALF)


@unchecked_kernel
def signed(x: np.unsignedinteger[Any]) -> int:
    """Convert to a signed integer: Numba turns mixed signed and unsigned arithmetic into floats."""
    return np.int64(x)  # type: ignore[return-value]


@unchecked_kernel
def tag_of(hashed: np.uint64) -> int:
    return signed(hashed & np.uint64(63))


@unchecked_kernel
def following(table: SketchTable, slot: int) -> int:
    return slot + 1 if slot + 1 < len(table.entries) else 0


@unchecked_kernel
def named(table: SketchTable, slot: int, hashed: np.uint64) -> int:
    """Return the record of the entry in a slot if its hash bits match, else -1."""
    entry = signed(table.entries[slot])
    return (entry & RECORD) - FIRST if entry > REMOVED and entry >> RECORD_BITS == tag_of(hashed) else -1


@unchecked_kernel
def agreeing(one: NDArray[np.uint8], other: NDArray[np.uint8], first: int, end: int) -> int:
    """Return the number of bytes, from `first` to before `end`, in which two sketches agree."""
    same = 0
    for i in range(first, end):
        same += one[i] == other[i]
    return same


@unchecked_kernel
def have_same_key(table: SketchTable, record: int, sketch: NDArray[np.uint8], key: int) -> bool:
    """Return whether a record agrees with a sketch in a band; False for the fingerprint key."""
    rows = len(sketch) // table.bands
    first = key * rows
    return key < table.bands and agreeing(table.sketches[record], sketch, first, first + rows) == rows


@unchecked_kernel
def record_of(table: SketchTable, fingerprint: np.uint64) -> int:
    """Return the record of a fingerprint, or -1."""
    hashed = mixed(fingerprint ^ table.salt)
    slot = home(table, hashed)
    while table.entries[slot] != EMPTY:
        record = named(table, slot, hashed)
        if record >= 0 and table.fingerprints[record] == fingerprint:
            return record
        slot = following(table, slot)
    return -1


@unchecked_kernel
def enter(table: SketchTable, record: int) -> int:
    """Enter all keys of a record whose fingerprint is not in the table; return how many empty slots it took.

    The table must have at least one more empty slot than that.
    """
    taken = 0
    for key in range(table.bands + 1):
        hashed = key_hash(table, record, key)
        slot, free, crowd = home(table, hashed), -1, 0
        while table.entries[slot] != EMPTY and crowd < CROWD:
            if table.entries[slot] == REMOVED and free < 0:
                free = slot
            other = named(table, slot, hashed)
            if other >= 0 and have_same_key(table, other, table.sketches[record], key):
                crowd += 1
            slot = following(table, slot)
        if crowd < CROWD:
            taken += 1 if free < 0 else 0
            entry = tag_of(hashed) << RECORD_BITS | (FIRST + record)
            table.entries[slot if free < 0 else free] = entry
    return taken


@unchecked_kernel
def take_out(table: SketchTable, record: int) -> None:
    """Remove all entries of a record.

    For each key, probing starts at the home slot of the key and removes the first entry of the record. This
    entry may belong to another key of the record. But there are as many keys as entries, and each entry can
    be reached from the home slot of its own key. So all entries are removed.
    """
    for key in range(table.bands + 1):
        slot = home(table, key_hash(table, record, key))
        while table.entries[slot] != EMPTY:
            if table.entries[slot] & RECORD == FIRST + record:
                table.entries[slot] = REMOVED
                break
            slot = following(table, slot)


@unchecked_kernel
def enter_all(table: SketchTable, first: int, end: int) -> int:
    """Enter the live records of a range; a record replaces an earlier one with the same fingerprint."""
    taken = 0
    for record in range(first, end):
        if table.live[record]:
            known = record_of(table, table.fingerprints[record])
            if known >= 0:
                take_out(table, known)
                table.live[known] = False
            taken += enter(table, record)
    return taken


@unchecked_kernel
def nearest(
    table: SketchTable, sketch: NDArray[np.uint8], fingerprint: np.uint64, least: int
) -> tuple[int, int]:
    """Find the record that agrees with a sketch in most bytes; return it and the number of these bytes.

    Only records that share a band with the sketch and agree in at least `least` bytes count; -1 if there is
    none. The record of `fingerprint` itself does not count. Of several equal records, the one with the
    smallest fingerprint is returned.
    """
    best, most = -1, least
    for band in range(table.bands):
        hashed = band_hash(table, sketch, band)
        slot = home(table, hashed)
        while table.entries[slot] != EMPTY:
            record = named(table, slot, hashed)
            slot = following(table, slot)
            if record < 0 or record == best or not have_same_key(table, record, sketch, band):
                continue
            found = agreeing(table.sketches[record], sketch, 0, len(sketch))
            other = table.fingerprints[record]
            is_first = best < 0 or found > most or other < table.fingerprints[best]
            if found >= most and is_first and other != fingerprint:
                best, most = record, found
    return best, most


LOAD = 0.75  # largest share of slots in use; above it, probing is slow
GROWTH = 1.5  # factor by which arrays grow
SMALLEST = 1024  # slots
MOST_RECORDS = RECORD - FIRST


class NearDuplicateIndex:
    """The sketches of all kept pages, in memory: 160 to 200 bytes for each page with 12 bands."""

    def __init__(self, settings: QualitySettings) -> None:
        if SKETCH_BYTES % settings.bands:
            raise BadSetting(f"[quality] bands must be a divisor of {SKETCH_BYTES}, not {settings.bands}")
        self._settings = settings
        self._keys = settings.bands + 1
        # The fewest agreeing bytes whose estimate reaches the threshold.
        self._least = ceil(SKETCH_BYTES * (CHANCE + settings.near_duplicate_threshold * (1 - CHANCE)) - 1e-9)
        self._free: list[int] = []  # records that may be reused
        self._records = 0  # records written so far, live or not
        self._used = 0  # slots of the table that are not empty
        self._table = SketchTable(
            np.empty(0, np.uint64),
            np.empty((0, SKETCH_BYTES), np.uint8),
            np.empty(0, np.bool_),
            np.zeros(SMALLEST, np.uint32),
            settings.bands,
            np.uint64(randbits(64)),
        )

    def wants(self, words: int) -> bool:
        """Return whether pages with this number of words are looked up and added."""
        settings = self._settings
        return settings.near_duplicate_threshold < 1 and words >= settings.near_duplicate_min_words

    def find(self, sketch: bytes, words: int, fingerprint: int) -> tuple[int, float] | None:
        """Return the most similar kept page and its resemblance; None if that is below the threshold.

        Only pages that share a band are compared, without the earlier version of the page itself. Of several
        equally similar pages, the one with the smallest fingerprint is returned.
        """
        if not self.wants(words):
            return None
        record, matches = nearest(self._table, _bytes_of(sketch), np.uint64(fingerprint), self._least)
        return (int(self._table.fingerprints[record]), resemblance_of(matches)) if record >= 0 else None

    def add(self, fingerprint: int, sketch: bytes) -> None:
        """Add the sketch of a page, or replace it."""
        row = _bytes_of(sketch)
        self.remove(fingerprint)
        self._make_room(1)
        if not self._free:
            self._free.append(self._append(1))
        record = self._free.pop()
        self._write(slice(record, record + 1), np.array([fingerprint], np.uint64), row)
        self._used += enter(self._table, record)

    def remove(self, fingerprint: int) -> bool:
        """Remove the sketch of a page; return whether there was one."""
        record = record_of(self._table, np.uint64(fingerprint))
        if record < 0:
            return False
        take_out(self._table, record)
        self._table.live[record] = False
        self._free.append(record)
        return True

    def load(self, fingerprints: NDArray[np.uint64], sketches: NDArray[np.uint8]) -> None:
        """Add many pages at once: row i of `sketches` is the 84-byte sketch of fingerprint i."""
        if sketches.shape != (len(fingerprints), SKETCH_BYTES):
            raise ValueError(
                f"{len(fingerprints)} fingerprints do not fit sketches of shape {sketches.shape}"
            )
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
        """Make room in the hash table for this number of further pages."""
        if self._used + pages * self._keys > LOAD * len(self._table.entries):
            self._rewrite(int(GROWTH / LOAD * (len(self) + pages) * self._keys))

    def _append(self, records: int) -> int:
        """Make room for more records, not yet live; return the first of them."""
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
        """Build the hash table anew, without the marks of removed entries."""
        self._table = self._table._replace(entries=np.zeros(0, np.uint32))  # free the old table first
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
