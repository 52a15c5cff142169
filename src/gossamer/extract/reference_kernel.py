# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Which characters does `&amp;` stand for, and which element has this name?

All names, of elements and attributes as of character references, are known by a 64-bit hash of their bytes
(h = h * PRIME + byte, begun with a number for the kind of name) in one table of 64-bit integers, made by
`tables.py`: a name that is not there is unknown, and a stranger who makes one that collides confuses the
reading of his own page only. References as in WHATWG HTML, 13.2.5.72 "Character reference state": the longest
name counts; without its semicolon, in an attribute, it counts only where no letter, digit or `=` follows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel_part

PRIME = np.uint64(1_099_511_628_211)  # unsigned: overflow of signed integers has no meaning in LLVM
ONE = np.uint64(1)


def numbers(first: int, count: int) -> tuple[int, ...]:
    """Constants to give to kernels. Of a NumPy type: Numba compiles a kernel anew for each plain integer."""
    return tuple(np.arange(first, first + count, dtype=np.int64))


# What a hash begins with.
TAG, ATTRIBUTE, ROLE, META, REL, TYPE, STYLE, REFERENCE, PARAMETER, PREFIX, SCHEME = numbers(1, 11)
(HINT,) = numbers(12, 1)

# What is being read: markup, a title, a script, an attribute.
DATA, ESCAPABLE, RAW_TEXT, VALUE = numbers(0, 4)

# Where things stand in the table.
KINDS = 0  # of bytes in text
TRAITS = 256  # of elements by code
WINDOWS = 512  # what the numbers 128 to 159 mean: windows-1252
NAMES = 544
SLOTS = 8_192
TABLE_SIZE = NAMES + 2 * SLOTS

LONGEST_REFERENCE = 31  # CounterClockwiseContourIntegral
LONGEST_BARE = 6  # the longest of those that need no semicolon: Aacute
REPLACEMENT = 0xFFFD
SEMICOLON = np.uint64(59)


@kernel_part
def lookup(tables: NDArray[np.int64], name: int) -> int:
    """What the table, with open addressing and linear probing, says of a name; 0 for nothing."""
    slot = (name ^ (name >> 32)) & (SLOTS - 1)
    while tables[NAMES + 2 * slot] != 0:
        if tables[NAMES + 2 * slot] == name:
            return tables[NAMES + 2 * slot + 1]
        slot = (slot + 1) & (SLOTS - 1)
    return 0


@kernel_part
def is_space(c: int) -> bool:
    """What HTML calls ASCII whitespace."""
    return c == 32 or (9 <= c <= 13 and c != 11)


@kernel_part
def lower(c: int) -> np.uint64:
    """An ASCII capital as its small letter, anything else as it is."""
    return np.uint64(c + 32 if 65 <= c <= 90 else c)


@kernel_part
def hash_token(src: NDArray[np.uint8], i: int, n: int, kind: int) -> int:
    """The hash of the characters from i to n in lower case, without whitespace around them."""
    while i < n and is_space(src[i]):
        i += 1
    while n > i and is_space(src[n - 1]):
        n -= 1
    name = np.uint64(kind)
    for k in range(i, n):
        name = name * PRIME + lower(src[k])
    return np.int64(name)


@kernel_part
def _numbered(src: NDArray[np.uint8], i: int, n: int, tables: NDArray[np.int64]) -> tuple[int, int]:
    """The reference whose digits begin at i, behind `&#`: where it ends (0 without digits), its character."""
    hexadecimal = i < n and (src[i] | 32) == 120
    if hexadecimal:
        i += 1
    first = i
    number = np.int64(0)
    while i < n:
        c = np.int64(src[i])
        if 48 <= c <= 57:
            digit = c - 48
        elif hexadecimal and 97 <= (c | 32) <= 102:
            digit = (c | 32) - 87
        else:
            break
        number = min(number * (16 if hexadecimal else 10) + digit, np.int64(0x110000))
        i += 1
    if i == first:
        return 0, 0
    if i < n and src[i] == 59:
        i += 1
    if number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return i, REPLACEMENT
    if 128 <= number <= 159:
        return i, tables[WINDOWS + number - 128]
    return i, number


@kernel_part
def read_reference(
    src: NDArray[np.uint8], i: int, n: int, mode: int, tables: NDArray[np.int64]
) -> tuple[int, int]:
    """The reference that begins with the `&` at i: where it ends, and its one or two characters.

    Two are packed as first + (second << 21). An `&` that begins none ends where it stands.
    """
    if i + 1 < n and src[i + 1] == 35:
        end, number = _numbered(src, i + 2, n, tables)
        return (end, number) if end else (i, 0)
    name = np.uint64(REFERENCE)
    bare_end, bare = i, np.int64(0)
    k = i + 1
    last = min(n, i + 1 + LONGEST_REFERENCE)
    while k < last and (48 <= src[k] <= 57 or 97 <= (src[k] | 32) <= 122):
        name = name * PRIME + np.uint64(src[k])
        k += 1
        if k - i - 1 <= LONGEST_BARE:
            found = lookup(tables, np.int64(name))
            if found:
                bare_end, bare = k, found
    if k < n and src[k] == 59:
        found = lookup(tables, np.int64(name * PRIME + SEMICOLON))
        if found:
            return k + 1, found
    if mode == VALUE and bare and bare_end < n:
        c = np.int64(src[bare_end])
        if c == 61 or 48 <= c <= 57 or 97 <= (c | 32) <= 122:
            return i, 0
    return bare_end, bare


@kernel_part
def encode(character: int, out: NDArray[np.uint8], p: int) -> int:
    """Writes one character as UTF-8 at p and returns the place behind it."""
    if character < 0x80:
        out[p] = character
        return p + 1
    if character < 0x800:
        out[p] = 0xC0 | character >> 6
        out[p + 1] = 0x80 | character & 63
        return p + 2
    if character < 0x10000:
        out[p] = 0xE0 | character >> 12
        out[p + 1] = 0x80 | character >> 6 & 63
        out[p + 2] = 0x80 | character & 63
        return p + 3
    out[p] = 0xF0 | character >> 18
    out[p + 1] = 0x80 | character >> 12 & 63
    out[p + 2] = 0x80 | character >> 6 & 63
    out[p + 3] = 0x80 | character & 63
    return p + 4


@kernel_part
def copy_bytes(source: NDArray[np.uint8], start: int, end: int, out: NDArray[np.uint8], p: int) -> int:
    """Copies bytes as they are to p and returns the place behind them."""
    # Unsigned, as Numba looks at every signed index whether it counts from the end.
    first, place = np.uint64(start), np.uint64(p)
    for k in range(np.uint64(end - start)):
        out[place + k] = source[first + k]
    return p + end - start


@kernel_part
def copy_value(
    src: NDArray[np.uint8],
    i: int,
    n: int,
    mode: int,
    out: NDArray[np.uint8],
    p: int,
    tables: NDArray[np.int64],
) -> int:
    """Copies an attribute's value or a title with its references read; returns the place behind it.

    Control characters but whitespace go; those that a reference names become spaces.
    """
    while i < n:
        c = np.int64(src[i])
        if c == 38:
            end, found = read_reference(src, i, n, mode, tables)
            if end > i:
                i = end
                first = found & 0x1FFFFF
                p = encode(32 if first < 32 or 127 <= first < 160 else first, out, p)
                if found >> 21:
                    p = encode(found >> 21, out, p)
                continue
        if (c >= 32 and c != 127) or 9 <= c <= 13:
            out[p] = c
            p += 1
        i += 1
    return p
