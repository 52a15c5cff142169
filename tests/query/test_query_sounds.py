"""`sounds:` finds words that are spoken alike, over segments and partitions."""

from __future__ import annotations

import numpy as np
import pytest
from pages import page

from gossamer.answer.pipeline import AnswerPipeline
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.search.settings import SearchSettings

TEXTS = [
    ("en", "Catherine plays the saxophone"),
    ("en", "Kathryn has a knife"),
    ("de", "Herr Meyer wohnt in Berlin"),
    ("de", "Frau Maier wohnt nicht in Berlin"),
    ("en", "Robert and Rupert, from Berlin"),
    ("ru", "Катерина играет"),
    ("de", "nie war der Mai so neu und so nah"),
    ("de", "Mayer und Müller"),
    ("de", "Herrn Meiers Reise an den Nil"),
    ("en", "parents"),
]


@pytest.fixture(scope="module", params=[1, 2])
def found(request, tmp_path_factory):
    indexes = [Index(tmp_path_factory.mktemp("index")) for _ in range(request.param)]
    for number, (language, text) in enumerate(TEXTS):
        writer = SegmentWriter("en")
        writer.add(page(f"http://h{number}.test/", text, language=language))
        own = indexes[number % request.param]
        own.commit(writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0)))
    searching = AnswerPipeline(indexes, None, SearchSettings())
    return lambda text: {int(hit.url[8]) for hit in searching.search(text).hits}


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("sounds:katherine", {0, 1}),
        ("sounds:Nife", {1}),
        ("sounds:mayer", {2, 3, 7}),
        # What stemmers leave of it, "mey", sounds like "neu", "nie", "nah" and "Mai".
        ("sounds:meyer", {2, 3, 7}),
        ("sounds:Meier", {2, 3, 7, 8}),  # and the word itself in all its forms
        ("sounds:Miller", {7}),  # and not Nil
        ("sounds:parrent", {9}),
        ("sounds:robert", {4}),
        ("soundex:robbert", {4}),
        ("soundex:ruppert -rupert", set()),
        ("sounds:mayer AND nicht", {3}),
        ("berlin -sounds:mayer", {4}),
        ("sounds:mayer NEAR/2 frau", {3}),
        ("sounds:катерина", {5}),  # no code: the word itself
        ("sounds:xylophone", set()),
    ],
)
def test_what_sounds_alike_is_found(found, typed, expected):
    assert found(typed) == expected
