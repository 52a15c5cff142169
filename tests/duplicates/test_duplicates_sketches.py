"""The index of sketches against a comparison of all pairs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.duplicates import near_duplicates as bands_kernel
from gossamer.duplicates.near_duplicates import CROWD, EMPTY, FIRST, LOAD, RECORD, REMOVED, NearDuplicateIndex
from gossamer.duplicates.settings import QualitySettings
from gossamer.model import BadSetting
from gossamer.text.shingles import content_sketch, resemblance

SETTINGS = QualitySettings()
BASE = np.random.default_rng(0).integers(0, 256, (4, 84), np.uint8)


@st.composite
def near_sketches(draw):
    """Return one of four sketches with some bytes changed, so that pairs have any resemblance."""
    sketch = BASE[draw(st.integers(0, 3))].copy()
    for place in draw(st.sets(st.integers(0, 83), max_size=16)):
        sketch[place] ^= 1
    return sketch.tobytes()


steps = st.lists(
    st.tuples(st.sampled_from(["add", "add", "add", "remove", "load"]), st.integers(0, 25), near_sketches()),
    max_size=40,
)


def share_a_band(one, other, bands):
    rows = 84 // bands
    return any(one[k : k + rows] == other[k : k + rows] for k in range(0, 84, rows))


FEW = 4  # pages that are no crowd


def plain_find(known, sketch, fingerprint, chosen):
    """Plain reference of `find`, over a dictionary."""
    found = [
        (-resemblance(sketch, other), name)
        for name, other in known.items()
        if name != fingerprint
        and share_a_band(sketch, other, chosen.bands)
        and resemblance(sketch, other) >= chosen.near_duplicate_threshold
    ]
    return (min(found)[1], -min(found)[0]) if found else None


def check_table(sketches, known):
    """Check that the table has each page once under each of its keys, and nothing else.

    When pages that are alike stand close together, their entries for other keys are taken for a crowd at
    times: then one of them lacks a key.
    """
    table = sketches._table
    entries = table.entries[table.entries > REMOVED] & RECORD
    records = np.flatnonzero(table.live[: sketches._records])
    assert sorted(table.fingerprints[records].tolist()) == sorted(known)
    counts = np.bincount(entries - FIRST, minlength=sketches._records)
    missing = table.bands + 1 - counts[records]
    assert missing.min(initial=0) == 0
    assert missing.sum() <= (len(known) if len(known) > FEW else 0)
    assert counts.sum() == counts[records].sum()
    assert sketches._used == np.count_nonzero(table.entries != EMPTY) <= LOAD * len(table.entries)
    assert len(sketches) == len(known)


@given(steps, st.sampled_from([6, 12, 21, 84]), st.sampled_from([0.5, 0.8, 0.9, 0.99]))
def test_it_finds_what_comparing_all_pairs_finds(taken, bands, threshold):
    chosen = replace(SETTINGS, bands=bands, near_duplicate_threshold=threshold)
    sketches, known = NearDuplicateIndex(chosen), {}
    for action, fingerprint, sketch in taken:
        assert sketches.find(sketch, 100, fingerprint) == plain_find(known, sketch, fingerprint, chosen)
        if action == "add":
            sketches.add(fingerprint, sketch)
            known[fingerprint] = sketch
        elif action == "remove":
            sketches.remove(fingerprint)
            known.pop(fingerprint, None)
        else:
            pages = [fingerprint, fingerprint + 1, fingerprint]
            rows = [bytes(84), sketch, sketch]
            sketches.load(np.array(pages, np.uint64), np.frombuffer(b"".join(rows), np.uint8).reshape(3, 84))
            known.update(zip(pages, rows, strict=True))
        check_table(sketches, known)


@settings(max_examples=10)
@given(st.integers(0, 2**32))
def test_growing_and_shrinking_lose_nothing(seed):
    draw = np.random.default_rng(seed)
    sketches, known = NearDuplicateIndex(SETTINGS), {}
    for _ in range(1200):
        fingerprint = int(draw.integers(0, 2**64 - 1, dtype=np.uint64))
        if known and draw.random() < 0.3:
            gone = list(known)[int(draw.integers(len(known)))]
            sketches.remove(gone)
            del known[gone]
        else:
            known[fingerprint] = draw.integers(0, 256, 84, np.uint8).tobytes()
            sketches.add(fingerprint, known[fingerprint])
    check_table(sketches, known)
    for fingerprint, sketch in known.items():
        assert sketches.find(sketch, 100, 0) == (fingerprint, 1)
        assert sketches.find(sketch, 100, fingerprint) is None


def test_coming_and_going_does_not_grow():
    """Pages that change are removed and added again and again."""
    sketches = NearDuplicateIndex(SETTINGS)
    draw = np.random.default_rng(1)
    for number in range(4000):
        sketches.add(number % 100, draw.integers(0, 256, 84, np.uint8).tobytes())
    assert len(sketches) == 100
    assert sketches._records <= 101
    assert len(sketches._table.entries) < 8 * 13 * 100


def test_loading_many():
    draw = np.random.default_rng(2)
    fingerprints = draw.integers(0, 2**64 - 1, 5000, np.uint64)
    rows = draw.integers(0, 256, (5000, 84), np.uint8)
    sketches = NearDuplicateIndex(SETTINGS)
    sketches.add(7, bytes(84))
    sketches.load(fingerprints, rows)
    assert len(sketches) == 5001
    assert all(
        sketches.find(row.tobytes(), 100, 0) == (int(name), 1)
        for name, row in zip(fingerprints[::50], rows[::50], strict=True)
    )
    per_page = sum(array.nbytes for array in sketches._table[:4]) / 5001
    assert per_page < 200
    with pytest.raises(ValueError, match="fingerprints do not fit sketches"):
        sketches.load(fingerprints, rows[:3])


def test_a_flood_is_looked_at_in_part(monkeypatch):
    """A band that very many pages share is not entered; a page with more common bands is still found."""
    # with some salts two bands of the flood look alike, and count as one crowd
    monkeypatch.setattr("gossamer.duplicates.near_duplicates.randbits", lambda bits: 1)
    sketches = NearDuplicateIndex(SETTINGS)
    draw = np.random.default_rng(3)
    flood = draw.integers(0, 256, (500, 84), np.uint8)
    flood[:, :42] = BASE[0, :42]
    sketches.load(np.arange(500, dtype=np.uint64), flood)
    entered = np.count_nonzero(sketches._table.entries)
    assert entered == 500 * (6 + 1) + CROWD * 6
    assert sketches.find(flood[450].tobytes(), 100, 1000) == (450, 1)
    for fingerprint in range(500):
        sketches.remove(fingerprint)
    assert not np.count_nonzero(sketches._table.entries > REMOVED)


def test_removing_where_keys_meet():
    """The entries of one record collide with each other as often as possible in a full table."""
    entries = np.zeros(14, np.uint32)
    table = bands_kernel.SketchTable(
        np.array([5], np.uint64), BASE[:1].copy(), np.ones(1, np.bool_), entries, 12, np.uint64(0)
    )
    assert bands_kernel.enter(table, 0) == 13
    bands_kernel.take_out(table, 0)
    assert not np.count_nonzero(entries > REMOVED)
    assert bands_kernel.record_of(table, np.uint64(5)) == -1


def test_settings_that_leave_pages_out():
    sketches = NearDuplicateIndex(SETTINGS)
    sketches.add(1, bytes(84))
    assert sketches.find(bytes(84), 40, 2) == (1, 1)
    assert sketches.find(bytes(84), 39, 2) is None
    exact = NearDuplicateIndex(replace(SETTINGS, near_duplicate_threshold=1.0))
    exact.add(1, bytes(84))
    assert exact.find(bytes(84), 100, 2) is None
    assert (exact.wants(100), sketches.wants(100), sketches.wants(39)) == (False, True, False)


def test_what_is_no_sketch():
    with pytest.raises(BadSetting, match="divisor of 84"):
        NearDuplicateIndex(replace(SETTINGS, bands=5))
    sketches = NearDuplicateIndex(SETTINGS)
    for wrong in (b"", bytes(85)):
        with pytest.raises(ValueError, match="84 bytes"):
            sketches.add(1, wrong)
        with pytest.raises(ValueError, match="84 bytes"):
            sketches.find(wrong, 100, 1)
    sketches.remove(1)
    assert len(sketches) == 0


def test_a_page_with_another_date_is_a_copy_and_another_page_is_not():
    words = [f"word{number * 7919 % 1000}" for number in range(400)]
    page = content_sketch("A page", " ".join(words))
    dated = content_sketch("A page", " ".join([*words[:200], "yesterday", *words[200:]]))
    other = content_sketch("A page", " ".join(words[::-1]))
    sketches = NearDuplicateIndex(SETTINGS)
    sketches.add(1, page.sketch)
    found = sketches.find(dated.sketch, dated.words, 2)
    assert found is not None
    assert found[0] == 1
    assert sketches.find(other.sketch, other.words, 2) is None
