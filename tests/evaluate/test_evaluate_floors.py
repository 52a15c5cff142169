"""Floors hold, rise when asked, and never fall."""

from __future__ import annotations

import tomllib

import pytest

from gossamer.evaluate.floors import PINNED, fallen, raise_floors, read_floors
from gossamer.model import GossamerError

FILE = """# Why they are there.
[cran]
"nDCG@10" = 0.39  # measured
MAP = 0.31

["odd name"]
"MRR" = 0.5
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "floors.toml").write_text(FILE)
    return tmp_path / "floors.toml"


def test_what_has_fallen_is_named(path):
    reached = {"cran": {"nDCG@10": 0.3899, "MAP": 0.31}, "other": {"MAP": 0.0}}
    (one,) = fallen(read_floors(path), reached)
    assert one == "cran: nDCG@10 fell to 0.3899, the floor is 0.3900"


def test_floors_rise_and_comments_stay(path):
    risen = raise_floors(path, {"cran": {"nDCG@10": 0.4, "MAP": 0.2}, "odd name": {"MRR": 0.75}})
    assert risen == ["cran: nDCG@10 from 0.39 to 0.4", "odd name: MRR from 0.5 to 0.75"]
    assert path.read_text() == FILE.replace("0.39 ", "0.4 ").replace("0.5\n", "0.75\n")


def test_a_key_in_single_quotes_rises_too(path):
    path.write_text("[cran]\n'nDCG@10' = 0.39\n")
    assert raise_floors(path, {"cran": {"nDCG@10": 0.4}}) == ["cran: nDCG@10 from 0.39 to 0.4"]
    assert path.read_text() == "[cran]\n'nDCG@10' = 0.4\n"


def test_nothing_is_ever_lowered(path):
    assert raise_floors(path, {"cran": {"nDCG@10": 0.1, "MAP": 0.1}}) == []
    assert path.read_text() == FILE


def test_a_collection_without_floors_gets_some(path, tmp_path):
    figures = {"nDCG@10": 0.1, "MAP": 0.2, "MRR": 0.3, "P@1": 0.4}
    for file in (path, tmp_path / "new.toml"):
        assert raise_floors(file, {"a.b": figures}) == ["a.b: pinned"]
        assert tomllib.loads(file.read_text())["a.b"] == {name: figures[name] for name in PINNED}
    assert path.read_text().startswith(FILE)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("x = 1", "x is not in a section"),
        ("[a]\nMAPS = 0.5", r"\[a\] MAPS is not a measure; choose from: nDCG@10"),
        ("[a]\nMAP = true", r"\[a\] MAP must be a number from 0 to 1, not True"),
        ("[a]\nMAP = 31.0", "must be a number from 0 to 1"),
        ("[a\n", "it cannot be read"),
    ],
)
def test_mistakes_are_said(path, content, said):
    path.write_text(content)
    with pytest.raises(GossamerError, match=said):
        read_floors(path)
