"""Words near links: of each who speaks of a page a few texts, the same in whichever order the links come."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from small_graphs import canonical_pages

from gossamer.anchor_text import select as module
from gossamer.anchor_text.select import TEXTS, NearbyTextSampler
from gossamer.model import LinkFlag
from gossamer.model.graph import LinkColumns

pages = st.integers(0, 4) | st.just(2**64 - 2)
flags = st.sampled_from([LinkFlag.ORDINARY, LinkFlag.NOFOLLOW, LinkFlag.REDIRECT])
texts = st.sampled_from(["", *(f"words {n}" for n in range(12)), "große Katze", "猫"])
links = st.lists(st.tuples(pages, flags, texts), max_size=8)
pieces = st.lists(st.lists(st.tuples(pages, links), min_size=1, max_size=4), max_size=4)


def linking_hosts_of(found):
    return found >> np.uint64(1)


def columns(piece):
    rows = [row for _, found in piece for row in found]
    return LinkColumns(
        np.array([source for source, _ in piece], np.uint64),
        np.array([len(found) for _, found in piece], np.int64),
        np.array([target for target, _, _ in rows], np.uint64),
        np.array([flag for _, flag, _ in rows], np.uint8),
        b"anchor\n" * len(rows),
        "".join(f"{text}\n" for _, _, text in rows).encode(),
    )


def mixed(value):
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
    return value ^ value >> 31


def hashed(text):
    code = 0xCBF29CE484222325
    for byte in text.encode():
        code = (code ^ byte) * 0x100000001B3 % 2**64
    return code


def plain(given_pieces, aliases):
    """The twin: of each heap the text with the least hash."""
    heaps = {}
    for source, found in (row for piece in given_pieces for row in piece):
        page = aliases.get(source, source)
        for address, flag, text in found:
            target = aliases.get(address, address)
            if text and flag is not LinkFlag.NOFOLLOW and target != page:
                heaps.setdefault((target, page >> 1, mixed(hashed(text)) % TEXTS), set()).add(text)
    return sorted((target, speaker, min(said, key=hashed)) for (target, speaker, _), said in heaps.items())


def chosen(given_pieces, aliases):
    sieve = NearbyTextSampler(canonical_pages(aliases), linking_hosts_of)
    parts = [columns(piece) for piece in given_pieces]
    for part in parts:
        sieve.note(part)
    rows = []
    for part in parts:
        found = sieve.chosen(part)
        rows += zip(found.targets.tolist(), found.linking_hosts.tolist(), found.texts, strict=True)
    return sorted(rows)


@given(pieces, st.dictionaries(st.integers(0, 2), st.integers(3, 4), max_size=2))
def test_what_counts_is_that_of_the_twin(given_pieces, aliases):
    expected = plain(given_pieces, aliases)
    assert chosen(given_pieces, aliases) == expected
    assert chosen(given_pieces[::-1], aliases) == expected


def test_one_site_says_little_of_a_page_and_the_table_grows(monkeypatch):
    monkeypatch.setattr(module, "FIRST_SLOTS", 8)
    many = [(1, [(2 + n % 50, LinkFlag.ORDINARY, f"text {n}") for n in range(2000)])]
    found = chosen([many], {})
    assert len(found) == len({target for target, *_ in found}) * TEXTS == 50 * TEXTS
