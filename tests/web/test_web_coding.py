"""Decoding of content encodings within limits."""

import gzip
import subprocess
import sys
import zlib
from contextlib import suppress
from random import Random

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from gossamer.web.content_coding import ACCEPT_ENCODING, MAX_MEMBERS, BadEncoding, Body, decode, known_codings

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
    "zstd": zstandard.compress,
    "identity": bytes,
    "": bytes,
    "unheard-of": bytes,
    "gzip, br": lambda data: brotli.compress(gzip.compress(data)),
    "zstd, deflate": lambda data: zlib.compress(zstandard.compress(data)),
}
SINGLE = ["gzip", "deflate", "Deflate", "br", "zstd"]
MEMBERS = {"gzip": gzip.compress, "zstd": zstandard.compress}
SKIPPED = b"\x52\x2a\x4d\x18\x03\x00\x00\x00abc"  # a zstd frame that says nothing


def pieces(data, size):
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("encoding", ENCODERS)
@pytest.mark.parametrize("size", [1, 2, 7, 100_000])
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


@pytest.mark.parametrize("encoding", [*SINGLE, "gzip, br", "zstd, deflate"])
def test_a_bomb_is_cut(encoding):
    body, truncated = decode([ENCODERS[encoding](bytes(20_000_000))], encoding, 1_000_000)
    assert (len(body), truncated) == (1_000_000, True)


