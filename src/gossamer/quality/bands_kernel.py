"""The table behind `sketches`: open addressing with linear probing, one entry for each key of each record.

A record has a key for each band of its sketch, and one for its fingerprint. An entry is 32 bits: 26 name the
record, and 6 are of the key's hash, so that few records are looked at in vain. What was taken out leaves a
mark that probing goes on over; the table is written anew before entries and marks fill three quarters of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel
from gossamer.text.shingles_kernel import mixed

CROWD = 32  # records that are entered for one band: what more have in common tells nothing
EMPTY, REMOVED, FIRST = 0, 1, 2  # an entry's lower bits are FIRST + its record
RECORD_BITS = 26
RECORD = (1 << RECORD_BITS) - 1
HALF = np.uint64(32)


class Table(NamedTuple):
    """What kernels see of `Sketches`."""

    fingerprints: NDArray[np.uint64]  # of each record
    sketches: NDArray[np.uint8]  # of each record
    live: NDArray[np.bool_]  # whether the record counts
    entries: NDArray[np.uint32]
    bands: int
    salt: np.uint64  # drawn by each process, so that nobody can write pages that meet in one slot


@unchecked_kernel
def band_hash(table: Table, sketch: NDArray[np.uint8], band: int) -> np.uint64:
    """The hash of one band of a sketch."""
    rows = len(sketch) // table.bands
    hashed = table.salt ^ np.uint64(band)
    for i in range(band * rows, (band + 1) * rows):
        hashed = (hashed ^ np.uint64(sketch[i])) * np.uint64(0x9E3779B97F4A7C15)
        hashed ^= hashed >> HALF
    return mixed(hashed)


@unchecked_kernel
def key_hash(table: Table, record: int, key: int) -> np.uint64:
    """The hash of a key of a record: of a band or, behind the bands, of its fingerprint."""
    if key == table.bands:
        return mixed(table.fingerprints[record] ^ table.salt)
    return band_hash(table, table.sketches[record], key)


@unchecked_kernel
def home(table: Table, hashed: np.uint64) -> int:
    """The slot where probing for a hash begins."""
    return signed(((hashed >> HALF) * np.uint64(len(table.entries))) >> HALF)


@unchecked_kernel
def signed(x: np.unsignedinteger[Any]) -> int:
    """Numba counts in floats where signed and unsigned meet."""
    return np.int64(x)  # type: ignore[return-value]


@unchecked_kernel
def tag_of(hashed: np.uint64) -> int:
    return signed(hashed & np.uint64(63))


@unchecked_kernel
def following(table: Table, slot: int) -> int:
    return slot + 1 if slot + 1 < len(table.entries) else 0


@unchecked_kernel
def named(table: Table, slot: int, hashed: np.uint64) -> int:
    """The record that the entry of a slot names, if it may be for this hash; else -1."""
    entry = signed(table.entries[slot])
    return (entry & RECORD) - FIRST if entry > REMOVED and entry >> RECORD_BITS == tag_of(hashed) else -1


@unchecked_kernel
def agreeing(one: NDArray[np.uint8], other: NDArray[np.uint8], first: int, end: int) -> int:
    """In how many of these bytes two sketches agree."""
    same = 0
    for i in range(first, end):
        same += one[i] == other[i]
    return same


@unchecked_kernel
def have_same_key(table: Table, record: int, sketch: NDArray[np.uint8], key: int) -> bool:
    """Whether a record agrees with a sketch in a band; fingerprints need not be asked about."""
    rows = len(sketch) // table.bands
    first = key * rows
    return key < table.bands and agreeing(table.sketches[record], sketch, first, first + rows) == rows


@unchecked_kernel
def record_of(table: Table, fingerprint: np.uint64) -> int:
    """The record of a fingerprint, or -1."""
    hashed = mixed(fingerprint ^ table.salt)
    slot = home(table, hashed)
    while table.entries[slot] != EMPTY:
        record = named(table, slot, hashed)
        if record >= 0 and table.fingerprints[record] == fingerprint:
            return record
        slot = following(table, slot)
    return -1


@unchecked_kernel
def enter(table: Table, record: int) -> int:
    """Enters all keys of a record whose fingerprint is not in the table; says how many empty slots it took.

    There must be one more than that.
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
def take_out(table: Table, record: int) -> None:
    """Takes out all entries of a record.

    From the home of each key the first entry of the record is taken, be it for that key or for another: as
    every key has its turn, and every entry is within reach of its own, none remains.
    """
    for key in range(table.bands + 1):
        slot = home(table, key_hash(table, record, key))
        while table.entries[slot] != EMPTY:
            if table.entries[slot] & RECORD == FIRST + record:
                table.entries[slot] = REMOVED
                break
            slot = following(table, slot)


@unchecked_kernel
def enter_all(table: Table, first: int, end: int) -> int:
    """Enters the live ones of a range of records; one whose fingerprint is known takes the other's place."""
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
def nearest(table: Table, sketch: NDArray[np.uint8], fingerprint: np.uint64, least: int) -> tuple[int, int]:
    """Of the records that share a band with a sketch the one that agrees in most bytes, and in how many.

    In at least so many, else -1; not that of this fingerprint; of several that of the smallest fingerprint.
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
