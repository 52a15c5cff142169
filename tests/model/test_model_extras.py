"""A feature that needs an extra names the extra to install."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from address_files import database
from judged_folder import titles_mislead

from gossamer.cli.evaluate import collections_of
from gossamer.evaluate.compare import compare_values
from gossamer.evaluate.judged_collection import NOTHING_NAMED, Judgement
from gossamer.evaluate.measures import Measurer
from gossamer.model import UsageError
from gossamer.model.errors import require_extra
from gossamer.serve.location import AddressDatabase


@pytest.fixture
def missing(monkeypatch):
    return lambda name: monkeypatch.setitem(sys.modules, name, None)


def test_installed_extras_raise_no_error():
    require_extra("reading JSON", "eval", "json", "pathlib")


def test_eval_names_its_extra(missing, tmp_path):
    missing("ir_measures")
    with pytest.raises(UsageError, match=r"needs ir_measures: pip install 'gossamer-search\[eval\]'"):
        Measurer([Judgement("q", "a", 1)])
    folder = titles_mislead(tmp_path / "judged")
    with pytest.raises(UsageError, match=r"gossamer-search\[eval\]"):  # before a corpus is indexed
        collections_of([folder], NOTHING_NAMED, "en")


def test_comparisons_name_their_extra(missing):
    missing("scipy")
    with pytest.raises(UsageError, match=r"needs scipy: pip install 'gossamer-search\[eval\]'"):
        compare_values([0.1, 0.2], [0.2, 0.4])


def test_the_address_database_names_its_extra(missing):
    missing("maxminddb")
    with pytest.raises(UsageError, match=r"address_database needs maxminddb: .*gossamer-search\[location\]"):
        AddressDatabase(database({"192.0.2.0/24": "DK"}))


def test_every_extra_that_an_error_names_exists():
    root = Path(__file__).parents[2]
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {"eval", "graph", "location", "rules"} <= extras.keys()
