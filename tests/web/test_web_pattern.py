"""URL patterns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.hosts.url_pattern import folder, path_pattern, pattern, segment_pattern, without_ids
from gossamer.web.url import canonical

UUID = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
SHA = "da39a3ee5e6b4b0d3255bfef95601890afd80709"


def url(path):
    return canonical(f"http://example.com{path}")


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("/", "/"),
        ("/about/people", "/about/people"),
        ("/article/12345", "/article/<n>"),
        ("/python3.11/library", "/python<n>.<n>/library"),
        ("/page12.html", "/page<n>.html"),
        ("/2024/05/12/story", "/<date>/story"),
        ("/2024/5/story", "/<date>/story"),
        ("/2024/05", "/<date>"),
        ("/news-2024-05-12.html", "/news-<date>.html"),
        ("/archive/20240512/", "/archive/<date>/"),
        ("/2024/13", "/<n>/<n>"),
        ("/2024/", "/<n>/"),
        ("/12345678", "/<n>"),
        ("/12024/05", "/<n>/<n>"),
        (f"/o/{UUID}/edit", "/o/<id>/edit"),
        (f"/commit/{SHA}", "/commit/<id>"),
        ("/f/dQw4w9WgXcQ7aB3x9K", "/f/<id>"),
        ("/12345678901234567890", "/<n>"),
        ("/internationalization2", "/internationalization<n>"),
        ("/counterrevolutionaries", "/counterrevolutionaries"),
        ("/caf%C3%A9", "/caf%C3%A9"),
        ("/caf%C3%A9/7", "/caf%C3%A9/<n>"),
    ],
)
def test_the_shape_of_a_path(path, shape):
    assert pattern(url(path)) == shape
    assert path_pattern(url(path)) == shape


@pytest.mark.parametrize(
    ("query", "shape"),
    [
        ("page=3&sort=asc", "page=<n>&sort=*"),
        ("sort=desc&page=77", "page=<n>&sort=*"),
        ("q=", "q="),
        ("print", "print"),
        ("day=2024-05-12", "day=<date>"),
        ("day=20240512", "day=<date>"),
        ("n=12345678", "n=<n>"),
        (f"k={SHA}", "k=<id>"),
        (f"k={UUID}", "k=<id>"),
        ("v=a1", "v=*"),
        ("f[0]=red&f[1]=blue", "f[<n>]=*&f[<n>]=*"),
    ],
)
def test_the_shape_of_a_query(query, shape):
    assert pattern(url(f"/shop?{query}")) == f"/shop?{shape}"
    assert path_pattern(url(f"/shop?{query}")) == "/shop"


def test_folders():
    assert folder("/") == "/*"
    assert folder("/a/b.html") == "/a/*"
    assert folder("/a/<n>/?page=<n>&path=/x/y") == "/a/<n>/*"


def test_segments():
    assert segment_pattern("7") == "<n>"
    assert segment_pattern("blue") == "blue"


def test_identifiers_are_masked_and_nothing_else():
    assert without_ids(url(f"/s/{SHA}/2024/05/p7?sort=up&k={UUID}")) == "/s/<id>/2024/05/p7?sort=up&k=<id>"
    assert without_ids(url("/s/12345678901234567890/caf%C3%A9")) == "/s/12345678901234567890/caf%C3%A9"


paths = st.text("abcX019/-_.%?&=[]", max_size=60).map(lambda text: canonical(f"http://example.com/{text}"))


@given(paths.filter(bool))
def test_a_shape_forgets_the_order_of_parameters_and_the_numbers(address):
    shape = pattern(address)
    path, mark, query = address.path.partition("?")
    turned = canonical(f"http://example.com{path}{mark}{'&'.join(reversed(query.split('&')))}")
    assert pattern(turned) == shape
    assert len(shape.partition("?")[0].split("/")) <= len(path.split("/"))
    counted = canonical(f"http://example.com/list/{len(shape)}/x")
    assert pattern(counted) == "/list/<n>/x"


@given(st.integers(0, 10**40), st.integers(0, 10**7))
def test_numbers_have_one_shape(number, page):
    assert pattern(url(f"/a/i-{number}?n={page}")) in {"/a/i-<n>?n=<n>", "/a/i-<date>?n=<n>"}


@given(st.text(max_size=200))
def test_any_address_has_a_shape(text):
    address = canonical(f"http://example.com/{text}")
    if address is not None:
        assert pattern(address).startswith("/")
        assert folder(pattern(address)).endswith("/*")
