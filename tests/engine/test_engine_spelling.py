"""Suggestions for misspelt words, over segments and partitions."""

from __future__ import annotations

import numpy as np
import pytest
from pages import page

from gossamer.engine.searching import Searching
from gossamer.index.dictionary import Dictionary
from gossamer.index.index import Index
from gossamer.index.weighting import Weighting
from gossamer.index.writer import SegmentWriter
from gossamer.search.settings import SearchSettings

TEXTS = [
    ("en", "Jaguars swim; a jaguar is a relational animal, happily of many families and nationalities"),
    ("en", "jaguar running, families running, nationality, generalizations, connected engineering"),
    ("de", "Der Jaguar schwimmt; Verbindungen und Geschwindigkeiten der Familien"),
    ("xx", "jaguarete zebra lantern"),
]


@pytest.fixture(scope="module")
def searching(tmp_path_factory):
    indexes = [Index(tmp_path_factory.mktemp("index")) for _ in range(2)]
    for number, (language, text) in enumerate(TEXTS):
        writer = SegmentWriter("xx")
        writer.add(page(f"http://h{number}.test/", text, language=language))
        indexes[number % 2].commit(
            writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0))
        )
    return Searching(indexes, None, SearchSettings())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("jagaur", "jaguar"),
        ("familes jaguar", "families jaguar"),
        ("relatoinal", "relational"),
        ("runnign", "running"),
        ("happilly", "happily"),
        ("natoinalitty", "nationality"),
        ("generalizatoins", "generalizations"),
        ("engineeirng", "engineering"),
        ("geschwindigkietne", "geschwindigkeiten"),
        ("lantren", "lantern"),
        ("zebar", "zebra"),
        ("phamilies", "families"),  # sounds alike
        ("konnected", "connected"),
        ("jaguar", None),
        ("laguar", None),  # people seldom miss the first letter
        ("xylophone", None),
    ],
)
def test_what_may_have_been_meant(searching, typed, meant):
    assert searching.search(typed).did_you_mean == meant


def test_few_written_forms_are_looked_at(searching, monkeypatch):
    seen = []
    form = Dictionary.form
    monkeypatch.setattr(Dictionary, "form", lambda own, number: seen.append(number) or form(own, number))
    assert searching.search("zebar").did_you_mean == "zebra"
    assert len(seen) == 1
