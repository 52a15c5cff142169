"""One name for one page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import BadUrl
from gossamer.web.url import MAX_LENGTH, canonical, repair


def text_of(address, base=None):
    url = canonical(address, canonical(base) if base else None)
    return None if url is None else url.text


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://example.com:80/toto", "http://example.com/toto"),
        ("http://example.com/titi/../toto", "http://example.com/toto"),
        ("HTTP://EXAMPLE.com", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("http://example.com/a#part", "http://example.com/a"),
        ("http://example.com./a", "http://example.com/a"),
        ("http://example.com/?", "http://example.com/"),
        ("  http://example.com/a\n", "http://example.com/a"),
        ("http://exámple.com/", "http://xn--exmple-qta.com/"),
        ("http://example.com/caf\u00e9", "http://example.com/caf%C3%A9"),
        ("http://example.com/%7euser/%2fx/%e9", "http://example.com/~user/%2Fx/%E9"),
        ("http://example.com/100%", "http://example.com/100%25"),
        ("http://example.com/a%2e%2e/b/%2e%2e/c", "http://example.com/a../c"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("http:\\\\example.com\\a", "http://example.com/a"),
    ],
)
def test_spellings_of_one_address(address, expected):
    assert text_of(address) == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://a.com/?utm_source=x&q=1&UTM_Medium=y", "http://a.com/?q=1"),
        ("http://a.com/?b=2&gclid=1&a=1", "http://a.com/?b=2&a=1"),
        ("http://a.com/?fbclid=1&msclkid=2", "http://a.com/"),
        ("http://a.com/x.php?PHPSESSID=abc&id=3", "http://a.com/x.php?id=3"),
        ("http://a.com/x;jsessionid=ABC.node1?id=3", "http://a.com/x?id=3"),
        ("http://a.com/x;JSESSIONID=ABC/y;v=1", "http://a.com/x/y;v=1"),
        ("http://a.com/a/..;jsessionid=1/b", "http://a.com/b"),
        ("http://a.com/?sid=1&sessionid=2&side=3", "http://a.com/?side=3"),
        ("http://a.com/?a=1;sid=2&b=3", "http://a.com/?a=1&b=3"),
        ("http://a.com/?%75tm_source=1", "http://a.com/"),
        ("http://a.com/?a=1&&a=1&", "http://a.com/?a=1&a=1"),
        ("http://a.com/?flag&empty=", "http://a.com/?flag&empty="),
    ],
)
def test_tracking_and_sessions_are_dropped(address, expected):
    assert text_of(address) == expected


@pytest.mark.parametrize(
    "address",
    [
        "",
        "/only/a/path",
        "http://",
        "http://.",
        "http://a..b/",
        "http://1.2.3../",
        "ftp://example.com/",
        "mailto:anna@example.com",
        "javascript:void(0)",
        "data:text/html,hello",
        "http://anna:secret@example.com/",
        "http://anna@example.com/",
        "http://exa mple.com/",
        "http://example.com:99999/",
        "http://a.com/\ud800" + "x" * 10,
        "http://a.com/" + "x" * MAX_LENGTH,
        "http://a.com/" + "\u00e9" * 400,
    ],
)
def test_what_is_not_crawled(address):
    assert canonical(address) is None


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("c.html", "http://a.com:8080/b/c.html"),
        ("/c.html", "http://a.com:8080/c.html"),
        ("../../c.html", "http://a.com:8080/c.html"),
        ("//b.com/c", "http://b.com/c"),
        ("?q=2", "http://a.com:8080/b/?q=2"),
        ("#top", "http://a.com:8080/b/"),
        ("https://b.com", "https://b.com/"),
        ("mailto:x@y.com", None),
    ],
)
def test_links_relative_to_a_page(link, expected):
    assert text_of(link, "http://a.com:8080/b/") == expected


def test_parts_of_a_url():
    url = canonical("https://Example.com:8443/a/b?c=d#e")
    assert (url.scheme, url.host, url.port, url.path) == ("https", "example.com", 8443, "/a/b?c=d")
    assert url.origin == "https://example.com:8443"


PATHS = st.text(alphabet="ab./%;?&=#@:2eE5\\~é jsid_utm", max_size=40)


@given(st.sampled_from(["http://", "https://", "http://h.com/", "http://h.com/;jsessionid=1", ""]), PATHS)
def test_canonical_is_a_fixed_point(start, rest):
    url = canonical(start + rest)
    if url is not None:
        assert canonical(url.text) == url
        assert url.text == url.origin + url.path
        assert "#" not in url.text


@given(st.text(max_size=80))
def test_no_text_raises(text):
    for found in (canonical(text), canonical(text, canonical("http://example.com/a/b"))):
        assert found is None or found.scheme in {"http", "https"}


@pytest.mark.parametrize(
    ("typed", "expected", "note"),
    [
        ("https://example.com", "https://example.com/", ""),
        (" http://example.com/a ", "http://example.com/a", ""),
        ("example.com/news", "https://example.com/news", "taken as https://example.com/news"),
        ("localhost:8808/x", "https://localhost:8808/x", "taken as https://localhost:8808/x"),
        ("//example.com/", "https://example.com/", "taken as https://example.com/"),
        ("192.0.2.7", "https://192.0.2.7/", "taken as https://192.0.2.7/"),
    ],
)
def test_repair(typed, expected, note):
    url, said = repair(typed)
    assert (url.text, said) == (expected, note)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "empty"),
        ("two words", "spaces"),
        ("ftp://example.com/", "not ftp"),
        ("mailto:anna@example.com", "not mailto"),
        ("file:///etc/passwd", "not file"),
        ("http://", "no host"),
        ("http:///x", "no host"),
        ("/etc/hosts", "no host"),
        ("https://anna:secret@example.com", "password"),
        ("http://example.com:99999/", "host or port"),
        ("https://example.com/" + "x" * MAX_LENGTH, "longer than 2,000"),
    ],
)
def test_repair_says_why_not(typed, why):
    with pytest.raises(BadUrl, match=why):
        repair(typed)
