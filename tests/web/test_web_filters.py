"""URL filters of the owner."""

import pytest

from gossamer.model import BadSetting
from gossamer.web.url import canonical
from gossamer.web.url_filter import UrlFilter


def refusal(url_filter, address, depth=0):
    return url_filter.refusal(canonical(address), depth)


def test_nothing_is_refused_by_default():
    assert refusal(UrlFilter(), "http://example.com/a?b=c", 99) == ""


def test_depth():
    assert refusal(UrlFilter(max_depth=1), "http://a.com/", 1) == ""
    assert refusal(UrlFilter(max_depth=1), "http://a.com/", 2) == "depth"
    assert refusal(UrlFilter(max_depth=0), "http://a.com/", 1) == "depth"


def test_include_and_exclude():
    chosen = UrlFilter(include=("/news/", r"/blog/\d+"), exclude=(r"\?print=",))
    assert refusal(chosen, "http://a.com/news/x") == ""
    assert refusal(chosen, "http://a.com/blog/7") == ""
    assert refusal(chosen, "http://a.com/blog/x") == "not-included"
    assert refusal(chosen, "http://a.com/news/x?print=1") == "excluded"


def test_alternatives_stay_apart():
    assert refusal(UrlFilter(exclude=("a|b", "^http://x")), "http://c.org/d") == ""


def test_sites():
    ours = UrlFilter(domains=frozenset({"example.com", "127.0.0.1"}))
    assert refusal(ours, "http://example.com/") == ""
    assert refusal(ours, "http://www.news.example.com/") == ""
    assert refusal(ours, "http://127.0.0.1/") == ""
    assert refusal(ours, "http://badexample.com/") == "other-site"
    assert refusal(ours, "http://com/") == "other-site"


@pytest.mark.parametrize(
    "name", ["a.jpg", "A.PNG", "x/y.min.js", "s.css?v=3", "f.woff2", "v.mp4", "p.tar.gz", "s.exe"]
)
def test_binary_files(name):
    assert refusal(UrlFilter(), f"http://a.com/{name}") == "media-type"


@pytest.mark.parametrize(
    "name", ["a.html", "a.pdf", "a.txt", "feed.xml", "a.php?f=a.jpg", "a", "", "v1.2/", "a.jpg/b"]
)
def test_files_with_text(name):
    assert refusal(UrlFilter(), f"http://a.com/{name}") == ""


@pytest.mark.parametrize("kind", ["include", "exclude"])
def test_a_bad_expression_is_named(kind):
    with pytest.raises(BadSetting, match=r"\('"):
        UrlFilter(**{kind: ("fine", "('")})


def test_filters_are_values():
    assert UrlFilter(include=("a",)) == UrlFilter(include=("a",))
    assert hash(UrlFilter(max_depth=2)) == hash(UrlFilter(max_depth=2))


def test_a_place_is_refused_for_its_scheme_and_host_alone():
    chosen = UrlFilter(exclude=("map",), max_depth=0, exclude_hosts=("ads.*",), schemes=frozenset({"https"}))
    places = ["https://a.com/map.xml.gz", "http://a.com/", "https://ads.com/"]
    assert [chosen.refuses_place(canonical(place)) for place in places] == [False, True, True]
