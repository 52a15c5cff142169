"""Pairs of words counted in the postings, against documents read word by word."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import Passage
from gossamer.search.match.cooccurrence import WordForms, counted, counted_as_written, side_by_side_in
from gossamer.text.terms import analyser

LANGUAGES = ("xx", "de")
READERS = [analyser(language) for language in LANGUAGES]
WORDS = st.sampled_from("ab cd ef gh".split())
TEXTS = st.lists(st.tuples(st.sampled_from(LANGUAGES), st.lists(WORDS, max_size=6)), min_size=1, max_size=12)


def read(*words):
    return tuple(tuple(reader[word] for reader in READERS) for word in words)


def views_of(folder, texts, segments=1):
    index = Index(folder)
    for number in range(segments):
        writer = SegmentWriter("xx")
        for place, (language, words) in enumerate(texts):
            if place % segments == number:
                writer.add(page(f"http://h.test/{place}", " ".join(words), language=language))
        index.commit(writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0)))
    return index.snapshot().views


def plain(texts, one, other, side_by_side):
    if side_by_side:
        return sum((one, other) in itertools.pairwise(words) for _, words in texts)
    return sum(one in words and other in words for _, words in texts)


@settings(max_examples=30, deadline=None)
@given(TEXTS, st.lists(st.tuples(WORDS, WORDS), max_size=4), st.booleans())
def test_pairs_are_counted_as_by_reading(tmp_path_factory, texts, pairs, side_by_side):
    views = views_of(tmp_path_factory.mktemp("index"), texts, 2)
    expected = [plain(texts, *pair, side_by_side) for pair in pairs]
    found = counted(views, [read(*pair) for pair in pairs], side_by_side)
    rows = [sum(len(side_by_side_in(view, read(*pair))) for view in views) for pair in pairs]
    assert found == expected
    assert rows == [plain(texts, *pair, True) for pair in pairs]


@settings(max_examples=30, deadline=None)
@given(TEXTS, WORDS, st.tuples(WORDS, WORDS))
def test_other_forms_of_a_word_count(tmp_path_factory, texts, other, parts):
    views = views_of(tmp_path_factory.mktemp("index"), texts, 2)
    written = WordForms(read("zz")[0], read(*parts), read("gh")[0])
    expected = sum(
        other in words and ("gh" in words or parts in itertools.pairwise(words)) for _, words in texts
    )
    assert counted_as_written(views, written, WordForms(read(other)[0])) == expected
    assert counted_as_written(views, WordForms(read(other)[0]), written) == expected


def test_deleted_documents_do_not_count(tmp_path):
    (view,) = views_of(tmp_path, [("xx", ["ab", "cd"]), ("de", ["ab", "cd"])])
    one = SimpleNamespace(
        segment=view.segment,
        deleted=np.array([0], np.uint32),
        alive=lambda: np.array([False, True]),
    )
    assert counted([one], [read("ab", "cd")], True) == counted([one], [read("ab", "cd")], False) == [1]


def test_a_page_with_passages_counts_once(tmp_path):
    index, writer = Index(tmp_path), SegmentWriter("xx")
    text = "ab cd ab cd"
    passages = (Passage("de", len("ab cd "), len(text)),)
    writer.add(page("http://h.test/", text, language="xx", passages=passages))
    index.commit(writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0)))
    assert counted(index.snapshot().views, [read("ab", "cd")], False) == [1]
