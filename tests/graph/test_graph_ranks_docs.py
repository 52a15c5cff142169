"""The page about ranks computes what it says, and names every rank."""

import doctest
from pathlib import Path

import gossamer.graph.ranks

PAGE = Path(__file__).parents[2] / "docs" / "ranks.md"
# What ranks are made of, and none themselves.
PARTS = {"__init__", "explain", "registry", "seed_sets", "teleport", "top_pages"}


def test_the_examples_run():
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 40
    assert not result.failed


def test_every_rank_stands_on_the_page():
    ranks = {path.stem for path in Path(gossamer.graph.ranks.__file__).parent.glob("*.py")} - PARTS
    text = PAGE.read_text(encoding="utf-8")
    assert {name for name in ranks if f"`graph/ranks/{name}.py`" not in text} == set()
