# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""What is the fingerprint of an address? That of `model.url`, for kernels: BLAKE2b with a digest of 8 bytes.

RFC 7693: blocks of 128 bytes, twelve rounds of eight mixings G each. To call the library costs a microsecond
for each address, and a page has a hundred; here it is a fifth of that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_part

BLOCK = 128  # bytes
ROUNDS = 12
PARAMETERS = np.uint64(0x01010008)  # no key, no tree, 8 bytes wanted
EVERY_BIT = np.uint64(0xFFFFFFFFFFFFFFFF)

# The square roots of the first eight primes, and which words of the block each round mixes in.
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
    """The function G: two words of the block go into four of the state."""
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
    """The function F: a block goes into the chain; `read` bytes have been so far, with it."""
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
    """The fingerprint of the bytes from start to end; `words` (16) and `chain` (8) are room to work in.

    The bounds are checked once: places in the rooms depend on no byte of the text.
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
