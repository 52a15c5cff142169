"""The tokenizer: begin and end of tags, comments, raw text and references, for any bytes."""

import os
import re
import subprocess
import sys
from html.entities import html5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.extract.html.scan import _TRAITS, collapse, element_codes, scan_html


def text(html):
    return scan_html(html if isinstance(html, bytes) else html.encode(), ()).text


def addresses(html):
    return scan_html(html.encode(), ()).addresses


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<!-- b -->c", "ac"),
        ("a<!-->b", "ab"),
        ("a<!--->b", "ab"),
        ("a<!---->b", "ab"),
        ("a<!--x--!>b", "ab"),
        ("a<!-- > -- > - -->b", "ab"),
        ("a<!-- never ends", "a"),
        ("a<!doctype html>b", "ab"),
        ("a<!bogus -- > b", "a b"),
        ("a<?php echo 1 ?>b", "ab"),
        ("a</ bogus>b", "ab"),
        ("a</>b", "ab"),
        ("a</", "a</"),
        ("a <3 b", "a <3 b"),
        ("1 < 2 > 1", "1 < 2 > 1"),
        ("a<", "a<"),
        ("a<b", "a"),  # an incomplete tag at the end is ignored
        ("a<b title='>b", "a"),
        ("a<![CDATA[b]]>c", "ac"),
        ("<math><mi>x</mi><![CDATA[<y> & z]]></math>w", "x<y> & zw"),
        ("a<b title='>'>c", "ac"),
        ('a<b title=">">c', "ac"),
        ("a<b title=>c", "ac"),
        ("a<b/title=x / >c", "ac"),
        ("a<b =x>c", "ac"),
        ("<P>Up<BR/>per</P>", "Up\nper"),
    ],
)
def test_markup(html, expected):
    assert text(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<script>a</scriptx>b</script>c", "c"),
        ("<script>'</style>'</SCRIPT >c", "c"),
        ("<script>a</script foo='>'>c", "c"),
        ("<script><!-- <script> </script> --></script>c", "c"),
        ("<script><!-- </script>c", "c"),
        ("<script><!--><script></script>c", "c"),
        ("<script><!-- <scripty> </script>c", "c"),
        ("<script>never ends", ""),
        ("<style><p>a</style>c", "c"),
        ("<textarea><b>a</b> &amp; b</textarea>", "<b>a</b> & b"),
        ("<xmp><b>a</b> &amp; b</xmp>c", "<b>a</b> &amp; b\nc"),
        ("a<plaintext><b>c</plaintext>", "a\n<b>c</plaintext>"),
        ("<iframe><p>a</iframe>c<noembed><p>a</noembed><noframes><p>a</noframes>", "c"),
        ("<title><p>a</title>c", "c"),
        ("<svg><style>a</style><title>b</title></svg>c", "c"),
        ("<svg><script>a</svg>c", "c"),
        ("<svg><g/><p>c", "c"),  # a block element ends <svg>
        ("<svg><desc><p>a</p></desc></svg>c", "c"),
        ("<svg/>c", "c"),
        ("<math><mtext><p>x</p></mtext></math>", "x"),
        ("<div/>c", "c"),
    ],
)
def test_raw_text_and_foreign_elements(html, expected):
    found = scan_html(html.encode(), ())
    assert "\n".join(filter(None, (found.text, found.surroundings))) == expected


@pytest.mark.parametrize(
    ("xhtml", "expected"),
    [
        ('<script src="a.js"/>c', "c"),
        ('<script src="a.js" />c<script>x</script>d', "cd"),
        ("<style/>c", "c"),
        ("<title/>c", "c"),
        ("<textarea/>c", "c"),
        ('<iframe src="x"/>c', "c"),
        ("<plaintext/><b>c</b>", "c"),
        ("<div hidden='hidden'/>c", "c"),
        ("<noscript/>c<template/>d<object/>e<video/>f", "cdef"),
        ("<p>a<p/>b</p>", "a\nb"),
        ("<table><tr><td hidden=''/><td>a</td></tr></table>", "a"),
        ("<svg><g/></svg>c", "c"),
        ("a<![CDATA[<b> & c]]>d", "a<b> & cd"),
        ("<style>p/></style>c", "c"),
    ],
)
def test_elements_of_xml_may_close_themselves(xhtml, expected):
    found = scan_html(xhtml.encode(), (), is_xml=True)
    assert "\n".join(filter(None, (found.text, found.surroundings))) == expected


