"""What is shown of documents, in blocks, before and after merges."""

from __future__ import annotations

import random
import tracemalloc
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from gossamer.index import stored as module
from gossamer.index.stored import (
    StoredDocument,
    StoredWriter,
    beginnings,
    merge_stored,
    packed,
    read_stored,
)

SIZES = st.lists(st.integers(0, module.BLOCK_BYTES * 2), max_size=12)


def stored_of(folder, texts, slots=None):
    writer = StoredWriter()
    writer.extend(texts)
    assert len(writer) == len(texts)
    writer.write(folder / "stored.arrays", np.array(range(len(texts)) if slots is None else slots, np.uint32))
    return read_stored(folder / "stored.arrays")


def texts_of(sizes, name=""):
    pages = [page(f"http://h/{name}{n}", f"{n} " * (size // 3), f"Title {n}") for n, size in enumerate(sizes)]
    return packed(pages, ["en"] * len(pages))


def shown(stored):
    return [stored.document(doc) for doc in range(len(stored.slots))]


@given(SIZES, st.randoms(use_true_random=False))
def test_several_are_read_together(tmp_path_factory, sizes, random):
    texts = texts_of(sizes)
    stored = stored_of(tmp_path_factory.mktemp("stored"), texts)
    docs = random.choices(range(len(texts)), k=7) if texts else []
    assert stored.several(np.array(docs, np.int64)) == [texts[doc] for doc in docs]


def test_how_a_document_begins():
    own = replace(page("http://h/1", "Jaguare – Katzen", "Titel"), description="about cats")
    (text, other) = packed([own, replace(own, text="")], ["de", "de"])
    assert beginnings([text, other], 9) == (["de"] * 2, ["Titel"] * 2, [b"Jaguare ", b"about cat"])
    assert beginnings([other], 3) == (["de"], ["Tit"], [b"abo"])
    assert beginnings([], 5) == ([], [], [])


@given(SIZES, st.randoms(use_true_random=False))
def test_documents_are_read_back_in_any_order(tmp_path_factory, sizes, random):
    texts = texts_of(sizes)
    slots = random.sample(range(len(texts)), len(texts))
    stored = stored_of(tmp_path_factory.mktemp("stored"), texts, slots)
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


def test_nothing_of_what_is_gone_is_kept(tmp_path):
    stored = stored_of(tmp_path, texts_of([300] * 10))
    mask = np.array([True] * 9 + [False])
    merge_stored(tmp_path / "merged.arrays", [stored], [mask], np.arange(9))
    merged = read_stored(tmp_path / "merged.arrays")
    assert len(merged.offsets) == 9
    assert len(module.zstandard.decompress(merged.block(0))) < len(
        module.zstandard.decompress(stored.block(0))
    )


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
    one = page("http://h/1", f"text {module.APART} more", f"a{module.APART}b")
    shown = StoredDocument.unpacked(*packed([one], ["en"]))
    assert (shown.title, shown.text, shown.language) == ("a b", f"text {module.APART} more", "en")
