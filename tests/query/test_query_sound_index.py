"""The terms of a dictionary that sound like a word are those that a comparison with each of them finds."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.index.dictionary import dictionary_of
from gossamer.query import phonetic
from gossamer.query.phonetic import PhoneticAlgorithm, code, sounds_of
from gossamer.text.terms import MARK, in_language

STEMS = st.lists(
    st.sampled_from(["meyer", "maier", "mayr", "knife", "nife", "fone", "phone", "r2d2", "ключ", "京都", "a"])
)
TERMS = st.lists(st.tuples(STEMS.map("".join), st.sampled_from(["en", "de", "xx"])), max_size=60)


def dictionary(terms, forms=()):
    keys = [term.encode() for term in sorted(terms, key=str.encode)]
    bounds = np.cumsum([0, *map(len, keys)])
    arena = np.frombuffer(b"".join(keys), np.uint8)
    lines = "\n".join([*forms, ""]).encode() if forms else b"\n" * len(keys)
    return dictionary_of(arena, bounds.astype(np.int64), np.arange(len(keys), dtype=np.uint32), lines)


@pytest.mark.parametrize("way", PhoneticAlgorithm)
@given(pairs=TERMS)
def test_all_that_sound_alike(way, pairs):
    own = dictionary({in_language(stem, language) for stem, language in pairs if stem})
    sounds = sounds_of(own, way)
    spoken = {number: term.partition(MARK)[::2] for number, term in enumerate(own.terms())}
    codes = {number: (code(stem, language, way), language) for number, (stem, language) in spoken.items()}
    for sound, language in {*codes.values(), ("NF", "en")}:
        expected = [number for number, held in codes.items() if sound and held == (sound, language)]
        assert sorted(sounds.like(sound, language)) == (expected if sound else [])


def test_terms_sound_as_they_are_written_and_not_as_their_stems():
    stems = ["may", "mull", "neu"]
    sounds = sounds_of(
        dictionary([in_language(stem, "de") for stem in stems], ["mayer", "müller", ""]),
        PhoneticAlgorithm.BEST,
    )
    assert [sounds.like(sound, "de") for sound in (code("meier", "de"), "657", "6", "65")] == [
        [0],
        [1],
        [2],
        [],
    ]


def test_stems_of_english_stand_for_all_forms():
    sounds = sounds_of(dictionary([in_language("parent", "en")], ["parents"]), PhoneticAlgorithm.BEST)
    assert sounds.like(code("parent", "en"), "en") == [0]


def test_sounds_are_computed_once_and_given_up_with_their_dictionary():
    own = dictionary([in_language("parent", "en")])
    first, second = sounds_of(own, PhoneticAlgorithm.BEST), sounds_of(own, PhoneticAlgorithm.BEST)
    assert first.hashes is second.hashes
    gc.collect()  # what other tests left behind
    before = len(phonetic._KNOWN)
    del own, first, second
    gc.collect()
    assert len(phonetic._KNOWN) == before - 1
