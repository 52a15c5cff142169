"""The second phase as arrays: the ranking is that of the formula, page by page, in plain Python."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page

from gossamer.anchor_text.score import NOTHING, AnchorFrequencies, AnchorFrequenciesOfAll
from gossamer.index.bm25f import Field, Weighting, field_texts, idf
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.query.conditions import LanguagePreference
from gossamer.query.expansion import analysers
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.scoring.evidence import evidence
from gossamer.scoring.model import DAY, CandidateScorer, SecondPhaseRanker, shared_parts, weigh
from gossamer.scoring.two_phase import TwoPhaseSearch
from gossamer.search.candidates import NOBODY, Candidates, best_first, best_of, joined
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.words import words

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
SETTINGS = SearchSettings(feedback=0.0, exact_form_boost=0.0)
TEXT = st.lists(st.sampled_from("a b c d".split()), max_size=12).map(" ".join)
UNSPACED = st.text("京都市大 ", max_size=12)
OF_PAIRS = 0.75  # what a pair counts where the one before it is held too


def searcher_of(folder, several, partition=0):
    """Each list of pages is a segment."""
    index = Index(folder)
    for pages in several:
        writer = SegmentWriter("xx")
        for one in pages:
            writer.add(one)
        index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    return Searcher(partition, index.snapshot(), None, 0.0)


def found(searchers, typed, chosen):
    wanted = plan(parse(typed), ["xx"])
    stats = [one.snapshot.term_stats(wanted.terms) for one in searchers]
    search = TwoPhaseSearch(wanted, sum(stats[1:], stats[0]), "bm25f", "blockmax", chosen, 0.0)
    ranked = search.ranked(searchers, 10)
    return list(zip(ranked.scores.tolist(), ranked.candidates.pages.tolist(), strict=True))


def plain(pages, typed, chosen):
    """The same by the formula: (score, fingerprint) of every page that holds a word, best first."""
    fields = [[words(text) for text in field_texts([one])] for one in pages]
    asked = words(typed)
    overlap = [one[1:] == two[:-1] != "" for one, two in pairwise(asked)]
    held = [sum(any(word in field for field in own) for own in fields) for word in asked]
    weights = [idf(len(pages), n) if n else 0.0 for n in held]
    ranking = []
    for one, own in zip(pages, fields, strict=True):
        shares = PIVOTS.shares(np.array([[len(field) for field in own]]))[0]
        tfs = [sum(s * f.count(word) for s, f in zip(shares, own, strict=True)) for word in asked]
        once = [
            OF_PAIRS if shared and tf else 1.0
            for shared, tf in zip([False, *overlap], [0, *tfs[:-1]], strict=True)
        ]
        score = sum(s * w * tf / (PIVOTS.k1 + tf) for s, w, tf in zip(once, weights, tfs, strict=True))
        for (left, w), (right, v), shared in zip(*neighbours(asked, weights), overlap, strict=True):
            score += 0 if shared else chosen.proximity * min(w, v) / least_distance(own, left, right) ** 2
        if any(tfs):
            ranking.append((-score, one.url.fingerprint))
    return [(-score, fingerprint) for score, fingerprint in sorted(ranking)]


def neighbours(asked, weights):
    both = list(zip(asked, weights, strict=True))
    return both[:-1], both[1:]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("京都市", [0.5]),
        ("京都市 大学", [0.5, 0]),
        ("ภาษาไทย", [0.75, 0.75, 0.75]),
        ("the cat", [0]),
        ("cat at", [0]),
        ("京", []),
    ],
)
def test_pieces_that_overlap_share_letters(typed, expected):
    assert shared_parts(analysers(("xx",)).read_all(words(typed))).tolist() == expected


def least_distance(fields, left, right):
    return min(
        (abs(i - j) for f in fields for i, a in enumerate(f) for j, b in enumerate(f)
         if a == left and b == right),
        default=math.inf,
    )  # fmt: skip


@settings(max_examples=25)
@given(st.lists(TEXT, min_size=1, max_size=14), st.sampled_from(["a", "a b", "a b c", "d b"]))
def test_the_ranking_is_that_of_the_formula(tmp_path_factory, texts, typed):
    pages = [page(f"http://h{n % 4}/{n}", text, f"a {n}") for n, text in enumerate(texts)]
    expected = plain(pages, typed, SETTINGS)
    parts = [pages[::3], pages[1::3], pages[2::3]]
    folder = tmp_path_factory.mktemp
    one = [searcher_of(folder("one"), [pages])]
    segments = [searcher_of(folder("segments"), parts)]
    many = [searcher_of(folder("part"), [part], n) for n, part in enumerate(parts)]
    for searchers in (one, segments, many):
        ranked = found(searchers, typed, SETTINGS)
        assert [score for score, _ in ranked] == pytest.approx([score for score, _ in expected])
        assert same_pages(ranked, expected)


@settings(max_examples=25)
@given(
    st.lists(UNSPACED, min_size=1, max_size=14),
    st.sampled_from(["京都市", "都市 京都", "大京都市 市大", "京都大市都京京市市大"]),
)
def test_pieces_that_overlap_count_what_they_share_once(tmp_path_factory, texts, typed):
    pages = [page(f"http://h/{n}", text) for n, text in enumerate(texts)]
    expected = plain(pages, typed, SETTINGS)
    searchers = [searcher_of(tmp_path_factory.mktemp("pieces"), [pages])]
    ranked = found(searchers, typed, SETTINGS)
    assert [score for score, _ in ranked] == pytest.approx([score for score, _ in expected])
    assert same_pages(ranked, expected)


def same_pages(ranked, expected):
    """Whether the pages come in the same order, where their scores are not the same but for rounding."""
    scores = {page: round(score, 9) for score, page in expected}
    return [scores[page] for _, page in ranked] == [round(score, 9) for score, _ in expected]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30)), max_size=30), st.integers(0, 40))
def test_the_best_are_those_of_a_sorted_list(rows, k):
    scores, pages = np.array(rows, np.int64).reshape(-1, 2).T
    expected = sorted(range(len(rows)), key=lambda row: (-rows[row][0], rows[row][1]))[:k]
    got = best_first(scores, pages.astype(np.uint64), k)
    assert [rows[row] for row in got.tolist()] == [rows[row] for row in expected]
    chosen = np.arange(len(rows))[best_of(scores, pages.astype(np.uint64), k)]
    assert sorted(rows[row] for row in chosen.tolist()) == sorted(rows[row] for row in expected)


def numbered(pages):
    numbers = np.arange(len(pages))
    return Candidates(numbers, np.array(pages, np.uint64), numbers, numbers, numbers)


@given(*[st.lists(st.integers(0, 40).map(lambda n: n << 58 | n % 7), max_size=30, unique=True)] * 2)
def test_what_is_known_is_left_out(pages, known):
    expected = [page for page in pages if page not in known]
    assert numbered(pages).without(numbered(known)).pages.tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 2)), max_size=20))
def test_candidates_stand_in_segments(homes):
    partitions, segments = np.array(homes, np.int64).reshape(-1, 2).T
    numbers = np.arange(len(homes))
    made = Candidates(numbers, numbers.astype(np.uint64), partitions, segments, numbers)
    rows = {(p, s): numbers[own].tolist() for p, s, own in made.by_segment()}
    assert rows == {home: [n for n, own in enumerate(homes) if own == home] for home in set(homes)}
    assert [(c.address.partition, c.address.segment) for c in made] == homes
    assert list(joined([NOBODY, made[:3], made[3:]])) == list(made)


def test_where_all_candidates_stand_may_be_known():
    numbers = np.arange(4)
    columns = numbers, numbers.astype(np.uint64), np.full(4, 2), np.full(4, 1), numbers
    for home in (None, (2, 1)):
        made = Candidates(*columns, home)
        for some in (made, made[1:], made.taken(np.array([3, 0]))):
            assert some.by_segment() == [(2, 1, slice(None))]


def test_other_settings_rank_by_the_same_formula(tmp_path):
    pages = [page("http://h/1", "a x b"), page("http://h/2", "b a"), page("http://h/3", "c")]
    chosen = replace(SETTINGS, proximity=0.7)
    ranked = found([searcher_of(tmp_path, [pages])], "a b", chosen)
    assert ranked == [(pytest.approx(score), one) for score, one in plain(pages, "a b", chosen)]


def weighed(pages, frequencies, distances, said, near, share, shared, weights, proximity):
    """The kernel's columns: what words add, what neighbouring words add, and the sum."""
    words, close, sums = np.empty(frequencies.shape), np.empty(len(pages)), np.empty(len(pages))
    weigh(pages, frequencies, distances, said.pages, said.frequencies, near, share, shared, weights, 1.2,
          proximity, words, close, sums)  # fmt: skip
    return words, close, sums


