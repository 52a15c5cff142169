"""Kernels compute what the same functions compute in Python, and hold no array for longer than they run."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.kernels.kernel import kernel, kernel_part


class Table(NamedTuple):
    """Arrays that go together."""

    keys: np.ndarray
    values: np.ndarray
    limit: int


def fibonacci(n):
    """Variables that each round exchanges."""
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
        if a > 1_000_000:
            a -= 1_000_000
    return a


def argument_changed(n, step):
    """An argument that is also a variable."""
    rounds = 0
    while n > 0:
        n -= step
        rounds += 1
    return n + 100 * rounds


def sometimes_assigned(values):
    """A variable that only some paths assign, and that a later round reads."""
    last = -1
    for i in range(len(values)):
        if values[i] > 0:
            found = values[i] * 2
            last = found
        elif last >= 0:
            last = last - 1
    return last


def broken_off(values, wanted):
    """A loop that ends in three ways."""
    place = -1
    for i in range(len(values)):
        if values[i] < 0:
            continue
        place = i
        if values[i] == wanted:
            break
    else:
        place -= 100
    return place


def chosen(first, second, use_first):
    """An array that is one of two arguments."""
    if use_first:  # noqa: SIM108 (two assignments to one variable are what is tested)
        array = first
    else:
        array = second
    return array


def slices(values, n):
    """Views of views, and an array that replaces itself."""
    part = values[1:]
    for _ in range(n):
        part = part[1:] if len(part) > 3 else part.copy()
    return part


def made(n):
    """New arrays, of which one is returned."""
    total = np.zeros(n, np.int64)
    for i in range(n):
        row = np.full(3, i, np.int64)
        total[i] = row.sum() + len(row)
    return total


@kernel_part
def looked_up(table, key):
    """Read from a tuple of arrays."""
    for i in range(min(len(table.keys), table.limit)):
        if table.keys[i] == key:
            return table.values[i]
    return -1


@kernel_part
def swapped(table):
    """Return arrays, which no part may do."""
    return Table(table.values, table.keys, table.limit)


def asking_for_an_array(table):
    """Call a part that returns an array."""
    return swapped(table).keys[0]


def tables(table, keys):
    """Tuples of arrays that are passed on, taken apart and put together."""
    total = 0
    for i in range(len(keys)):
        total += looked_up(table, keys[i])
        if table.limit > 1:
            table = Table(table.keys, table.values[1:], table.limit - 1)
    return total, table.limit, len(table.values)


def two_dimensional(matrix):
    """Shapes and strides."""
    best = matrix[0, 0]
    for row in range(matrix.shape[0]):
        line = matrix[row]
        for column in range(matrix.shape[1]):
            best = max(best, line[column], matrix[-1 - row, column])
    return best


def raising(values, place):
    """An index out of bounds, in the middle of other work."""
    copy = values.copy()
    copy[0] = 1
    return copy[place]


NUMBERS = st.lists(st.integers(-5, 5), min_size=1, max_size=12)


def both(function, *arguments):
    """Run a function as a kernel and in Python."""
    compiled = COMPILED[function](*arguments)
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(function.__globals__, "looked_up", looked_up.function)
        return compiled, function(*arguments)


FUNCTIONS = (
    fibonacci,
    argument_changed,
    sometimes_assigned,
    broken_off,
    chosen,
    slices,
    made,
    tables,
    two_dimensional,
    raising,
)
COMPILED = {function: kernel(function) for function in FUNCTIONS}


@settings(max_examples=60, deadline=None)
@given(NUMBERS, st.integers(1, 12), st.booleans())
def test_kernels_compute_what_python_computes(numbers, n, flag):
    values = np.array(numbers, np.int64)
    for function, arguments in (
        (fibonacci, (n,)),
        (argument_changed, (n, 3)),
        (sometimes_assigned, (values,)),
        (broken_off, (values, 2)),
        (chosen, (values, values[:1], flag)),
        (slices, (values, n)),
        (made, (n,)),
        (tables, (Table(values, values * 10, len(values)), values)),
        (two_dimensional, (np.arange(6 * n, dtype=np.float64).reshape(n, 6) * n % 7,)),
    ):
        compiled, plain = both(function, *arguments)
        assert np.array_equal(compiled, plain), function.__name__


def test_kernels_do_not_keep_their_arguments():
    first, second = np.arange(5), np.arange(7)
    table = Table(np.arange(4), np.arange(4), 4)
    kept = [first, second, *table[:2]]
    before = [sys.getrefcount(one) for one in kept]
    for _ in range(20):
        COMPILED[tables](table, first)
        COMPILED[slices](second, 9)
        COMPILED[broken_off](first, 3)
        for flag in (True, False):
            result = COMPILED[chosen](first, second, flag)
            assert np.shares_memory(result, first if flag else second)
    del result
    gc.collect()
    assert [sys.getrefcount(one) for one in kept] == before


def test_a_view_holds_its_array():
    values = np.arange(50)
    alive = weakref.ref(values)
    view = COMPILED[slices](values, 2)
    del values
    gc.collect()
    assert alive() is not None
    assert view.tolist() == list(range(3, 50))
    del view
    gc.collect()
    assert alive() is None


def test_new_arrays_are_freed():
    """Ten million numbers a round: they would not fit into memory if any were kept."""
    import resource

    COMPILED[made](10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(40):
        assert len(COMPILED[made](500_000)) == 500_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 60_000


def test_an_error_in_a_kernel_frees_what_it_holds():
    values = np.arange(5)
    before = sys.getrefcount(values)
    for _ in range(10):
        with pytest.raises(IndexError):
            COMPILED[raising](values, 5)
    gc.collect()
    assert sys.getrefcount(values) == before
    assert COMPILED[raising](values, 4) == 4


def test_a_part_that_returns_an_array_is_refused():
    with pytest.raises(Exception, match=r"swapped is a part of a kernel, and cannot return arrays"):
        kernel(asking_for_an_array)(Table(np.arange(4), np.arange(4), 4))
