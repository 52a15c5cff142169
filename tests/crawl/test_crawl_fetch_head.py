"""Heads of requests and responses, valid and invalid."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.fetch.exchange import FetchError, read_head, write_head
from gossamer.model import Failure
from gossamer.web.url import canonical

TOKEN = st.text("abcXYZ0189-_.!~", min_size=1, max_size=12)
VALUE = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\0", exclude_categories=("Cs",)), max_size=30
)


def test_a_plain_head():
    head = read_head(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Empty:\r\nSet-Cookie: a=1\r\nset-cookie:b=2"
    )
    assert (head.status, head.minor, head.lasts) == (200, 1, True)
    assert head.headers[0] == ("Content-Type", "text/html")
    assert head.fields == {"content-type": "text/html", "x-empty": "", "set-cookie": "a=1, b=2"}


@given(st.lists(st.tuples(TOKEN, VALUE), max_size=8), st.sampled_from(["\r\n", "\n"]))
def test_headers_come_back_as_they_were_sent(headers, end):
    lines = ["HTTP/1.1 299 Who knows", *(f"{name}:  {value}\t" for name, value in headers)]
    found = read_head(end.join(lines).encode()).headers
    assert found == tuple((name, value.strip(" \t")) for name, value in headers)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(garbage):
    for raw in (garbage, b"HTTP/1.1 200 OK\r\n" + garbage):
        with suppress(FetchError):
            headers = read_head(raw).headers
            assert not any(bad in text for pair in headers for text in pair for bad in "\r\n\0")


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"HTTP/1.1 200", 200),
        (b"HTTP/1.0 404 Not Found", 404),
        (b"HTTP/1.1  500  x", 500),
        (b"HTTP/1.1 100 Continue", 100),
        (b"HTTP/1.1 999 \xff\xfe", 999),
    ],
)
def test_status_lines_that_are_understood(raw, status):
    assert read_head(raw).status == status


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2",
        b"HTTP/2 200 OK",
        b"HTTP/1.1 20 OK",
        b"HTTP/1.1 2000 OK",
        b"HTTP/1.1 000 x",
        b"HTTP/1.1 099 x",
        b"ICY 200 OK",
        b"HTTP/1.1 200 OK\r\nX: a\0b",
    ],
)
def test_what_is_no_head(raw):
    with pytest.raises(FetchError) as caught:
        read_head(raw)
    assert caught.value.failure is Failure.PROTOCOL


def test_old_ways_are_put_up_with():
    head = read_head(
        b"HTTP/1.1 200 OK\nA: one\n two\n\tthree\nno header\nB : x\ry\n: empty\nC d: e\n"
        b"F: caf\xe9\nG: caf\xc3\xa9"
    )
    assert head.headers == (("A", "one two three"), ("B", "x y"), ("F", "caf\u00e9"), ("G", "caf\u00e9"))


@pytest.mark.parametrize(
    ("raw", "lasts"),
    [
        (b"HTTP/1.1 200 OK", True),
        (b"HTTP/1.1 200 OK\r\nConnection: keep-alive", True),
        (b"HTTP/1.1 200 OK\r\nConnection: Close", False),
        (b"HTTP/1.0 200 OK\r\nConnection: keep-alive", False),
    ],
)
def test_which_connections_last(raw, lasts):
    assert read_head(raw).lasts is lasts


def test_long_values_take_no_time_squared():
    spaces, tokens = b"X: a" + b" " * 90_000 + b"b", b"x" * 90_000
    assert len(read_head(b"HTTP/1.1 200 OK\r\n" + spaces).fields["x"]) == 90_002
    assert read_head(b"HTTP/1.1 200 OK\r\n" + tokens).headers == ()


def test_a_request():
    url = canonical("http://a.test:8080/x?y=1")
    assert write_head("GET", url, {"A": "b", "C": "\u00e9"}) == (
        "GET /x?y=1 HTTP/1.1\r\nHost: a.test:8080\r\nA: b\r\nC: \u00e9\r\n\r\n".encode()
    )
    assert write_head("GET", url, {}).endswith(b"8080\r\n\r\n")


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nb", "a\rb"])
def test_no_header_smuggles_another(value):
    with pytest.raises(ValueError, match="line break"):
        write_head("GET", canonical("http://a.test/"), {"If-None-Match": value})
