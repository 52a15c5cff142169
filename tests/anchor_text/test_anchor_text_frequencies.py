"""How often links say a word of a page: each host once, in its shortest text."""

from __future__ import annotations

from collections import defaultdict
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.anchor_text.indexer import AnchorWriter
from gossamer.anchor_text.score import ORDINARY, SLOPE, STEPS, AnchorFrequenciesOfAll, AnchorIndex
from gossamer.anchor_text.unfetched import NO_PAGES, UnfetchedPages
from gossamer.text.terms import analyser

HOSTS = ["a.test", "b.test", "c.test"]
LANGUAGES = ["de", "en"]
WORDS = ["cat", "hunter", "of", "dog"]

texts = st.lists(st.sampled_from(WORDS[:3]), min_size=1, max_size=5).map(" ".join)
said = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 2), st.integers(0, 1), texts), max_size=15)


def index_of(folder, rows, memory=1 << 30, unfetched=NO_PAGES):
    writer = AnchorWriter(folder, HOSTS, LANGUAGES, memory, unfetched)
    for target, host, language, text in rows:
        numbers = np.array([host], np.uint32), np.array([language], np.uint32)
        writer.add(np.array([target], np.uint64), *numbers, [text])
    return AnchorIndex(folder, writer.finish())


def reading(word):
    return tuple(analyser(language)[word] for language in LANGUAGES)


def share(text):
    return round(STEPS / (1 - SLOPE + SLOPE * len(text.split()) / ORDINARY)) / STEPS


def plain(rows, word):
    loudest = defaultdict(float)
    for target, host, _, text in rows:
        if word in text.split():
            loudest[target, host] = max(loudest[target, host], share(text))
    sums = defaultdict(float)
    for (target, _), value in loudest.items():
        sums[target] += value
    return dict(sums)


@settings(max_examples=40)
@given(said, st.sampled_from([1, 1 << 30]))
def test_frequencies_are_those_of_the_twin(tmp_path_factory, rows, memory):
    anchors = index_of(tmp_path_factory.mktemp("said"), rows, memory)
    found = anchors.voices.term_frequencies([reading(word) for word in WORDS])
    for column, word in enumerate(WORDS):
        own = zip(found.pages.tolist(), found.frequencies[:, column].tolist(), strict=True)
        assert {page: value for page, value in own if value} == pytest.approx(plain(rows, word))


@settings(max_examples=40)
@given(said, st.sampled_from([1, 1 << 30]))
def test_pages_rise_and_holders_are_counted(tmp_path_factory, rows, memory):
    found = index_of(tmp_path_factory.mktemp("said"), rows, memory).voices.term_frequencies(
        [reading(w) for w in WORDS]
    )
    expected = [plain(rows, word) for word in WORDS]
    assert found.pages.tolist() == sorted(set().union(*expected))
    assert found.holders == tuple(map(len, expected))


def test_one_site_cannot_shout(tmp_path):
    shouted = [(1, 0, 1, f"cat {'very ' * n}loud") for n in range(9)]
    anchors = index_of(tmp_path, [*shouted, (2, 1, 1, "cat loud"), (2, 2, 1, "cat loud")])
    found = anchors.voices.term_frequencies([reading("cat")])
    assert found.frequencies[1, 0] == 2 * found.frequencies[0, 0]
    assert AnchorFrequenciesOfAll.of_all([found, found]).holders == (4,)
    assert found.of(np.array([2, 7], np.uint64))[:, 0].tolist() == [found.frequencies[1, 0], 0.0]


@settings(max_examples=40)
@given(said, st.sampled_from([1, 1 << 30]), st.permutations([1, 2, 3, 4, 9]))
def test_the_texts_of_some_pages_are_counted_alike(tmp_path_factory, rows, memory, pages):
    anchors = index_of(tmp_path_factory.mktemp("said"), rows, memory)
    asked = [reading(word) for word in WORDS]
    wanted = np.array(pages, np.uint64)
    assert (anchors.voices.of(wanted, asked, 1.0) == anchors.voices.term_frequencies(asked).of(wanted)).all()
    assert not anchors.nearby.of(wanted, asked, 1.0).any()


@settings(max_examples=40)
@given(
    said, st.sampled_from([1, 1 << 30]), st.permutations([1, 2, 3, 4, 9]), st.sampled_from([1.0, 0.5, 0.3])
)
def test_the_texts_of_some_pages_are_weighted(tmp_path_factory, rows, memory, pages, weight):
    voices = index_of(tmp_path_factory.mktemp("said"), rows, memory).voices
    found = voices.of(np.array(pages, np.uint64), [reading(word) for word in WORDS], weight)
    sums = [plain(rows, word) for word in WORDS]
    expected = [[round(STEPS * weight * own.get(page, 0.0)) / STEPS for own in sums] for page in pages]
    assert found.tolist() == expected


def test_what_stands_near_links_is_added(tmp_path):
    anchors = index_of(tmp_path, [(1, 0, 1, "cat")])
    near = index_of(tmp_path / "near", [(1, 0, 1, "dog cat hunter"), (2, 0, 1, "cat dog hunter")])
    words = [reading("cat"), reading("dog")]
    nearby = partial(near.voices.of, words=words, weight=0.25)
    everything = AnchorFrequenciesOfAll.of_all([anchors.voices.term_frequencies(words)], [nearby])
    pages = np.array([2, 1], np.uint64)
    assert (everything.parts[0].of(pages) + everything.nearby[0](pages)).tolist() == [
        [0.25, 0.25],
        [1.75, 0.25],
    ]
    assert everything.holders == (1, 0)


def test_texts_are_kept_for_pages_that_were_not_fetched(tmp_path):
    rows = [(1, 0, 1, "fetched"), (2, 0, 1, "the long way home"), (2, 0, 1, "home"), (2, 1, 1, "home")]
    for memory in (1, 1 << 30):
        folder = tmp_path / str(memory)
        anchors = index_of(folder, rows, memory, UnfetchedPages.of([9, 2], ["z.test", "y.test"]))
        assert anchors.texts(2) == (["home", "the long way home"], "en")
        assert anchors.texts(1)[0] == []
        assert anchors.unfetched.rows(np.array([1, 2, 9], np.uint64)).tolist() == [-1, 0, 1]
        assert [anchors.unfetched.host(number) for number in (0, 1)] == ["y.test", "z.test"]
