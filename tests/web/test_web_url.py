"""Canonical URLs."""

import pytest
from ada_url import URL
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import BadUrl, Url
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
        ("http://a.com/?sessid=1&zenid=2&side=3", "http://a.com/?side=3"),
        ("http://a.com/?a=1;sid=0a1b2c3d4e5f6071&b=3", "http://a.com/?a=1&b=3"),
        ("http://a.com/?ASPSESSIONIDQADTCRBC=X&a=1", "http://a.com/?a=1"),
        ("http://a.com/?%75tm_source=1", "http://a.com/"),
        ("http://a.com/?a=1&&a=1&", "http://a.com/?a=1&a=1"),
        ("http://a.com/?flag&empty=", "http://a.com/?flag&empty="),
    ],
)
def test_tracking_and_sessions_are_dropped(address, expected):
    assert text_of(address) == expected


SESSIONS = [
    "0a1b2c3d4e5f6071",
    "550e8400-e29b-41d4-a716-446655440000",
    "7F00010122E1A9B0D1E2F3A4B5C6D7E8",
    "aZ3kQ9xW1mN7pT5v",
    "aZ3kQ9xW1mN7pT5vgg%3D%3D",
    "k2v9q8s1m0l4n3b7c6t5u1r0p2",
]
NO_SESSIONS = [
    "",
    "1234",
    "20240501123045123456",
    "start",
    "deadbeefcafedeadbeef",
    "0a1b2c3d4e5f607",
    "The-Best-10-Tips-For-You-2024",
    "covid19vaccination2021",
    "caf%C3%A9-and-more-words-1",
]


@pytest.mark.parametrize("name", ["sid", "SID", "s", "session", "sessionid", "session_id"])
def test_ambiguous_names_are_dropped_when_the_value_is_a_session(name):
    for value in SESSIONS:
        assert text_of(f"http://a.com/x?{name}={value}&p=2") == "http://a.com/x?p=2"
    for value in NO_SESSIONS:
        kept = f"http://a.com/x?{name}={value}&p=2"
        assert text_of(kept) == kept


def test_sessions_in_the_path():
    assert text_of("http://a.com/x;sid=0a1b2c3d4e5f6071/y") == "http://a.com/x/y"
    assert text_of("http://a.com/x;sid=77/y") == "http://a.com/x;sid=77/y"


def test_an_id_is_never_a_session():
    assert text_of(f"http://a.com/?id={SESSIONS[0]}") == f"http://a.com/?id={SESSIONS[0]}"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "/only/a/path",
        "http://",
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
    ("address", "host"),
    [
        ("http://.", "."),
        ("http://../x", ".."),
        ("http://a..b/", "a..b"),
        ("http://1.2.3../", "1.2.3.."),
        ("http://a.com./", "a.com"),
        ("http://a.com..:8080/", "a.com.."),
    ],
)
def test_empty_labels_are_for_name_servers_to_refuse(address, host):
    url = canonical(address)
    assert url.host == host
    assert canonical(url.text) == url == Url.parsed(url.text)


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


PLAIN = st.text(alphabet="ab/.?#&=:@%;~-_1'A", max_size=30)
BASES = ["http://h.com/", "https://h.com:8443/a/b", "http://h.com/a//b/?q=/x/y", "http://[::1]/a/"]


@given(PLAIN, st.sampled_from(BASES))
def test_plain_links_need_no_parser(link, address):
    base = canonical(address)
    try:
        parsed = URL(link, base.text).href
    except ValueError:
        parsed = ""
    # In capitals the scheme is not plain, so this goes through the parser.
    assert canonical(link, base) == canonical(parsed.replace("http", "HTTP", 1))


@given(st.text(alphabet="ab.-_1xn0:@%A", max_size=15), PLAIN)
def test_plain_addresses_need_no_parser(host, rest):
    assert canonical(f"http://{host}/{rest}") == canonical(f"HTTP://{host}/{rest}")


@pytest.mark.parametrize("link", ["", "#", "#top", "?", "../../../x/", "?a=1#b", "a?utm_source=x", "#\u00e9"])
def test_short_links(link):
    base = canonical("http://a.com/b/c?d=1")
    assert canonical(link, base) == canonical(URL(link, base.text).href)


def test_a_relative_link_may_become_too_long():
    base = canonical("http://a.com/" + "x" * 1_500 + "/")
    assert canonical("y" * 600, base) is None
    assert canonical("y" * 400, base) is not None


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
        ("http://../", "no host"),
        ("http://a..b/", "host or port"),
        ("https://anna:secret@example.com", "password"),
        ("http://example.com:99999/", "host or port"),
        ("https://example.com/" + "x" * MAX_LENGTH, "longer than 2,000"),
    ],
)
def test_repair_says_why_not(typed, why):
    with pytest.raises(BadUrl, match=why):
        repair(typed)
