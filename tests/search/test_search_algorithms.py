"""Every algorithm on postings made by hand, against the definition: document for document."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segments import SMALL, WIDE, plain_ranking, postings_of, rows, task_of

from gossamer.index.postings import RANGE_BITS
from gossamer.search.match.restriction import mark_documents
from gossamer.search.retrieve.blockmax import ThreadPool, blockmax, blockmax_by
from gossamer.search.retrieve.choose import ALGORITHMS, EXACT
from gossamer.search.retrieve.conjunction import A_SAMPLE as SAMPLED
from gossamer.search.retrieve.conjunction import conjunction
from gossamer.search.retrieve.textbook import champion, read_until_certain
from gossamer.search.retrieve.top_k import as_weights, merged
from gossamer.search.weighting import BLOCK_SIZE, BLOCKS, DEPTHS, ImpactBlocks, depth_for

A_SAMPLE = int(SAMPLED)
# Of impacts and of places among the postings. Every kernel is compiled anew for each of these.
NUMBERS = [(np.uint8, SMALL), (np.uint16, WIDE)]


def random_lists(rng, documents, shares, highest=255):
    """A term a share: how much of the documents hold it. Some impacts are frequent, so that scores tie."""
    lists = []
    for share in shares:
        docs = np.flatnonzero(rng.random(documents) < share)
        impacts = np.maximum(1, rng.integers(1, highest + 1, len(docs)) // 16 * 16)
        lists.append(dict(zip(docs.tolist(), impacts.tolist(), strict=True)))
    return lists


@st.composite
def tasks(draw):
    """Up to three ranges, terms of all frequencies, masks, factors, ties; sums of 32 and of 64 bits."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    documents = draw(st.sampled_from([1, 31, 33, 300, 4096, 4097, 9000]))
    shares = draw(st.lists(st.sampled_from([0, 0.001, 0.01, 0.03, 0.3, 0.95]), min_size=1, max_size=5))
    kind, widths = draw(st.sampled_from(NUMBERS))
    lists = random_lists(rng, documents, shares, np.iinfo(kind).max)
    terms = draw(st.permutations([t for t, one in enumerate(lists) if one]))
    weights = draw(st.lists(st.sampled_from([1, 7, 7, 900, 15_000, 90_000]), min_size=5, max_size=5))
    allowed = draw(st.sampled_from([None, 0.01, 0.5, 0.999]))
    postings = postings_of(lists, kind, widths)
    task = task_of(
        postings,
        terms,
        weights[: len(terms)],
        documents,
        None if allowed is None else rng.random(documents) < allowed,
        rng.integers(100, 700, documents).astype(np.uint16) if draw(st.booleans()) else None,
        rng.permutation(documents).astype(np.uint64),
    )
    return task, lists


def with_pages(task, fingerprints):
    """The same task, but its documents have other fingerprints."""
    return replace(task, documents=task.documents._replace(fingerprints=fingerprints))


SIZES = st.sampled_from([1, 3, 10, 150, 1000, 20_000])


@settings(max_examples=60)
@given(tasks(), SIZES)
def test_exact_algorithms_equal_the_definition(drawn, k):
    task, lists = drawn
    expected = plain_ranking(task, k, lists)
    for name in EXACT:
        fresh = replace(task, floor=np.zeros(1, np.uint64))
        assert rows(ALGORITHMS[name](fresh, k)) == expected, name
    assert task.count() == len(plain_ranking(task, 10**6, lists))


@settings(max_examples=30)
@given(tasks())
def test_what_holds_any_of_the_terms_is_marked(drawn):
    task, lists = drawn
    mask = np.zeros(len(task.documents.fingerprints), np.bool_)
    mark_documents(np.array([-1, *task.terms], np.int64), task.impacts.postings, mask)
    assert np.flatnonzero(mask).tolist() == sorted(set().union(*(lists[term] for term in task.terms)))


