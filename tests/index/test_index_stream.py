"""Words become terms piece by piece, and nothing is left behind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.index import writer as module
from gossamer.index.writer import TermStream

BATCHES = st.lists(st.lists(st.integers(0, 9), max_size=12), max_size=6)


@given(BATCHES, st.permutations(range(10)), st.integers(1, 20))
def test_terms_follow_the_words_whatever_the_pieces(batches, terms, size):
    words = [word for batch in batches for word in batch]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "PIECE", size)
        stream = TermStream()
        for batch in batches:
            stream.append(np.array(batch, np.uint32))
    assert len(stream) == len(words)
    found, counts = stream.drain(np.array(terms, np.uint32))
    assert found.tolist() == [terms[word] for word in words]
    assert counts.tolist() == [words.count(word) for word in range(10)]


def test_a_drained_stream_begins_anew():
    stream, same = TermStream(), np.arange(3, dtype=np.uint32)
    for words in ([2, 1], [0]):
        stream.append(np.array(words, np.uint32))
        assert stream.drain(same)[0].tolist() == words
        assert len(stream) == 0
