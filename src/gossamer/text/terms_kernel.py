# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="assignment, no-any-return"
"""Looks up the terms of numbered words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel

NOT_ASKED = np.uint32(0xFFFFFFFF)  # instead of a term


@kernel
def look_up(
    words: NDArray[np.uint32],
    starts: NDArray[np.int64],
    languages: NDArray[np.int64],
    language: int,
    table: NDArray[np.uint32],
    terms: NDArray[np.uint32],
    unknown: NDArray[np.int64],
) -> int:
    """Fills the terms of all stretches in a language, and lists where words have none; how many these are.

    Stretch s is words[starts[s] : starts[s + 1]].
    """
    count = 0
    for stretch in range(len(languages)):
        if languages[stretch] != language:
            continue
        for at in range(starts[stretch], starts[stretch + 1]):
            terms[at] = table[words[at]]
            if terms[at] == NOT_ASKED:
                unknown[count] = at
                count += 1
    return count
