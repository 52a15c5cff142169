"""Which results say nearly the same as a better one?

Their sketches of 84 bytes tell (`text.shingles`). Two texts of resemblance R agree in a byte with a
probability of about R, in four bytes in a row with R^4, and so in any of the 21 groups of four with
1 - (1 - R^4)^21: 0.99998 at R = 0.8, 0.74 at R = 0.5. Only results that agree in a group are compared byte by
byte; in most answers there are none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernels_are_loaded
from gossamer.results.folding_kernel import NOBODY, find_copies
from gossamer.text.shingles import CHANCE, SKETCH_BYTES

Sketches = NDArray[np.uint8]  # a row a result, best first; zeros where there is none


def folded(sketches: Sketches, least: float) -> dict[int, int]:
    """Of each result that says nearly the same as a better one, that one; chains are not followed.

    `least` is the resemblance from which on they do. A result that is folded folds no others.
    """
    needed = SKETCH_BYTES * (CHANCE + least * (1 - CHANCE)) - 1e-9
    if not kernels_are_loaded():
        return _without_kernel(sketches, needed) if sketches.any() else {}
    original = np.empty(len(sketches), np.int64)
    sketches = np.ascontiguousarray(sketches)
    bits = len(sketches).bit_length() + 1  # at most half of the places are taken
    table = np.empty(1 << bits, np.int64)
    shift = np.uint64(32 - bits)
    if not find_copies(sketches, sketches.view(np.uint32), needed, table, shift, original):
        return {}
    copies = np.flatnonzero(original != NOBODY)
    return dict(zip(copies.tolist(), original[copies].tolist(), strict=True))


def _without_kernel(sketches: Sketches, needed: float) -> dict[int, int]:
    """The same by arrays of all results."""
    found: dict[int, int] = {}
    kept: list[int] = []
    for place in _suspects(sketches).tolist():
        same = np.count_nonzero(sketches[kept] == sketches[place], axis=1)
        if len(same) and same.max() >= needed:
            found[place] = kept[int(np.argmax(same >= needed))]
        else:
            kept.append(place)
    return found


def _suspects(sketches: Sketches) -> NDArray[np.int64]:
    """The results that agree with another in a group of four bytes."""
    groups = np.ascontiguousarray(np.ascontiguousarray(sketches).view(np.uint32).T)  # a row a group
    ordered = np.sort(groups, axis=1)
    repeated = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != 0)
    alike = np.zeros(len(sketches), np.bool_)
    for row in np.flatnonzero(repeated.any(axis=1)):
        alike |= np.isin(groups[row], ordered[row, 1:][repeated[row]])
    return np.flatnonzero(alike)
