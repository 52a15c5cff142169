"""The written words of a segment: which are near to a typed one, and what merging makes of them."""

from __future__ import annotations

import gc
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page
from plain_spelling import cost

from gossamer.answer.spelling import known_words
from gossamer.answer.spelling.error_model import Correction, channel, coded
from gossamer.answer.spelling.known_words import bag_of, scan, words_in
from gossamer.index.bm25f import Weighting
from gossamer.index.dictionary import (
    NO_WORDS,
    lexicon_of,
    merged_lexicon,
    read_lexicon,
    write_lexicon,
)
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.text.strings import CODING

WORD = st.text(alphabet="aehkpfé", min_size=1, max_size=9) | st.text(alphabet="αιεов", min_size=2, max_size=5)


def made(words):
    counts = Counter(words)
    lines = "".join(f"{word}\n" for word in counts).encode(*CODING)
    return lexicon_of(lines, np.array(list(counts.values()), np.int64))


def scanned(words, typed, reach, most, behind=1 << 19, rarest=0):
    """What the kernel finds, whatever the number of words."""
    letters = coded(typed)
    found, costs = scan(words.table, channel(), letters, bag_of(letters), reach, most, behind, rarest)
    return {words.word(n): c for n, c in zip(found.tolist(), costs.tolist(), strict=True)}


@settings(deadline=None)
@given(st.sets(WORD, max_size=30), WORD.filter(lambda word: len(word) > 1), st.integers(100, 900))
def test_the_kernel_finds_what_the_plain_table_finds(known, typed, most):
    words = words_in(made(known))
    plain = {word: cost(word, typed) for word in known if len(word) >= 2}
    near = {word: own for word, own in plain.items() if own <= most}
    # as far as a word may differ, so that neither bags nor the band leave anything out
    assert scanned(words, typed, 12, most) == near


@settings(deadline=None)
@given(st.sets(WORD, max_size=30), WORD.filter(lambda word: len(word) > 1), st.integers(1, 3))
def test_bags_leave_out_only_what_is_too_far(known, typed, reach):
    words = words_in(made(known))
    found = scanned(words, typed, reach, 10_000)
    for word in known:
        if len(word) >= 2 and letters_apart(word, typed) <= reach:
            assert word in found
    assert all(own >= cost(word, typed) for word, own in found.items())


@settings(deadline=None)
@given(st.dictionaries(WORD, st.integers(1, 5_000), max_size=30), WORD.filter(lambda word: len(word) > 1))
def test_only_what_is_far_behind_the_best_is_missing(known, typed):
    words = words_in(made(Counter(known)))
    every, some = scanned(words, typed, 3, 900), scanned(words, typed, 3, 900, behind=300)
    assert some.items() <= every.items()
    scores = {word: Correction(word, known[word], own).score for word, own in every.items() if own}
    best = max(scores.values(), default=0.0)
    assert {word for word, own in scores.items() if own >= best - 2.9} <= some.keys()
    assert typed not in every or typed in some


@settings(deadline=None)
@given(
    st.dictionaries(WORD, st.integers(1, 5_000), max_size=30),
    WORD.filter(lambda word: len(word) > 1),
    st.integers(1, 5_000),
)
def test_rare_words_are_not_looked_at(known, typed, rarest):
    words = words_in(made(Counter(known)))
    frequent = {word: own for word, own in scanned(words, typed, 3, 900).items() if known[word] >= rarest}
    found = scanned(words, typed, 3, 900, rarest=int(54 * np.log(rarest)))
    assert frequent.items() <= found.items()
    near = {one.word: one.cost for one in words.near(typed, 3, 900, rarest)}
    assert all(known[word] >= rarest for word in near)
    assert near.items() <= frequent.items()
    assert [words.count(word) for word in known] == [known[word] * (len(word) > 1) for word in known]
    assert typed in known or words.count(typed) == 0


def letters_apart(one, other):
    """Letters, their diacritics aside, that are put for others, left out or put in."""
    numbers = channel().numbers
    one, other = numbers[coded(one)].tolist(), numbers[coded(other)].tolist()
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


def test_only_what_people_may_mean_is_kept():
    kept = ["jaguar", "straße", "ягуар", "हिन्दी"]
    strange = ["a", "x1", "10", "日本", "ไทยแลนด์", "c++", "#tag", "z" * 33, "a\U00010400b"]
    words = words_in(made([*kept, *strange]))
    assert sorted(words.word(number) for number in range(len(words))) == sorted(kept)
    assert (np.diff(words.table.bounds)[1:] >= np.diff(words.table.bounds)[:-1]).all()


def test_what_is_very_rare_in_a_long_text_is_no_word_to_suggest(monkeypatch):
    monkeypatch.setattr(known_words, "ONCE_IN", 100)
    words = words_in(made(["jaguar"] * 300 + ["jagaur"] * 2 + ["lantern"] * 3))
    assert sorted(words.word(number) for number in range(len(words))) == ["jaguar", "lantern"]


def test_words_are_read_once_and_given_up_with_their_segment():
    lexicon = made(["jaguar"])
    assert words_in(lexicon) is words_in(lexicon)
    gc.collect()  # those of other tests
    before = len(known_words._KNOWN)
    del lexicon
    gc.collect()
    assert len(known_words._KNOWN) == before - 1


def test_no_words(tmp_path):
    assert len(words_in(NO_WORDS)) == 0
    assert words_in(NO_WORDS).near("jaguar", 2, 900) == []
    assert len(words_in(merged_lexicon([]))) == 0
    write_lexicon(tmp_path / "words.arrays", NO_WORDS)
    assert read_lexicon(tmp_path / "words.arrays").text() == b""


@pytest.mark.parametrize("typed", ["", "a", "z" * 40])
def test_what_is_no_word_finds_none(typed):
    assert words_in(made(["jaguar", "aa"])).near(typed, 2, 900) == []


@given(st.lists(st.lists(WORD, max_size=12), max_size=4))
def test_merging_adds_up(texts):
    merged = merged_lexicon([made(words) for words in texts])
    lines = merged.text().decode(*CODING).splitlines()
    assert dict(zip(lines, merged.counts.tolist(), strict=True)) == Counter(chain(*texts))


def test_segments_know_every_form_before_and_after_a_merge(tmp_path):
    index = Index(tmp_path)
    texts = ["Running runs, U.S.A. running", "runs Café jaguars", "jaguar 日本語 jaguar"]
    for number, text in enumerate(texts):
        writer = SegmentWriter("xx")
        writer.add(page(f"http://h{number}.test/", text, language="en"))
        index.commit(writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0)))
    index.merge_all()
    words = words_in(index.snapshot().views[0].segment.lexicon)
    found = {words.word(n): int(words.counts[n]) for n in range(len(words))}
    expected = {"running": 2, "runs": 2, "café": 1, "jaguars": 1, "jaguar": 2, "usa": 1}
    assert {word: found.get(word) for word in expected} == expected


@given(st.dictionaries(WORD, st.integers(1, 9), max_size=20), st.integers(1, 25))
def test_frequent_words_are_those_that_occur_most_often(counts, most):
    lexicon = made(chain.from_iterable([word] * count for word, count in counts.items()))
    found = lexicon.frequent(most).decode(*CODING).split("\n")[:-1]
    assert len(set(found)) == len(found) == min(most, len(counts))
    left = [count for word, count in counts.items() if word not in found]
    assert min([counts[word] for word in found], default=9) >= max(left, default=0)
