"""Blocked and boosted sites: every algorithm against every posting read one by one, over any partitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from gossamer.collection.site_rules import SiteRule, SiteRuleTable
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import And, Not, Phrase, Query, Site, Word
from gossamer.query.planner import plan
from gossamer.search.link_rank import NEUTRAL, SiteFactors
from gossamer.search.retrieve.choose import EXACT
from gossamer.search.searcher import Searcher
from gossamer.search.weighting import SCHEMES
from gossamer.text.terms import in_language

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
NOTHING = np.empty(0, np.uint64)
STRENGTH = 0.5


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


def rules_of(by_host):
    """Factors of hosts as rules; 0 blocks."""
    return SiteRuleTable(
        tuple(SiteRule("boost" if factor else "block", host, factor) for host, factor in by_host.items())
    )


def searchers_of(snapshots, rules, rank=None):
    return [
        Searcher(n, one, rank, STRENGTH, sites=SiteFactors(rules.factor)) for n, one in enumerate(snapshots)
    ]


def run(searchers, query, k, algorithm):
    """Both phases of what a query finds: how many, and the best with their scores."""
    languages = {name for one in searchers for name in one.snapshot.languages()}
    wanted = plan(query, sorted(languages))
    stats = sum((one.snapshot.term_stats(wanted.terms) for one in searchers[1:]),
                searchers[0].snapshot.term_stats(wanted.terms))  # fmt: skip
    found = [one.search(wanted, stats, k, "bm25f", algorithm) for one in searchers]
    if len(searchers) == 1:  # the shortest way, which needs no statistics of others
        alone = searchers[0].search(wanted, None, k, "bm25f", algorithm)
        assert list(alone.candidates) == list(found[0].candidates)
        assert alone.total == found[0].total
    best = sorted(
        (one for part in found for one in part.candidates), key=lambda one: (-one.score, one.fingerprint)
    )[:k]
    return sum(part.total for part in found), [(one.score, one.fingerprint) for one in best]


def words(*typed):
    return Query("", tuple(map(Word, typed)))


def plainly(snapshots, typed, k, rules, rank=None):
    """Every posting of every living document, with the factor of its page and its host."""
    terms = [in_language(word, "xx") for word in typed]
    stats = sum((one.term_stats(terms) for one in snapshots[1:]), snapshots[0].term_stats(terms))
    known = [term for term in terms if stats.frequencies[term]]
    weights = SCHEMES["bm25f"].weights(stats.documents, [stats.frequencies[term] for term in known])
    scores: dict[int, int] = {}
    for view in (view for one in snapshots for view in one.views):
        segment, alive = view.segment, view.alive()
        lifts = lifted(segment.columns.fingerprints, rank)
        for term, weight in zip(known, weights, strict=True):
            number = segment.dictionary.number(term)
            if number < 0:
                continue
            levels = segment.postings.levels(number)
            for doc, level in zip(segment.postings.documents(number).tolist(), levels.tolist(), strict=True):
                factor = rules.factor(segment.host(int(segment.columns.host_ids[doc])))
                if factor and alive[doc]:
                    key = int(segment.columns.fingerprints[doc])
                    scores[key] = scores.get(key, 0) + weight * level * round(lifts[doc] * factor)
    ranking = sorted(((score, key) for key, score in scores.items()), key=lambda one: (-one[0], one[1]))
    return len(scores), ranking[:k]


def lifted(pages, rank):
    """256 (1 + strength x), one page at a time."""
    if rank is None:
        return [NEUTRAL] * len(pages)
    relative = [max(float(value), 1e-12) for value in rank(pages)]
    lifts = [min(max((np.log10(value) + 1) / 3, 0), 1) for value in relative]
    return [round(NEUTRAL * (1 + STRENGTH * lift)) for lift in lifts]


TEXTS = st.lists(st.sampled_from("a b c d e".split()), min_size=1, max_size=9).map(" ".join)
FACTORS = st.dictionaries(
    st.sampled_from([f"h{n}.test" for n in range(5)]), st.sampled_from([0.0, 0.1, 0.33, 1.0, 1.7, 10.0])
)


@given(
    st.lists(TEXTS, min_size=1, max_size=25),
    st.lists(st.sampled_from("a b c d e z".split()), min_size=1, max_size=4, unique=True),
    st.integers(1, 8),
    FACTORS,
    st.booleans(),
    st.sampled_from([1, 3]),
    st.data(),
)
def test_every_algorithm_and_any_partitions_equal_the_plain_reference(
    tmp_path_factory, texts, typed, k, by_host, ranked, partitions, data
):
    pages = [page(f"http://h{n % 5}.test/{n}", text) for n, text in enumerate(texts)]
    gone = data.draw(st.lists(st.sampled_from([one.url.fingerprint for one in pages]), max_size=3))
    snapshots = []
    for number in range(partitions):
        own = pages[number::partitions]
        cut = data.draw(st.integers(0, len(own)))
        snapshots.append(
            build(tmp_path_factory.mktemp("p"), [part for part in (own[:cut], own[cut:]) if part], gone)
        )
    rank = (lambda fps: (fps % np.uint64(7)).astype(np.float64) * 3) if ranked else None
    rules = rules_of(by_host)
    expected = plainly(snapshots, typed, k, rules, rank)
    searchers = searchers_of(snapshots, rules, rank)
    for algorithm in EXACT:
        assert run(searchers, words(*typed), k, algorithm) == expected, algorithm
    others = [one.ranked_by(rank) for one in searchers_of(snapshots, rules)]
    assert run(others, words(*typed), k, "blockmax") == expected, "with the rank given later"


def test_many_ranges_are_skipped_rightly(tmp_path):
    """More than one range of 4,096 documents, with boosted hosts strewn over all of them."""
    chance = np.random.default_rng(3)
    vocabulary, weights = [f"w{n}" for n in range(200)], 1 / np.arange(1, 201)
    pages = [
        page(
            f"http://h{n % 40}.test/{n}",
            " ".join(chance.choice(vocabulary, size=chance.integers(5, 30), p=weights / weights.sum())),
        )
        for n in range(9_000)
    ]
    snapshots = [build(tmp_path, [pages])]
    by_host = {f"h{n}.test": [0.0, 10.0, 0.1, 3.0, 0.7][n % 5] for n in range(20)}
    rules = rules_of(by_host)
    searchers = searchers_of(snapshots, rules)
    for _ in range(20):
        typed = chance.choice(vocabulary, size=chance.integers(1, 4), replace=False).tolist()
        expected = plainly(snapshots, typed, 10, rules)
        for algorithm in EXACT:
            assert run(searchers, words(*typed), 10, algorithm) == expected, (typed, algorithm)
        joined = Query("", (And(tuple(map(Word, typed))),))
        assert run(searchers, joined, 10, "blockmax") == run(searchers, joined, 10, "exhaustive")


@pytest.mark.parametrize("algorithm", EXACT)
def test_conditions_and_blocks_together(tmp_path, algorithm):
    pages = [page(f"http://h{n % 3}.test/{n}", "red green blue" if n % 2 else "green red") for n in range(12)]
    snapshots = [build(tmp_path, [pages[:7], pages[7:]])]
    (searcher,) = searchers_of(snapshots, rules_of({"h1.test": 0.0}))
    blocked = {one.url.fingerprint for one in pages if one.url.host == "h1.test"}
    for asked in (
        Query("", (Phrase("red green"),)),
        Query("", (Word("red"), Not(Word("blue")))),
        Query("", (Site("h1.test"),)),
        Query("", (Site("test"), Word("green"))),
    ):
        total, ranking = run([searcher], asked, 20, algorithm)
        assert total == len(ranking)
        assert blocked.isdisjoint(page for _, page in ranking)
    # What is asked for again and again is remembered: the mask must not let in what is blocked.
    other = Searcher(0, snapshots[0], None, STRENGTH)
    site = Query("", (Site("h1.test"),))
    assert run([other], site, 20, algorithm)[0] == len(blocked)
    assert run([searcher], site, 20, algorithm)[0] == 0


def test_without_rules_nothing_is_made(tmp_path):
    snapshot = build(tmp_path, [[page("http://h.test/", "word")]])
    searcher = Searcher(0, snapshot, None, STRENGTH)
    assert not searcher.has_site_rules
    assert searcher.snapshot is snapshot
    values = np.array([3.0])
    assert searcher.by_site(0, np.array([0]), values) is values