def test_links_and_titles_of_xml_may_close_themselves():
    found = scan_html(b'<title/><a href="/1"/>no <a href="/2">two</a> <a id="x"/>', (), is_xml=True)
    assert (found.addresses, found.anchors) == (("/1", "/2"), ("", "two"))


def test_elements_without_room_may_close_themselves():
    deep = (
        b"<div>" * 20_000 + b"<p/>" * 9 + b"<i hidden=''>x</i></div>" + b"</div>" * 19_999 + b"<nav>end</nav>"
    )
    assert scan_html(deep, (), is_xml=True).surroundings == "end"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p hidden>a<p>b", "b"),
        ("<p hidden>a<div>b</div>c", "b\nc"),
        ("<p hidden>a<span>c</p>b", "b"),
        ("<ul><li hidden>a<li>b<ul><li>c</ul><li>d</ul>", "b\nc\nd"),
        ("<dl><dt hidden>a<dd>b<dt>c</dl>", "b\nc"),
        ("<table><tr hidden><td>a<td>b<tr><td>c</table>d", "c\nd"),
        ("<table><tr><td hidden>a<td>b</table>", "b"),
        ("<table><td hidden><table><td>a</table>b<td>c</table>d", "c\nd"),
        ("<table hidden><td>a</div>b</table>c", "c"),
        ("<table><caption>a</caption><colgroup><col><tr><td>b<caption>c</table>", "a\nb\nc"),
        ("<div><svg><image/><g>x</g></svg>a</div>b", "a\nb"),
        ("<td>a</td>b", "ab"),  # no cell without a table
        ("<div hidden><span></div>b", "b"),
        ("<span hidden><div>a</span>b</div>c</span>d", "d"),
        ("<b hidden>x<b>y</b>z</b>w", "w"),
        ("<x-y hidden>a<x-z>b</x-z>c</x-y>d", "d"),
        ("<div hidden>a</div></div>b", "b"),
        ("<form><div hidden>a</form>b</div>c", "c"),
        ("<h1>a<h2>b</h1>c", "a\nb\nc"),
        ("<ruby>漢<rp>(<rt>kan<rp>)</ruby>字", "漢字"),
        ("<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>を読む", "漢字を読む"),
        ("<ruby><rb>漢<rb>字<rt>かん<rt>じ</ruby>を読む", "漢字を読む"),
        ("<button><p>a</button>b", "a\nb"),
        ("<img alt=x hidden><img style='display:none' alt=y>a<br hidden>b", "ab"),
        ("a<span hidden> x </span>b", "ab"),
        ("a</p>b</br>c", "a\nb\nc"),
        ("<body hidden>a", "a"),  # scripts can show it
        ("<noscript><div></noscript>a", "a"),
        ("<template><p>a</template>b", "b"),
        ("a<object><p>x</object>b", "ab"),
    ],
)
def test_what_is_closed(html, expected):
    found = scan_html(html.encode(), ())
    assert sorted((found.text + "\n" + found.surroundings).split()) == sorted(expected.split())
    assert found.text == expected or found.surroundings


def test_elements_that_share_a_code_share_their_traits():
    names = {}
    for name, code in element_codes().items():
        names.setdefault(int(code), []).append(name)
    for shared in names.values():
        traits = [{trait for trait, those in _TRAITS.items() if name in those.split()} for name in shared]
        assert all(found == traits[0] for found in traits), shared


