"""Stored documents read in one go."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.index.stored_text import (
    PagesWriter,
    StoredDocuments,
    StoredWriter,
    TextsWriter,
    read_stored,
    title_of,
)


def written(path, texts, make=PagesWriter) -> StoredDocuments:
    writer = StoredWriter(make)
    writer.extend(texts)
    writer.write(path, np.arange(len(texts), dtype=np.uint32))
    return read_stored(path)


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=60), st.booleans(), st.data())
def test_each_returns_the_same_as_at(tmp_path, texts, alone, data):
    held = written(tmp_path / "stored.arrays", texts, PagesWriter if alone else TextsWriter)
    chosen = sorted(data.draw(st.sets(st.integers(0, len(texts) - 1))))
    assert list(held.each(np.array(chosen, np.uint32))) == [texts[slot] for slot in chosen]


def test_over_many_blocks(tmp_path):
    texts = [f"document {number}".encode() * 30 for number in range(100)]
    held = written(tmp_path / "stored.arrays", texts, TextsWriter)
    assert 5 < len(held.block_slots) < 100
    assert list(held.each(np.arange(0, 100, 7, dtype=np.uint32))) == texts[::7]


def test_the_title_alone():
    parts = ("http://a.test/", "en", "text/html", "A title", "", "", "text \x1e with anything")
    assert title_of("\x1e".join(parts).encode()) == "A title"
