"""Emphasis: runs of words in one line of the main text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import docx
from pages import url

from gossamer.extract.documents.markdown import read_markdown
from gossamer.extract.documents.ooxml import read_docx
from gossamer.extract.html.scan import scan_html
from gossamer.extract.html.text_writer import CONTEXT, LINE, RUN, gather_emphasised

FILL = "This sentence makes the page long enough to have a text of its own, with commas, and a full stop."


def emphasised(body):
    return scan_html(f"<main><p>{FILL}</p>{body}</main>".encode(), ()).emphasised


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>one <b>two three</b> four <em>five</em>", "two three\nfive"),
        ("<p><strong>a <i>b</i> c</strong> d <mark>e</mark> <dfn>f</dfn>", "a b c\ne\nf"),
        ("<p>a <b> spaced   out </b> b", "spaced out"),
        ("<p>see <a href=/x><b>here</b></a>", "here"),
        ("<b>nobody closes this <p>one <i>two</i>", "two"),
        ("<p><b>over<br>lines</b> <em>not</em>", "not"),
        ("<b><p>a whole block</p></b><p>a <b>b</b>", "b"),
        ("<p>one </b> two</b> <em>three</em>", "three"),
        ("<p><b>O</b>nce, <b>Java</b>Script, <b>京都</b>市", "京都"),
        ("<h2><b>a heading</b></h2><p>b", ""),
        ("<nav><b>menu</b></nav><p hidden><b>unseen</b></p><i class=icon></i>", ""),
    ],
)
def test_emphasis_of_a_page(body, expected):
    assert emphasised(body) == expected


def test_a_page_of_nothing_but_emphasis_has_room():
    assert emphasised("<p>" + "<b>x</b> " * 50_000).count("x") == 20_000


WORDS = st.sampled_from(["cat", "dog", "é", "京", "x1", ","])
LINES = st.lists(
    st.tuples(
        st.lists(st.tuples(st.booleans(), st.sampled_from(["", " "]), WORDS), min_size=1, max_size=6),
        st.booleans(),
        st.sampled_from([0, CONTEXT.heading]),
    ),
    max_size=5,
)


def arrays(page):
    """Make text, lines and runs as the scanner does; a run begins before the space of its first word."""
    text, lines, runs = bytearray(), [], []
    for line, _, region in page:
        begin = len(text)
        for stressed, gap, word in line:
            start = len(text)
            text += (gap.encode() if len(text) > begin else b"") + word.encode()
            if stressed:
                runs.append((start, len(text)))
        lines.append([len(text), 0, 0, region, 0])
        text += b"\n"
    return (
        np.frombuffer(bytes(text) + b"\0", np.uint8).copy(),
        np.array(lines, np.int32).reshape(-1, len(LINE)),
        np.array([is_main for _, is_main, _ in page], np.uint8),
        np.array(runs, np.int32).reshape(-1, len(RUN)),
    )


def plain(page):
    """The plain reference: words, and whether their neighbours touch them."""
    found = []
    for line, is_main, region in page:
        for place, (stressed, gap, word) in enumerate(line):
            before = line[place - 1][2][-1] if place and not gap else " "
            after = line[place + 1][2][0] if place + 1 < len(line) and not line[place + 1][1] else " "
            cut = (are_letters(before, word[0])) or are_letters(word[-1], after)
            if stressed and is_main and not region and not cut:
                found.append(word)
    return "\n".join(found)


def are_letters(*characters):
    return all(one.isascii() and one.isalnum() for one in characters)


@given(LINES)
def test_the_kernel_agrees_with_the_plain_reference(page):
    assert gather_emphasised(*arrays(page)).tobytes().decode() == plain(page)


def test_markdown():
    draft = read_markdown("# A *heading*\n\nSome **bold words** and *others*.")
    assert draft.emphasised == ["bold words", "others"]


def test_runs_of_a_word_document():
    runs = (
        "<w:p><w:pPr><w:rPr><w:b/></w:rPr></w:pPr><w:r><w:t>plain </w:t></w:r>"
        "<w:r><w:rPr><w:b/></w:rPr><w:t>bo</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>ld words</w:t></w:r>"
        '<w:r><w:rPr><w:b w:val="0"/></w:rPr><w:t> not </w:t></w:r>'
        '<w:r><w:rPr><w:highlight w:val="yellow"/></w:rPr><w:t>marked</w:t></w:r></w:p>'
    )
    page = read_docx(docx(runs)).page(url("http://h.test/"), 0.0, "")
    assert page.emphasised == "bold words\nmarked"
    assert page.text.startswith("plain bold words not marked\n")
