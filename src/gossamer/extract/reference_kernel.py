# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Names of elements, attributes and character references: their hash tables, and reading `&amp;`.

Each kind of name has a hash table of its own in one array of 64-bit integers, made by `tables.py`. The key is
the length of a name and its last eight bytes, packed into one integer while the name is read. That is the
whole of most names; a longer one is compared byte by byte, so that no crafted name is taken for another.
References as in WHATWG HTML, 13.2.5.72 "Character reference state": the longest name counts; without its
semicolon, in an attribute, it counts only where no letter, digit or `=` follows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel_part, rare_part, unchecked_part

# Unsigned: overflow of signed integers has no meaning in LLVM.
ONE = np.uint64(1)
BYTE = np.uint64(8)  # bits
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: the upper bits of a product depend on all bits
UPPER = np.uint64(40)


def numbers(first: int, count: int) -> tuple[int, ...]:
    """Constants to give to kernels. Of a NumPy type: Numba compiles a kernel anew for each plain integer."""
    return tuple(np.arange(first, first + count, dtype=np.int64))


# Kinds of names.
TAG, ATTRIBUTE, ROLE, META, REL, TYPE, STYLE, REFERENCE, PARAMETER, PREFIX, SCHEME, HINT = numbers(0, 12)
NAME_KINDS = 12

# What is being read: markup, a title, a script, an attribute.
DATA, ESCAPABLE, RAW_TEXT, VALUE = numbers(0, 4)

# Where things stand in the table.
KINDS = 0  # of bytes in text
TRAITS = 256  # of elements by code
WINDOWS = 512  # what the numbers 128 to 159 mean: windows-1252
DIRECTORY = 544  # of each kind of name: where its hash table begins, and its number of slots less one
NAMES = DIRECTORY + 2 * NAME_KINDS  # the hash tables, then the spelling of all names
SLOT_WIDTH = 4  # last eight bytes of a name, its length (0 in an empty slot), its value, where it is spelled
PACKED = 8  # bytes of a name that its key holds

LONGEST_REFERENCE = 31  # CounterClockwiseContourIntegral
LONGEST_BARE = 6  # the longest of those that need no semicolon: Aacute
REPLACEMENT = 0xFFFD
SEMICOLON = np.uint64(59)


@rare_part
def _is_spelled(
    tables: NDArray[np.int64], word: int, length: int, kind: int, src: NDArray[np.uint8], i: int, n: int
) -> bool:
    """Compare the characters from i to n with the name that is spelled at `word`.

    Only references distinguish capitals. Whitespace in a style declaration does not count.
    """
    k = np.int64(0)
    for at in range(i, n):
        c = np.int64(src[at])
        if kind == STYLE and (is_space(c) or c == 11):
            continue
        if kind != REFERENCE and 65 <= c <= 90:
            c += 32
        if k == length or c != tables[word + (k >> 3)] >> ((k & 7) << 3) & 255:
            return False
        k += 1
    return k == length


@kernel_part
def lookup(
    tables: NDArray[np.int64],
    kind: int,
    name: np.uint64,
    length: int,
    src: NDArray[np.uint8],
    i: int,
    n: int,
) -> int:
    """Look up the name from i to n, whose last bytes are packed in `name`; 0 if its kind has no such name.

    Open addressing with linear probing.
    """
    first = tables[DIRECTORY + 2 * kind]
    mask = tables[DIRECTORY + 2 * kind + 1]
    slot = np.int64((name + np.uint64(length)) * SPREAD >> UPPER) & mask
    while True:
        at = first + SLOT_WIDTH * slot
        if tables[at + 1] == 0:
            return 0
        if (
            tables[at] == np.int64(name)
            and tables[at + 1] == length
            and (length <= PACKED or _is_spelled(tables, tables[at + 3], length, kind, src, i, n))
        ):
            return tables[at + 2]
        slot = (slot + 1) & mask


@kernel_part
def is_space(c: int) -> bool:
    """What HTML calls ASCII whitespace."""
    return c == 32 or (9 <= c <= 13 and c != 11)


@kernel_part
def lower(c: int) -> np.uint64:
    """An ASCII capital as its small letter, anything else as it is."""
    return np.uint64(c + 32 if 65 <= c <= 90 else c)


@kernel_part
def token_value(src: NDArray[np.uint8], i: int, n: int, kind: int, tables: NDArray[np.int64]) -> int:
    """Look up the characters from i to n, in any case and without whitespace around them; 0 if unknown."""
    while i < n and is_space(src[i]):
        i += 1
    while n > i and is_space(src[n - 1]):
        n -= 1
    name = np.uint64(0)
    for k in range(i, n):
        name = name << BYTE | lower(src[k])
    return lookup(tables, kind, name, n - i, src, i, n)


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
    name = np.uint64(0)
    bare_end, bare = i, np.int64(0)
    k = i + 1
    last = min(n, i + 1 + LONGEST_REFERENCE)
    while k < last and (48 <= src[k] <= 57 or 97 <= (src[k] | 32) <= 122):
        name = name << BYTE | np.uint64(src[k])
        k += 1
        if k - i - 1 <= LONGEST_BARE:
            found = lookup(tables, REFERENCE, name, k - i - 1, src, i + 1, k)
            if found:
                bare_end, bare = k, found
    if k < n and src[k] == 59:
        found = lookup(tables, REFERENCE, name << BYTE | SEMICOLON, k - i, src, i + 1, k + 1)
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


@unchecked_part
def copy_bytes(source: NDArray[np.uint8], start: int, end: int, out: NDArray[np.uint8], p: int) -> int:
    """Copy bytes to p and return the place behind them. The bounds are checked once, not for each byte."""
    if not (0 <= start <= end <= len(source) and 0 <= p <= len(out) - (end - start)):
        raise IndexError("a copy would leave its buffer")
    # Unsigned, as Numba looks at every signed index whether it counts from the end.
    first, place = np.uint64(start), np.uint64(p)
    for k in range(np.uint64(end - start)):
        out[place + k] = source[first + k]
    return p + end - start


@unchecked_part
def plain_end(src: NDArray[np.uint8], i: int, n: int) -> int:
    """Find where a run of characters ends that are neither `&` nor controls.

    The bounds are checked once, not for each byte.
    """
    if i < 0 or n < 0 or n > len(src):
        raise IndexError("a value would leave the document")
    k, last = np.uint64(i), np.uint64(n)
    while k < last and src[k] >= 32 and src[k] != 38 and src[k] != 127:
        k += ONE
    return np.int64(k)


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
        end = plain_end(src, i, n)
        p = copy_bytes(src, i, end, out, p)
        i = end
        if i == n:
            break
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
        if c == 38 or 9 <= c <= 13:
            out[p] = c
            p += 1
        i += 1
    return p
