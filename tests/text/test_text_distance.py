"""The plain edit distance, with which other implementations are compared, against its recurrence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from letters_apart import distance


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("ab", "ba", 1),
        ("ca", "abc", 3),
        ("kitten", "sitting", 3),
        ("abcd", "badc", 2),
    ],
)
def test_distance(first, second, expected):
    assert distance(first, second) == expected


def twin(a, b):
    """The recurrence as the docstring has it, without any economy."""
    if not a or not b:
        return len(a) + len(b)
    best = min(twin(a[:-1], b) + 1, twin(a, b[:-1]) + 1, twin(a[:-1], b[:-1]) + (a[-1] != b[-1]))
    if len(a) > 1 and len(b) > 1 and a[-1] == b[-2] and a[-2] == b[-1]:
        best = min(best, twin(a[:-2], b[:-2]) + 1)
    return best


SHORT = st.text(alphabet="abc", max_size=5)


@given(SHORT, SHORT)
def test_distance_is_the_recurrence(first, second):
    assert distance(first, second) == twin(first, second)
    assert distance(first, second) == distance(second, first)
