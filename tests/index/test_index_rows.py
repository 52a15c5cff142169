"""What is kept of pages besides their words, in the order of a segment."""

from __future__ import annotations

import tracemalloc
from math import isnan

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from gossamer.index.bm25f import FIELDS
from gossamer.index.segment import file_type, host_key, host_ranks, merged_columns
from gossamer.index.writer import PageColumns
from gossamer.text.shingles import SKETCH_BYTES

HOSTS = ["a.org", "x.a.org", "a-b.org", "b.org:8080", "[::1]"]
PATHS = ["/", "/b", "/a.PDF", "/a.pdf?q=x.html", "/c.d/", "/index.html"]
ADDRESSES = st.lists(st.tuples(st.sampled_from(HOSTS), st.sampled_from(PATHS)), unique=True)


@given(ADDRESSES, st.randoms(use_true_random=False))
def test_columns_hold_what_the_pages_say_by_host_and_address(addresses, random):
    pages = [
        page(
            f"http://{host}{path}",
            "",
            media_type=random.choice(["text/html", "Application/PDF"]),
            published=random.choice([None, 1.5, 2.5]),
            fetched_at=random.random(),
        )
        for host, path in addresses
    ]
    languages = [random.choice(["en", "de", ""]) for _ in pages]
    rows, half = PageColumns(), len(pages) // 2
    rows.extend(pages[:half], languages[:half])
    rows.extend(pages[half:], languages[half:])
    assert len(rows) == len(pages)
    order = rows.order().tolist()
    assert order == sorted(
        range(len(pages)), key=lambda i: (host_key(pages[i].url.authority), pages[i].url.text)
    )
    columns = rows.columns(np.array(order, np.int64), np.zeros((len(pages), FIELDS), np.uint32))
    for doc, number in enumerate(order):
        one = pages[number]
        assert columns.fingerprints[doc] == one.url.fingerprint
        assert columns.fetched_at[doc] == one.fetched_at
        assert columns.published[doc] == one.published or (
            isnan(columns.published[doc]) and not one.published
        )
        assert columns.hosts()[columns.host_ids[doc]] == one.url.authority
        assert columns.languages()[columns.language_ids[doc]] == languages[number]
        assert columns.types()[columns.type_ids[doc]] == file_type(one.media_type, one.url.path)


def columns_of(addresses):
    rows, pages = PageColumns(), [page(f"http://{host}{path}", "") for host, path in addresses]
    rows.extend(pages, ["en"] * len(pages))
    return rows.columns(rows.order(), np.zeros((len(pages), FIELDS), np.uint32))


@given(st.lists(ADDRESSES, min_size=1, max_size=4))
def test_hosts_rank_alike_in_all_segments(segments):
    parts = [columns_of(addresses) for addresses in segments]
    hosts = sorted({host for part in parts for host in part.hosts()}, key=host_key)
    for part, ranks in zip(parts, host_ranks(parts), strict=True):
        own = [part.hosts()[number] for number in part.host_ids.tolist()]
        by_rank = dict(zip(ranks.tolist(), own, strict=True))
        assert [by_rank[rank] for rank in ranks.tolist()] == own
        assert [by_rank[rank] for rank in sorted(by_rank)] == [host for host in hosts if host in own]


def test_a_long_host_name_takes_no_room_a_document():
    count, long = 5000, ".".join(["x" * 60] * 16)
    addresses = [(f"h{n}.org", "/") for n in range(count)]
    parts = [columns_of([*addresses, (long, "/")]), columns_of(addresses)]
    masks = [np.ones(len(part.host_ids), np.bool_) for part in parts]
    tracemalloc.start()
    try:
        order = np.argsort(np.concatenate(host_ranks(parts)), kind="stable")
        merged = merged_columns(parts, masks, order)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    own = [merged.hosts()[number] for number in merged.host_ids[::2].tolist()]
    assert own == sorted([*(host for host, _ in addresses), long], key=host_key)
    assert peak < count * 2000


def test_only_the_end_of_a_name_is_its_extension():
    endings = {path: file_type("Text/HTML", path).partition(" ")[2] for path in PATHS}
    assert endings == dict(zip(PATHS, ["", "", "pdf", "pdf", "", "html"], strict=True))
    assert file_type("Text/HTML", "/").startswith("text/html ")


def test_sketches_are_those_of_pages_with_enough_words():
    """Segments without any have no column for them, and merge with others."""
    sketch = bytes(range(1, SKETCH_BYTES + 1))
    parts = []
    for words in ((40, 39), (0, 0)):
        rows = PageColumns()
        pages = [page(f"http://h{n}.test/", "", words=count, sketch=sketch) for n, count in enumerate(words)]
        rows.extend(pages, ["en", "en"])
        parts.append(rows.columns(rows.order(), np.zeros((2, FIELDS), np.uint32)))
    assert [part.sketches.shape for part in parts] == [(2, SKETCH_BYTES), (2, 0)]
    assert parts[0].sketches[0].tobytes() == sketch
    merged = merged_columns(parts, [np.array([True, True])] * 2, np.array([3, 2, 1, 0]))
    assert [row.tobytes() for row in merged.sketches] == [bytes(SKETCH_BYTES)] * 3 + [sketch]
