"""Pages with passages in another language: found by its stems, and by all conditions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pages import page

from gossamer.answer.pipeline import AnswerPipeline
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.search.settings import SearchSettings
from gossamer.text.language_id import passages

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 60.0, 3.0, 3.0))
ENGLISH = (
    "The ruling families of the island built their houses near the harbour, where ships from the mainland "
    "brought salt and grain. When the harbour silted up they moved to the hills, and the old houses were "
    "used as stables by the shepherds who came down in winter with their flocks."
)
GERMAN = (
    "In den Bergen leben heute nur noch wenige Menschen, denn die Wege sind steil und im Winter verschneit. "
    "Wer dort wandert, findet verlassene Höfe und Gärten, in denen Äpfel und Nüsse wachsen, die niemand mehr "
    "erntet, und in den Wäldern rufen am Abend die Eulen und die Käuze."
)


def mixed(url, language, *blocks):
    made = page(url, "\n".join(blocks), language=language)
    return replace(made, passages=passages(made.text, language))


PAGES = [
    mixed("http://h0.test/", "de", GERMAN, ENGLISH, GERMAN),
    mixed("http://h1.test/", "de", GERMAN),
    mixed("http://h2.test/", "en", ENGLISH),
]


def search_of(folder, pages, partitions=1):
    indexes = [Index(folder / str(number)) for number in range(partitions)]
    for number, one in enumerate(pages):
        writer = SegmentWriter("en")
        writer.add(one)
        indexes[number % partitions].commit(writer, np.empty(0, np.uint64), PIVOTS)
    return indexes, AnswerPipeline(indexes, None, SearchSettings()).search


@pytest.fixture(params=[1, 3])
def search(request, tmp_path):
    return search_of(tmp_path, PAGES, request.param)[1]


def places(answer):
    return sorted(int(hit.url[8]) for hit in answer.hits)


@pytest.mark.parametrize("algorithm", ["blockmax", "exhaustive", "maxscore"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("rule family", [0, 2]),
        ("families", [0, 2]),
        ('"ruling family"', [0, 2]),
        ("family AND shepherd", [0, 2]),
        ("Berg", [0, 1]),
        ("Apfel AND families", [0]),
        ("harbour AND houses", [0, 2]),
        ("harbour -Garten", [2]),
        ("harbour lang:de", [0]),
        # Page 0 is German: without the words that exclude it, its English passage would answer alone.
        ("harbour AND NOT Garten", [2]),
        ("harbour AND NOT (Garten OR nothing)", [2]),
        ('"ruling family" -Garten', [2]),
        ("families NEAR/9 island NOT Garten", [2]),
        ("harbour AND NOT (Garten AND NOT nothing)", [2]),
        ("harbour AND (nothing OR NOT Garten)", [2]),
        ("inbody:harbour -inbody:Garten", [2]),
        ("-inbody:harbour Garten", [1]),
        # Words of both languages, in one field or near each other.
        ("inbody:harbour AND inbody:Garten", [0]),
        ("inbody:harbour inbody:Garten", [0]),
        ("Eulen NEAR/20 ruling", [0]),
        ("Eulen NEAR/2 ruling", []),
    ],
)
def test_words_are_found_by_the_stems_of_their_passage(search, algorithm, query, expected):
    answer = search(query, algorithm=algorithm, everything=True, correct=False)
    assert places(answer) == expected
    assert answer.total == len(expected)


def test_a_language_that_only_passages_speak_is_asked_for(tmp_path):
    indexes, search = search_of(tmp_path, PAGES[:2])
    assert places(search("rule family")) == [0]
    indexes[0].merge_all()
    merged = AnswerPipeline(indexes, None, SearchSettings()).search
    assert places(merged("rule family")) == [0]


def test_a_passage_counts_as_much_as_a_page(search):
    answer = search("shepherd", everything=True, explain=True)
    scores = {hit.url[8]: hit.explanation.contributions[0].impact for hit in answer.hits}
    assert scores["0"] > scores["2"] / 2
