"""Broken and hostile XML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.web import xml


def test_cdata_is_escaped_text_and_comments_are_gone():
    data = xml.prepared(b"<a><![CDATA[1 < 2 & <!-- x]]><!-- <b> --></a><!-- never ends")
    assert data == b"<a>1 &lt; 2 &amp; &lt;!-- x</a><!-- never ends"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"<?xml version='1.0'?><a>", b"a"),
        (b"\n \xef\xbb\xbf<?xml version='1.0'?>\n<ns:a x='1'>", b"ns:a"),
        (b"<!DOCTYPE a SYSTEM 'x.dtd'><a/>", b"a"),
        (b"<!DOCTYPE a [<!ENTITY e '<b>'> <!ELEMENT c ANY>]><a>", b"a"),
        (b"<!DOCTYPE a [<!ENTITY e '<b>'>", b"b"),
        (b"<!-- <b> --><a>", b"a"),
        (b"plain text", b""),
        (b"", b""),
    ],
)
def test_the_root(body, expected):
    assert xml.root(xml.prepared(body))[0] == expected


TEXT = "<a>caf\u00e9 \u20ac</a>"


@pytest.mark.parametrize(
    "body",
    [
        TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        b"<?xml version='1.0' encoding='windows-1252'?>" + TEXT.encode("cp1252"),
        b'<?xml version="1.0" encoding="ISO-8859-15"?>' + TEXT.encode("iso-8859-15"),
        b"<?xml version='1.0' encoding='utf-16'?>" + TEXT.encode(),
        b"<?xml version='1.0' encoding='punycode'?>" + TEXT.encode(),
        b"<?xml version='1.0' encoding='no-such-thing'?>" + TEXT.encode(),
        b"<?xml version='1.0' encoding='zip'?>" + TEXT.encode(),
    ],
)
def test_charsets(body):
    assert xml.prepared(body).decode().endswith(TEXT)


def test_a_lie_about_utf8_is_read_as_windows():
    assert xml.text_of(b"caf\xe9 &amp; bar") == "caf\u00e9 & bar"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a&amp;b&lt;&gt;&quot;&apos;", "a&b<>\"'"),
        ("&#65;&#x42;&#X43;", "ABC"),
        ("?a=1&b=2&copy=3&lol;&", "?a=1&b=2&copy=3&lol;&"),
        ("&amp;amp;", "&amp;"),
        ("&#0;&#xD800;&#x110000;&#9999999;", "\ufffd" * 4),
    ],
)
def test_references(text, expected):
    assert xml.unescaped(text) == expected


def test_attributes():
    written = """ rel="a" xml:base = 'http://x/?a=1&amp;b' rel="second" bare broken=no empty=''/"""
    assert xml.attributes(written) == {"rel": "a", "xml:base": "http://x/?a=1&b", "empty": ""}
    assert xml.local(b"Ns:Url") == xml.local(b"url") == b"url"


MARKS = [
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"<!DOCTYPE",
    b"[",
    b"]>",
    b"<a",
    b">",
    b"<",
    b"&",
    b"\xff\xfe",
    b"x",
]


@given(st.lists(st.sampled_from(MARKS) | st.binary(max_size=5), max_size=20).map(b"".join))
def test_anything_can_be_prepared(body):
    data = xml.prepared(body)
    name, written = xml.root(data)
    assert isinstance(xml.attributes(written), dict)
    assert name == b"" or name in data


@pytest.mark.parametrize("mark", [*MARKS, b"<a ", b"<![CDATA[]]>", b"a='", b"&#", b"<?xml "])
def test_time_grows_with_the_length_only(mark):
    # Anything quadratic would take minutes here.
    data = xml.prepared(mark * (500_000 // len(mark)))
    xml.attributes(xml.root(data)[1])
    assert len(xml.text_of(data)) <= len(data)
