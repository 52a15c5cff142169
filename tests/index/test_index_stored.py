"""What is shown of documents, alone and in blocks, with a dictionary and without, before and after merges."""

from __future__ import annotations

import random
import tracemalloc
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from gossamer.index import stored_text as stored_writer
from gossamer.index.stored_text import (
    APART,
    BLOCK_BYTES,
    PagesWriter,
    StoredDocument,
    StoredWriter,
    TextsWriter,
    beginnings,
    merge_stored,
    packed,
    read_stored,
)

SIZES = st.lists(st.integers(0, BLOCK_BYTES * 2), max_size=12)
WRITERS = st.sampled_from([PagesWriter, TextsWriter])
WORDS = "jaguar cat river forest night prey range habitat spotted hunting".split()


def stored_of(folder, texts, slots=None, make=PagesWriter):
    writer = StoredWriter(make)
    writer.extend(texts)
    assert len(writer) == len(texts)
    writer.write(folder / "stored.arrays", np.array(range(len(texts)) if slots is None else slots, np.uint32))
    return read_stored(folder / "stored.arrays")


def texts_of(sizes, name=""):
    pages = [page(f"http://h/{name}{n}", f"{n} " * (size // 3), f"Title {n}") for n, size in enumerate(sizes)]
    return packed(pages, ["en"] * len(pages))


def many(seed, count=400):
    """Enough to make a dictionary of."""
    source = random.Random(seed)
    pages = [
        page(f"http://h/{seed}/{n}", " ".join(source.choices(WORDS, k=100)), f"Title {n}")
        for n in range(count)
    ]
    return packed(pages, ["en"] * count)


def shown(stored):
    return [stored.document(doc) for doc in range(len(stored.slots))]


@given(SIZES, WRITERS, st.randoms(use_true_random=False))
def test_several_are_read_together(tmp_path_factory, sizes, make, random):
    texts = texts_of(sizes)
    stored = stored_of(tmp_path_factory.mktemp("stored"), texts, None, make)
    docs = random.choices(range(len(texts)), k=7) if texts else []
    assert stored.several(np.array(docs, np.int64)) == [texts[doc] for doc in docs]


def test_how_a_document_begins():
    own = replace(page("http://h/1", "Jaguare – Katzen", "Titel"), description="about cats")
    (text, other) = packed([own, replace(own, text="")], ["de", "de"])
    assert beginnings([text, other], 9) == (["de"] * 2, ["Titel"] * 2, [b"Jaguare ", b"about cat"])
    assert beginnings([other], 3) == (["de"], ["Tit"], [b"abo"])
    assert beginnings([], 5) == ([], [], [])


@given(SIZES, WRITERS, st.randoms(use_true_random=False))
def test_documents_are_read_back_in_any_order(tmp_path_factory, sizes, make, random):
    texts = texts_of(sizes)
    slots = random.sample(range(len(texts)), len(texts))
    stored = stored_of(tmp_path_factory.mktemp("stored"), texts, slots, make)
    assert shown(stored) == [StoredDocument.unpacked(texts[slot]) for slot in slots]


@given(SIZES, SIZES, st.randoms(use_true_random=False))
def test_merged_documents_are_those_that_live(tmp_path_factory, one, other, random):
    folder = tmp_path_factory.mktemp("stored")
    parts = []
    for number, sizes in enumerate((one, other)):
        (folder / str(number)).mkdir()
        parts.append(stored_of(folder / str(number), texts_of(sizes, f"{number}-")))
    masks = [np.array([random.random() < 0.7 for _ in part.slots], np.bool_) for part in parts]
    alive = [part.document(d) for part, m in zip(parts, masks, strict=True) for d in np.flatnonzero(m)]
    order = np.array(random.sample(range(len(alive)), len(alive)), np.int64)
    merge_stored(folder / "merged.arrays", parts, masks, order)
    assert shown(read_stored(folder / "merged.arrays")) == [alive[place] for place in order]


def test_many_documents_have_a_dictionary_and_few_have_none(tmp_path):
    texts = many(1)
    (tmp_path / "few").mkdir()
    few, stored = stored_of(tmp_path / "few", texts[:10]), stored_of(tmp_path, texts)
    assert (len(few.dictionary) == 0, 0 < len(stored.dictionary) <= stored_writer.DICTIONARY_BYTES) == (1, 1)
    assert len(stored.data) / len(texts) < len(few.data) / 10
    assert [stored.at(slot) for slot in range(len(texts))] == texts


def test_a_writer_goes_on_with_the_dictionary_that_it_is_given(tmp_path):
    texts = many(1)
    (tmp_path / "more").mkdir()
    stored = stored_of(tmp_path, texts)
    more = stored_of(
        tmp_path / "more", texts[:3], None, partial(PagesWriter, dictionary=stored.dictionary.tobytes())
    )
    assert np.array_equal(more.dictionary, stored.dictionary)
    assert [more.at(slot) for slot in range(3)] == texts[:3]


@pytest.mark.parametrize("random_texts", [False, True])
def test_waiting_for_a_dictionary_is_bounded(tmp_path, monkeypatch, random_texts):
    monkeypatch.setattr(stored_writer, "MOST_WAITING", 20_000)
    source = random.Random(1)
    texts = [source.randbytes(5_000) for _ in range(9)] if random_texts else many(1)
    writer = StoredWriter()
    writer.extend(texts)
    assert random_texts or writer.memory < sum(map(len, texts)) / 2  # nothing waits any more
    writer.write(tmp_path / "stored.arrays", np.arange(len(texts), dtype=np.uint32))
    stored = read_stored(tmp_path / "stored.arrays")
    assert [stored.at(slot) for slot in range(len(texts))] == texts


@pytest.mark.parametrize("alike", [True, False])
def test_parts_with_dictionaries_become_one(tmp_path, alike):
    """Those of the largest part's dictionary are taken over, others compressed anew; some have none."""
    texts = [many(1), many(2, 300), many(3, 5)]
    parts = []
    for number, own in enumerate(texts):
        folder = tmp_path / str(number)
        folder.mkdir()
        told = parts[0].dictionary.tobytes() if alike and parts else b""
        parts.append(stored_of(folder, own, None, partial(PagesWriter, dictionary=told)))
    masks = [np.arange(len(own)) % 7 != 3 for own in texts]
    alive = [text for own, mask in zip(texts, masks, strict=True) for text in np.array(own, object)[mask]]
    merge_stored(tmp_path / "merged.arrays", parts, masks, np.arange(len(alive)))
    merged = read_stored(tmp_path / "merged.arrays")
    assert np.array_equal(merged.dictionary, parts[0].dictionary)
    assert merged.several(np.arange(len(alive))) == alive


def test_deleted_documents_leave_no_stored_text(tmp_path):
    stored = stored_of(tmp_path, many(1))
    mask = np.arange(len(stored.slots)) % 2 == 0
    merge_stored(tmp_path / "merged.arrays", [stored], [mask], np.arange(mask.sum()))
    merged = read_stored(tmp_path / "merged.arrays")
    sizes = np.diff(stored.block_starts)
    assert (len(merged.slots), len(merged.data)) == (mask.sum(), sizes[mask].sum())


def test_a_merge_keeps_no_blocks_in_memory(tmp_path):
    numbers = random.Random(1)
    pages = [page(f"http://h/{n}", numbers.randbytes(8000).hex()) for n in range(200)]
    stored = stored_of(tmp_path, packed(pages, ["en"] * len(pages)))
    mask = np.arange(len(pages)) % 2 == 0
    tracemalloc.start()
    try:
        merge_stored(tmp_path / "merged.arrays", [stored] * 2, [mask, ~mask], np.arange(len(pages)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    merged = read_stored(tmp_path / "merged.arrays")
    assert [one.text for one in shown(merged)] == [one.text for one in pages[::2] + pages[1::2]]
    assert peak < merged.data.nbytes / 4


def test_what_separates_parts_may_stand_in_a_title():
    one = page("http://h/1", f"text {APART} more", f"a{APART}b")
    shown = StoredDocument.unpacked(*packed([one], ["en"]))
    assert (shown.title, shown.text, shown.language) == ("a b", f"text {APART} more", "en")
