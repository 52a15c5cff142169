"""The algorithms against a plain-Python reference: document for document, with ties, deletions, filters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import And, BadSetting, Not, Phrase, Query, Site, Word
from gossamer.query.planner import plan
from gossamer.search.link_rank import NEUTRAL, factors
from gossamer.search.retrieve.choose import EXACT, SingleSegmentSearch
from gossamer.search.retrieve.top_k import empty_ranking
from gossamer.search.searcher import Searcher, shown_scores
from gossamer.search.weighting import SCHEMES, DocumentLengths
from gossamer.text.terms import in_language

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
NOTHING = np.empty(0, np.uint64)


def build(folder, batches, gone=()):
    index = Index(folder)
    for batch in batches:
        writer = SegmentWriter("xx")
        for one in batch:
            writer.add(one)
        index.commit(writer, NOTHING, PIVOTS)
    if gone:
        index.commit(SegmentWriter("xx"), np.array(gone, np.uint64), PIVOTS)
    return index.snapshot()


def run(searchers, query, k=10, scheme="bm25f", algorithm="blockmax"):
    """The two-phase search over several partitions, as the engine does it."""
    languages = {name for s in searchers for name in s.snapshot.languages()}
    wanted = plan(query, sorted(languages))
    stats = sum((s.snapshot.term_stats(wanted.terms) for s in searchers[1:]),
                searchers[0].snapshot.term_stats(wanted.terms))  # fmt: skip
    results = [s.search(wanted, stats, k, scheme, algorithm) for s in searchers]
    if len(searchers) == 1:
        assert_same_without_statistics(searchers[0], wanted, results[0], k, scheme, algorithm)
    found = (c for r in results for c in r.candidates)
    candidates = sorted(found, key=lambda c: (-c.score, c.fingerprint))[:k]
    return sum(r.total for r in results), [(c.score, c.fingerprint) for c in candidates]


def assert_same_without_statistics(searcher, wanted, expected, k, scheme, algorithm):
    """A partition that stands alone may take the shortest way, and finds the same."""
    for count in (True, False):
        found = searcher.search(wanted, None, k, scheme, algorithm, count)
        assert list(found.candidates) == list(expected.candidates)
        assert found.total == (expected.total if count else 0)


def search(snapshot, query, k=10, rank=None, **more):
    return run([Searcher(0, snapshot, rank, 0.5)], query, k, **more)


def query(*clauses):
    return Query("", tuple(Word(c) if isinstance(c, str) else c for c in clauses))


def plain_search(snapshot, words, k, rank, scheme, allowed=lambda stored: True):
    """Scores every living document by reading the impacts posting by posting."""
    words = [in_language(word, "xx") for word in words]
    stats = snapshot.term_stats(words)
    known = [word for word in words if stats.frequencies[word]]
    weights = SCHEMES[scheme].weights(stats.documents, [stats.frequencies[word] for word in known])
    scores = {}
    for view in snapshot.views:
        segment = view.segment
        lengths = DocumentLengths(segment.columns.lengths.sum(axis=1), sum(PIVOTS.pivots))
        levels = SCHEMES[scheme].impacts(segment.postings, lengths).postings.posting_impacts
        static = factors(segment.columns.fingerprints, rank, 0.5).of_document
        alive = view.alive()
        for word, weight in zip(known, weights, strict=True):
            number = segment.dictionary.number(word)
            if number < 0:
                continue
            first = int(segment.postings.entry_postings[segment.postings.term_entries[number]])
            for i, doc in enumerate(segment.postings.documents(number)):
                if alive[doc] and allowed(segment.stored.document(int(doc))):
                    key = int(segment.columns.fingerprints[doc])
                    scores[key] = scores.get(key, 0) + weight * int(levels[first + i]) * int(static[doc])
    ranking = sorted(((score, fp) for fp, score in scores.items()), key=lambda x: (-x[0], x[1]))
    return len(scores), ranking[:k]


TEXTS = st.lists(st.sampled_from("a b c d e f".split()), min_size=1, max_size=10).map(" ".join)


def test_a_small_segment_does_not_rule_out_what_others_have(tmp_path):
    pages = [page(f"http://h.test/{n}", "word " * (9 - n)) for n in range(6)]
    snapshot = build(tmp_path, [pages[:1], pages[1:]])
    for algorithm in EXACT:
        assert len(search(snapshot, query("word"), algorithm=algorithm)[1]) == 6
    conjunction = query(And((Word("word"), Word("test"))))
    assert len(search(snapshot, conjunction)[1]) == len(
        search(snapshot, conjunction, algorithm="exhaustive")[1]
    )


@given(
    st.lists(TEXTS, min_size=1, max_size=25),
    st.lists(st.sampled_from("a b c d e f z".split()), min_size=1, max_size=4, unique=True),
    st.integers(1, 8),
    st.sampled_from(sorted(SCHEMES)),
    st.booleans(),
    st.data(),
)
def test_every_algorithm_equals_the_plain_reference(tmp_path_factory, texts, words, k, scheme, ranked, data):
    pages = [page(f"http://h{i % 4}.test/{i}", text) for i, text in enumerate(texts)]
    cut = data.draw(st.integers(0, len(pages)))
    gone = data.draw(st.lists(st.sampled_from([p.url.fingerprint for p in pages]), max_size=4))
    snapshot = build(tmp_path_factory.mktemp("i"), [b for b in (pages[:cut], pages[cut:]) if b], gone)
    rank = (lambda fps: (fps % np.uint64(7)).astype(np.float64) * 3) if ranked else None
    expected = plain_search(snapshot, words, k, rank, scheme)
    for algorithm in EXACT:
        assert search(snapshot, query(*words), k, rank, scheme=scheme, algorithm=algorithm) == expected


@given(
    st.lists(TEXTS, min_size=1, max_size=30),
    st.lists(st.sampled_from("a b c d e f z".split()), min_size=1, max_size=3, unique=True),
    st.sampled_from([2, 5]),
    st.integers(1, 8),
)
def test_many_partitions_rank_like_one(tmp_path_factory, texts, words, partitions, k):
    pages = [page(f"http://h{i}.test/", text) for i, text in enumerate(texts)]
    parts = [pages[i::partitions] for i in range(partitions)]
    one = [Searcher(0, build(tmp_path_factory.mktemp("one"), [pages]), None, 0.5)]
    many = [
        Searcher(i, build(tmp_path_factory.mktemp("p"), [part] if part else []), None, 0.5)
        for i, part in enumerate(parts)
    ]
    assert run(one, query(*words), k) == run(many, query(*words), k)


def test_ten_thousand_documents_over_several_ranges(tmp_path):
    """More than one range of 4,096, so that skipping and essential terms are really used."""
    rng = np.random.default_rng(7)
    vocabulary = [f"w{i}" for i in range(300)]
    chances = 1 / np.arange(1, 301)
    chances /= chances.sum()
    pages = [
        page(
            f"http://h{i % 50}.test/{i}",
            " ".join(rng.choice(vocabulary, size=rng.integers(5, 40), p=chances)),
        )
        for i in range(10_000)
    ]
    snapshot = build(tmp_path, [pages])
    ranks = lambda fps: (fps % np.uint64(1000)).astype(np.float64) / 10  # noqa: E731
    for trial in range(40):
        words = [str(w) for w in rng.choice(vocabulary, size=1 + trial % 4, replace=False, p=chances)]
        for rank in (None, ranks):
            for k in (1, 10, 300):
                fast = search(snapshot, query(*words), k, rank)
                assert fast == search(snapshot, query(*words), k, rank, algorithm="exhaustive")


def hits(snapshot, *clauses):
    _, ranking = search(snapshot, query(*clauses), 50)
    names = {
        int(fp): view.segment.stored.document(doc).url
        for view in snapshot.views
        for doc, fp in enumerate(view.segment.columns.fingerprints)
    }
    return {names[fp] for _, fp in ranking}


@pytest.fixture
def zoo(tmp_path):
    return build(tmp_path, [[
        page("http://cats.test/a", "big cat jaguar"),
        page("http://www.cats.test/b", "small cat"),
        page("http://cars.test/c", "jaguar car"),
        page("http://notcats.test/d", "cat car", "headline cat"),
        page("http://cars.test:8080/e", "jaguar port"),
    ]])  # fmt: skip


def test_restrictions(zoo):
    assert hits(zoo, "jaguar", Not(Word("car"))) == {"http://cats.test/a", "http://cars.test:8080/e"}
    assert hits(zoo, "cat", Site("cats.test")) == {"http://cats.test/a", "http://www.cats.test/b"}
    assert hits(zoo, "cat", Not(Site("cats.test"))) == {"http://notcats.test/d"}
    assert hits(zoo, Site("cars.test")) == {"http://cars.test/c", "http://cars.test:8080/e"}
    assert hits(zoo, Site("cars.test:8080")) == {"http://cars.test:8080/e"}
    assert hits(zoo, "cat", Site("cats.test"), Site("notcats.test")) == {
        "http://cats.test/a", "http://www.cats.test/b", "http://notcats.test/d"
    }  # fmt: skip
    assert hits(zoo, "nowhere") == set()


def test_no_phrase_bridges_two_fields(zoo):
    assert hits(zoo, Phrase("headline cat")) == {"http://notcats.test/d"}
    assert hits(zoo, Phrase("cat cat")) == set()


def test_an_explanation_adds_up_to_the_score(zoo):
    searcher = Searcher(0, zoo, lambda fps: np.full(len(fps), 10.0), 0.5)
    wanted = plan(query("jaguar", "car"), ["xx"])
    stats = zoo.term_stats(wanted.terms)
    for scheme in SCHEMES:
        for found in searcher.search(wanted, stats, 10, scheme, "maxscore").candidates:
            explained = searcher.explain(wanted, stats, found.address, scheme)
            total = sum(c.score for c in explained.contributions) * explained.static_factor
            assert total == pytest.approx(shown_scores(np.array([found.score]), wanted, scheme)[0])
            assert explained.static_factor == pytest.approx(1 + 0.5 * 2 / 3, abs=1 / NEUTRAL)


def test_unknown_names_raise_an_error(zoo):
    with pytest.raises(BadSetting, match="bm25f"):
        search(zoo, query("cat"), scheme="nonsense")
    with pytest.raises(BadSetting, match="maxscore"):
        search(zoo, query("cat"), algorithm="nonsense")


def test_a_reading_finds_pages_of_its_language_only(tmp_path):
    """German stems "tempest" to "temp", and so does French "temps": they must not meet."""
    snapshot = build(tmp_path, [[
        page("http://de.test/", "ein tempest in der Stadt", language="de"),
        page("http://fr.test/", "le temps qu'il fait", language="fr"),
        page("http://en.test/", "the tempests of spring", language="en"),
    ]])  # fmt: skip
    assert hits(snapshot, "tempest") == {"http://de.test/", "http://en.test/"}


def test_a_word_weighs_as_it_is_rare_in_all_languages_together(tmp_path):
    """A word that is common in one language is no treasure where it is rare."""
    pages = [page(f"http://e{i}.test/", f"i see text{i}", language="en") for i in range(20)]
    foreign = page("http://ro.test/", "i altele", language="ro")
    mercury = page("http://m.test/", "mercury in the evening", language="en")
    snapshot = build(tmp_path, [[*pages, foreign, mercury]])
    _, ranking = search(snapshot, query("i", "mercury"), 3)
    assert ranking[0][1] == mercury.url.fingerprint


@pytest.mark.parametrize("threads", [1, 2])
def test_one_segment_is_searched_in_one_call(zoo, monkeypatch, threads):
    asked = []
    monkeypatch.setattr(
        SingleSegmentSearch, "ranking", lambda *arguments: asked.append(arguments) or empty_ranking(0)
    )
    assert len(zoo.views) == 1
    searcher = Searcher(0, zoo, None, 0.5, threads=threads)
    for clauses, ways in (
        (("cat",), 1),
        ((And((Word("big"), Word("cat"))),), 2),
        (("cat", Not(Word("dog"))), 2),
    ):
        searcher.search(plan(query(*clauses), zoo.languages()), None, 3, "bm25f", "blockmax")
        assert len(asked) == ways
