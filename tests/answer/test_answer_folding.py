"""What says nearly the same stands behind the best that says it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.diversify import near_duplicates_of
from gossamer.text.shingles import SKETCH_BYTES, resemblance

LEAST = 0.8


def plain(sketches):
    """The twin: every result is compared with every better one that is shown."""
    found, kept = {}, []
    for place, sketch in enumerate(sketches):
        same = [one for one in kept if resemblance(sketches[one].tobytes(), sketch.tobytes()) >= LEAST]
        if same and sketch.any():
            found[place] = same[0]
        else:
            kept.append(place)
    return found


def variations(seed, originals, changes):
    random = np.random.default_rng(seed)
    bases = random.integers(1, 256, (originals, SKETCH_BYTES), np.uint8)
    rows = []
    for original, changed in changes:
        row = bases[original % originals].copy()
        row[random.choice(SKETCH_BYTES, changed, replace=False)] = random.integers(1, 256, changed)
        rows.append(row)
    return np.array(rows, np.uint8).reshape(-1, SKETCH_BYTES)


@given(st.integers(0, 99), st.integers(1, 4), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30))))
def test_it_is_that_of_the_twin(seed, originals, changes):
    sketches = variations(seed, originals, changes)
    assert near_duplicates_of(sketches, LEAST) == plain(sketches)


def test_pages_without_a_sketch_resemble_none():
    assert near_duplicates_of(np.zeros((5, SKETCH_BYTES), np.uint8), LEAST) == {}
    assert near_duplicates_of(np.zeros((0, SKETCH_BYTES), np.uint8), LEAST) == {}