def plain_weighed(pages, frequencies, distances, said, near, share, shared, weights, proximity):
    """The same by arrays."""
    tfs = frequencies + share * (said.of(pages) + (near if len(near) else 0.0))
    words = weights * tfs / (1.2 + tfs)
    words[:, 1:] *= np.where((words[:, :-1] > 0) & (shared > 0), 1 - shared / 2, 1.0)
    pairs = np.where(shared > 0, 0.0, np.minimum(weights[:-1], weights[1:]) / distances**2)
    close = proximity * pairs.sum(axis=1)
    return words, close, words.sum(axis=1) + close


@given(st.integers(1, 10), st.integers(0, 6), st.booleans(), st.data())
def test_words_are_weighed_as_arrays_weigh_them(words, rows, has_near, data):
    def table(height, columns, values):
        own = st.lists(values, min_size=height * columns, max_size=height * columns)
        return np.array(data.draw(own), np.float64).reshape(height, columns)

    numbers = st.floats(0, 1000, allow_subnormal=False)
    pages = np.array(data.draw(st.permutations(range(rows))), np.uint64)
    known = np.array(sorted(data.draw(st.sets(st.integers(0, 8)))), np.uint64)
    given_ = (
        pages,
        table(rows, words, numbers),
        table(rows, words - 1, st.sampled_from([1.0, 2.0, 7.0, np.inf])),
        AnchorFrequencies.counted(known, table(len(known), words, numbers)),
        table(rows if has_near else 0, words, numbers),
        0.4,
        table(1, words - 1, st.sampled_from([0.0, 0.5, 0.75]))[0],
        table(1, words, numbers)[0],
        0.3,
    )
    for found, expected in zip(weighed(*given_), plain_weighed(*given_), strict=True):
        assert np.allclose(found, expected, rtol=1e-12, atol=1e-300)


