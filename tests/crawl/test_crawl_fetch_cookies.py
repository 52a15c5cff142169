"""Cookies are sent back to the host that set them, and to no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.fetch import site_logins as cookies
from gossamer.crawl.fetch.site_logins import CookieJar, parse_cookie
from gossamer.web.url import canonical

NOW = 1_700_000_000.0
URL = canonical("https://a.example.org/x/y")


def jar_with(*lines, url=URL):
    jar = CookieJar(lambda: NOW)
    jar.take(url, [("Set-Cookie", line) for line in lines])
    return jar


def sent(jar, address):
    return jar.header(canonical(address))


def test_a_cookie_goes_back_to_its_host():
    jar = jar_with("a=1; Path=/; HttpOnly", "b=2; path=/x", " c = 3 ;Path=/")
    jar.take(URL, [("Content-Type", "text/html"), ("set-cookie", "a=4; Path=/")])
    assert sent(jar, "https://a.example.org/x/z?q") == "b=2; c=3; a=4"
    assert sent(jar, "https://a.example.org/xy") == "c=3; a=4"
    jar.forget("a.example.org")
    assert sent(jar, "https://a.example.org/") == ""


@pytest.mark.parametrize(
    "domain", ["", "; Domain=example.org", "; Domain=.example.org", "; Domain=a.example.org"]
)
def test_and_to_no_other_host_whatever_it_says(domain):
    jar = jar_with(f"a=1; Path=/{domain}")
    assert sent(jar, "https://a.example.org/") == "a=1"
    for other in ("example.org", "b.example.org", "x.a.example.org", "evil.test"):
        assert sent(jar, f"https://{other}/") == ""


@pytest.mark.parametrize(
    "line", ["a=1; Domain=evil.test", "a=1; Domain=xample.org", "", "a", "=1", "a=\x01", "a=\tb\x7f"]
)
def test_cookies_that_are_not_kept(line):
    assert jar_with(line).header(URL) == ""


def test_what_came_over_https_never_goes_over_http():
    assert sent(jar_with("a=1; Path=/"), "http://a.example.org/") == ""
    plain = canonical("http://a.example.org/")
    assert sent(jar_with("a=1; Path=/", url=plain), "https://a.example.org/") == "a=1"
    assert sent(jar_with("a=1; Path=/; Secure", url=plain), "http://a.example.org/") == ""


@pytest.mark.parametrize(
    ("life", "is_kept"),
    [
        ("Max-Age=10", True),
        ("Max-Age=0", False),
        ("Max-Age=-5; Expires=Fri, 01 Jan 2100 00:00:00 GMT", False),
        ("Expires=Fri, 01 Jan 2100 00:00:00 GMT", True),
        ("Expires=Thu, 01 Jan 1970 00:00:00 GMT", False),
        ("Expires=whenever", True),
        ("Max-Age=" + "9" * 40, True),
        ("Max-Age=-", True),
        ("Max-Age=\u00b2", True),
        ("Max-Age=-\u0663; Expires=Thu, 01 Jan 1970 00:00:00 GMT", False),
    ],
)
def test_cookies_end(life, is_kept):
    jar = jar_with("a=1; Path=/", f"a=2; Path=/; {life}")
    assert sent(jar, "https://a.example.org/") == ("a=2" if is_kept else "")


def test_time_passes():
    now = [NOW]
    jar = CookieJar(lambda: now[0])
    jar.take(URL, [("Set-Cookie", "a=1; Max-Age=10")])
    assert jar.header(URL) == "a=1"
    now[0] += 10
    assert jar.header(URL) == ""


def test_the_jar_is_bounded(monkeypatch):
    monkeypatch.setattr(cookies, "MOST_HOSTS", 3)
    jar = CookieJar(lambda: NOW)
    for number in range(5):
        host = canonical(f"https://h{number}.test/")
        jar.take(host, [("Set-Cookie", f"c{i}=x") for i in range(80)])
    kept = [sent(jar, f"https://h{number}.test/") for number in range(5)]
    assert kept[:2] == ["", ""]
    assert len(kept[4].split("; ")) == cookies.MOST_PER_HOST
    assert "c79=x" in kept[4]
    jar.take(URL, [("Set-Cookie", "big=" + "x" * 5_000)])
    assert jar.header(URL) == ""


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text):
    cookie = parse_cookie(text, URL, NOW)
    if cookie is not None:
        assert f"{cookie.name}={cookie.value}".isprintable()
        assert ";" not in cookie.name + cookie.value
