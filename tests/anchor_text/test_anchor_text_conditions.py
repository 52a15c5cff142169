"""Which pages links describe so: words and rows of words within one text, in every language."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.anchor_text.indexer import AnchorWriter
from gossamer.anchor_text.score import AnchorIndex
from gossamer.model import DamagedFile
from gossamer.query.conditions import InAnchorText
from gossamer.text.terms import analyser

LANGUAGES = ["de", "en", "xx"]

texts = st.lists(st.sampled_from(["cat", "cats", "hunter", "of"]), min_size=1, max_size=4).map(" ".join)
said = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 2), texts), max_size=12)
asked = st.lists(st.sampled_from(["cat", "cats", "hunter", "of", "dog"]), min_size=1, max_size=3)


def index_of(folder, rows, memory=1 << 30):
    writer = AnchorWriter(folder, ["a.test"], LANGUAGES, memory)
    for target, language, text in rows:
        numbers = np.zeros(1, np.uint32), np.array([language], np.uint32)
        writer.add(np.array([target], np.uint64), *numbers, [text])
    return AnchorIndex(folder, writer.finish())


def row_of(words):
    return InAnchorText(tuple(tuple(analyser(language)[word] for language in LANGUAGES) for word in words))


def plain_pages(rows, words):
    """The twin: each text is read in its language, and so is what is looked for."""
    found = set()
    for target, language, text in rows:
        read = analyser(LANGUAGES[language])
        terms, wanted = read.terms(text), [read[word] for word in words]
        size = len(wanted)
        if any(terms[i : i + size] == wanted for i in range(len(terms) - size + 1)):
            found.add(target)
    return sorted(found)


@settings(max_examples=30)
@given(said, asked, st.sampled_from([1, 1 << 30]))
def test_pages_are_those_of_the_twin(tmp_path_factory, rows, words, memory):
    anchors = index_of(tmp_path_factory.mktemp("anchors"), rows, memory)
    assert anchors(row_of(words)).tolist() == plain_pages(rows, words)


def test_no_row_of_words_reaches_into_another_text(tmp_path):
    anchors = index_of(tmp_path, [(7, 1, "spotted cat"), (7, 1, "of prey"), (8, 1, "a cat of prey")])
    assert anchors(row_of(["cat", "of"])).tolist() == [8]
    assert anchors(row_of(["spotted", "cat"])).tolist() == [7]
    assert anchors(row_of(["cat"])).tolist() == [7, 8]


def test_what_stands_for_nothing_is_found_nowhere(tmp_path):
    anchors = index_of(tmp_path, [(7, 1, "spotted cat")])
    assert anchors(InAnchorText(((),))).tolist() == []
    assert anchors(InAnchorText((("cat\x1fen",), ()))).tolist() == []


def test_it_is_opened_when_it_is_asked(tmp_path):
    anchors = AnchorIndex(tmp_path / "nowhere", 3)
    with pytest.raises(DamagedFile, match="it has 0 anchor texts, but 3 were written"):
        anchors(row_of(["cat"]))
    assert AnchorIndex(tmp_path / "nowhere", 0)(row_of(["cat"])).tolist() == []


def test_another_format_says_what_to_do(tmp_path, monkeypatch):
    index_of(tmp_path, [(7, 1, "cat")])
    monkeypatch.setattr("gossamer.index.manifest.FORMAT", 99)
    with pytest.raises(DamagedFile, match="another version wrote it; run: gossamer rank"):
        AnchorIndex(tmp_path, 1)(row_of(["cat"]))