@settings(max_examples=25)
@given(st.lists(TEXT | UNSPACED, min_size=1, max_size=14),
       st.lists(st.sampled_from("a b c d z 京都市".split()), min_size=1),
       st.randoms(use_true_random=False))  # fmt: skip
def test_candidates_of_many_segments_get_the_scores_of_arrays(tmp_path_factory, texts, typed, random):
    pages = [page(f"http://h{n % 4}/{n}", text, f"a {n}", language="en") for n, text in enumerate(texts)]
    searcher = searcher_of(tmp_path_factory.mktemp("scores"), [pages[::2], pages[1::2]])
    wanted = plan(parse(" ".join(typed)), ["xx"])
    said = AnchorFrequencies.counted(
        np.array(sorted(one.url.fingerprint for one in random.sample(pages, len(pages) // 2)), np.uint64),
        np.array([[random.choice([0.0, 1.5]) for _ in wanted.words] for _ in pages[1::2]]).reshape(
            len(pages) // 2, len(wanted.words)
        ),
    )
    near = random.choice([(), (lambda own: np.outer(own % np.uint64(3), np.ones(len(wanted.words))),)])
    chosen = SearchSettings(freshness=random.choice([0.0, 0.2]), short_url_boost=random.choice([0.0, 0.1]))
    leaning = LanguagePreference({"xx": 0.5, "": 0.25}) if random.random() < 0.5 else LanguagePreference()
    scorer = CandidateScorer(
        replace(wanted, leaning=leaning),
        searcher.snapshot.term_stats(wanted.terms),
        chosen,
        9e8,
        random.choice([NOTHING, AnchorFrequenciesOfAll((said,), said.holders, near)]),
    )
    views = enumerate(view.segment.columns.fingerprints.tolist() for view in searcher.snapshot.views)
    rows = [(page, number, doc) for number, own in views for doc, page in enumerate(own)]
    random.shuffle(rows)
    own, segments, docs = zip(*rows, strict=True)
    zeros = np.zeros(len(rows), np.int64)
    made = Candidates(zeros, np.array(own, np.uint64), zeros, np.array(segments), np.array(docs))
    expected = [plain_score(scorer, searcher, *row) for row in rows]
    assert SecondPhaseRanker(scorer, [searcher]).scores(made) == pytest.approx(expected, rel=1e-12)


def plain_score(scorer, searcher, fingerprint, number, doc):
    """The score of one document: evidence, anchor text, then the factors one after the other."""
    segment, chosen, wanted = searcher.snapshot.views[number].segment, scorer.settings, scorer.plan
    places = dict(zip(wanted.terms, segment.look_up(wanted.terms).numbers, strict=True))
    numbers = [[places[term] for term in word if places[term] >= 0] for word in wanted.words]
    shown, pages = evidence(segment, np.array([doc]), numbers, PIVOTS), np.array([fingerprint], np.uint64)
    links = np.zeros(shown.frequencies.shape)
    for said in scorer.anchor_frequencies.parts:
        links = said.of(pages) + sum(near(pages) for near in scorer.anchor_frequencies.nearby)
    nothing = AnchorFrequencies.counted(np.empty(0, np.uint64), np.empty((0, len(wanted.words))))
    *_, sums = plain_weighed(pages, *(shown.frequencies, shown.distances), nothing, links,
                             chosen.anchor_text_weight, scorer.shared, scorer.weights,
                             chosen.proximity)  # fmt: skip
    columns = segment.columns
    age = max(scorer.now - columns.fetched_at[doc], 0)
    factor = 1 + chosen.freshness * 0.5 ** (age / (chosen.freshness_days * DAY))
    factor *= 1 + chosen.short_url_boost / columns.lengths[doc, Field.URL]
    return sums[0] * factor * wanted.leaning.shares.get(segment.marks[columns.language_ids[doc]], 1.0)
