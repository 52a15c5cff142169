"""Queries that cannot be read, and what is offered instead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import BadQuery
from gossamer.query.rewrite import mended
from gossamer.query.syntax import parse


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ('"jaguar', '"jaguar"'),
        ("black “panther", 'black “panther"'),
        ("(jaguar OR (lion", "(jaguar OR (lion))"),
        ("jaguar)", "jaguar"),
        ("(", ""),
        ("jaguar AND", "jaguar"),
        ("OR lion", "lion"),
        ("after:soon jaguar", "jaguar"),
        ('jaguar ""', "jaguar"),
        ("site:wildcats.localhost jaguar AND", "site:wildcats.localhost jaguar"),
        ("-car jaguar OR", "-car jaguar"),
        ('"black panther" NEAR', '"black panther"'),
        ('intitle:"big cat" OR', 'intitle:"big cat"'),
        ('cat (dog OR) -"x y" AND', 'cat (dog) -"x y"'),
        ("jaguar AND OR lion", "jaguar OR lion"),
        ("jaguar NOT OR lion", "jaguar NOT lion"),
        ("jaguar OR after:soon lion", "jaguar lion"),
        ('jaguar NOT intitle:"" lion', "jaguar lion"),
        ("jaguar -() lion", "jaguar lion"),
        ("jaguar NEAR intitle:lion", "jaguar intitle:lion"),
        ("(jaguar OR lion) NEAR cat", "(jaguar OR lion) cat"),
        ("after:soon jaguar NEAR lion", "jaguar NEAR lion"),
        ("-jaguar", ""),  # the opposite is not offered
        ("NOT (jaguar lion", ""),
        ("(" * 30 + "jaguar" + ")" * 30, ""),
        ("site:", ""),
        ("", ""),
        ("a" * 3000, ""),
    ],
)
def test_the_nearest_that_can_be_read_is_offered(typed, meant):
    with pytest.raises(BadQuery):
        parse(typed)
    assert mended(typed) == meant


def test_what_can_be_read_is_not_offered_again():
    assert mended(" jaguar -car ") == ""


@given(st.text(alphabet='ab "()-:OR NOT NEARsite*~', max_size=30))
def test_whatever_is_offered_can_be_read(typed):
    if offered := mended(typed):
        parse(offered)
