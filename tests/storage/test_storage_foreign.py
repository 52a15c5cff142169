"""WARC files of other programs: oddities are tolerated, damage is reported after the good records."""

import gzip
import random
import zlib
from contextlib import suppress
from random import Random

import brotli
import pytest
import zstandard
from guarding import no_hanging
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import DamagedFile, UsageError
from gossamer.storage.warc import BadRecord, decode_content, iter_warc, parse_http, seconds_of, unchunk

PAGE = b"<p>hello, hello, hello</p>"


def record(uri, http, kind="response", *, content="application/http;msgtype=response", eol="\r\n", extra=()):
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {uri}",
        "WARC-Date: 2020-01-02T03:04:05Z",
        "WARC-Record-ID: <urn:uuid:8c0ad171-1185-46c6-9561-920635d65d04>",
        f"Content-Type: {content}",
        f"Content-Length: {len(http)}",
        *extra,
    ]
    return eol.join([*lines, "", ""]).encode() + http + (eol * 2).encode()


def http(body=PAGE, *headers, status=b"HTTP/1.1 200 OK"):
    return b"\r\n".join([status, *headers, b"", body])


def pages(number):
    return [
        record(f"http://a.example/{i}", http(b"body %d " % i + bytes(range(200)) * 5)) for i in range(number)
    ]


def write(path, data):
    path.write_bytes(data)
    return path


def read(path):
    good, damage = [], None
    try:
        for result in iter_warc(path):
            good.append(result)
    except DamagedFile as error:
        damage = error
    return good, damage


def test_plain_and_compressed_files_give_the_same(tmp_path):
    records = pages(3)
    files = [
        write(tmp_path / "a.warc", b"".join(records)),
        write(tmp_path / "b.warc.gz", b"".join(map(gzip.compress, records))),
        write(tmp_path / "c.warc.gz", gzip.compress(b"".join(records))),
    ]
    first, second, third = (list(iter_warc(path)) for path in files)
    assert first == second == third
    assert [result.url.path for result in first] == ["/0", "/1", "/2"]
    assert first[0].fetched_at == 1577934245.0


def test_only_answers_of_the_web_are_read(tmp_path):
    data = [
        record(
            "http://a.example/asked",
            b"GET / HTTP/1.1\r\n\r\n",
            "request",
            content="application/http;msgtype=request",
        ),
        record("dns:a.example", b"192.0.2.1", content="text/dns"),
        record("ftp://a.example/x", http()),
        record("http://a.example/not-http", b"\x16\x03\x01\x02"),
        record("http://a.example/again", http(), "revisit"),
        record(
            "<http://a.example/good>", http(), extra=("WARC-Truncated: length", "WARC-IP-Address: 192.0.2.1")
        ),
    ]
    (result,) = iter_warc(write(tmp_path / "a.warc", b"".join(data)))
    assert result.url.text == "http://a.example/good"
    assert (result.truncated, result.address, result.body) == (True, "192.0.2.1", PAGE)


def test_bare_line_feeds_are_accepted(tmp_path):
    answer = b"HTTP/1.0 200 OK\nA: b\n folded\n\nbody"
    data = b"".join(record(f"http://a.example/{i}", answer, eol="\n") for i in range(3))
    for path in (write(tmp_path / "a.warc", data), write(tmp_path / "a.warc.gz", gzip.compress(data))):
        results = list(iter_warc(path))
        assert [result.body for result in results] == [b"body"] * 3
        assert results[0].headers == (("A", "b folded"),)


def chunked(body):
    return b"5;note=1\r\n" + body[:5] + b"\r\n%x\r\n" % len(body[5:]) + body[5:] + b"\r\n0\r\n\r\n"


def raw_deflate(body):
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(body) + compressor.flush()


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (gzip.compress(PAGE, mtime=0), [b"Content-Encoding: gzip"]),
        (gzip.compress(PAGE[:9], mtime=0) + gzip.compress(PAGE[9:], mtime=0), [b"Content-Encoding: x-gzip"]),
        (zlib.compress(PAGE), [b"Content-Encoding: deflate"]),
        (raw_deflate(PAGE), [b"Content-Encoding: deflate"]),
        (brotli.compress(PAGE), [b"content-encoding: BR"]),
        (zstandard.compress(PAGE), [b"Content-Encoding: zstd"]),
        (gzip.compress(zlib.compress(PAGE), mtime=0), [b"Content-Encoding: deflate, gzip"]),
        (chunked(PAGE), [b"Transfer-Encoding: chunked"]),
        (chunked(gzip.compress(PAGE, mtime=0)), [b"Transfer-Encoding: chunked", b"Content-Encoding: gzip"]),
        (PAGE, [b"Transfer-Encoding: chunked", b"Content-Encoding: gzip"]),  # stored decoded, header kept
        (PAGE, [b"Content-Encoding: unheard-of"]),
        (PAGE, [b"Content-Encoding: br"]),
        (PAGE, [b"Content-Encoding: zstd"]),
    ],
)
def test_bodies_are_decoded(tmp_path, body, headers):
    (result,) = iter_warc(write(tmp_path / "a.warc", record("http://a.example/", http(body, *headers))))
    assert result.body == PAGE
    assert result.headers in {(), (("Content-Encoding", "unheard-of"),)}


