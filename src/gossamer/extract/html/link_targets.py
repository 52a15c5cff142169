# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Resolve links to canonical URLs, and merge repeated links."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.scan import Scan, decoded, scanner_table
from gossamer.extract.html.tags import BYTE, TABLE, copy_bytes, find_byte, join_pieces, lookup, lower
from gossamer.kernels.kernel import kernel, kernel_part, unchecked_part
from gossamer.model import Links, Url
from gossamer.model.page import NO_LINKS
from gossamer.web.url import OWN, canonical


@lru_cache(maxsize=1)
def address_table() -> NDArray[np.uint8]:
    """Return where each byte may occur in a plain address, with the same classes as `web.url`."""
    table = np.zeros(256, np.uint8)
    word = string.ascii_letters + string.digits + "_"
    for meaning, characters in (
        (BEGINS, word + "~@!$&'()*+,=-"),
        (GOES_ON, word + ".~@!$&'()*+,=-"),
        (IN_QUERY, word + ".~@!$&()*+,=/:-"),
        (IN_HOST, string.ascii_lowercase + string.digits + "_-"),
    ):
        table[list(characters.encode())] |= meaning
    table.setflags(write=False)
    return table


# Kernel: BLAKE2b fingerprint of a URL
# ------------------------------------
#
# RFC 7693: blocks of 128 bytes, twelve rounds of eight mixings G each. A page has a hundred addresses.
# Here each costs a fifth of a call of the library, which takes a microsecond.

BLOCK = 128  # bytes
ROUNDS = 12
PARAMETERS = np.uint64(0x01010008)  # no key, no tree, 8 bytes of output
EVERY_BIT = np.uint64(0xFFFFFFFFFFFFFFFF)

# IV: the square roots of the first eight primes. ORDER: how each round orders the words of a block.
IV = np.array(
    [
        *(0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1),
        *(0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179),
    ],
    np.uint64,
)
_ORDERS = (
    *("0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d"),
    *("2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0"),
)
ORDER = np.array([[int(word, 16) for word in _ORDERS[r % 10]] for r in range(ROUNDS)], np.uint64)


@unchecked_part
def _turned(x: np.uint64, bits: int) -> np.uint64:
    return x >> np.uint64(bits) | x << np.uint64(64 - bits)


