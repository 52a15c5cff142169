import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.charset import _CODECS, codec_of, decode


@pytest.mark.parametrize(
    ("body", "header", "text"),
    [
        ("é".encode(), "text/html; charset=utf-8", "é"),
        (b"\xef\xbb\xbf\xc3\xa9", "text/html; charset=iso-8859-1", "é"),  # the mark counts most
        (b"\xff\xfe\xe9\x00", "", "é"),
        (b"\xfe\xff\x00\xe9", "", "é"),
        (b"\x93quoted\x94", "text/html; charset=ISO-8859-1", "“quoted”"),  # latin-1 is windows-1252
        (b"\x80", "text/html;charset='latin1'", "€"),
        (b'<meta charset="koi8-r">\xc1', "", '<meta charset="koi8-r">а'),
        (b'<meta charset="koi8-r">\xc3\xa9', "text/html; charset=utf-8", '<meta charset="koi8-r">é'),
        (
            b"<meta content='text/html; charset=cp1251'>\xe0",
            "",
            "<meta content='text/html; charset=cp1251'>а",
        ),
        ("京都".encode("shift_jis"), "text/html; charset=Shift_JIS", "京都"),
        ("①".encode("cp932"), "text/html; charset=shift_jis", "①"),  # in cp932 only
        ("茶馆".encode("gbk"), "text/html; charset=gb2312", "茶馆"),
        ("똠".encode("cp949"), "text/html; charset=euc-kr", "똠"),  # in cp949 only
        ("茶".encode("big5"), "text/html; charset=big5", "茶"),
        ("京".encode("iso2022_jp"), "text/html; charset=iso-2022-jp", "京"),
        (b"\xe9", "text/html; charset=nonsense", "é"),
        (b"caf\xc3\xa9", "", "café"),
        (b"caf\xe9", "", "café"),
        (b"caf\xc3\xa9 \xc3", "", "café \ufffd"),  # cut in the middle of a character
        (b"", "", ""),
    ],
)
def test_decodes_as_browsers_do(body, header, text):
    assert decode(body, header) == text


def test_declarations_in_comments_and_far_down_do_not_count():
    assert decode(b"<!-- <meta charset=koi8-r> --><p>\xe9").endswith("é")
    assert decode(b" " * 1024 + b"<meta charset=koi8-r>\xe9").endswith("é")


def test_the_first_known_declaration_counts():
    assert decode(b"<meta charset=x-own><meta charset=koi8-r>\xc1").endswith("а")


def test_a_readable_declaration_of_utf16_means_utf8():
    assert decode("<meta charset=utf-16>é".encode()).endswith("é")


def test_xml_declaration():
    assert decode(b'<?xml version="1.0" encoding="iso-8859-7"?>\xe1').endswith("α")


@pytest.mark.parametrize("label", ["rot13", "base64", "utf-7", "idna", "unicode_escape", "hex", "", "x y"])
def test_codecs_that_no_browser_knows_are_unknown(label):
    assert codec_of(label) == ""


def test_every_codec_exists():
    for codec in set(_CODECS.values()):
        assert codecs.lookup(codec)


@given(st.binary(max_size=200), st.sampled_from(sorted(set(_CODECS))))
def test_never_raises(body, label):
    assert isinstance(decode(body, f"text/html; charset={label}"), str)
    assert isinstance(decode(b"<meta charset=" + label.encode() + b">" + body), str)


@given(st.text())
def test_utf8_needs_no_declaration(text):
    clean = text.lstrip("\ufeff").replace("<", "")
    assert decode(clean.encode("utf-8", "ignore")) == clean.encode("utf-8", "ignore").decode()
