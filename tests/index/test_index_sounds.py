"""The terms of a dictionary that sound like a word are those that a comparison with each of them finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.index.dictionary import dictionary_of
from gossamer.index.sounds import sounds_of
from gossamer.text.analysis import MARK, in_language
from gossamer.text.sounds import Way, code

STEMS = st.lists(
    st.sampled_from(["meyer", "maier", "mayr", "knife", "nife", "fone", "phone", "r2d2", "ключ", "京都", "a"])
)
TERMS = st.lists(st.tuples(STEMS.map("".join), st.sampled_from(["en", "de", "xx"])), max_size=60)


def dictionary(terms):
    keys = [term.encode() for term in sorted(terms, key=str.encode)]
    bounds = np.cumsum([0, *map(len, keys)])
    arena = np.frombuffer(b"".join(keys), np.uint8)
    return dictionary_of(
        arena, bounds.astype(np.int64), np.arange(len(keys), dtype=np.uint32), b"\n" * len(keys)
    )


@pytest.mark.parametrize("way", Way)
@given(pairs=TERMS)
def test_all_that_sound_alike(way, pairs):
    own = dictionary({in_language(stem, language) for stem, language in pairs if stem})
    sounds = sounds_of(own, way)
    spoken = {number: term.partition(MARK)[::2] for number, term in enumerate(own.terms())}
    codes = {number: (code(stem, language, way), language) for number, (stem, language) in spoken.items()}
    for sound, language in {*codes.values(), ("NF", "en")}:
        expected = [number for number, held in codes.items() if sound and held == (sound, language)]
        assert sorted(sounds.like(sound, language)) == (expected if sound else [])
