"""Short pages in another script than that of the owner's language are in no language, and are found."""

from __future__ import annotations

import numpy as np
import pytest
from pages import page

from gossamer.answer.pipeline import AnswerPipeline
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.search.settings import SearchSettings

WEIGHTING = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
PAGES = [
    page("http://h0.test/", "Привет мир", "Привет", language=""),
    page("http://h1.test/", "привет снова", "Привет", language=""),
    page("http://h2.test/", "Families", language=""),
    page("http://h3.test/", "Γειά", language=""),
    page("http://h4.test/", "привет", language="en"),  # whoever says so is believed
    page("http://h5.test/", "", surroundings="Привет", language=""),
]


def index_of(folder, pages):
    """Each page in a segment of its own."""
    index = Index(folder)
    for one in pages:
        writer = SegmentWriter("en")
        writer.add(one)
        index.commit(writer, np.empty(0, np.uint64), WEIGHTING)
    return index


def hits(index, typed):
    found = AnswerPipeline([index], None, SearchSettings()).search(typed, facets=True, correct=False)
    return {int(hit.url[8]): hit.language for hit in found.hits}


@pytest.mark.parametrize("merged", [False, True])
def test_pages_without_a_language(tmp_path, merged):
    index = index_of(tmp_path, PAGES)
    if merged:
        index.merge_all()
    assert hits(index, "привет") == {0: "", 1: "", 4: "en", 5: ""}
    assert hits(index, "family") == {2: "en"}
    assert hits(index, "Γεια") == {3: "el"}
    assert hits(index, "привет lang:en") == {4: "en"}
    assert hits(index, "привет -lang:en") == {0: "", 1: "", 5: ""}


@pytest.mark.parametrize("merged", [False, True])
def test_nothing_else_stands_there(tmp_path, merged):
    index = index_of(tmp_path, PAGES[:2])
    if merged:
        index.merge_all()
    assert hits(index, "привет") == {0: "", 1: ""}
    assert hits(index, "привет lang:en") == {}
