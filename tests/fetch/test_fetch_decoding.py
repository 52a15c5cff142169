"""Content encodings, undone within limits."""

import gzip
import zlib
from contextlib import suppress

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.fetch.decoding import MAX_MEMBERS, BadEncoding, Body, decode

TEXT = b"to be or not to be, that is the question. " * 50


def raw_deflate(data):
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


ENCODERS = {
    "gzip": gzip.compress,
    "X-GZip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": raw_deflate,
    "br": brotli.compress,
    "identity": bytes,
    "": bytes,
    "unheard-of": bytes,
    "gzip, br": lambda data: brotli.compress(gzip.compress(data)),
}


def pieces(data, size):
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("encoding", ENCODERS)
@pytest.mark.parametrize("size", [2, 7, 100_000])
def test_round_trip(encoding, size):
    assert decode(pieces(ENCODERS[encoding](TEXT), size), encoding, 10_000) == (TEXT, False)


@pytest.mark.parametrize("encoding", ENCODERS)
def test_a_body_of_just_the_limit_is_whole(encoding):
    sent = ENCODERS[encoding](TEXT)
    assert decode([sent], encoding, len(TEXT)) == (TEXT, False)
    assert decode([sent], encoding, len(TEXT) - 1) == (TEXT[:-1], True)


@pytest.mark.parametrize("encoding", ENCODERS)
def test_an_empty_body_needs_no_stream(encoding):
    assert decode([], encoding, 10) == (b"", False)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "gzip, br"])
def test_a_bomb_is_cut(encoding):
    body, truncated = decode([ENCODERS[encoding](bytes(20_000_000))], encoding, 1_000_000)
    assert (len(body), truncated) == (1_000_000, True)


def test_a_bomb_never_takes_much_memory_at_a_time():
    body = Body("gzip", 1_000)
    body.add(gzip.compress(bytes(5_000_000)))
    assert body.is_full
    assert body.content() == bytes(1_000)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_broken_streams(encoding):
    with pytest.raises(BadEncoding, match="broken"):
        decode([b"<html>this is no compressed stream at all"], encoding, 1_000)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_streams_that_end_too_early(encoding):
    with pytest.raises(BadEncoding, match="too early"):
        decode([ENCODERS[encoding](TEXT)[:-9]], encoding, 10_000)


@pytest.mark.parametrize("size", [1, 5, 1_000])
def test_gzip_members_and_padding(size):
    sent = gzip.compress(b"one ") + gzip.compress(b"two") + bytes(8)
    assert decode(pieces(sent, size), "gzip", 100) == (b"one two", False)


def test_members_without_content_do_not_go_on_for_ever():
    with pytest.raises(BadEncoding, match="members"):
        decode([gzip.compress(b"") * (MAX_MEMBERS + 1)], "gzip", 1_000_000)


def test_compressed_bytes_count_too():
    body, truncated = decode([gzip.compress(b"")] * 100, "gzip", 1_000)
    assert (body, truncated) == (b"", True)


@given(
    st.binary(max_size=3_000),
    st.sampled_from(sorted(ENCODERS)),
    st.integers(2, 500),
    st.integers(0, 4_000),
)
def test_what_comes_out_is_a_beginning_of_what_went_in(data, encoding, size, limit):
    sent = ENCODERS[encoding](data)
    body, truncated = decode(pieces(sent, size), encoding, limit)
    assert data.startswith(body)
    assert len(body) <= limit
    assert body == data or truncated
    assert not truncated or max(len(data), len(sent)) > limit or "," in encoding


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate", "br", "gzip, br"]))
def test_any_bytes_decode_or_are_broken(data, encoding):
    with suppress(BadEncoding):
        assert len(decode([data], encoding, 100)[0]) <= 100
