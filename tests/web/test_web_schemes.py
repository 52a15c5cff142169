"""URLs of other schemes: their canonical form if a fetcher is installed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import BadUrl, Url
from gossamer.model.url import host_of
from gossamer.web import url as urls
from gossamer.web.url import MAX_LENGTH, canonical, other_schemes, repair


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    monkeypatch.setattr(
        urls, "other_schemes", lambda: frozenset({"gopher", "gemini", "spartan", "news", "file"})
    )


def test_nothing_else_is_installed_with_gossamer():
    assert other_schemes() == frozenset()


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("GOPHER://EXAMPLE.com:70/a/../b?x#y", "gopher://example.com/b?x"),
        ("gopher://example.com:7070", "gopher://example.com:7070/"),
        ("gemini://h:1965/", "gemini://h/"),
        ("gemini://h:80/", "gemini://h:80/"),
        ("gemini://h?q/x", "gemini://h/?q/x"),
        ("gemini://h./caf\u00e9%7e", "gemini://h/caf%C3%A9~"),
        ("gopher://b\u00fccher.example/", "gopher://xn--bcher-kva.example/"),
        ("gopher://0x7f.1/", "gopher://127.0.0.1/"),
        ("gopher://[::1]:70/x", "gopher://[::1]/x"),
        ("spartan://h:300/x", "spartan://h:300/x"),
        ("spartan://h/x;jsessionid=ABCDEF0123456789ab?utm_source=y", "spartan://h/x"),
        ("news:comp.lang misc", "news:comp.lang%20misc"),
        ("news:/a/./b", "news:/a/b"),
        ("file:/etc/x", "file:///etc/x"),
        ("gopher:///x", "gopher:///x"),
        ("gopher://anna@h/", None),
        ("gopher://a%2Fb/", None),
        ("gopher://exa mple/", None),
        ("mailto:a@b.example", None),
        ("javascript:x", None),
        ("ftp://h/", None),
        (f"news:{'a' * MAX_LENGTH}", None),
    ],
)
def test_one_form(address, expected):
    url = canonical(address)
    assert (None if url is None else url.text) == expected
    if url is not None:
        assert Url.parsed(url.text) == url == canonical(url.text)


@pytest.mark.parametrize(
    ("base", "address", "expected"),
    [
        ("gopher://h/d/x", "y", "gopher://h/d/y"),
        ("gopher://h/d/x", "../y?a", "gopher://h/y?a"),
        ("gopher://h/d/x", "//Other/z", "gopher://other/z"),
        ("gopher://h/d/x", "http://web/", "http://web/"),
        ("http://web/d", "gemini://h", "gemini://h/"),
        ("http://web/d", "news:a", "news:a"),
        ("news:a", "b", None),
        ("news:a", "/b", None),
        ("file:///d/e", "f", "file:///d/f"),
    ],
)
def test_relative_addresses(base, address, expected):
    url = canonical(address, canonical(base))
    assert (None if url is None else url.text) == expected


@given(
    st.sampled_from(["gopher", "spartan", "news"]),
    st.sampled_from(["//h", "//H:70", "//h.example:1", "//", ""]),
    st.text(st.characters(min_codepoint=33, max_codepoint=255), max_size=12),
)
def test_the_form_of_a_form_is_itself(scheme, door, path):
    url = canonical(f"{scheme}:{door}/{path}")
    if url is not None:
        assert canonical(url.text) == url == Url.parsed(url.text)
        assert url.path.startswith("/")
        assert host_of(url.authority) == url.host
        assert " " not in url.text


def test_parts():
    url = canonical("spartan://h/x?y")
    assert (url.scheme, url.host, url.port, url.path) == ("spartan", "h", 0, "/x?y")
    assert (url.authority, url.origin) == ("h", "spartan://h")
    news = canonical("news:comp.lang")
    assert (news.host, news.port, news.path, news.authority, news.origin) == (
        "",
        0,
        "/comp.lang",
        "news:",
        "news:",
    )
    assert canonical("gopher://h:7/").authority == "h:7"


def test_what_a_person_types():
    assert repair("gopher://Example.com")[0].text == "gopher://example.com/"
    assert repair("news:comp.lang") == (canonical("news:comp.lang"), "")
    assert repair("file:///x")[0].text == "file:///x"
    with pytest.raises(
        BadUrl, match="only http, https, file, gemini, gopher, news and spartan can be crawled"
    ):
        repair("ftp://example.com/")
    with pytest.raises(BadUrl, match="user name"):
        repair("gopher://anna@example.com/")
