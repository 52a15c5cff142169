"""Queries that cannot be read, and what is offered instead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import BadQuery
from gossamer.query.mended import mended
from gossamer.query.parse import parse


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ('"jaguar', '"jaguar"'),
        ("black “panther", 'black “panther"'),
        ("(jaguar OR (lion", "(jaguar OR (lion))"),
        ("jaguar)", "jaguar"),
        ("(", ""),
        ("jaguar AND", "jaguar and"),
        ("OR lion", "or lion"),
        ("after:soon jaguar", "jaguar"),
        ('jaguar ""', "jaguar"),
        ("-jaguar", ""),  # the opposite is not offered
        ("site:", ""),
        ("", ""),
        ("a" * 3000, ""),
    ],
)
def test_the_nearest_that_can_be_read_is_offered(typed, meant):
    with pytest.raises(BadQuery):
        parse(typed)
    assert mended(typed) == meant


@given(st.text(alphabet='ab "()-:OR NOTsite*~', max_size=30))
def test_whatever_is_offered_can_be_read(typed):
    if offered := mended(typed):
        parse(offered)
