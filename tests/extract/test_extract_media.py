import random
import re

import pytest
from guarding import no_hanging
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract import media_type as media
from gossamer.extract.media_type import media_type

PNG = b"\x89PNG\r\n\x1a\n\x00\x00"


@pytest.mark.parametrize(
    ("header", "body", "expected"),
    [
        ("text/html", b"<p>x", "text/html"),
        ("Text/HTML ; charset=utf-8", b"x", "text/html"),
        ("text/html", b"%PDF-1.4", "application/pdf"),
        ("text/html", PNG, "image/png"),
        ("text/html", b"\n <p>read file.pdf, it begins with %PDF-", "text/html"),
        ("text/plain", b"<html>shown as it is", "text/plain"),
        ("text/plain", b"\x00\x01\x02", "application/octet-stream"),
        ("text/plain", b"%PDF-1.4", "application/pdf"),
        ("text/plain", "text".encode("utf-16"), "text/plain"),
        ("text/plain", b"\x1b$B5~\x1b(B", "text/plain"),
        ("text/markdown", b"# x", "text/markdown"),
        ("application/pdf", b"not really", "application/pdf"),
        ("application/pdf", b"%PDF-1.4 <html>", "application/pdf"),
        ("application/pdf", b"<html><p>No such paper", "text/html"),
        ("application/x-pdf", b"\xef\xbb\xbf\n<!-- x --><!DOCTYPE HTML><p>", "text/html"),
        ("application/pdf", b"<p>cut from a page", "application/pdf"),
        ("application/epub+zip", b"<html>", "text/html"),
        ("application/rtf", b"<html>", "text/html"),
        ("application/msword", b"<html xmlns:o='x'>", "text/html"),
        ("image/png", b"<html>", "image/png"),
        ("application/json", b"{}", "application/json"),
        ("application/xhtml+xml", b"<html/>", "application/xhtml+xml"),
        ("text/xml", b'<?xml version="1.0"?><html xmlns="x">', "application/xhtml+xml"),
        ("text/xml", b'<?xml version="1.0"?><rss>', "application/rss+xml"),
        ("application/xml", b"<feed xmlns='x'>", "application/atom+xml"),
        ("application/xml", b"<data>", "application/xml"),
        ("", b"  <!DOCTYPE HTML><p>", "text/html"),
        ("", b"\xef\xbb\xbf<!-- note --> <html>", "text/html"),
        ("", b"<?xml version='1.0'?><!DOCTYPE html><html>", "text/html"),
        ("", b"<?xml version='1.0'?><urlset >", "application/xml"),
        ("", b"<?xml version='1.0'?><svg >", "image/svg+xml"),
        ("", b"Just words.", "text/plain"),
        ("", b"", "text/plain"),
        ("", b"a<p>b", "text/plain"),
        ("application/octet-stream", b"%PDF-1.7", "application/pdf"),
        ("application/octet-stream", b"<html >", "text/html"),
        ("application/octet-stream", b"\x00\x01", "application/octet-stream"),
        ("", b"GIF89a..", "image/gif"),
        ("", b"RIFF\x00\x00\x00\x00WEBPVP8", "image/webp"),
        ("", b"\x00\x00\x00\x20ftypisom", "video/mp4"),
        ("", b"PK\x03\x04", "application/zip"),
        ("", b"\r\n%PDF-1.3", "application/pdf"),
    ],
)
def test_media_type(header, body, expected):
    assert media_type(header, body) == expected


NOISE = random.Random(3).randbytes(20_000)


