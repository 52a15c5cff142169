"""The positional kernels against plain Python, over several ranges of documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page
from plain_matching import holds

from gossamer.index.bm25f import FIELDS, Field, Weighting
from gossamer.index.index import Index
from gossamer.index.postings import positions_of
from gossamer.index.segment import Snapshot
from gossamer.index.writer import SegmentWriter
from gossamer.kernels.kernel import kernel
from gossamer.model import In, Near, Phrase, Prefix, Query, Word
from gossamer.query.expansion import choose, gather, patterns_of
from gossamer.query.planner import plan
from gossamer.search.match.phrases import conjunction, field_end, hits
from gossamer.search.match.restriction import DocumentMask
from gossamer.text.terms import in_language

DOCUMENTS = 9_000  # in three ranges
# Each word stands in a share of the documents; one only in the last range, one in nearly all.
VOCABULARY = {"a": 0.9, "b": 0.3, "c": 0.05, "ca": 0.02, "rare": 0.001, "last": 0.0}


@pytest.fixture(scope="module")
def pages():
    rng = np.random.default_rng(11)
    made = []
    for i in range(DOCUMENTS):
        text = [word for word, share in VOCABULARY.items() for _ in range(3) if rng.random() < share / 2]
        text += ["last"] if i > 8_900 else []
        rng.shuffle(text)
        title = ["a", "c"] if i % 50 == 0 else []
        stressed = "\n".join(sorted(text)[::2]) if i % 3 == 0 else ""  # words that need not be neighbours
        made.append(page(f"http://h.test/{i:05d}", " ".join(text), " ".join(title), emphasised=stressed))
    return made


@pytest.fixture(scope="module")
def view(pages, tmp_path_factory):
    writer = SegmentWriter("xx")
    for one in pages:
        writer.add(one)
    index = Index(tmp_path_factory.mktemp("i"))
    index.commit(writer, np.empty(0, np.uint64), Weighting(pivots=(3.0,) * FIELDS))
    return index.snapshot().views[0]


def numbers(view, words):
    return [view.segment.dictionary.number(in_language(word, "xx")) for word in words]


def positions(view, posting):
    """The positions of one posting."""
    postings, room = view.segment.postings, np.empty(100, np.int64)
    return room[: positions_of(postings.positions, postings.position_blocks, posting, room)]


@kernel
def end_of_field(lengths, position, wanted):
    return field_end(lengths, 0, position, wanted)


def holders(pages, *words):
    return [i for i, one in enumerate(pages) if all(w in f"{one.title} {one.text}".split() for w in words)]


@pytest.mark.parametrize("word", VOCABULARY)
@pytest.mark.parametrize("step", [1, 7, 4096])
def test_terms_are_located_in_documents(view, pages, word, step):
    docs = np.arange(0, DOCUMENTS, step)
    (number,) = numbers(view, [word])
    found = hits(view.segment.postings, number, docs)
    assert docs[found.rows].tolist() == [doc for doc in holders(pages, word) if doc % step == 0]
    own = np.repeat(found.rows, [len(positions(view, one)) for one in found.postings])
    counts = [f"{one.title} {one.text} {one.emphasised}".split().count(word) for one in pages[::step]]
    assert np.bincount(own, minlength=len(docs)).tolist() == counts
    empty = hits(view.segment.postings, number, docs[:0])
    assert len(empty.rows) == 0


@pytest.mark.parametrize("words", ["rare", "c b", "rare a", "last a", "last rare", "ca c b a", "a a"])
def test_conjunctions(view, pages, words):
    terms = numbers(view, words.split())
    docs, where = conjunction(view.segment.postings, terms, with_hits=True)
    assert docs.tolist() == holders(pages, *words.split())
    for term, found in zip(terms, where, strict=True):
        plain = hits(view.segment.postings, term, docs)
        assert found.postings.tolist() == plain.postings.tolist()
    again, nothing = conjunction(view.segment.postings, terms, with_hits=False)
    assert again.tolist() == docs.tolist()
    assert nothing == []


@pytest.mark.parametrize(
    "clause",
    [
        Phrase("a b"),
        Phrase("a a a"),
        Phrase("c b a"),
        Phrase("last a"),
        In("title", Phrase("a c")),
        In("body", Word("c")),
        Near((Word("rare"), Word("a")), 1),
        Near((Phrase("a b"), Word("c")), 2),
        Near((Word("b"), Prefix("c"), Word("a")), 2),
        Near((Prefix("c"), Prefix("c")), 3),
    ],
)
def test_rows_and_nearness(view, pages, clause):
    query = Query("", (clause,))
    expansions = choose([gather(Snapshot(1, (view,)), patterns_of(query.texts(), ["xx"]))])
    mask = DocumentMask(view).allowed(plan(query, ["xx"], expansions).condition)
    assert np.flatnonzero(mask).tolist() == [i for i, one in enumerate(pages) if holds(clause, one)]


@given(st.lists(st.integers(0, 4), min_size=FIELDS, max_size=FIELDS), st.data())
def test_the_field_of_a_position(lengths, data):
    """Fields follow each other with a gap; empty ones have no position."""
    places = [(field, place) for field, size in enumerate(lengths) for place in range(size)]
    if not places:
        return
    field, place = data.draw(st.sampled_from(places))
    begin = sum(lengths[:field])
    wanted = data.draw(st.sampled_from([-1, *range(FIELDS)]))
    end = end_of_field(np.array([lengths], np.uint32), begin + place, wanted)
    is_meant = field == wanted or (wanted == -1 and field != Field.EMPHASISED)
    assert end == (begin + lengths[field] if is_meant else 0)