@pytest.mark.parametrize(
    ("html", "anchors"),
    [
        ("<a href=/1>one<a href=/2>two</a>", ("one", "two")),
        ("<a href=/1>one<div>more</a> no</div>", ("one more",)),
        ("<div><a href=/1>one</div><p>no", ("one",)),
        ("<table><td><a href=/1>one<td>no<td><a href=/2>two</table>", ("one", "two")),
        ("<a href=/1>one<table><td><a href=/2>two</a></table> three</a>", ("one two three", "two")),
        ("<a href=/1>a<noscript>x</noscript>b<script>x</script></a>", ("ab",)),
        ("<a href=/1><h1>a<br>b</h1></a>", ("a b",)),
        ("<a href=/1><span hidden>seen</span></a>", ("seen",)),
        ("<noscript><a href=/1>one</a></noscript>", ("one",)),
        ("<a href=/1>one<a>two</a>", ("one",)),
        ("<a href=/1>one", ("one",)),
        ("<svg><a href=/1><text>one</text></a></svg>", ("one",)),
        ("<a href=/1> &nbsp;</a><a href=/1#x>words</a>", ("words",)),
    ],
)
def test_anchors(html, anchors):
    assert scan_html(html.encode(), ()).anchors == anchors


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=x href=y>", ("x",)),
        ("<a href = 'x'>", ("x",)),
        ('<A HREF="x&amp;y">', ("x&y",)),
        ("<a href='x?a=1&copy=2&lt=3'>", ("x?a=1&copy=2&lt=3",)),
        ("<a href='x?a=1&copy;=2'>", ("x?a=1©=2",)),
        ("<a href=' x\ty\nz\r '>", ("xyz",)),
        ("<a href=x#y>", ("x",)),
        ("<a href=#y>", ()),
        ("<a href='JAVASCRIPT:x'>", ()),
        ("<a href='HtTp://x'>", ("HtTp://x",)),
        ("<a href='a/b:c'>", ("a/b:c",)),
        ("<a href=x><a href=y><a href=x>", ("x", "y")),
        ("<template><a href=x></template><a href=y>", ("y",)),
        ("<a href='caf&eacute;/京'>", ("café/京",)),
    ],
)
def test_addresses(html, expected):
    assert addresses(html) == expected


def plain_unescape(source, in_attribute=False):
    """Resolve references as in WHATWG HTML, in plain Python."""

    def number(match):
        value = int(match[1][1:], 16) if match[1][0] in "xX" else int(match[1])
        if 128 <= value <= 159:
            return bytes([value]).decode("cp1252", "ignore") or chr(value)
        return chr(value) if 0 < value < 0x110000 and not 0xD800 <= value < 0xE000 else "\ufffd"

    def name(match):
        run = match[2]
        for end in range(len(run), 1, -1):
            if run[:end] in html5:
                rest = run[end:] or source[match.end() :]
                if in_attribute and run[end - 1] != ";" and re.match("[=A-Za-z0-9]", rest):
                    break
                return html5[run[:end]] + run[end:]
        return match[0]

    return re.sub(
        r"&#([xX][0-9A-Fa-f]+|\d+);?|&([A-Za-z0-9]+;?)", lambda m: number(m) if m[1] else name(m), source
    )


REFERENCES = st.lists(
    st.sampled_from(
        [*"&&&#xX;=a1F", "amp", "lt", "not", "notin", "nGt;", "copy", "nbsp;", "#128;", "#xD800;", "#0;"]
    )
    | st.sampled_from(sorted(html5)).map("&{}".format)
    | st.integers(0, 0x110010).map("&#{};".format),
    max_size=12,
).map("".join)


def seen(characters):
    return collapse(re.sub("[\x00-\x1f\x7f-\x9f]", " ", characters))


@given(REFERENCES)
def test_references_agree_with_the_plain_reference(source):
    assert text(f"<p>{source}</p>") == seen(plain_unescape(source))


@given(REFERENCES)
def test_references_in_attributes(source):
    assert text(f'<img alt="{source}">') == seen(plain_unescape(source, in_attribute=True))


def test_every_named_reference():
    assert [name for name in html5 if text(f"x&{name} y") != seen(f"x{html5[name]} y")] == []


@pytest.mark.parametrize("characters", ["\x00", "\x01", "\x7f", "\u0085", "\u009f", "\ufeff", "\u00ad"])
def test_invisible_elements(characters):
    assert text(f"a{characters}b") == ("a b" if characters == "\u0085" else "ab")
    number = ord(characters)
    if number not in (0, 0x85, 0x9F):  # numeric references to these mean other characters
        assert text(f"a&#{number};b") == ("ab" if number in (0xAD, 0xFEFF) else "a b")


@given(
    st.text(alphabet="a\u00a0\u1680\u2000\u200a\u2028\u202f\u205f\u3000\u0085\u200b\u2010é京𝒳", max_size=20)
)
def test_whitespace_is_that_of_python(characters):
    assert text(characters) == collapse(characters)


PIECES = st.sampled_from(
    """<a href=x> <a href=x> </a> <p> </p> <div hidden> </div> <table> <tr> <td> </table> <li> <svg> <math>
    <mi> <title> </title> <script> </script> <!-- --> <![CDATA[ ]]> <h1> <template> <noscript> <object>
    <select> <option> <form> </form> <button> <textarea> <plaintext> <img alt=x> <br> <p/> <script/> <a/>
    &nGt; &#1; &amp < > ' " = / word""".split()
)


