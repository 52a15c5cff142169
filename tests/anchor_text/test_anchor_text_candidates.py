"""Pages that links put forward, and full scores: kernels against arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page

from gossamer.anchor_text.retrieve import _found, _found_compiled, worth_of
from gossamer.anchor_text.score import Said
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.scoring import model as second
from gossamer.scoring.evidence import Evidence, neutral
from gossamer.scoring.model import full_scores
from gossamer.search.settings import SearchSettings
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


@settings(max_examples=25)
@given(TEXTS, st.randoms(use_true_random=False))
def test_pages_are_found_and_are_silent_as_arrays_have_it(tmp_path_factory, texts, random):
    segment, known = segment_of(tmp_path_factory.mktemp("linked"), texts)
    wanted = [*random.sample(known, random.randint(0, len(known))), 0, 7, 1 << 63, (1 << 64) - 1]
    pages = np.array(sorted(wanted), np.uint64)
    frequencies = np.array([[random.choice([0.0, 1.5]) for _ in range(3)] for _ in wanted])
    terms = [number for number in range(len(segment.dictionary)) if random.random() < 0.7]
    some = np.array([random.random() < 0.8 for _ in texts], np.bool_)
    for allowed in (np.empty(0, np.bool_), some):
        found, plain = (
            find(segment, Said(pages, frequencies), allowed, terms) for find in (_found_compiled, _found)
        )
        assert [own.tolist() for own in found] == [own.tolist() for own in plain]


def test_a_page_among_many_that_speak_is_looked_for(tmp_path):
    texts = ["ants" if n % 3 else "bees" for n in range(300)]
    segment, known = segment_of(tmp_path, texts)
    terms = segment.look_up((analyser("xx")["ants"],)).numbers
    for wanted in (known[3:5], known[:100:33], known):
        said = Said(np.array(sorted(wanted), np.uint64), np.ones((len(wanted), 1)))
        found, plain = (
            find(segment, said, np.empty(0, np.bool_), terms) for find in (_found_compiled, _found)
        )
        assert [own.tolist() for own in found] == [own.tolist() for own in plain]


@given(st.integers(1, 10), st.integers(0, 6), st.data())
def test_scores_are_those_of_arrays_to_the_last_bit(words, rows, data):
    def table(columns, values):
        own = st.lists(values, min_size=rows * columns, max_size=rows * columns)
        return np.array(data.draw(own)).reshape(rows, columns)

    frequencies = table(words, NUMBERS)
    distances = table(words - 1, st.sampled_from([1.0, 2.0, 7.0, np.inf]))
    weights = np.array(data.draw(st.lists(NUMBERS, min_size=words, max_size=words)))
    shared = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 0.5, 0.75]), min_size=words - 1, max_size=words - 1))
    )
    ones, found = neutral(rows), []
    for loaded in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(second, "kernels_are_loaded", lambda loaded=loaded: loaded)
            evidence, chosen = Evidence(frequencies, distances), SearchSettings()
            found.append(
                full_scores(evidence, weights, 1.2, ones, None, ones, None, chosen, (ones,) * 3, shared)
            )
    assert found[0].words.tolist() == found[1].words.tolist()
    assert found[0].sum.tolist() == found[1].sum.tolist()
    if words < second.ADDED_APART:
        said, worth = 0.4 * frequencies, np.empty(rows)
        worth_of(frequencies, 0.4, weights, 1.2, worth)
        assert worth.tolist() == (weights * said / (1.2 + said)).sum(axis=1).tolist()
