"""One dictionary out of several, for merging segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary import Dictionary, dictionary_of
from gossamer.index.union_kernel import merge_terms


def union(
    dictionaries: Sequence[Dictionary], living: Sequence[NDArray[np.int64]]
) -> tuple[Dictionary, list[NDArray[np.uint32]]]:
    """The dictionary of all terms that live, and the number there of each term of each dictionary.

    living[i] says how often each term of dictionary i occurs. A term is written as in the dictionary in which
    it occurs most often; the number of one that lives nowhere says nothing.
    """
    sizes = np.array([one.blocks.sizes for one in dictionaries], np.int64).reshape(-1, 3)
    terms, longest, size = int(sizes[:, 0].sum()), int(sizes[:, 1].max(initial=0)), int(sizes[:, 2].sum())
    data, data_starts = _joined([one.blocks.data for one in dictionaries])
    lines = [np.frombuffer(one.form_lines, np.uint8) for one in dictionaries]
    forms, form_starts = _joined(lines)
    alive, first_terms = _joined(living)
    arena, bounds = np.empty(size, np.uint8), np.zeros(terms + 1, np.int64)
    merged_forms, tables = np.empty(len(forms), np.uint8), np.zeros(terms, np.uint32)
    count, form_size = merge_terms(
        data,
        data_starts,
        first_terms,
        forms,
        form_starts,
        alive,
        longest,
        arena,
        bounds,
        merged_forms,
        tables,
    )
    merged = dictionary_of(
        arena, bounds, np.arange(count, dtype=np.uint32), merged_forms[:form_size].tobytes()
    )
    return merged, np.split(tables, first_terms[1:-1])


def _joined(arrays: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The arrays in one, and where each begins, and the end."""
    starts = np.zeros(len(arrays) + 1, np.int64)
    np.cumsum([len(array) for array in arrays], out=starts[1:])
    return np.concatenate(arrays), starts
