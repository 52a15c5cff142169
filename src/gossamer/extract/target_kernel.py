# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Where do plainly written links lead?

What is plain stands in `web.url`: nothing to escape, no dot segment but in front, no session or tracking
parameter. Here it may have a port, too, or no scheme. Of these the canonical form is put together from the
base and what is written; all others are left to `canonical`, which gives the same answer for any.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.reference_kernel import BYTE, PARAMETER, PREFIX, copy_bytes, lookup, lower
from gossamer.extract.tag_kernel import find_byte
from gossamer.kernel import kernel, kernel_part

LONGEST_PLAIN = 1_900  # bytes, of what is written and of what comes out
LONGEST_PREFIX = 12  # of the beginnings by which tracking parameters are known
BEGINS, GOES_ON, IN_QUERY, IN_HOST = 1, 2, 4, 8  # what a byte may do: for a segment of a path, and so on
NOT_PLAIN = -1


@kernel_part
def _begins_http(hrefs: NDArray[np.uint8], i: int, end: int) -> int:
    """The length of `http://` or `https://` at i, or 0."""
    if end - i < 8 or hrefs[i] != 104 or hrefs[i + 1] != 116 or hrefs[i + 2] != 116 or hrefs[i + 3] != 112:
        return 0
    k = i + 5 if hrefs[i + 4] == 115 else i + 4
    return k + 3 - i if hrefs[k] == 58 and hrefs[k + 1] == 47 and hrefs[k + 2] == 47 else 0


@kernel_part
def _is_punycode(hrefs: NDArray[np.uint8], i: int) -> bool:
    """Whether `xn--` stands at i."""
    return hrefs[i] == 120 and hrefs[i + 1] == 110 and hrefs[i + 2] == 45 and hrefs[i + 3] == 45


@kernel_part
def _host_end(hrefs: NDArray[np.uint8], i: int, end: int, bytes_may: NDArray[np.uint8]) -> int:
    """Where the host ends that begins at i: labels, the last of which is no number, and none in Punycode."""
    while True:
        label = i
        while i < end and bytes_may[hrefs[i]] & IN_HOST:
            i += 1
        if i == label:
            return NOT_PLAIN
        if i - label >= 4 and _is_punycode(hrefs, label):
            return NOT_PLAIN
        if i == end or hrefs[i] != 46:
            return i if 97 <= hrefs[label] <= 122 else NOT_PLAIN
        i += 1


@kernel_part
def _port_end(hrefs: NDArray[np.uint8], i: int, end: int, default: int) -> int:
    """Where the port ends whose digits begin at i, if it is written as it would be in canonical form."""
    port = np.int64(0)
    first = i
    while i < end and i < first + 6 and 48 <= hrefs[i] <= 57:
        port = 10 * port + np.int64(hrefs[i]) - 48
        i += 1
    if i == first or hrefs[first] == 48 or port > 65_535 or port == default:
        return NOT_PLAIN
    return i


@kernel_part
def _path_end(hrefs: NDArray[np.uint8], i: int, end: int, bytes_may: NDArray[np.uint8]) -> int:
    """Where the path ends whose first segment begins at i."""
    wanted = BEGINS
    while i < end:
        c = np.int64(hrefs[i])
        if c == 63:
            return i
        if c == 47 and wanted == GOES_ON:
            wanted = BEGINS
        elif bytes_may[c] & wanted:
            wanted = GOES_ON
        else:
            return NOT_PLAIN
        i += 1
    return i


@kernel_part
def _is_plain_query(
    hrefs: NDArray[np.uint8], i: int, end: int, bytes_may: NDArray[np.uint8], tables: NDArray[np.int64]
) -> bool:
    """Whether the query behind the `?` before i stays as it is: no empty piece, none that may be dropped."""
    while True:
        first = i
        name = np.uint64(0)
        while i < end and hrefs[i] != 38 and hrefs[i] != 61:
            if not bytes_may[hrefs[i]] & IN_QUERY:
                return False
            name = name << BYTE | lower(np.int64(hrefs[i]))
            i += 1
            if i - first <= LONGEST_PREFIX and lookup(tables, PREFIX, name, i - first, hrefs, first, i):
                return False
        if lookup(tables, PARAMETER, name, i - first, hrefs, first, i):
            return False
        while i < end and hrefs[i] != 38:
            if not bytes_may[hrefs[i]] & IN_QUERY:
                return False
            i += 1
        if i == first:
            return False
        if i == end:
            return True
        i += 1


