"""Framing of bodies, for any division of the data into pieces."""

from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.fetch import exchange as framing
from gossamer.crawl.fetch.exchange import (
    ChunkedBody,
    FetchError,
    FixedLengthBody,
    UntilCloseBody,
    framing_of,
    read_head,
)
from gossamer.model import Failure


def chunked(pieces, extension=b"", trailers=b"", end=b"\r\n"):
    body = b"".join(b"%x%b%b%b%b" % (len(piece), extension, end, piece, end) for piece in pieces if piece)
    return body + b"0" + end + trailers + end


def fed(one, data, cuts):
    """Feed the data in pieces that end at the cuts, and return the body."""
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    out = b""
    for start, end in pairwise(places):
        out += one.feed(data[start:end]) if not one.done else b""
    return out


@given(
    st.lists(st.binary(max_size=40), max_size=8),
    st.lists(st.integers(0, 10_000), max_size=30),
    st.sampled_from([b"", b";a=b", b' ; x="y z"']),
    st.sampled_from([b"", b"X: y\r\n", b"X: y\r\nZ: 1\r\n"]),
    st.sampled_from([b"\r\n", b"\n"]),
)
def test_chunks_make_the_body_again(pieces, cuts, extension, trailers, end):
    one = ChunkedBody()
    assert fed(one, chunked(pieces, extension, trailers, end), cuts) == b"".join(pieces)
    assert (one.done, one.excess) == (True, False)


@given(st.binary(max_size=60), st.lists(st.integers(0, 1_000), max_size=10), st.binary(max_size=20))
def test_counted_bodies_end_with_their_length(body, cuts, more):
    one = FixedLengthBody(len(body))
    data = body + more
    assert fed(one, data, [*cuts, len(body)]) == body
    assert one.done
    whole = FixedLengthBody(len(body))
    assert whole.feed(data) == body
    assert whole.excess is bool(more)


@given(st.binary(max_size=300), st.lists(st.integers(0, 1_000), max_size=10))
def test_no_bytes_break_the_chunks(garbage, cuts):
    with suppress(FetchError):
        assert len(fed(ChunkedBody(), garbage, cuts)) <= len(garbage)


def test_what_follows_the_last_chunk_is_not_ours():
    one = ChunkedBody()
    assert one.feed(chunked([b"body"]) + b"HTTP/1.1 200 OK") == b"body"
    assert (one.done, one.excess) == (True, True)


@pytest.mark.parametrize(
    "data",
    [
        b"zz\r\nx",
        b"-1\r\nx",
        b"\r\n",
        b"0x5\r\nhello\r\n",
        b"5\r\nhello!\r\n",
        b"1" * 16 + b"\r\n",
        b"5;" + b"x" * 5_000,
        b"0\r\n" + b"X: y\r\n" * 200,
        b"0\r\nX: " + b"y" * 5_000,
    ],
)
def test_chunks_that_break_the_rules(data):
    with pytest.raises(FetchError) as caught:
        ChunkedBody().feed(data)
    assert caught.value.failure is Failure.PROTOCOL


def test_chunks_of_almost_nothing_are_a_way_to_keep_us_busy(monkeypatch):
    monkeypatch.setattr(framing, "SMALL_CHUNKS", 100)
    assert ChunkedBody().feed(chunked([b"x"] * 100)[:-5]) == b"x" * 100
    assert len(ChunkedBody().feed(chunked([b"x" * 50] * 500))) == 25_000
    with pytest.raises(FetchError, match="tiny chunks"):
        ChunkedBody().feed(chunked([b"x"] * 101))


def kind_of(*headers, status=200):
    return framing_of(read_head("\r\n".join([f"HTTP/1.1 {status} OK", *headers]).encode()))


def test_what_the_head_says_about_the_end():
    assert isinstance(kind_of("Content-Length: 5"), FixedLengthBody)
    assert isinstance(kind_of("Content-Length: 5", "Transfer-Encoding: Chunked"), ChunkedBody)
    assert isinstance(kind_of("Transfer-Encoding: identity", "Content-Length: 5"), FixedLengthBody)
    assert isinstance(kind_of(), UntilCloseBody)
    assert kind_of("Content-Length: 0").done
    assert kind_of("Content-Length: 5, 5").feed(b"hello!") == b"hello"
    for status in (204, 304):
        assert kind_of("Content-Length: 5", status=status).done


@pytest.mark.parametrize(
    "header",
    [
        "Content-Length: -5",
        "Content-Length: 5, 6",
        "Content-Length: five",
        "Content-Length: \u00b2",
        "Content-Length:",
        "Content-Length: " + "9" * 30,
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, chunked",
    ],
)
def test_heads_that_leave_the_end_open(header):
    with pytest.raises(FetchError) as caught:
        kind_of(header)
    assert caught.value.failure is Failure.PROTOCOL
