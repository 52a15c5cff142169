"""One host does not fill the page, and nothing is lost or shown twice because of it."""

from __future__ import annotations

from collections import Counter, defaultdict, deque

from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.diversify import SHARE, TOGETHER, limit_per_host

ranked = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from([0.0, 1.0, 2.0, 2.5, 3.0, 9.0])), max_size=60
)
hosts = st.lists(st.sampled_from("abcde"), max_size=60).map("".join)


@given(hosts, st.integers(1, 4), st.integers(0, 60))
def test_every_result_is_listed_once(names, most, until):
    listed = limit_per_host(names, [1.0] * len(names), most, until)
    assert sorted(listed.places) == list(range(len(names)))
    assert len(listed.more) == len(names)


@given(hosts, st.integers(1, 4), st.integers(0, 60))
def test_how_far_it_is_made_changes_nothing_before(names, most, until):
    scores = [1.0] * len(names)
    assert (
        limit_per_host(names, scores, most, until).places[:until]
        == limit_per_host(names, scores, most, 60).places[:until]
    )


@given(ranked, st.integers(1, 4), st.integers(0, 60), st.sets(st.integers(0, 59)))
def test_what_is_left_out_might_as_well_not_be_there(results, most, until, but):
    names, scores = [host for host, _ in results], [score for _, score in results]
    but = {place for place in but if place < len(results)}
    kept = [place for place in range(len(results)) if place not in but]
    listed = limit_per_host(names, scores, most, until, but)
    alone = limit_per_host([names[place] for place in kept], [scores[place] for place in kept], most, until)
    assert listed.places == tuple(kept[place] for place in alone.places)
    assert listed.more == alone.more


@given(hosts, st.integers(1, 4))
def test_no_host_has_more_while_others_are_left(names, most):
    order = limit_per_host(names, [1.0] * len(names), most, len(names)).places
    for begin in range(0, len(order), TOGETHER):
        ten, later = order[begin : begin + TOGETHER], order[begin + TOGETHER :]
        counts = Counter(names[place] for place in ten)
        crowded = {host for host, count in counts.items() if count > most}
        assert not crowded or all(counts[names[place]] >= most for place in later)


@given(hosts, st.integers(1, 4))
def test_within_a_host_the_better_comes_first(names, most):
    order = limit_per_host(names, [1.0] * len(names), most, len(names)).places
    for host in set(names):
        own = [place for place in order if names[place] == host]
        assert own == sorted(own)


def test_a_far_better_page_gives_way_to_none():
    names, scores = "aaaabc", [9.0, 8.0, 7.0, 5.0, 2.0, 1.0]
    assert limit_per_host(names, scores, 2, 6).places == (0, 1, 2, 3, 4, 5)
    assert limit_per_host("aaab", [9.0, 8.0, 7.0, 6.0], 2, 4).places == (0, 1, 3, 2)


def test_what_was_put_off_is_counted_with_the_last_of_its_host():
    names = "aaaa" + "bcdefghi" + "jjj"
    listed = limit_per_host(names, [1.0] * len(names), 2, 10)
    assert listed.places[:10] == (0, 1, 4, 5, 6, 7, 8, 9, 10, 11)
    assert listed.more[:10] == (0, 2, 0, 0, 0, 0, 0, 0, 0, 0)
    assert limit_per_host("aaaa", [1.0] * 4, 2, 4).more == (0, 0, 0, 0)


def plain(names, scores, most):
    """The twin: of all that is left, the best of each host by what it is worth, ten at a time."""
    left, order = list(range(len(names))), []
    while left:
        queues = defaultdict(deque)
        for place in left:
            queues[names[place]].append(place)
        chosen, counts = [], Counter()
        while len(chosen) < TOGETHER and any(queues.values()):
            heads = [queue[0] for queue in queues.values() if queue]
            worth = {p: scores[p] * SHARE ** max(0, counts[names[p]] + 1 - most) for p in heads}
            best = min(heads, key=lambda place: (-worth[place], place))
            chosen.append(queues[names[best]].popleft())
            counts[names[best]] += 1
        order += chosen
        left = [place for place in left if place not in chosen]
    return tuple(order)


@given(ranked, st.integers(1, 4))
def test_the_order_is_that_of_the_twin(pairs, most):
    best_first = sorted(pairs, key=lambda pair: -pair[1])
    names, scores = [name for name, _ in best_first], [score for _, score in best_first]
    assert limit_per_host(names, scores, most, len(names)).places == plain(names, scores, most)
