# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""Merges sorted dictionaries into one.

A cursor stands on a living term of each dictionary and holds its bytes. The first eight of them, as one
number, decide nearly always which comes first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary_kernel import BLOCK, EIGHT, END, ONE, TOP_BYTE, ZERO
from gossamer.kernel import kernel, kernel_part

LINE_FEED = ord("\n")
# The columns of a cursor: the number of its term, where to read on, where its form begins and ends, the bytes
# of its term, and how many of them its block shares.
NUMBER, AT, FORM, FORM_END, LENGTH, SHARED = 0, 1, 2, 3, 4, 5
COLUMNS = 6


@kernel_part
def read_piece(data: NDArray[np.uint8], at: int, term: NDArray[np.uint8], length: int) -> tuple[int, int]:
    """Copies a piece of a block behind so many bytes of a term; where the next begins, and the new length."""
    i, end = np.uint64(at), np.uint64(length)
    while data[i] != END:
        term[end] = data[i]
        i += ONE
        end += ONE
    return np.int64(i + ONE), np.int64(end)


@kernel_part
def advance(
    k: int,
    cursors: NDArray[np.int64],
    current: NDArray[np.uint8],
    heads: NDArray[np.uint64],
    data: NDArray[np.uint8],
    first_terms: NDArray[np.int64],
    forms: NDArray[np.uint8],
    living: NDArray[np.int64],
) -> bool:
    """Moves a cursor to the next term that lives; whether there is one."""
    terms = first_terms[k + 1] - first_terms[k]
    number, at, shared = cursors[k, NUMBER], cursors[k, AT], cursors[k, SHARED]
    form, form_end = cursors[k, FORM], cursors[k, FORM_END]
    length = 0
    alive = False
    while not alive:
        number += 1
        if number >= terms:
            break
        if number & (BLOCK - 1) == 0:
            at, shared = read_piece(data, at, current[k], 0)
        at, length = read_piece(data, at, current[k], shared)
        form = form_end + 1
        form_end = form
        while forms[np.uint64(form_end)] != LINE_FEED:
            form_end += 1
        alive = living[first_terms[k] + number] > 0
    cursors[k, NUMBER], cursors[k, AT], cursors[k, SHARED] = number, at, shared
    cursors[k, FORM], cursors[k, FORM_END], cursors[k, LENGTH] = form, form_end, length
    head, shift = ZERO, TOP_BYTE
    for i in range(min(length, 8)):
        head |= np.uint64(current[k, i]) << shift
        shift -= EIGHT
    heads[k] = head
    return alive


@kernel_part
def order_of(one: int, other: int, cursors: NDArray[np.int64], current: NDArray[np.uint8]) -> int:
    """Below 0 when one cursor's term comes before the other's, 0 when they are the same."""
    a, b = cursors[one, LENGTH], cursors[other, LENGTH]
    for i in range(min(a, b)):
        if current[one, i] != current[other, i]:
            return np.int64(current[one, i]) - np.int64(current[other, i])
    return a - b


@kernel
def merge_terms(
    data: NDArray[np.uint8],
    data_starts: NDArray[np.int64],
    first_terms: NDArray[np.int64],
    forms: NDArray[np.uint8],
    form_starts: NDArray[np.int64],
    living: NDArray[np.int64],
    longest: int,
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    merged_forms: NDArray[np.uint8],
    tables: NDArray[np.uint32],
) -> tuple[int, int]:
    """Fills arena, bounds, forms and tables of the union; how many terms it has, and how many bytes of forms.

    Dictionary k has its data from data_starts[k] on, its forms from form_starts[k] on, and the terms from
    first_terms[k] to first_terms[k + 1] in `living` and `tables`.
    """
    count = len(first_terms) - 1
    cursors = np.zeros((count, COLUMNS), np.int64)
    current = np.zeros((count, max(longest, 1)), np.uint8)
    heads = np.zeros(count, np.uint64)
    left = np.empty(count, np.int64)  # the cursors that still stand on a term, in the order of dictionaries
    same = np.empty(count, np.bool_)
    lefts = 0
    for k in range(count):
        cursors[k, NUMBER], cursors[k, AT] = -1, data_starts[k]
        cursors[k, FORM_END] = form_starts[k] - 1
        if advance(k, cursors, current, heads, data, first_terms, forms, living):
            left[lefts] = k
            lefts += 1
    terms = 0
    size, form_size = ZERO, ZERO
    while lefts > 0:
        first = left[0]
        same[0] = True
        begin_same = 0
        for i in range(1, lefts):
            k = left[i]
            same[i] = False
            if heads[k] > heads[first]:
                continue
            order = -1 if heads[k] < heads[first] else order_of(k, first, cursors, current)
            same[i] = order <= 0
            if order < 0:
                first, begin_same = k, i
        best = first
        for i in range(begin_same, lefts):
            k = left[i]
            if same[i]:
                tables[first_terms[k] + cursors[k, NUMBER]] = terms
                if (
                    living[first_terms[k] + cursors[k, NUMBER]]
                    > living[first_terms[best] + cursors[best, NUMBER]]
                ):
                    best = k
        for i in range(cursors[first, LENGTH]):
            arena[size] = current[first, i]
            size += ONE
        for i in range(np.uint64(cursors[best, FORM]), np.uint64(cursors[best, FORM_END] + 1)):
            merged_forms[form_size] = forms[i]
            form_size += ONE
        terms += 1
        bounds[terms] = size
        stay = begin_same
        for i in range(begin_same, lefts):
            k = left[i]
            if not same[i] or advance(k, cursors, current, heads, data, first_terms, forms, living):
                left[stay] = k
                stay += 1
        lefts = stay
    return terms, np.int64(form_size)
