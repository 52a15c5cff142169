"""Phrases in compiled code, against plain Python: long texts and short, words that stand twice in a row."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import Page, Url
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.search.searcher import Searcher

LANGUAGE = "xx"  # without a stemmer and without function words
WORDS = ("ab", "cd", "ef", "gh")


@st.composite
def webs(draw):
    """Titles and texts of a few words each; some texts are long enough that positions wrap around 64."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shares = draw(
        st.sampled_from([(0.7, 0.2, 0.09, 0.01), (0.25, 0.25, 0.25, 0.25), (0.98, 0.01, 0.005, 0.005)])
    )
    pages = []
    for number in range(draw(st.sampled_from([1, 20, 70, 200]))):
        title, text = rng.integers(1, 4), rng.choice([3, 60, 70, 200])
        words = [WORDS[w] for w in rng.choice(len(WORDS), title + text, p=shares)]
        url = Url.parsed(f"http://zz.test/?{number}")
        pages.append(
            Page(url, title=" ".join(words[:title]), text=" ".join(words[title:]), language=LANGUAGE)
        )
    return pages


def searcher_of(pages, folder):
    index, writer = Index(folder), SegmentWriter(LANGUAGE)
    for page in pages:
        writer.add(page)
    index.commit(writer, np.empty(0, np.uint64), Weighting.frozen_for(writer.total_lengths(), len(writer)))
    return Searcher(0, index.snapshot(), None, 0.0)


def holds(page, phrase):
    """Whether the words stand in a row in the title or in the text; not half in one, half in the other."""
    return any(f" {phrase} " in f" {field} " for field in (page.title, page.text))


@settings(max_examples=40, deadline=None)
@given(webs(), st.lists(st.sampled_from(WORDS), min_size=2, max_size=5).map(" ".join))
def test_a_phrase_is_found_where_its_words_stand_in_a_row(pages, phrase):
    expected = {page.url.fingerprint for page in pages if holds(page, phrase)}
    with tempfile.TemporaryDirectory() as folder:
        searcher = searcher_of(pages, Path(folder))
        query = plan(parse(f'"{phrase}"'), [LANGUAGE])
        for k in (1000, 5):
            found = searcher.search(query, None, k, "bm25f", "blockmax").candidates.pages.tolist()
            assert len(found) == min(k, len(expected))
            assert set(found) <= expected
