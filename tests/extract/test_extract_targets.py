"""The kernels that resolve and merge links, against `canonical`, hashlib and plain Python."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.extract.html.link_targets import (
    LONGEST_PREFIX,
    Resolver,
    address_table,
    fingerprint,
    merge,
    plain_targets,
    read_links,
)
from gossamer.extract.html.scan import scanner_table
from gossamer.kernels.kernel import kernel
from gossamer.model.url import fingerprint_of
from gossamer.web.url import AMBIGUOUS_PARAMETERS, DROPPED_PARAMETERS, TRACKING_PREFIXES, canonical

BASES = [
    canonical(text)
    for text in (
        "http://cats.example/big/jaguar.html",
        "http://cats.example/big/puma.html?size=2&x=/y/z",
        "https://cats.example/",
        "http://cats.example:8080/a//b/",
        "https://cats.example:80/a/b/c/d?e",
        "http://[::1]:81/x/y",
    )
]
PIECES = st.sampled_from(
    [
        *("/", "//", "../", "./", "..", ".", "?", "&", "=", ":", "http://", "https://", "HTTP://", "http:"),
        *("a", "b.html", "x.y", "xn--", "0x1", "1.2", "B", "-", "_", "dogs.example", "dogs.example."),
        *(":80", ":443", ":8080", ":080", ":65536", ":", "@", ";", "%41", "%", "'", "~", "\\", "é", " "),
        *("utm_source=1", "pk_x", "sid=3", "s=cats", "sid=0123456789abcdef", "fbclid=", "UTM_a", "p=1"),
    ]
)
ADDRESSES = st.lists(PIECES, min_size=1, max_size=7).map("".join)


def resolved(base, addresses):
    """Resolve addresses with the kernel; "" for those that are not plain."""
    page = base.text.partition("?")[0].encode()
    # Writable arrays, as in extraction: kernels would be compiled again for read-only ones.
    hrefs = np.frombuffer("\n".join(addresses).encode(), np.uint8).copy()
    origin, folder = len(base.text) - len(base.path), page.rindex(b"/") + 1
    out, places, left = plain_targets(
        *(hrefs, len(addresses), np.frombuffer(page, np.uint8), origin, folder),
        *(address_table(), scanner_table(())),
    )
    texts = [out[start:end].tobytes().decode() for start, end in places]
    assert left == texts.count("")
    return texts


@settings(max_examples=500)
@given(st.sampled_from(BASES), st.lists(ADDRESSES, min_size=1, max_size=8))
def test_plain_targets_are_those_of_canonical(base, addresses):
    for address, text in zip(addresses, resolved(base, addresses), strict=True):
        if text:
            assert canonical(address, base).text == text, (base.text, address)


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("puma.html", "http://cats.example/big/puma.html"),
        ("./puma.html", "http://cats.example/big/puma.html"),
        ("../../../puma", "http://cats.example/puma"),
        ("../", "http://cats.example/"),
        ("./", "http://cats.example/big/"),
        ("?b=2", "http://cats.example/big/jaguar.html?b=2"),
        ("/x/?", "http://cats.example/x/"),
        ("/list?page=2&sort=name", "http://cats.example/list?page=2&sort=name"),
        ("//dogs.example", "http://dogs.example/"),
        ("//dogs.example:8080/a/", "http://dogs.example:8080/a/"),
        ("https://dogs.example:80/a?b", "https://dogs.example:80/a?b"),
    ],
)
def test_what_is_plain(address, target):
    assert resolved(BASES[0], [address]) == [target]
    assert canonical(address, BASES[0]).text == target


@pytest.mark.parametrize(
    "address",
    [
        *("a/../b", "a//b", "/.x", "é", "%41", "a:b", "HTTP://dogs.example/", "http://dogs.example:80/"),
        *("http://dogs.example:080/", "http://1.2/", "http://a.xn--p1ai/", "http://Dogs.example/", "?a&&b"),
        *("http://dogs.example?x", "http://dogs.example./", "//", "http://", "x" * 2_000),
    ],
)
def test_addresses_that_are_not_plain(address):
    assert resolved(BASES[0], [address]) == [""]


def test_droppable_parameters_are_not_plain():
    names = [*DROPPED_PARAMETERS, *AMBIGUOUS_PARAMETERS, *(prefix + "x" for prefix in TRACKING_PREFIXES)]
    for name in (*names, *map(str.upper, names)):
        assert resolved(BASES[0], [f"x?a=1&{name}=1", f"x?{name}"]) == ["", ""]
        assert resolved(BASES[0], [f"x?q{name}=1"]) == [f"http://cats.example/big/x?q{name}=1"]
    assert max(map(len, TRACKING_PREFIXES)) <= LONGEST_PREFIX


@kernel
def fingerprint_alone(text):
    return fingerprint(text, 0, len(text), np.empty(16, np.uint64), np.empty(8, np.uint64))


@given(st.text(max_size=400))
def test_the_fingerprint_is_that_of_the_model(text):
    text = text.encode("utf-8", "ignore").decode()
    assert int(fingerprint_alone(np.frombuffer(text.encode(), np.uint8))) == fingerprint_of(text)


@pytest.mark.parametrize("length", [0, 1, 7, 8, 127, 128, 129, 255, 256, 257, 2_000])
def test_the_fingerprint_at_the_ends_of_blocks(length):
    text = "/" * length
    assert int(fingerprint_alone(np.frombuffer(text.encode(), np.uint8))) == fingerprint_of(text)


def merged(links, own, nofollow, most):
    """The plain reference for `merge`."""
    found = {}
    for target, anchor, flag, near in links:
        if not target or target == own:
            continue
        if target in found:
            words, flags, around = found[target]
            if flag | nofollow < flags:
                found[target] = (anchor, 0, near)
            elif flag | nofollow == flags:
                found[target] = (words or anchor, flags, around or near)
        elif len(found) < most:
            found[target] = (anchor, flag | nofollow, near)
    return [(target, *others) for target, others in found.items()]


LINKS = st.lists(
    st.tuples(
        st.sampled_from(["", "own", "a", "b", "c", "é"]),
        st.sampled_from(["", "x", "zwei"]),
        st.integers(0, 1),
        st.sampled_from(["", "y", "neben an"]),
    ),
    min_size=1,
    max_size=12,
)


@given(LINKS, st.integers(0, 1), st.integers(1, 4))
def test_merging_agrees_with_the_plain_reference(links, nofollow, most):
    targets, words, marks, near = zip(*links, strict=True)
    targets = [target.encode() for target in targets]
    ends = np.cumsum([len(target) for target in targets])
    places = np.stack([ends - [len(target) for target in targets], ends], axis=1).astype(np.int64)
    numbers, flags, addresses, anchors, around = merge(
        *(np.frombuffer(b"".join(targets), np.uint8).copy(), places),
        *(np.frombuffer("\n".join(texts).encode(), np.uint8).copy() for texts in (words, near)),
        np.array(marks, np.uint8),
        *(np.uint64(fingerprint_of("own")), nofollow, most),
    )
    expected = merged(links, "own", nofollow, most)
    assert numbers.tolist() == [fingerprint_of(target) for target, *_ in expected]
    assert flags.tolist() == [flag for _, _, flag, _ in expected]
    assert addresses.tobytes().decode() == "\n".join(target for target, *_ in expected)
    assert anchors.tobytes().decode() == "\n".join(words for _, words, _, _ in expected)
    assert around.tobytes().decode() == "\n".join(words for *_, words in expected)


@given(st.sampled_from(BASES), st.lists(ADDRESSES, max_size=8, unique=True))
def test_plain_and_other_addresses_keep_their_order(base, addresses):
    hrefs = np.frombuffer("\n".join(addresses).encode(), np.uint8).copy()
    words = np.frombuffer("\n".join(map(str, range(len(addresses)))).encode(), np.uint8).copy()
    nofollow = np.zeros(len(addresses), np.uint8)
    scan = SimpleNamespace(
        hrefs=hrefs, words=words, near=words, nofollow=nofollow, addresses=tuple(addresses)
    )
    links = read_links(scan, BASES[0], base, Resolver(), nofollow=False)
    expected = {}
    for number, address in enumerate(addresses):
        target = canonical(address, base)
        if target is not None and target != BASES[0]:
            expected.setdefault(target.text, str(number))
    assert [(link.target.text, link.anchor) for link in links] == list(expected.items())
    assert links.nearby() == links.words()
    assert links.numbers.tolist() == [fingerprint_of(text) for text in expected]