@pytest.mark.parametrize(
    "header", ["text/html", "text/plain; charset=utf-8", "text/xml", "", "text/markdown"]
)
@pytest.mark.parametrize(
    "body",
    [
        NOISE,
        NOISE.replace(b"\x00", b"\x01"),
        b"<html><body>" + NOISE,
        b"\x01\x02\x03\x04\x05",
    ],
)
def test_binary_files_declared_as_text(header, body):
    assert media_type(header, body) == "application/octet-stream"


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("text/html", b"<p>a stray \x02 and \x1b, \x0c in words"),
        ("text/html", b"<p>words</p>" * 400 + b"\x00"),  # far down
        ("text/html", b"<p>a stray\x00 byte"),
        ("text/html", b"<p>words</p>" * 300 + b"\x00\x00\x00" + b"<p>words</p>" * 300),
        ("text/html", "<p>wide".encode("utf-16-le")),
        ("text/html; charset=utf-8", "<p>wide".encode("utf-16-be")),
        ("text/html", "<p>wide".encode("utf-16")),
        ("text/html", "<p>wide".encode("utf-32")),
        ("text/html", b"\x00\x00\xfe\xff" + "<p>wide".encode("utf-32-be")),
        ("text/html; charset=UTF-16LE", "<p>wide".encode("utf-16-le")),
        ("text/html", "<p>茶馆".encode("gb18030")),
        ("text/html", "<p>京都".encode("iso2022_jp")),
        ("text/html", bytes(range(128, 256))),
    ],
)
def test_text_with_oddities_is_text(header, body):
    assert media_type(header, body) == "text/html"


@pytest.mark.parametrize("header", ["text/plain; charset=utf-8", "text/xml", "", "text/markdown"])
def test_a_nul_byte_is_in_no_other_text(header):
    body = b"<p>words</p>" * 300 + b"\x00" + b"<p>words</p>" * 300
    assert media_type(header, body) == "application/octet-stream"


def test_nul_bytes_without_a_tag_are_no_html():
    assert media_type("text/html", b"words \x00 and <\x00 and more words") == "application/octet-stream"


@given(st.text(max_size=30), st.binary(max_size=80))
def test_any_header_and_bytes(header, body):
    kind = media_type(header, body)
    assert kind == kind.strip().lower()
    assert ";" not in kind


BEFORE = rb"(?:\s|<!--.*?-->|<\?xml[^>]*\?>)*"  # plain, but needs exponential time
TAGS = (
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|h1|div|p|a|table|br|b|font|iframe|frameset)"
)
ANY_TAG = re.compile(BEFORE + TAGS + rb"[\s/>]", re.IGNORECASE | re.DOTALL)
PAGE_TAG = re.compile(
    rb"(?:\xef\xbb\xbf)?" + BEFORE + rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL
)
PIECES = [
    b"<!--",
    b"-->",
    b"-",
    b">",
    b" ",
    b"\n",
    b"x",
    b"<?xml",
    b"?>",
    b"?",
    b"<",
    b"<html>",
    b"<B ",
    b"<a/",
]


@given(st.lists(st.sampled_from(PIECES), max_size=10).map(b"".join))
def test_what_may_precede_the_first_tag(head):
    for ours, plain in ((media._HTML, ANY_TAG), (media._PAGE, PAGE_TAG)):
        found, expected = ours.match(head), plain.match(head)
        assert (found is None) == (expected is None)


@given(
    st.lists(
        st.sampled_from(["charset", "Charset", "=", " ", "\t", "'", '"', ";", "utf-16", "ucs-2", "x"]),
        max_size=10,
    ).map("".join)
)
def test_headers_that_name_a_wide_charset(header):
    plain = re.compile(r"charset\s*=\s*[\"']?\s*(?:utf-?16|ucs-2|unicode)", re.IGNORECASE)
    assert bool(media._WIDE_CHARSET.search(header)) == bool(plain.search(header))


@pytest.mark.parametrize(
    "body",
    [
        b"<!---->" * 140,
        b"<!---->" * 140 + b"<p>",
        b"<!--" * 250,
        b"<!-- -->" + b"--> " * 250,
        b"--><?xml ?>" * 90,
        b"<!--" + b"--><?xml " * 110,
        b"<?xml ?>" + b"<html xmlns " * 80,
    ],
)
def test_hostile_beginnings_are_read_fast(body):
    with no_hanging():
        for declared in ("", "text/html", "application/pdf", "text/xml"):
            assert media_type(declared, body)


def test_hostile_headers_are_read_fast():
    with no_hanging():
        for _ in range(20):
            assert media_type("text/html; charset=" + " " * 90_000 + "x", b"\0<p>") == "text/html"