def test_a_truncated_body_is_decoded_as_far_as_possible():
    text = bytes(range(256)) * 100
    assert text.startswith(decode_content(gzip.compress(text)[:200], "gzip")[0])
    assert unchunk(b"5\r\nhello\r\n9\r\nwor") == b"hellowor"


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_a_bomb_is_cut(name):
    encode = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstandard.compress}[name]
    assert decode_content(encode(bytes(1_000_000)), name, limit=5000) == (bytes(5000), True)
    assert decode_content(encode(bytes(5000)), name, limit=5000) == (bytes(5000), False)


def test_many_empty_members_are_left_as_they_are():
    body = gzip.compress(b"") * 3_000
    assert decode_content(body, "gzip") == (body, False)
    assert decode_content(body + gzip.compress(PAGE), "gzip") == (PAGE, False)


def test_a_damaged_body_is_decoded_up_to_the_damage():
    text = Random(5).randbytes(100_000)
    found, cut = decode_content(gzip.compress(text)[:80_000] + b"?" * 2_000, "gzip")
    assert (found[:70_000], cut) == (text[:70_000], False)


@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate", "br", "zstd", "", "gzip, br"]))
def test_no_bytes_break_the_decoders(body, encodings):
    found, cut = decode_content(body, encodings)
    assert isinstance(found, bytes)
    assert not cut
    assert isinstance(unchunk(body), bytes)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_head(block):
    for head in (b"HTTP/1.1 200 OK\r\n" + block, block):
        with suppress(BadRecord):
            status, _, body = parse_http(head)
            assert 0 <= status < 1000
            assert isinstance(body, bytes)


def test_many_folded_lines_take_linear_time():
    """Copying the value for each of its lines would take minutes."""
    lines = [b"a" * 50] * 600_000
    with no_hanging():
        _, headers, body = parse_http(
            b"HTTP/1.1 200 OK\r\nA: b\r\n " + b"\r\n ".join(lines) + b"\r\n\r\nbody"
        )
    assert headers == (("A", " ".join(["b", *(line.decode() for line in lines)])),)
    assert body == b"body"


def test_dates():
    assert seconds_of("2020-01-02T03:04:05Z") == seconds_of("2020-01-02T03:04:05") == 1577934245.0
    assert seconds_of("20200102030405") == seconds_of("") == 0.0


@pytest.mark.parametrize("suffix", [".warc", ".warc.gz"])
@pytest.mark.parametrize("missing", [40, 400])
def test_a_cut_file_gives_all_complete_records(tmp_path, suffix, missing):
    members = [gzip.compress(page) if suffix == ".warc.gz" else page for page in pages(4)]
    good, damage = read(write(tmp_path / f"a{suffix}", b"".join(members)[:-missing]))
    assert [result.url.path for result in good] == ["/0", "/1", "/2"]
    assert f"offset {sum(map(len, members[:3]))}" in str(damage)


def test_a_missing_checksum_is_damage(tmp_path):
    members = list(map(gzip.compress, pages(3)))
    good, damage = read(write(tmp_path / "a.warc.gz", b"".join(members)[:-3]))
    assert [result.url.path for result in good] == ["/0", "/1", "/2"]
    assert "in the middle of a record" in str(damage)


@pytest.mark.parametrize("place", [0, 5, 200, -6])
def test_a_changed_byte_is_found(tmp_path, place):
    members = list(map(gzip.compress, pages(4)))
    changed = bytearray(members[2])
    changed[place] ^= 0x55
    good, damage = read(write(tmp_path / "a.warc.gz", b"".join([*members[:2], bytes(changed), members[3]])))
    assert [result.url.path for result in good][:2] == ["/0", "/1"]
    assert damage is not None or place == 5  # the time in a gzip header is not protected


@pytest.mark.parametrize("cut", [1, 2, 5, 12])
def test_a_few_stray_bytes_of_a_member_are_damage(tmp_path, cut):
    members = list(map(gzip.compress, pages(2)))
    good, damage = read(write(tmp_path / "a.warc.gz", members[0] + members[1][:cut]))
    assert [result.url.path for result in good] == ["/0"]
    assert damage is not None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        bytes(500),
        b"something else\r\n" * 30,
        gzip.compress(b"", mtime=0),
        gzip.compress(b"hello\n" * 50, mtime=0),
        gzip.compress(bytes(range(256)) * 9, mtime=0)[:40],
        bytes(random.Random(1).randbytes(5000)),
    ],
)
@pytest.mark.parametrize("suffix", [".warc", ".warc.gz"])
def test_files_that_are_not_warc(tmp_path, data, suffix):
    path = write(tmp_path / f"some{suffix}", data)
    with pytest.raises(UsageError, match=rf"some{suffix} holds no WARC record: \w"):
        list(iter_warc(path))


def test_a_missing_file(tmp_path):
    with pytest.raises(UsageError, match="absent"):
        next(iter_warc(tmp_path / "absent.warc"))


def test_a_file_without_answers_is_read_to_its_end(tmp_path):
    data = record("dns:a.example", b"192.0.2.1", content="text/dns")
    assert read(write(tmp_path / "a.warc", data)) == ([], None)