@unchecked_part
def _mix(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, x: np.uint64, y: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The function G of RFC 7693: mix two words of the block into four of the state."""
    a = a + b + x
    d = _turned(d ^ a, 32)
    c = c + d
    b = _turned(b ^ c, 24)
    a = a + b + y
    d = _turned(d ^ a, 16)
    c = c + d
    b = _turned(b ^ c, 63)
    return a, b, c, d


@unchecked_part
def _compress(words: NDArray[np.uint64], chain: NDArray[np.uint64], read: int, is_last: bool) -> None:
    """The function F of RFC 7693: mix a block into the chain. `read` counts the bytes up to its end."""
    a0, a1, a2, a3 = chain[0], chain[1], chain[2], chain[3]
    b0, b1, b2, b3 = chain[4], chain[5], chain[6], chain[7]
    c0, c1, c2, c3 = IV[0], IV[1], IV[2], IV[3]
    d0, d1, d2, d3 = IV[4] ^ np.uint64(read), IV[5], IV[6], IV[7]
    if is_last:
        d2 = d2 ^ EVERY_BIT
    for r in range(ROUNDS):
        a0, b0, c0, d0 = _mix(a0, b0, c0, d0, words[ORDER[r, 0]], words[ORDER[r, 1]])
        a1, b1, c1, d1 = _mix(a1, b1, c1, d1, words[ORDER[r, 2]], words[ORDER[r, 3]])
        a2, b2, c2, d2 = _mix(a2, b2, c2, d2, words[ORDER[r, 4]], words[ORDER[r, 5]])
        a3, b3, c3, d3 = _mix(a3, b3, c3, d3, words[ORDER[r, 6]], words[ORDER[r, 7]])
        a0, b1, c2, d3 = _mix(a0, b1, c2, d3, words[ORDER[r, 8]], words[ORDER[r, 9]])
        a1, b2, c3, d0 = _mix(a1, b2, c3, d0, words[ORDER[r, 10]], words[ORDER[r, 11]])
        a2, b3, c0, d1 = _mix(a2, b3, c0, d1, words[ORDER[r, 12]], words[ORDER[r, 13]])
        a3, b0, c1, d2 = _mix(a3, b0, c1, d2, words[ORDER[r, 14]], words[ORDER[r, 15]])
    chain[0] ^= a0 ^ c0
    chain[1] ^= a1 ^ c1
    chain[2] ^= a2 ^ c2
    chain[3] ^= a3 ^ c3
    chain[4] ^= b0 ^ d0
    chain[5] ^= b1 ^ d1
    chain[6] ^= b2 ^ d2
    chain[7] ^= b3 ^ d3


@unchecked_part
def fingerprint(
    text: NDArray[np.uint8], start: int, end: int, words: NDArray[np.uint64], chain: NDArray[np.uint64]
) -> np.uint64:
    """Return the fingerprint of the bytes from start to end; `words` (16) and `chain` (8) are buffers.

    The bounds are checked once: indices into the buffers do not depend on the bytes of the text.
    """
    if not (0 <= start <= end <= len(text) and len(words) >= 16 and len(chain) >= 8):
        raise IndexError("an address would leave its buffer")
    for k in range(8):
        chain[k] = IV[k]
    chain[0] ^= PARAMETERS
    i = start
    while True:
        size = min(end - i, BLOCK)
        for k in range(16):
            words[k] = 0
        for k in range(size):
            words[k >> 3] |= np.uint64(text[i + k]) << np.uint64(8 * (k & 7))
        i += size
        _compress(words, chain, i - start, i >= end)
        if i >= end:
            return chain[0]


# Kernel: one link per target
# ---------------------------
#
# If a target also has links that are not nofollow, words of its nofollow links are ignored.

START, WORDS, NEAR = np.arange(0, 6, 2)  # columns of a begin; the column of the end follows
FLAG = 6
WIDTH = 7


@kernel_part
def _find(number: np.uint64, numbers: NDArray[np.uint64], slots: NDArray[np.int32]) -> int:
    """Return the slot of a fingerprint, or the empty one where it belongs (linear probing)."""
    mask = np.uint64(len(slots) - 1)
    slot = number & mask
    while slots[slot] != 0 and numbers[slots[slot] - 1] != number:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@kernel_part
def _set_place(found: NDArray[np.int64], k: int, column: int, start: int, end: int) -> None:
    found[k, column] = start
    found[k, column + 1] = end


@kernel
def merge(
    targets: NDArray[np.uint8],
    places: NDArray[np.int64],
    anchors: NDArray[np.uint8],
    near: NDArray[np.uint8],
    flags: NDArray[np.uint8],
    own: np.uint64,
    every_flag: int,
    most: int,
) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return fingerprints, flags, targets, anchors and words nearby, the last three as lines.

    The target of link k is `targets` from places[k, 0] to places[k, 1]; it has none if that is empty.
    `anchors` and `near` have a line for each link. Links to the fingerprint `own` are dropped, and so are
    targets beyond the first `most`. A flag is 1 if the link is nofollow.
    """
    count = len(places)
    numbers = np.empty(count, np.uint64)
    found = np.empty((count, WIDTH), np.int64)
    size = 4
    while size < 2 * count:
        size *= 2
    slots = np.zeros(size, np.int32)
    words, chain = np.empty(16, np.uint64), np.empty(8, np.uint64)
    kept = 0
    end, near_end = np.int64(-1), np.int64(-1)
    for k in range(count):
        start, near_start = end + 1, near_end + 1
        end = find_byte(anchors, start, len(anchors), 10)
        near_end = find_byte(near, near_start, len(near), 10)
        if places[k, 0] == places[k, 1]:
            continue
        number = fingerprint(targets, places[k, 0], places[k, 1], words, chain)
        if number == own:
            continue
        slot = _find(number, numbers, slots)
        if slots[slot] != 0:
            first = slots[slot] - 1
            flag = flags[k] | every_flag
            if flag > found[first, FLAG]:
                continue
            vouched = flag < found[first, FLAG]
            found[first, FLAG] = flag
            if vouched or found[first, WORDS] == found[first, WORDS + 1]:
                _set_place(found, first, WORDS, start, end)
            if vouched or found[first, NEAR] == found[first, NEAR + 1]:
                _set_place(found, first, NEAR, near_start, near_end)
        elif kept < most:
            numbers[kept] = number
            _set_place(found, kept, START, places[k, 0], places[k, 1])
            _set_place(found, kept, WORDS, start, end)
            _set_place(found, kept, NEAR, near_start, near_end)
            found[kept, FLAG] = flags[k] | every_flag
            kept += 1
            slots[slot] = kept
    found = found[:kept]
    wishes = found[:, FLAG].astype(np.uint8)
    addresses = join_pieces(targets, found, START)
    said = join_pieces(anchors, found, WORDS)
    return numbers[:kept], wishes, addresses, said, join_pieces(near, found, NEAR)


# Resolve links, cached per folder
# --------------------------------
#
# The target of an address depends only on scheme, authority and folder of its page. So each address is
# resolved once for all pages of a folder. Addresses that are empty or begin with `?` are exceptions:
# they depend on the page itself.

MOST_KNOWN = 100_000  # addresses in the cache, about 50 MB; when it is full, it is cleared

# An address that depends on the page may follow its scheme: on an http page, "http:?x" means "?x".
_OF_THE_PAGE = re.compile(r"[\x00- ]*(?:[hH][\t\n\r]*[tT].*?:[\x00- ]*)?(?:[?#]|$)", re.DOTALL)


class Resolver:
    """Resolver of links with a cache for each folder."""

    def __init__(self, most: int = MOST_KNOWN) -> None:
        self._most = most
        self._count = 0
        self._folders: dict[str, dict[str, Url | None]] = {}

    def targets(self, base: Url, addresses: Sequence[str]) -> list[Url | None]:
        """Resolve addresses on a page with this base; None for those that do not lead to the web."""
        known = self._folder(base)
        try:
            return [known[address] for address in addresses]
        except KeyError:
            return [
                known[address] if address in known else self._learn(known, base, address)
                for address in addresses
            ]

    def target(self, base: Url, address: str) -> Url | None:
        """Resolve one address."""
        return self.targets(base, (address,))[0]

    def _folder(self, base: Url) -> dict[str, Url | None]:
        if self._count > self._most:
            self._folders.clear()
            self._count = 0
        path = base.path.partition("?")[0]
        return self._folders.setdefault(base.origin + path[: path.rindex("/")], {})

    def _learn(self, known: dict[str, Url | None], base: Url, address: str) -> Url | None:
        target = canonical(address, base)
        if not _OF_THE_PAGE.match(address):
            known[address] = target
            self._count += 1
        return target


# Kernel: canonical form of plain links
# -------------------------------------
#
# `web.url` defines plain addresses: nothing to escape, dot segments only at the beginning, no session or
# tracking parameter. Here they may also have a port, or no scheme. Their canonical form is composed of
# parts of the base and of the address. All other addresses are passed to `canonical`, which gives the
# same result for plain ones.

LONGEST_PLAIN = 1_900  # bytes of the base and the address together
LONGEST_PREFIX = 12  # characters of the longest prefix of tracking parameters

# Where a byte may occur: at the beginning of a path segment, later in one, in the query, in the host.
BEGINS, GOES_ON, IN_QUERY, IN_HOST = 1, 2, 4, 8
NOT_PLAIN = -1


@kernel_part
def _begins_http(hrefs: NDArray[np.uint8], i: int, end: int) -> int:
    """Return the length of `http://` or `https://` at i, or 0."""
    if end - i < 8 or hrefs[i] != 104 or hrefs[i + 1] != 116 or hrefs[i + 2] != 116 or hrefs[i + 3] != 112:
        return 0
    k = i + 5 if hrefs[i + 4] == 115 else i + 4
    return k + 3 - i if hrefs[k] == 58 and hrefs[k + 1] == 47 and hrefs[k + 2] == 47 else 0


@kernel_part
def _is_punycode(hrefs: NDArray[np.uint8], i: int) -> bool:
    """Whether `xn--` is at i."""
    return hrefs[i] == 120 and hrefs[i + 1] == 110 and hrefs[i + 2] == 45 and hrefs[i + 3] == 45


@kernel_part
def _host_end(hrefs: NDArray[np.uint8], i: int, end: int, bytes_may: NDArray[np.uint8]) -> int:
    """Return the end of the host at i; NOT_PLAIN if a label is Punycode or the last one may be a number."""
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
    """Return the end of the port whose digits begin at i; NOT_PLAIN if it is not in canonical form."""
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
    """Return the end of the path whose first segment begins at i, or NOT_PLAIN."""
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
    """Whether the query that begins at i is canonical: no empty parameter, and none that may be dropped."""
    while True:
        first = i
        name = np.uint64(0)
        while i < end and hrefs[i] != 38 and hrefs[i] != 61:
            if not bytes_may[hrefs[i]] & IN_QUERY:
                return False
            name = name << BYTE | lower(np.int64(hrefs[i]))
            i += 1
            if i - first <= LONGEST_PREFIX and lookup(tables, TABLE.prefix, name, i - first, hrefs, first, i):
                return False
        if lookup(tables, TABLE.parameter, name, i - first, hrefs, first, i):
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


class Addresses(NamedTuple):
    """Addresses of a page, and what is needed to resolve them."""

    hrefs: NDArray[np.uint8]
    out: NDArray[np.uint8]  # the targets
    bytes_may: NDArray[np.uint8]  # `address_table`
    tables: NDArray[np.int64]  # `scanner_table`


@kernel_part
def _put_rest(addresses: Addresses, i: int, end: int, p: int) -> int:
    """Copy path and query from i on, without a bare `?`; return the end, or NOT_PLAIN."""
    hrefs, bytes_may = addresses.hrefs, addresses.bytes_may
    behind = _path_end(hrefs, i, end, bytes_may)
    if behind == NOT_PLAIN:
        return NOT_PLAIN
    if behind + 1 == end:
        end = behind
    elif behind < end and not _is_plain_query(hrefs, behind + 1, end, bytes_may, addresses.tables):
        return NOT_PLAIN
    return copy_bytes(hrefs, i, end, addresses.out, p)


@kernel_part
def _put_absolute(addresses: Addresses, i: int, end: int, default: int, p: int) -> int:
    """Copy host, port, path and query, which begin at i after `//`; return the end, or NOT_PLAIN."""
    hrefs, out = addresses.hrefs, addresses.out
    behind = _host_end(hrefs, i, end, addresses.bytes_may)
    if behind != NOT_PLAIN and behind < end and hrefs[behind] == 58:
        behind = _port_end(hrefs, behind + 1, end, default)
    if behind == NOT_PLAIN or (behind < end and hrefs[behind] != 47):
        return NOT_PLAIN
    p = copy_bytes(hrefs, i, behind, out, p)
    out[p] = 47
    return _put_rest(addresses, min(behind + 1, end), end, p + 1)


@kernel_part
def _put_target(
    addresses: Addresses, i: int, end: int, base: NDArray[np.uint8], origin: int, folder: int, p: int
) -> int:
    """Write the target of the address from i to the end; return its end in the output, or NOT_PLAIN."""
    hrefs, out = addresses.hrefs, addresses.out
    scheme = 6 if base[4] == 115 else 5
    if hrefs[i] == 47 and i + 1 < end and hrefs[i + 1] == 47:
        p = copy_bytes(base, 0, scheme + 2, out, p)
        return _put_absolute(addresses, i + 2, end, 80 if scheme == 5 else 443, p)
    if hrefs[i] == 47:
        p = copy_bytes(base, 0, origin + 1, out, p)
        return _put_rest(addresses, i + 1, end, p)
    length = _begins_http(hrefs, i, end)
    if length:
        p = copy_bytes(hrefs, i, i + length, out, p)
        return _put_absolute(addresses, i + length, end, 80 if length == 7 else 443, p)
    if hrefs[i] == 63:
        return _put_rest(addresses, i, end, copy_bytes(base, 0, len(base), out, p))
    if i + 1 < end and hrefs[i] == 46 and hrefs[i + 1] == 47:
        i += 2
    while i + 2 < end and hrefs[i] == 46 and hrefs[i + 1] == 46 and hrefs[i + 2] == 47:
        i += 3
        if folder > origin + 1:  # the root has no folder above it
            folder -= 1
            while base[folder - 1] != 47:
                folder -= 1
    return _put_rest(addresses, i, end, copy_bytes(base, 0, folder, out, p))


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
    """Resolve plain addresses, which are separated by line feeds in `hrefs`.

    Returns the bytes of all targets, the place of each in them, and the number of addresses that are not
    plain, whose places are (0, 0). `base` is a canonical URL without its query; its path begins at `origin`,
    its last name at `folder`.
    """
    out = np.empty(len(hrefs) + count * (len(base) + 1), np.uint8)
    addresses = Addresses(hrefs, out, bytes_may, tables)
    places = np.zeros((count, 2), np.int64)
    left = 0
    i = np.int64(0)
    p = np.int64(0)
    for k in range(count):
        end = find_byte(hrefs, i, len(hrefs), 10)
        behind = np.int64(NOT_PLAIN)
        if i < end and end - i + len(base) <= LONGEST_PLAIN:
            behind = np.int64(_put_target(addresses, i, end, base, origin, folder, p))
        if behind == NOT_PLAIN:
            left += 1
        else:
            places[k, 0] = p
            places[k, 1] = behind
            p = behind
        i = end + 1
    return out[:p], places, left


MOST_LINKS = 5_000  # targets of a page; pages with more are traps or dumps


def read_links(scan: Scan, url: Url, base: Url, resolver: Resolver, nofollow: bool) -> Links:
    """Return each target once, in document order, with its first non-empty anchor and the words near it.

    A target is nofollow if all links to it are, or if the page is (`nofollow`). If some links to it are not
    nofollow, the words of the others are ignored. Links of the page to itself are dropped. Addresses are
    relative to `base`.
    """
    if not len(scan.nofollow):
        return NO_LINKS
    targets, places = _targets(scan, base, resolver)
    own = np.uint64(url.fingerprint)
    numbers, flags, addresses, anchors, near = merge(
        targets, places, scan.words, scan.near, scan.nofollow, own, int(nofollow), MOST_LINKS
    )
    nearby = decoded(near)
    return Links(
        numbers.tobytes(),
        flags.tobytes(),
        decoded(addresses),
        decoded(anchors),
        nearby if len(nearby) >= len(numbers) else "",  # line feeds alone are one less
    )


def _targets(scan: Scan, base: Url, resolver: Resolver) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Resolve all addresses: return the bytes of all targets, and the place of each in them."""
    if base.scheme not in OWN:
        nowhere = np.zeros((len(scan.nofollow), 2), np.int64)
        return _completed(scan, base, resolver, np.empty(0, np.uint8), nowhere), nowhere
    origin = len(base.text) - len(base.path)
    page = base.text.partition("?")[0].encode()
    targets, places, left = plain_targets(
        scan.hrefs,
        len(scan.nofollow),
        np.frombuffer(page, np.uint8),
        len(base.text[:origin].encode()),
        page.rindex(b"/") + 1,
        address_table(),
        scanner_table(()),
    )
    return (_completed(scan, base, resolver, targets, places), places) if left else (targets, places)


def _completed(
    scan: Scan, base: Url, resolver: Resolver, targets: NDArray[np.uint8], places: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """Append the targets of addresses that are not plain."""
    addresses = scan.addresses
    missing = np.flatnonzero(places[:, 1] == 0).tolist()
    others = bytearray()
    for number, target in zip(
        missing, resolver.targets(base, [addresses[number] for number in missing]), strict=True
    ):
        if target is not None:
            start = len(targets) + len(others)
            others += target.text.encode()
            places[number] = start, len(targets) + len(others)
    return np.concatenate((targets, np.frombuffer(bytes(others), np.uint8)))
