"""Pages that links put forward, and what links add to their scores: kernels against arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page

from gossamer.anchor_text.retrieve import found_in, worth_of
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.text.terms import analyser

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
TEXTS = st.lists(st.lists(st.sampled_from("ants bees wasps".split())).map(" ".join), min_size=1, max_size=40)
NUMBERS = st.floats(0, 1000, allow_subnormal=False)


def segment_of(folder, texts):
    index, writer = Index(folder), SegmentWriter("xx")
    pages = [page(f"http://h/{n}", text) for n, text in enumerate(texts)]
    for one in pages:
        writer.add(one)
    index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    return index.snapshot().views[0].segment, [one.url.fingerprint for one in pages]


def plain(segment, pages, allowed, terms):
    """Rows of the pages that a segment has and that are allowed, their documents, and who holds no term."""
    places = segment.columns.fingerprints.tolist()
    docs = [(places.index(page), row) for row, page in enumerate(pages.tolist()) if page in places]
    docs = sorted((doc, row) for doc, row in docs if not len(allowed) or allowed[doc])
    holding = [set(segment.postings.documents(term).tolist()) for term in terms]
    silent = [all(doc not in own for own in holding) for doc, _ in docs]
    return [[row for _, row in docs], [doc for doc, _ in docs], silent]


@settings(max_examples=25)
@given(TEXTS, st.randoms(use_true_random=False))
def test_pages_are_found_and_are_silent_as_arrays_have_it(tmp_path_factory, texts, random):
    segment, known = segment_of(tmp_path_factory.mktemp("linked"), texts)
    wanted = [*random.sample(known, random.randint(0, len(known))), 0, 7, 1 << 63, (1 << 64) - 1]
    pages = np.array(sorted(wanted), np.uint64)
    terms = [number for number in range(len(segment.dictionary)) if random.random() < 0.7]
    some = np.array([random.random() < 0.8 for _ in texts], np.bool_)
    for allowed in (np.empty(0, np.bool_), some):
        found = found_in(segment, pages, allowed, terms)
        assert [own.tolist() for own in found] == plain(segment, pages, allowed, terms)


def test_a_page_among_many_that_speak_is_looked_for(tmp_path):
    texts = ["ants" if n % 3 else "bees" for n in range(300)]
    segment, known = segment_of(tmp_path, texts)
    terms = segment.look_up((analyser("xx")["ants"],)).numbers
    for wanted in (known[3:5], known[:100:33], known):
        pages, every = np.array(sorted(wanted), np.uint64), np.empty(0, np.bool_)
        found = found_in(segment, pages, every, terms)
        assert [own.tolist() for own in found] == plain(segment, pages, every, terms)


@given(st.integers(1, 10), st.integers(0, 6), st.data())
def test_links_add_what_the_formula_says(words, rows, data):
    cells = st.lists(NUMBERS, min_size=rows * words, max_size=rows * words)
    frequencies = np.array(data.draw(cells)).reshape(rows, words)
    weights = np.array(data.draw(st.lists(NUMBERS, min_size=words, max_size=words)))
    said, worth = 0.4 * frequencies, np.empty(rows)
    worth_of(frequencies, 0.4, weights, 1.2, worth)
    assert np.allclose(worth, (weights * said / (1.2 + said)).sum(axis=1), rtol=1e-12, atol=0)