@given(
    st.binary(max_size=200) | st.lists(PIECES | st.binary(max_size=3).map(repr), max_size=40).map(" ".join),
    st.booleans(),
)
@settings(max_examples=300)
def test_any_bytes(html, is_xml):
    found = scan_html(html if isinstance(html, bytes) else html.encode(), ("robots",), is_xml)
    assert len(found.addresses) == len(found.anchors) == len(found.nofollow)
    for line in (*found.text.split("\n"), *found.surroundings.split("\n"), *found.anchors, *found.headings):
        assert line == collapse(line)


@pytest.mark.parametrize(
    "piece",
    [
        "<div>",
        "<a href=x>",
        "<table><td><a href=/y>n",
        "<span hidden>",
        "</p>",
        "&",
        "<",
        "<svg><g>",
        "<ul><li><p>x",
    ],
)
def test_depth_and_repetition_without_end(piece):
    found = scan_html((piece * 20_000 + "<p>end").encode(), ())
    assert len(found.addresses) <= 1
    assert (found.text + found.surroundings).endswith("end") or "hidden" in piece


BOUNDS = """
import random
from gossamer.extract.html.scan import scan_html
draw = random.Random(4)
for round in range(20_000):
    html = "".join(draw.choice({pieces!r}) for _ in range(draw.randrange(60))).encode()
    html += draw.randbytes(draw.randrange(9))
    scan_html(html[: draw.randrange(len(html) + 1)], ("robots",), round % 2 == 1)
"""


@pytest.mark.long
def test_no_place_outside_the_arrays_is_touched(tmp_path):
    more = [*"é京\x00 ", "&nLt;", "<meta name=robots content=x>", "<area href=y alt=z>"]
    script = BOUNDS.format(pieces=[*PIECES.elements, *more])
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], check=False, env=environment)
    assert done.returncode == 0


# Their polynomial hashes equal those of character references, so comparing hashes is not enough.
@pytest.mark.parametrize(
    "crafted",
    [
        "<p mknkpplkjkkmjpooliqunnjk=x>",
        "<p hrwmavngjjttmlgmopihhfpc=x>",
        "<nnnlerhkilpqsmlimmknhmhi hidden>unseen</nnnlerhkilpqsmlimmknhmhi>",
        "<ujltokmlmqnpknnlllrhporo hidden>unseen</ujltokmlmqnpknnlllrhporo>",
    ],
)
def test_a_crafted_name_is_an_unknown_name(crafted):
    assert text(f"before {crafted} behind").split() == ["before", "behind"]


def test_an_address_that_is_canonical_and_an_alternate_is_written_once():
    long = "/" + "x" * 100_000
    found = scan_html(f'<link rel="canonical alternate" hreflang=de href="{long}"><p>words'.encode(), ())
    assert found.text == "words"
    assert [(said.value, said.second) for said in found.said] == [(long, ""), ("de", long)]


@given(
    name=st.sampled_from([name for name in element_codes() if len(name) > 8]),
    first=st.sampled_from("jkqvwxyz"),
)
def test_an_element_is_not_closed_by_a_name_that_ends_alike(name, first):
    """The key of a name has only its last eight bytes and its length."""
    other = first + name[1:]
    assert text(f"a <{other} hidden>unseen</{name}> unseen</{other}> b") == "a b"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p style='display:none'>a<p>b", "b"),
        ("<p style='qisplay:none'>a<p>b", "a\nb"),
        ("<p style='visibility: hidden'>a<p>b", "b"),
        ("<p style='qisibility: hidden'>a<p>b", "a\nb"),
        ("&bigtriangledown;", "\u25bd"),
        ("&qigtriangledown;", "&qigtriangledown;"),
        ("<div role=navigation>a</div><p>b", "b"),
        ("<div role=qavigation>a</div><p>b", "a\nb"),
    ],
)
def test_a_long_name_is_compared_completely(html, expected):
    assert text(html) == expected


def test_addresses_are_compared_completely():
    html = "".join(f"<a href=/{n:06}{tail}>x</a>" for n in range(3) for tail in ("a" * 30, "b" * 30))
    assert len(addresses(html)) == 6
