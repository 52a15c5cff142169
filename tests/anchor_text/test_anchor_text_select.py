"""What links say, each thing once from each who says it, against a plain-Python twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from small_graphs import canonical_pages

from gossamer.anchor_text import select as module
from gossamer.anchor_text.select import AnchorDeduplicator, KeyTable, LinkTexts
from gossamer.model import LinkFlag
from gossamer.model.graph import LinkColumns

HIGH = 2**64 - 2

pages = st.integers(0, 4) | st.just(HIGH)
flags = st.sampled_from([LinkFlag.ORDINARY, LinkFlag.NOFOLLOW, LinkFlag.CANONICAL, LinkFlag.REDIRECT])
texts = st.sampled_from(["", "big cat", "cat", "große", "big", "b", "猫", " "])
links = st.lists(st.tuples(pages, flags, texts), max_size=6)
pieces = st.lists(st.lists(st.tuples(pages, links), min_size=1, max_size=4), max_size=4)


def linking_hosts_of(found):
    """Pages 0 and 1 are of one host, and so on."""
    return found >> np.uint64(1)


def columns(piece):
    rows = [row for _, found in piece for row in found]
    return LinkColumns(
        np.array([source for source, _ in piece], np.uint64),
        np.array([len(found) for _, found in piece], np.int64),
        np.array([target for target, _, _ in rows], np.uint64),
        np.array([flag for _, flag, _ in rows], np.uint8),
        "".join(f"{text}\n" for _, _, text in rows).encode(),
        "".join(f"{text}\n" for _, _, text in rows[::-1]).encode(),
    )


def plain_new(piece, aliases, met):
    """The twin of `AnchorDeduplicator.new`: a set of all that was met."""
    new = []
    for source, found in piece:
        page = aliases.get(source, source)
        for address, flag, text in found:
            target = aliases.get(address, address)
            key = (target, page >> 1, text)
            if text and flag not in {LinkFlag.NOFOLLOW, LinkFlag.CANONICAL} and target != page:
                if key not in met:
                    new.append(key)
                met.add(key)
    return new


@given(pieces, st.dictionaries(st.integers(0, 2), st.integers(3, 4), max_size=2))
def test_every_anchor_comes_once(given_pieces, aliases):
    sieve, met = AnchorDeduplicator(canonical_pages(aliases), linking_hosts_of), set()
    for piece in given_pieces:
        found = sieve.new(columns(piece))
        rows = zip(found.targets.tolist(), found.linking_hosts.tolist(), found.texts, strict=True)
        assert list(rows) == plain_new(piece, aliases, met)


def test_more_come_than_there_was_room_for(monkeypatch):
    monkeypatch.setattr(module, "FIRST_SLOTS", 8)
    sieve = AnchorDeduplicator(canonical_pages({}), linking_hosts_of)
    many = [(1, [(2, LinkFlag.ORDINARY, f"text {i % 700}") for i in range(1000)])]
    assert sieve.new(columns(many)).texts == [f"text {i}" for i in range(700)]
    assert sieve.new(columns(many)).texts == []
    assert sieve.new(columns([(8, [(2, LinkFlag.ORDINARY, "text 1")])])).texts == ["text 1"]
    assert sieve.new(columns([(1, [(3, LinkFlag.ORDINARY, "text 1")])])).texts == ["text 1"]


def plain_mixed(value):
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
    return value ^ value >> 31


def plain_key(text, target, speaker, seed):
    """The twin of the kernel's key."""
    for byte in text.encode():
        seed = (seed ^ byte) * 0x100000001B3 % 2**64
    return max(1, plain_mixed(seed ^ plain_mixed(target ^ plain_mixed((speaker + 1) % 2**64))))


@given(
    st.lists(st.tuples(texts, pages, pages, st.booleans()), max_size=12), st.integers(0, 2**64 - 1)
)  # fmt: skip
def test_the_table_keeps_the_keys_of_what_it_took(rows, seed):
    nobody, flag = 2**64 - 1, {True: LinkFlag.ORDINARY, False: LinkFlag.NOFOLLOW}
    given_links = columns([(nobody, [(target, flag[counts], text)]) for text, target, _, counts in rows])
    linking_hosts = np.array([speaker for _, _, speaker, _ in rows], np.uint64)
    said = LinkTexts(
        given_links, given_links.anchors, canonical_pages({}), lambda _: linking_hosts, np.uint64(seed)
    )
    expected = {}
    for text, target, speaker, counts in rows:
        if text and counts:
            expected.setdefault(plain_key(text, target, speaker, seed), text)
    table = KeyTable()
    keys = said.keys(said.codes)
    places, new = table.enter(keys)
    assert keys[new].tolist() == list(expected)
    assert said.chosen(new).texts == list(expected.values())
    again, known = table.enter(keys)
    assert places.tolist() == again.tolist()
    assert not known.any()


def test_a_table_that_grows_keeps_keys_and_values(monkeypatch):
    monkeypatch.setattr(module, "FIRST_SLOTS", 8)
    table, keys = KeyTable(valued=True), np.arange(1, 4, dtype=np.uint64)
    places, _ = table.enter(keys)
    table.values[places] = keys
    _, new = table.enter(np.arange(2, 900, dtype=np.uint64))
    assert np.flatnonzero(~new).tolist() == [0, 1]
    assert table.values[table.enter(keys)[0]].tolist() == keys.tolist()
