"""What is found in languages whose words are cut, marked or asked in ways of their own."""

from __future__ import annotations

import numpy as np
import pytest
from pages import page

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.query.expansion import choose, gather, patterns_of
from gossamer.query.planner import plan
from gossamer.query.syntax import parse

THAI = "ประเทศไทยมีปลาหลายชนิดในแม่น้ำ"


@pytest.fixture
def snapshot_of(tmp_path):
    def build(texts, language):
        index = Index(tmp_path)
        writer = SegmentWriter(language)
        for number, text in enumerate(texts):
            writer.add(page(f"http://h{number}.test/", text, language=language))
        index.commit(writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0)))
        return index.snapshot()

    return build


def chosen(snapshot, typed, language):
    """The plan of a query with what its patterns stand for."""
    query = parse(typed)
    found = choose([gather(snapshot, patterns_of(query.texts(), [language]))])
    return plan(query, [language], found)


def is_found(snapshot, made):
    return any(snapshot.term_stats(made.terms).frequencies.values())


@pytest.mark.parametrize("typed", ["ไทย", "ปลา", "แม่น้ำ", "ประเทศ", "น้ำ", "มี"])
def test_a_word_of_thai_is_found_however_short(snapshot_of, typed):
    snapshot = snapshot_of([THAI], "th")
    assert is_found(snapshot, chosen(snapshot, typed, "th"))


def test_other_words_of_thai_are_not(snapshot_of):
    snapshot = snapshot_of([THAI], "th")
    assert not is_found(snapshot, chosen(snapshot, "ช้าง", "th"))


def test_vietnamese_is_found_without_marks(snapshot_of):
    snapshot = snapshot_of(["Hà Nội là thủ đô của Việt Nam"], "vi")
    assert chosen(snapshot, "ha noi", "vi").words == (("hà\x1fvi",), ("nội\x1fvi",))


def test_beside_a_marked_word_others_mean_what_they_are(snapshot_of):
    snapshot = snapshot_of(["ba bà bá", "mẹ"], "vi")
    assert chosen(snapshot, "ba mẹ", "vi").words == (("ba\x1fvi",), ("mẹ\x1fvi",))
    assert patterns_of(parse("ba mẹ").texts(), ["vi"]) == ()
    assert patterns_of(parse("ba jaguar").texts(), ["vi"]) == ()
    assert patterns_of(parse("ba").texts(), ["en"]) == ()


@pytest.mark.parametrize(
    ("language", "asked", "telling"),
    [("zh", "什么是京都", 2), ("th", "ทำไม ประเทศ", 3), ("vi", "sông nào", 1), ("uk", "що таке яблуко", 1)],
)
def test_questions_count_little_in_languages_without_a_stemmer(language, asked, telling):
    made = plan(parse(asked), [language])
    assert made.telling == telling < len(made.words)
