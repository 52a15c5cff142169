"""The seen table against a plain dictionary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.frontier.seen import SeenTable
from gossamer.frontier.seen_kernel import add_many, find_slot, move_all

GOLDEN = 0x9E3779B97F4A7C15
fingerprints = st.integers(0, 2**64 - 1) | st.integers(0, 40)


def plain_slot(keys, states, shift, fingerprint):
    """The twin of `find_slot`."""
    slot = (fingerprint * GOLDEN % 2**64) >> shift
    while states[slot] and keys[slot] != fingerprint:
        slot = (slot + 1) % len(keys)
    return slot


def plain_add_many(table, state, room, wanted):
    """The twin of `add_many`, on a dictionary."""
    new = []
    added = 0
    for fingerprint in wanted:
        if fingerprint not in table and added == room:
            break
        new.append(fingerprint not in table)
        added += new[-1]
        table.setdefault(fingerprint, state)
    return new, added


@given(st.lists(fingerprints, max_size=60), st.integers(0, 70))
def test_the_kernel_adds_like_its_twin(wanted, room):
    keys, states = np.zeros(128, np.uint64), np.zeros(128, np.uint8)
    new = np.zeros(len(wanted), np.bool_)
    looked, added = add_many(keys, states, np.uint64(57), np.array(wanted, np.uint64), 3, room, new)
    table: dict[int, int] = {}
    expected, expected_added = plain_add_many(table, 3, room, wanted)
    assert (looked, added) == (len(expected), expected_added)
    assert new[:looked].tolist() == expected
    for fingerprint in wanted:
        slot = find_slot(keys, states, np.uint64(57), np.uint64(fingerprint))
        assert slot == plain_slot(keys.tolist(), states.tolist(), 57, fingerprint)
        assert bool(states[slot]) == (fingerprint in table)


@given(st.sets(fingerprints, max_size=60))
def test_moving_loses_nothing(known):
    keys, states = np.zeros(128, np.uint64), np.zeros(128, np.uint8)
    wanted = np.array(sorted(known), np.uint64)
    add_many(keys, states, np.uint64(57), wanted, 9, 200, np.zeros(len(wanted), np.bool_))
    larger, larger_states = np.zeros(256, np.uint64), np.zeros(256, np.uint8)
    move_all(keys, states, larger, larger_states, np.uint64(56))
    assert sorted(larger[larger_states == 9].tolist()) == sorted(known)
    for fingerprint in known:
        slot = find_slot(larger, larger_states, np.uint64(56), np.uint64(fingerprint))
        assert slot == plain_slot(larger.tolist(), larger_states.tolist(), 56, fingerprint)


@given(st.lists(st.lists(fingerprints, max_size=30), max_size=8))
def test_batches_are_new_once(batches):
    table, known = SeenTable(), set()
    for batch in batches:
        expected, _ = plain_add_many(dict.fromkeys(known, 1), 1, 1 << 40, batch)
        assert table.add_many(np.array(batch, np.uint64)).tolist() == expected
        known.update(batch)
        assert len(table) == len(known)
    assert all(fingerprint in table for fingerprint in known)


def test_it_grows():
    table = SeenTable()
    wanted = np.random.default_rng(0).integers(0, 2**64 - 1, 20_000, np.uint64)
    assert table.add_many(wanted).all()
    assert not table.add_many(wanted[::-1]).any()
    assert len(table) == 20_000
    assert len(table) <= 0.6 * len(table._keys)
    assert len(table._keys) < 4 * len(table)


def test_neighbours_do_not_pile_up():
    table = SeenTable()
    assert table.add_many(np.arange(5_000, dtype=np.uint64)).all()
    assert table.add_many(np.arange(5_000, dtype=np.uint64) << np.uint64(40)).sum() == 4_999


def test_states():
    table = SeenTable()
    assert table.add(0)
    assert not table.add(0, 7)
    assert table.state(0) == 1
    table.set_state(0, 255)
    assert (table.state(0), table.state(1), 1 in table, 0 in table) == (255, 0, False, True)
    with pytest.raises(KeyError):
        table.set_state(1, 2)
    for state in (0, 256):
        with pytest.raises(ValueError, match="1 to 255"):
            table.add(5, state)
    assert 5 not in table
