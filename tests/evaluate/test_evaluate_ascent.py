"""Coordinate ascent on hills that are known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config import Config
from gossamer.evaluate.tunable import SECTIONS, Parameter, configured, parameters, point_of, sections
from gossamer.evaluate.tune import SHARES, ascend, climb, steps
from gossamer.model import UsageError

X, Y = Parameter("search", "x", 0.0, 4.0), Parameter("search", "y", 0.0, 1.0)
GRID, WHOLE = Parameter("search", "g", values=("a", "b", "c")), Parameter("search", "n", 0, 100, whole=True)


def last(summits):
    *_, found = summits
    return found


@given(st.floats(0, 4), st.floats(0, 1))
def test_the_top_of_a_round_hill_is_found(x, y):
    def hill(point):
        return 1 - (point["search.x"] - x) ** 2 / 16 - (point["search.y"] - y) ** 2

    found = last(climb({"search.x": 1.0, "search.y": 0.5}, [X, Y], hill))
    # Steps end at a 32nd of the range, and what gains less than LEAST_GAIN is not taken.
    assert found.point["search.x"] == pytest.approx(x, abs=4 * (1 / 32 + 0.01))
    assert found.point["search.y"] == pytest.approx(y, abs=1 / 32 + 0.01)


def test_values_and_whole_numbers():
    def value(point):
        return {"a": 0.0, "b": 0.5, "c": 0.2}[point["search.g"]] - abs(point["search.n"] - 60) / 100

    found = last(climb({"search.g": "a", "search.n": 10}, [GRID, WHOLE], value))
    assert found.point["search.g"] == "b"
    assert isinstance(found.point["search.n"], int)
    assert abs(found.point["search.n"] - 60) <= 2


def test_a_restart_leaves_a_low_hill():
    def two_hills(point):
        return max(0.5 - abs(point["search.x"] - 0.2), 1.0 - 2 * abs(point["search.x"] - 3.6))

    narrow = Parameter("search", "x", 0.0, 4.0)
    start = {"search.x": 0.2}
    assert last(ascend(start, [narrow], two_hills)).point == start
    assert last(ascend(start, [narrow], two_hills, restarts=8)).value > 0.8


def test_so_many_summits_are_given_as_are_told():
    given_ = list(ascend({"search.x": 0.0, "search.y": 0.5}, [X, Y], lambda _: 1.0, restarts=2))
    assert len(given_) == steps([X, Y], 2) == 3 * len(SHARES) * 2 + 1


def test_tunable_settings_stand_in_sections_that_need_no_new_index():
    declared = {section for section, one in Config.settings() if one.metadata["tunable"] is not None}
    assert declared <= set(SECTIONS)
    for section, one in Config.settings():
        tunable = one.metadata["tunable"]
        for value in tunable or ():
            Config().changed({section: {one.name: value}})


def test_parameters_by_name():
    (one,) = parameters(["proximity"])
    assert one.key == "search.proximity"
    assert [one.name for one in parameters(["weighting.k1", " proximity", "k1"])] == ["k1", "proximity"]
    with pytest.raises(UsageError, match=r"'threads' cannot be tuned; choose from: weighting\.k1, "):
        parameters(["threads"])


def test_a_point_makes_a_configuration():
    chosen = parameters(["k1", "proximity"])
    assert point_of(Config(), chosen) == {"weighting.k1": 1.2, "search.proximity": 0.15}
    point = {"weighting.k1": 0.9, "search.proximity": 0.5}
    assert point_of(configured(Config(), point), chosen) == point
    assert sections(point) == {"weighting": {"k1": 0.9}, "search": {"proximity": 0.5}}
