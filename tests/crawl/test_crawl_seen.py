"""The seen table compared with a dictionary, its kernels with plain references, and its load."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.storage import seen_urls as seen
from gossamer.storage.seen_urls import (
    DONE,
    FULLEST,
    GROWTH,
    HELD,
    SMALLEST,
    WAITING,
    SeenEntries,
    SeenTable,
    find_slot,
    put_many,
    spread,
)

GOLDEN = 0x9E3779B97F4A7C15
SIZE = 97  # any size will do, not only powers of two
fingerprints = st.integers(0, 2**64 - 1) | st.integers(0, 40)
amounts = st.floats(-1e6, 1e6, width=32)
entries = st.lists(st.tuples(fingerprints, st.integers(0, 3), amounts), max_size=60)


def empty(size=SIZE):
    return SeenEntries(np.zeros(size, np.uint64), np.zeros(size, np.uint8), np.zeros(size, np.float32))


def columns(rows):
    keys, states, scores = zip(*rows, strict=True) if rows else ((), (), ())
    return SeenEntries(np.array(keys, np.uint64), np.array(states, np.uint8), np.array(scores, np.float32))


def numbers(values):
    return np.array(values, np.uint64)


def home(size, fingerprint):
    return ((fingerprint * GOLDEN % 2**64 >> 32) * size) >> 32


def plain_slot(table, fingerprint):
    """Plain reference of `find_slot`."""
    size = len(table.keys)
    slot = home(size, fingerprint)
    while table.states[slot] and int(table.keys[slot]) != fingerprint:
        slot = (slot + 1) % size
    return slot


def plain_put(known, rows, room):
    """Plain reference of `put_many` that overwrites, on a dictionary."""
    added = 0
    for looked, (key, state, score) in enumerate(rows):
        if not state:
            continue
        if key not in known:
            if added == room:
                return looked, added
            added += 1
        known[key] = (state, score)
    return len(rows), added


def plain_add(known, wanted, state, score, room):
    """Plain reference of `put_many` that keeps known entries, on a dictionary."""
    new = []
    for key in wanted:
        if key not in known and sum(new) == room:
            break
        new.append(key not in known)
        known.setdefault(key, (state, score))
    return new


def content(table):
    used = table.states != 0
    pairs = zip(table.states[used].tolist(), table.scores[used].tolist(), strict=True)
    return dict(zip(table.keys[used].tolist(), pairs, strict=True))


def put(table, rows, room, overwrite=True):
    """Return the result of `put_many` for rows, and which of them are new."""
    new = np.zeros(len(rows), np.bool_)
    return put_many(table, columns(rows), overwrite, room, new), new.tolist()


def filled(rows):
    table = empty()
    put(table, rows, SIZE - 1)
    return table, {key: (state, score) for key, state, score in rows if state}


def filled_table(rows):
    """A table, and a dictionary with the same entries."""
    table = SeenTable()
    table.put(columns(rows))
    return table, {key: (state, score) for key, state, score in rows if state}


@given(entries, st.integers(0, 70))
def test_entries_are_put_as_by_the_twin(rows, room):
    table, known = empty(), {}
    told, new = put(table, rows, room)
    assert told == plain_put(known, rows, room)
    assert content(table) == known
    assert sum(new) == len(known)
    for key in [*known, 0, 2**64 - 1]:
        slot = find_slot(table.keys, table.states, np.uint64(key))
        assert slot == plain_slot(table, key)
        assert bool(table.states[slot]) == (key in known)


@given(entries, st.lists(fingerprints, max_size=30), st.integers(0, 36))
def test_fingerprints_are_added_as_by_the_twin(rows, wanted, room):
    table, known = filled(rows)
    (looked, added), new = put(table, [(key, 1, 0.5) for key in wanted], room, overwrite=False)
    expected = plain_add(known, wanted, 1, 0.5, room)
    assert (looked, added, new[:looked]) == (len(expected), sum(expected), expected)
    assert not any(new[looked:])
    assert content(table) == known


def plain_spread(table, end, room):
    """Plain reference of `spread`: return the table, the new end and the spare slots."""
    keys, states, scores = (column.tolist() for column in table)
    spare = []
    for old in range(end - 1, -1, -1):
        if not states[old]:
            continue
        if len(spare) == room:
            return (keys, states, scores), old + 1, spare
        entry, states[old] = (keys[old], states[old], scores[old]), 0
        first = home(len(keys), keys[old])
        free = [slot for slot in range(first, len(keys)) if not states[slot]] if first >= old else []
        if free:
            keys[free[0]], states[free[0]], scores[free[0]] = entry
        else:
            spare.append(entry)
    return (keys, states, scores), 0, spare


def longer(table, size):
    grown = empty(size)
    for new, old in zip(grown, table, strict=True):
        new[: len(old)] = old
    return grown


# the last kinds: fingerprints whose home is at one of the ends of the table, where they crowd and wrap
crowded = fingerprints | st.sampled_from([n for n in range(200_000) if home(SIZE, n) in {0, 1, 95, 96}])


@given(
    st.lists(st.tuples(crowded, st.integers(0, 3), amounts), max_size=96, unique_by=lambda row: row[0]),
    st.integers(SIZE, 200),
    st.integers(1, 9),
)
def test_a_table_that_has_grown_is_spread_out_as_by_the_twin(rows, size, room):
    table, known = filled(rows)
    table, end, spare = longer(table, size), SIZE, []
    while end:
        twin, twin_end, twin_spare = plain_spread(table, end, room)
        aside = empty(room)
        end, count = spread(table, end, aside)
        assert (end, list(content(SeenEntries(*(column[:count] for column in aside))).items())) == (
            twin_end,
            [(key, (state, score)) for key, state, score in twin_spare],
        )
        assert content(table) == {
            key: (state, score) for key, state, score in zip(*twin, strict=True) if state
        }
        spare.append(SeenEntries(*(column[:count] for column in aside)))
    for some in spare:
        put_many(table, some, True, size - 1, np.zeros(room, np.bool_))
    assert content(table) == known
    for key in known:
        assert table.states[find_slot(table.keys, table.states, np.uint64(key))]


@given(entries, fingerprints)
def test_one_is_added_as_by_the_twin(rows, key):
    table, known = filled_table(rows)
    assert table.add(key, 3, 0.25) == (key not in known)
    known.setdefault(key, (3, 0.25))
    assert content(table._arrays) == known
    assert len(table) == len(known)


@given(entries, st.lists(fingerprints, min_size=1, max_size=30), st.floats(-100, 100, width=32))
def test_states_scores_and_pay_as_by_the_twins(rows, wanted, amount):
    table, known = filled_table(rows)
    wanted = [*wanted, *(key for key, _, _ in rows[:10])]
    assert table.states(numbers(wanted)).tolist() == [known.get(key, (0, 0.0))[0] for key in wanted]
    assert table.scores(numbers(wanted)).tolist() == [known.get(key, (0, 0.0))[1] for key in wanted]
    for key in wanted:
        if key in known:
            state, score = known[key]
            known[key] = (state, float(np.float32(score) + np.float32(amount)))
    table.pay(numbers(wanted), amount)
    assert content(table._arrays) == known


@given(entries, st.lists(fingerprints, min_size=1, max_size=12), st.data())
def test_the_best_is_the_first_of_the_highest(rows, wanted, data):
    table, known = filled_table(rows)
    wanted = [*wanted, *(key for key, _, _ in rows)]
    count = data.draw(st.integers(1, len(wanted)))
    scores = [known.get(key, (0, 0.0))[1] for key in wanted[:count]]
    place, score = table.best(numbers(wanted), count)
    assert (place, score) == (scores.index(max(scores)), max(scores))


@given(st.lists(st.lists(fingerprints, max_size=30), max_size=8))
def test_batches_are_new_once(batches):
    table, known = SeenTable(), {}
    for batch in batches:
        expected = plain_add(known, batch, WAITING, 0.0, 1 << 40)
        assert table.add_many(numbers(batch)).tolist() == expected
        assert len(table) == len(known)
    assert all(fingerprint in table for fingerprint in known)


def random_keys(count, seed=0):
    return np.random.default_rng(seed).integers(0, 2**64 - 1, count, np.uint64)


@pytest.mark.parametrize("spare", [1, 4096])
def test_it_grows_and_forgets_nothing(spare, monkeypatch):
    monkeypatch.setattr(seen, "SPARE", spare)
    table = SeenTable()
    wanted = random_keys(20_000)
    assert table.add_many(wanted, DONE, 0.5).all()
    assert not table.add_many(wanted[::-1], WAITING, 0.0).any()
    assert len(table) == 20_000
    assert (table.states(wanted) == DONE).all()
    assert (table.scores(wanted) == 0.5).all()
    slots = len(table._keys)
    assert FULLEST / GROWTH * 0.99 < len(table) / slots <= FULLEST
    assert 16 <= sum(column.nbytes for column in table._arrays) / len(table) <= 18.8


def test_single_urls_make_it_grow_too():
    table = SeenTable()
    assert all(table.add(number, score=number / 8) for number in range(2 * SMALLEST))
    assert [table.score(number) for number in (0, 1, 2047)] == [0.0, 0.125, 2047 / 8]
    assert len(table) == 2 * SMALLEST


def test_neighbours_do_not_pile_up():
    table = SeenTable()
    assert table.add_many(np.arange(5_000, dtype=np.uint64)).all()
    assert table.add_many(np.arange(5_000, dtype=np.uint64) << np.uint64(40)).sum() == 4_999
    assert mean_probes(table, numbers(range(5_000))) < 8


def test_states_and_scores():
    table = SeenTable()
    assert table.add(0, score=2.0)
    assert not table.add(0, DONE, 5.0)
    assert (table.state(0), table.score(0)) == (WAITING, 2.0)
    table.set_state(0, DONE)
    table.set_score(0, 3.0)
    assert (table.state(0), table.state(1), 1 in table, 0 in table) == (DONE, 0, False, True)
    table.pay(numbers([0, 1, 0]), 0.5)
    assert table.scores(numbers([1, 0])).tolist() == [0.0, 4.0]
    for use in (lambda: table.set_state(1, DONE), lambda: table.set_score(1, 1.0), lambda: table.score(1)):
        with pytest.raises(KeyError):
            use()
    assert len(table) == 1


def test_links_that_came_over_a_socket_can_be_asked_about():
    """The fingerprints are in read-only memory."""
    table = SeenTable()
    received = np.frombuffer(numbers([3, 4]).tobytes(), "<u8")
    assert table.add_many(received).all()
    table.pay(received, 1.0)
    assert table.states(received).tolist() == [WAITING, WAITING]
    assert table.best(received, 2) == (0, 1.0)


@given(st.dictionaries(fingerprints, st.tuples(st.integers(1, 3), amounts), max_size=50), st.integers(1, 400))
def test_pieces_put_into_another_table_are_the_same(known, slots):
    table = SeenTable()
    table.put(columns([(key, *value) for key, value in known.items()]))
    other = SeenTable(len(table))
    count = 0
    for piece in table.pieces(slots):
        other.put(piece)
        count += len(piece.keys)
    assert count == len(other) == len(known)
    asleep = {HELD: WAITING}
    for key, (state, score) in known.items():
        assert (table.state(key), table.score(key)) == (state, score)
        assert (other.state(key), other.score(key)) == (asleep.get(state, state), score)


def test_later_entries_overwrite_earlier_ones():
    table = SeenTable()
    table.put(columns([(1, WAITING, 0.5), (2, WAITING, 0.25), (1, DONE, 0.75)]))
    table.put(columns([(2, DONE, 1.0)]))
    assert [(table.state(key), table.score(key)) for key in (1, 2)] == [(DONE, 0.75), (DONE, 1.0)]
    assert len(table) == 2


def test_more_entries_than_expected_make_it_grow():
    keys = random_keys(10_000)
    table = SeenTable(100)
    table.put(
        SeenEntries(keys, np.full(len(keys), WAITING, np.uint8), np.arange(len(keys), dtype=np.float32))
    )
    assert len(table) == 10_000
    assert (table.scores(keys) == np.arange(10_000)).all()


def mean_probes(table, wanted):
    """Return the mean number of slots that a lookup of an entry reads."""
    size = len(table._keys)
    with np.errstate(over="ignore"):
        homes = ((wanted * np.uint64(GOLDEN) >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32)
    slots = [int(find_slot(table._keys, table._states, key)) for key in wanted]
    return float(np.mean((np.array(slots) - homes.astype(np.int64)) % size + 1))


def test_loading_in_the_order_of_slots_stays_cheap():
    """Check that each step adds entries to free slots, not behind a long run of used ones.

    The expected number of slots looked at (Knuth, TAOCP 3, 6.4, K) is (1 + 1 / (1 - a)) / 2 = 3 for a known
    fingerprint at a = 0.8, and (1 + 1 / (1 - a)^2) / 2 = 13 for a new one.
    """
    first = SeenTable()
    first.add_many(random_keys(40_000))
    second = SeenTable(len(first))
    for piece in first.pieces(4_096):
        assert mean_probes(second, piece.keys) < 26
        second.put(piece)
    assert mean_probes(second, random_keys(40_000)) < 6
    assert mean_probes(second, random_keys(40_000, seed=1)) < 26


def test_a_table_that_has_grown_is_as_good_as_new():
    table = SeenTable()
    for start in range(0, 30_000, 1_000):
        table.add_many(random_keys(30_000)[start : start + 1_000])
    assert mean_probes(table, random_keys(30_000)) < 6
