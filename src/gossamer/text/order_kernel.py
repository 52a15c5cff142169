# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return, index, call-overload, operator"
"""In which order do strings come? That of their bytes.

The first eight bytes of a string, as one number, nearly decide; only those that have them in common are
compared byte by byte. String s is arena[bounds[s] : bounds[s + 1]].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel, kernel_part
from gossamer.text.borders_kernel import EIGHT, ONE, TOP_BYTE, ZERO


@kernel
def heads_of(
    arena: NDArray[np.uint8], bounds: NDArray[np.int64], numbers: NDArray[np.uint32]
) -> NDArray[np.uint64]:
    """The first eight bytes of each string as a number that rises with them."""
    heads = np.empty(len(numbers), np.uint64)
    for i in range(len(numbers)):
        begin, end = np.uint64(bounds[numbers[i]]), np.uint64(bounds[numbers[i] + 1])
        head, shift = ZERO, TOP_BYTE
        for at in range(begin, min(end, begin + EIGHT)):
            head |= np.uint64(arena[at]) << shift
            shift -= EIGHT
        heads[i] = head
    return heads


@kernel_part
def comes_before(arena: NDArray[np.uint8], bounds: NDArray[np.int64], one: int, other: int) -> bool:
    """Whether a string sorts before another, whose first eight bytes are the same."""
    a, b = np.uint64(bounds[one]) + EIGHT, np.uint64(bounds[other]) + EIGHT
    a_end, b_end = np.uint64(bounds[one + 1]), np.uint64(bounds[other + 1])
    while a < a_end and b < b_end and arena[a] == arena[b]:
        a += ONE
        b += ONE
    if a >= a_end or b >= b_end:
        return a >= a_end and b < b_end
    return arena[a] < arena[b]


@kernel_part
def merge_halves(
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    source: NDArray[np.uint32],
    target: NDArray[np.uint32],
    begin: int,
    middle: int,
    end: int,
) -> None:
    """Merges two sorted stretches of the source into the target."""
    left, right = begin, middle
    for at in range(begin, end):
        if right < end and (
            left == middle or comes_before(arena, bounds, np.int64(source[right]), np.int64(source[left]))
        ):
            target[at] = source[right]
            right += 1
        else:
            target[at] = source[left]
            left += 1


@kernel
def sort_alike(
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    heads: NDArray[np.uint64],
    numbers: NDArray[np.uint32],
) -> None:
    """Puts strings that are in the order of their heads into full order, by merging where heads are equal."""
    source, target = numbers, np.empty_like(numbers)
    first = 0
    while first < len(numbers):
        last = first + 1
        while last < len(numbers) and heads[last] == heads[first]:
            last += 1
        width = 1
        while width < last - first:
            for begin in range(first, last, 2 * width):
                middle, end = min(begin + width, last), min(begin + 2 * width, last)
                merge_halves(arena, bounds, source, target, begin, middle, end)
            for place in range(first, last):
                source[place] = target[place]
            width *= 2
        first = last
