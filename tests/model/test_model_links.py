"""Packed links: unpacking returns what was packed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import Link, LinkFlag, Links, Url
from gossamer.web.url import canonical

urls = st.builds(
    lambda host, port, path: Url.parsed(f"http://{host}{port}/{path}"),
    st.sampled_from(["a.example", "[::1]", "192.0.2.1"]),
    st.sampled_from(["", ":8080"]),
    st.text("ab/?=%é", max_size=6),
)
# everything that Python takes for the end of a line, but for the one that counts
anchors = st.text(st.sampled_from("ab é\r\x0b\x0c\x1c\x85\u2028\t"), max_size=6)
links = st.lists(st.builds(Link, urls, anchors, st.booleans(), anchors), max_size=8)
flags = st.sampled_from([LinkFlag.REDIRECT, LinkFlag.CANONICAL, LinkFlag.CANONICAL | LinkFlag.NOFOLLOW])


@given(links)
def test_packing_and_unpacking_links(given_links):
    packed = Links.of(iter(given_links))
    assert len(packed) == len(given_links)
    assert list(packed) == given_links
    assert [packed[place] for place in range(len(packed))] == given_links
    assert packed.texts() == [link.target.text for link in given_links]
    assert packed.words() == [link.anchor for link in given_links]
    assert packed.nearby() == [link.near for link in given_links]
    assert packed.numbers.tolist() == [link.target.fingerprint for link in given_links]
    assert packed.numbers.dtype == np.uint64
    assert packed.followed.tolist() == [not link.nofollow for link in given_links]
    assert Links.of(packed) == packed


@given(links, urls, flags, urls)
def test_one_more(given_links, target, flag, last):
    packed = Links.of(given_links).plus(target, flag)
    assert list(packed)[:-1] == given_links
    assert packed[len(given_links)] == Link(target, "", bool(flag & LinkFlag.NOFOLLOW))
    assert packed.numbers[-1] == target.fingerprint
    assert packed.flags[-1] == flag
    assert packed.plus(last, flag).texts() == [*packed.texts(), last.text]
    assert packed.plus(last, flag).words() == [*packed.words(), ""]


def test_no_links_are_no_lines():
    assert Links() == Links.of([])
    assert (len(Links()), Links().texts(), Links().words(), list(Links())) == (0, [], [], [])
    assert (len(Links().numbers), len(Links().followed)) == (0, 0)
    with pytest.raises(IndexError):
        Links()[0]


def test_a_single_link_without_words():
    packed = Links.of([Link(Url.parsed("http://a.example/"))])
    assert (packed.words(), packed.texts()) == ([""], ["http://a.example/"])


def test_line_feeds_in_anchors_become_spaces():
    packed = Links.of(
        [Link(Url.parsed("http://a.example/"), "two\nlines"), Link(Url.parsed("http://b/"), "")]
    )
    assert packed.words() == ["two lines", ""]


@given(
    st.sampled_from(["http", "https"]),
    st.sampled_from(["a.example", "[::1]", "192.0.2.1", "xn--bcher-kva.example", "[2001:db8::80]"]),
    st.sampled_from(["", ":8080", ":80", ":443", ":1"]),
    st.sampled_from(["", "/", "/a?b=c&d", "/a:80/[x]", "/?//:9/", "/a://b"]),
)
def test_a_canonical_text_is_parsed_into_the_url(scheme, host, port, path):
    address = canonical(f"{scheme}://{host}{port}{path}")
    parsed = Url.parsed(address.text)
    assert parsed == address
    assert parsed.fingerprint == address.fingerprint
    assert (parsed.authority, parsed.origin) == (address.authority, address.origin)


@pytest.mark.parametrize(
    "text", ["", "http", "http://", "http://a", "a/b", "gopher://a", "http://a:b/", "://a/", ":a"]
)
def test_other_texts_than_canonical_urls_are_refused(text):
    with pytest.raises((ValueError, KeyError)):
        Url.parsed(text)