@kernel_part
def _put_rest(
    hrefs: NDArray[np.uint8],
    i: int,
    end: int,
    out: NDArray[np.uint8],
    p: int,
    bytes_may: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> int:
    """Writes path and query as they stand from i to the end, if they are plain; a bare `?` goes."""
    behind = _path_end(hrefs, i, end, bytes_may)
    if behind == NOT_PLAIN:
        return NOT_PLAIN
    if behind + 1 == end:
        end = behind
    elif behind < end and not _is_plain_query(hrefs, behind + 1, end, bytes_may, tables):
        return NOT_PLAIN
    return copy_bytes(hrefs, i, end, out, p)


@kernel_part
def _put_absolute(
    hrefs: NDArray[np.uint8],
    i: int,
    end: int,
    default: int,
    out: NDArray[np.uint8],
    p: int,
    bytes_may: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> int:
    """Writes what follows the `//` before i: host, port, path and query."""
    behind = _host_end(hrefs, i, end, bytes_may)
    if behind != NOT_PLAIN and behind < end and hrefs[behind] == 58:
        behind = _port_end(hrefs, behind + 1, end, default)
    if behind == NOT_PLAIN or (behind < end and hrefs[behind] != 47):
        return NOT_PLAIN
    p = copy_bytes(hrefs, i, behind, out, p)
    out[p] = 47
    return _put_rest(hrefs, min(behind + 1, end), end, out, p + 1, bytes_may, tables)


@kernel_part
def _put_target(
    hrefs: NDArray[np.uint8],
    i: int,
    end: int,
    base: NDArray[np.uint8],
    origin: int,
    folder: int,
    out: NDArray[np.uint8],
    p: int,
    bytes_may: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> int:
    """Writes the target of what stands from i to the end, and returns the place behind it."""
    scheme = 6 if base[4] == 115 else 5
    if hrefs[i] == 47 and i + 1 < end and hrefs[i + 1] == 47:
        p = copy_bytes(base, 0, scheme + 2, out, p)
        return _put_absolute(hrefs, i + 2, end, 80 if scheme == 5 else 443, out, p, bytes_may, tables)
    if hrefs[i] == 47:
        p = copy_bytes(base, 0, origin + 1, out, p)
        return _put_rest(hrefs, i + 1, end, out, p, bytes_may, tables)
    length = _begins_http(hrefs, i, end)
    if length:
        p = copy_bytes(hrefs, i, i + length, out, p)
        return _put_absolute(hrefs, i + length, end, 80 if length == 7 else 443, out, p, bytes_may, tables)
    if hrefs[i] == 63:
        return _put_rest(hrefs, i, end, out, copy_bytes(base, 0, len(base), out, p), bytes_may, tables)
    if i + 1 < end and hrefs[i] == 46 and hrefs[i + 1] == 47:
        i += 2
    while i + 2 < end and hrefs[i] == 46 and hrefs[i + 1] == 46 and hrefs[i + 2] == 47:
        i += 3
        if folder > origin + 1:  # the root has no folder above it
            folder -= 1
            while base[folder - 1] != 47:
                folder -= 1
    return _put_rest(hrefs, i, end, out, copy_bytes(base, 0, folder, out, p), bytes_may, tables)


@kernel
def plain_targets(
    hrefs: NDArray[np.uint8],
    count: int,
    base: NDArray[np.uint8],
    origin: int,
    folder: int,
    bytes_may: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> tuple[NDArray[np.uint8], NDArray[np.int64], int]:
    """The targets of `count` addresses, divided by line feeds: bytes, the place of each in them, how many
    places are empty (0, 0) because their addresses are not plain.

    `base` is a canonical URL without its query; its path begins at `origin`, its last name at `folder`.
    """
    out = np.empty(len(hrefs) + count * (len(base) + 1), np.uint8)
    places = np.zeros((count, 2), np.int64)
    left = 0
    i = np.int64(0)
    p = np.int64(0)
    for k in range(count):
        end = find_byte(hrefs, i, len(hrefs), 10)
        behind = np.int64(NOT_PLAIN)
        if i < end and end - i + len(base) <= LONGEST_PLAIN:
            behind = np.int64(_put_target(hrefs, i, end, base, origin, folder, out, p, bytes_may, tables))
        if behind == NOT_PLAIN:
            left += 1
        else:
            places[k, 0] = p
            places[k, 1] = behind
            p = behind
        i = end + 1
    return out[:p], places, left