@settings(max_examples=60)
@given(tasks(), SIZES)
def test_conjunctions_equal_the_definition(drawn, k):
    task, lists = drawn
    if not len(task.terms):
        return
    expected = plain_ranking(task, k, lists, everything=True)
    assert rows(conjunction(task, k)) == expected
    assert task.count(every=True) == len(plain_ranking(task, 10**6, lists, everything=True))


def over_many_ranges(rng, strong, impacts=40):
    """Two terms that 1,600 documents of 80 ranges hold, with high impacts where a range is strong."""
    documents = 80 << RANGE_BITS
    docs = [(r << RANGE_BITS) + int(d) for r in range(80) for d in rng.choice(1 << RANGE_BITS, 20, False)]
    lists = [
        {doc: int(rng.integers(1, impacts)) + 200 * strong(doc >> RANGE_BITS) for doc in docs}
        for _ in range(2)
    ]
    task = task_of(postings_of(lists), [0, 1], [7, 900], documents)
    return task, lists


@pytest.mark.parametrize("k", [100, 350, 400])
@pytest.mark.parametrize(
    "strong",
    [lambda r: False, lambda r: r % A_SAMPLE == A_SAMPLE // 2 - 1, lambda r: r % A_SAMPLE > A_SAMPLE // 2],
    ids=["alike", "sample too good", "sample too bad"],
)
def test_a_guess_from_a_sample_changes_no_answer(strong, k):
    task, lists = over_many_ranges(np.random.default_rng(k), lambda r: int(strong(r)))
    expected = plain_ranking(task, k, lists, everything=True)
    assert rows(conjunction(task, k)) == expected
    assert task.floor[0] == expected[-1][0]


@pytest.mark.parametrize("impacts", [2, 3, 4])
@pytest.mark.parametrize("k", [100, 250, 400])
def test_a_guess_from_a_sample_loses_no_document_that_just_reaches_it(impacts, k):
    """Many scores are alike here, and of those the documents of the sample come first."""
    task, lists = over_many_ranges(np.random.default_rng(k), lambda r: 0, impacts)
    pages = task.documents.fingerprints
    sampled = (np.arange(len(pages)) >> RANGE_BITS) % A_SAMPLE == A_SAMPLE // 2 - 1
    task = with_pages(task, pages >> np.where(sampled, 8, 0).astype(np.uint64))
    assert rows(conjunction(task, k)) == plain_ranking(task, k, lists, everything=True)


@settings(max_examples=30)
@given(tasks(), SIZES, st.integers(2, 4))
def test_threads_give_the_same_answer(drawn, k, threads):
    task, lists = drawn
    with ThreadPoolExecutor(threads) as pool:
        assert rows(blockmax_by(ThreadPool(pool, threads), task, k)) == plain_ranking(task, k, lists)


@settings(max_examples=30)
@given(tasks(), SIZES, st.data())
def test_segments_that_share_a_floor_give_the_best_of_all(drawn, k, data):
    """The second segment may leave out what the first has outdone, and nothing else."""
    task, lists = drawn
    first = data.draw(st.sampled_from(EXACT))
    second = data.draw(st.sampled_from(EXACT))
    other = with_pages(task, task.documents.fingerprints + np.uint64(1 << 40))
    found = merged([ALGORITHMS[first](task, k), ALGORITHMS[second](other, k)], k)
    plain = [*plain_ranking(task, k, lists), *plain_ranking(other, k, lists)]
    assert rows(found) == sorted(plain, key=lambda row: (-row[0], row[1]))[:k]


@settings(max_examples=40)
@given(tasks())
def test_blocks_equal_the_plain_reference(drawn):
    task, lists = drawn
    postings, blocks = task.impacts.postings, task.impacts.blocks
    for term, one in enumerate(lists):
        falling = sorted(one.values(), reverse=True)
        for i, depth in enumerate(DEPTHS):
            expected = falling[depth - 1] if len(falling) >= depth else 0
            assert blocks.impacts_at[i, term] == expected
        entries = range(int(postings.term_entries[term]), int(postings.term_entries[term + 1]))
        assert (blocks.term_rows[term] >= 0) == (len(one) >= 32 * len(entries) > 0)
        if blocks.term_rows[term] < 0:
            continue
        for row, entry in enumerate(entries, int(blocks.term_rows[term])):
            base = int(postings.entry_ranges[entry]) * BLOCKS
            of_block = [[] for _ in range(BLOCKS)]
            for doc, impact in sorted(one.items()):
                if base <= doc // BLOCK_SIZE < base + BLOCKS:
                    of_block[doc // BLOCK_SIZE - base].append(impact)
            span = slice(row * BLOCKS, (row + 1) * BLOCKS)
            assert blocks.highest[span].tolist() == [max(block, default=0) for block in of_block]
            assert blocks.ends[span].tolist() == np.cumsum([len(block) for block in of_block]).tolist()


def test_a_segment_without_documents():
    postings = postings_of([])
    assert isinstance(ImpactBlocks.of(postings), ImpactBlocks)
    for algorithm in ALGORITHMS.values():
        assert rows(algorithm(task_of(postings, [], [], 0), 10)) == []


def test_only_documented_depths_give_a_first_threshold():
    assert [depth_for(k) for k in (1, 10, 11, 300, 301, 1000, 1001)] == [0, 0, 1, 2, 3, 3, -1]


def test_sums_that_do_not_fit_32_bits_get_64():
    assert as_weights([2**23, 2**23], 255).dtype == np.uint32
    assert as_weights([2**24, 2**23], 255).dtype == np.uint64


def test_many_threads_may_search_at_once():
    lists = random_lists(np.random.default_rng(3), 9000, [0.5, 0.2, 0.01])
    postings = postings_of(lists)
    one = task_of(postings, [0, 1, 2], [5, 9, 40], 9000)
    expected = plain_ranking(one, 20, lists)

    def ask(_):
        return rows(blockmax(replace(one, floor=np.zeros(1, np.uint64)), 20))

    with ThreadPoolExecutor(4) as pool:
        assert all(answer == expected for answer in pool.map(ask, range(60)))


# Fagin's algorithm and champion lists

FALLING = [{0: 90, 1: 80, 2: 30, 3: 20, 4: 10}, {1: 70, 0: 60, 4: 40, 3: 20, 2: 10}]


def test_the_threshold_algorithm_stops_when_nothing_unseen_can_win():
    """Depth 1 leaves 90 + 70 open, more than the best so far has; at depth 2 it is 80 + 60, and both lead."""
    task = task_of(postings_of(FALLING), [0, 1], [1, 1], 5)
    reading = read_until_certain(task, 2, step=1)
    assert reading.depth == 2
    assert [(score >> 8, doc) for score, _, doc in rows(reading.ranking)] == [(150, 0), (150, 1)]


@settings(max_examples=40)
@given(tasks(), st.sampled_from([1, 3, 10]), st.sampled_from([1, 5, None]))
def test_the_threshold_algorithm_is_exact_at_any_step(drawn, k, step):
    task, lists = drawn
    if step == 1 and len(task.documents.fingerprints) > 300:
        return
    reading = read_until_certain(task, k, step)
    assert rows(reading.ranking) == plain_ranking(task, k, lists)
    assert reading.depth <= max(map(len, lists))


def test_champion_lists_miss_what_is_strong_in_no_list():
    """Document 4 has the highest sum and is first nowhere."""
    lists = [{0: 100, 1: 99, 4: 90}, {2: 100, 3: 99, 4: 90}]
    task = task_of(postings_of(lists), [0, 1], [1, 1], 5)
    assert [doc for _, _, doc in rows(champion(task, 1, 2))] != [4]
    assert [doc for _, _, doc in rows(champion(task, 1, 3))] == [4]


@settings(max_examples=30)
@given(tasks(), SIZES)
def test_champion_lists_that_hold_everything_are_exact(drawn, k):
    task, lists = drawn
    assert rows(champion(task, k, 10_000)) == plain_ranking(task, k, lists)