BOMBS = """
import brotli, gzip, resource, zlib, zstandard
from gossamer.web.content_coding import decode

def grown(compressor):
    make = getattr(compressor, "compress", None) or compressor.process
    end = getattr(compressor, "finish", None) or compressor.flush
    return b"".join([make(bytes(1 << 20)) for _ in range(256)]) + end()

bombs = {
    "gzip": gzip.compress(bytes(1 << 20)) * 256,
    "deflate": grown(zlib.compressobj(1)),
    "br": grown(brotli.Compressor(quality=1)),
    "zstd": grown(zstandard.ZstdCompressor().compressobj()),
}
bombs["zstd, gzip"] = gzip.compress(bombs["zstd"])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), used + (64 << 20)))
for encoding, bomb in bombs.items():
    body, truncated = decode([bomb], encoding, 1 << 20)
    assert (len(body), truncated) == (1 << 20, True), encoding
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_a_bomb_takes_no_more_memory_than_its_limit_asks_for():
    assert subprocess.run([sys.executable, "-c", BOMBS], check=False).returncode == 0


@pytest.mark.parametrize("encoding", SINGLE)
def test_broken_streams(encoding):
    with pytest.raises(BadEncoding, match="invalid"):
        decode([b"<html>this is no compressed stream at all"], encoding, 1_000)


@pytest.mark.parametrize("encoding", SINGLE)
def test_a_stream_of_another_coding_is_broken(encoding):
    others = {name: encode for name, encode in ENCODERS.items() if name in {"gzip", "deflate", "zstd"}}
    for name, encode in others.items():
        if name != encoding.lower():
            with pytest.raises(BadEncoding):
                decode([encode(TEXT)], encoding, 10_000)


@pytest.mark.parametrize("encoding", SINGLE)
@pytest.mark.parametrize("missing", [1, 9])
def test_streams_that_end_too_early(encoding, missing):
    with pytest.raises(BadEncoding, match="too early"):
        decode([ENCODERS[encoding](TEXT)[:-missing]], encoding, 10_000)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "Deflate", "zstd"])
def test_what_came_before_the_break_can_be_had(encoding):
    text = Random(5).randbytes(400_000)
    sent = ENCODERS[encoding](text)
    body = Body(encoding, 1_000_000)
    with suppress(BadEncoding):
        body.add(sent[:300_000] + b"?" * 2_000)
    assert len(body.so_far()) > 250_000
    assert body.so_far()[:250_000] == text[:250_000]


@pytest.mark.parametrize("encoding", MEMBERS)
@pytest.mark.parametrize("size", [1, 5, 1_000])
@pytest.mark.parametrize("padding", [bytes(8), b"", b"\x1f", b"\x28\xb5", bytes(100_000)])
def test_members_and_padding(encoding, size, padding):
    encode = MEMBERS[encoding]
    sent = encode(b"one ") + encode(b"") + encode(b"two") + padding
    assert decode(pieces(sent, size), encoding, 1_000_000) == (b"one two", False)


@pytest.mark.parametrize("size", [1, 1_000])
def test_frames_that_say_nothing_are_passed_over(size):
    sent = SKIPPED + zstandard.compress(b"one ") + SKIPPED + zstandard.compress(b"two")
    assert decode(pieces(sent, size), "zstd", 1_000) == (b"one two", False)


@pytest.mark.parametrize("encoding", MEMBERS)
def test_members_without_content_do_not_go_on_for_ever(encoding):
    empty = MEMBERS[encoding](b"")
    assert decode([empty * 3_000], encoding, 1_000_000) == (b"", False)
    with pytest.raises(BadEncoding, match="members"):
        decode([empty * (MAX_MEMBERS + 1)], encoding, 1_000_000)


def test_compressed_bytes_count_too():
    body, truncated = decode([gzip.compress(b"")] * 100, "gzip", 1_000)
    assert (body, truncated) == (b"", True)


def test_codings_upon_codings_have_an_end():
    body = zlib.compress(gzip.compress(brotli.compress(b"hello")))
    assert decode([body], "br, unheard-of, gzip, identity, deflate", 100) == (b"hello", False)
    with pytest.raises(BadEncoding, match="4 codings"):
        Body("br, gzip, br, deflate", 100)


@pytest.mark.parametrize(
    ("encoding", "data", "held"),
    [
        ("", b"x" * 100_000, 100_000),
        ("gzip", gzip.compress(b"x" * 100_000), 100_000 + (1 << 15)),
        ("br", brotli.compress(b"x" * 100_000), 200_000),
        ("br, gzip", gzip.compress(brotli.compress(b"x" * 100_000)), 200_000 + 14),
    ],
    ids=["plain", "gzip", "br", "both"],
)
def test_what_a_body_takes(encoding, data, held):
    body = Body(encoding, 1_000_000)
    assert body.held == 0
    body.add(data)
    assert body.held == held


def test_a_window_that_the_web_does_not_allow_is_broken():
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    with pytest.raises(BadEncoding, match="memory"):
        decode([compressor.compress(TEXT) + compressor.flush()], "zstd", 10_000)


def test_what_is_asked_for_can_be_decoded():
    assert known_codings(ACCEPT_ENCODING) == ["zstd", "br", "deflate", "gzip"]
    assert known_codings("identity, , unheard-of") == []


@given(st.binary(max_size=3_000), st.sampled_from(sorted(ENCODERS)), st.data())
def test_round_trips_in_random_pieces(data, encoding, draw):
    sent = ENCODERS[encoding](data)
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(sent)), max_size=12)))
    parts = [sent[a:b] for a, b in zip([0, *cuts], [*cuts, len(sent)], strict=True)]
    assert decode(parts, encoding, 10_000) == (data, False)


@given(
    st.binary(max_size=3_000),
    st.sampled_from(sorted(ENCODERS)),
    st.integers(1, 500),
    st.integers(0, 4_000),
)
def test_what_comes_out_is_a_beginning_of_what_went_in(data, encoding, size, limit):
    sent = ENCODERS[encoding](data)
    body, truncated = decode(pieces(sent, size), encoding, limit)
    assert data.startswith(body)
    assert len(body) <= limit
    assert body == data or truncated
    assert not truncated or max(len(data), len(sent)) > limit or "," in encoding


@given(st.binary(max_size=300), st.sampled_from([*SINGLE, "gzip, br"]))
def test_any_bytes_decode_or_are_broken(data, encoding):
    with suppress(BadEncoding):
        assert len(decode([data], encoding, 100)[0]) <= 100
