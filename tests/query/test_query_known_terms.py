"""A plan without terms that nothing holds finds the same, in the same order, with the same scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pages import page

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.scoring.two_phase import TwoPhaseSearch
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.terms import MultilingualAnalyser
from gossamer.text.words import words

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
LANGUAGES = ["de", "en", "fr", "xx"]
WORDS = "ruling rules families chats maisons häuser haus running".split()
ASKED = (
    "ruling families",
    "chats",
    '"ruling families"',
    "rules AND haus",
    "chats OR maisons",
    "haus -rules",
    "intitle:haus ruling",
    "rules NEAR families",
    "nowhere ruling",
    "nowhere",
    "latest rules",
)
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
PAGES = st.lists(st.tuples(TEXT, st.sampled_from(LANGUAGES)), min_size=1, max_size=6)


def searcher_of(folder, pages):
    index, writer = Index(folder), SegmentWriter("xx")
    for number, (text, language) in enumerate(pages):
        writer.add(page(f"http://h{number}.test/", text, text.split()[0], language=language))
    index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    return Searcher(0, index.snapshot(), None, 0.0)


def ranked(searcher, wanted, stats):
    search = TwoPhaseSearch(wanted, stats, "bm25f", "blockmax", SearchSettings(), 0.0)
    search = search.towards(searcher.snapshot.spoken(), ())
    found = search.ranked([searcher], 10)
    return found.total, found.candidates.pages.tolist(), found.scores.tolist(), search._timely


@pytest.mark.parametrize("typed", ASKED)
@given(pages=PAGES)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_terms_without_documents_change_no_result(tmp_path_factory, typed, pages):
    searcher = searcher_of(tmp_path_factory.mktemp("index"), pages)
    whole = plan(parse(typed), searcher.snapshot.languages())
    stats = searcher.snapshot.term_stats(whole.terms)
    known = whole.of_known(stats.frequencies)
    assert all(stats.frequencies[term] for word in known.words if len(word) > 1 for term in word)
    assert ranked(searcher, known, stats) == ranked(searcher, whole, stats)


def test_a_word_that_nothing_holds_keeps_a_term():
    made = plan(parse("ruling"), ["de", "en"])
    assert made.of_known(dict.fromkeys(made.terms, 0)).words == (made.words[0][:1],)


def test_a_plan_of_known_terms_does_not_change():
    made = plan(parse("ruling"), ["de", "en"])
    assert made.of_known(dict.fromkeys(made.terms, 1)) is made


@given(st.lists(st.text("abcdefgiklmnorstuy'éöœ", min_size=1, max_size=12), min_size=1, max_size=5))
@pytest.mark.parametrize("more", [[], ["geese"], ["yeux"]])
def test_words_are_read_together_as_one_by_one(more, typed):
    readers = MultilingualAnalyser.of(["", "de", "en", "fr", "ru", "tr", "vi"])
    asked = [word for text in [*typed, *more] for word in words(text)]
    assert readers.read_all(asked) == [tuple(one[word] for one in readers) for word in asked]
