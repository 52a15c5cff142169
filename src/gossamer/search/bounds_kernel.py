"""Binary search in a piece of an array."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from gossamer.kernel import unchecked_part


@unchecked_part
def lower_bound(values: NDArray[Any], low: int, high: int, wanted: int) -> int:
    """The first place from `low` on, before `high`, whose value is not below the wanted one; else `high`."""
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@unchecked_part
def seek(values: NDArray[Any], low: int, high: int, wanted: int) -> int:
    """The first place from `low` on whose value is not below the wanted one, in steps that double."""
    bound, step = low, 1
    while bound < high and values[bound] < wanted:
        low = bound + 1
        bound += step
        step += step
    return lower_bound(values, low, min(bound, high), wanted)
