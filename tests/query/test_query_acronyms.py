"""An acronym of Hebrew is found however its mark is written, and however it is typed."""

from __future__ import annotations

import numpy as np
import pytest
from pages import page

from gossamer.answer.pipeline import AnswerPipeline
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.search.settings import SearchSettings

TEXTS = ['חיילי צה"ל בגבול', "חיילי צה״ל בגבול", "חיילים בגבול"]


@pytest.mark.parametrize("typed", ['צה"ל', "צה״ל", "צה”ל", '"צה"ל"', 'צה"ל AND גבול OR צה"ל'])
def test_acronyms_are_found(tmp_path, typed):
    index, writer = Index(tmp_path), SegmentWriter("en")
    for number, text in enumerate(TEXTS):
        writer.add(page(f"http://h{number}.test/", text, language="he"))
    index.commit(writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0)))
    found = AnswerPipeline([index], None, SearchSettings()).search(typed)
    assert {hit.url for hit in found.hits} == {"http://h0.test/", "http://h1.test/"}
