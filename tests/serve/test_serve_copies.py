"""Cached pages: sanitised, sandboxed, with highlighted words, below a banner."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from fake_engine import FakeEngine
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import CachedPage
from gossamer.serve.cached_page import SANDBOX, cleaned, copied, marked_words

URL = "https://example.org/cats/index.html"
HARMFUL = {"script", "form", "input", "iframe", "frame", "object", "embed", "base", "link", "meta", "svg"}
HARMFUL |= {"math", "template", "textarea", "select", "button", "video", "audio", "source", "applet"}
PAGE = """<!doctype html><html><head><title>Cats</title><base href="https://evil.test/">
<meta http-equiv="refresh" content="0;url=https://evil.test/"><style>p { color: red }</style>
<script>alert(1)</script><link rel="stylesheet" href="https://evil.test/x.css"></head>
<body onload="alert(1)"><form action="/x"><input name="a" autofocus onfocus="alert(1)"></form>
<p style="color: blue" onclick="alert(1)">A <b>cat</b> is no concatenation; 5 &lt; 6 cats &amp; dogs</p>
<a href="javascript:alert(1)">bad</a> <a href="../dogs">good</a>
<img src="https://evil.test/pixel" alt="a cat" onerror="alert(1)">
<iframe src="https://evil.test/"></iframe><svg><script>alert(1)</script></svg></body></html>"""


class Read(HTMLParser):
    """The elements of a page, their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.attributes, self.links, self.marked = set(), set(), [], []
        self._in_mark = False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.links += [value for name, value in attrs if name == "href"]
        self._in_mark = tag == "mark"

    def handle_data(self, data):
        if self._in_mark:
            self.marked.append(data)
        self._in_mark = False


def page(html=PAGE, words=("cat", "cats"), **more):
    known = {"title": "Cats", "language": "en", "media_type": "text/html", "fetched_at": 1714557600.0}
    return CachedPage(URL, text="A cat is here.", html=html, words=frozenset(words), **{**known, **more})


def test_only_harmless_markup_is_kept():
    read = Read(cleaned(PAGE, URL))
    assert read.elements.isdisjoint(HARMFUL)
    assert not [name for name in read.attributes if name.startswith("on") or name == "src"]
    assert read.links == ["https://example.org/dogs"]
    assert read.elements >= {"p", "b", "style", "a"}
    assert "alert" not in cleaned(PAGE, URL)
    assert "Cats" not in cleaned(PAGE, URL), "the title is no text"


def test_words_are_marked_in_text_only_and_as_words():
    read = Read(copied(page()))
    assert read.marked == ["cat", "cats", "cat"], "the last instead of the picture"
    styled = copied(page("<style>.cat { }</style><p title='cat > \"cat'>no catch</p>"))
    assert "<mark>" not in styled
    assert "<mark>" not in copied(page(words=()))


def test_images_are_replaced_by_their_alt_text():
    assert "img" not in Read(cleaned(PAGE, URL)).elements
    two = '<img alt="one cat" src=a.png width=9><img width=9 src=b.png><img alt="" src=c.png><IMG ALT=two>'
    assert cleaned(f"<p>{two}</p>", URL) == "<p> one cat  two </p>"
    hostile = cleaned("<p><img alt='<script>alert(1)</script> &amp;lt; \"x\"'></p>", URL)
    assert hostile == "<p> &lt;script&gt;alert(1)&lt;/script&gt; &amp;lt; &quot;x&quot; </p>"
    tricky = """<p title='<img alt="no">'>a</p><style>p::after { content: '<img alt="no">' }</style>"""
    assert cleaned(tricky, URL).count("alt=") == 2, "no pictures"
    assert "<mark>cat</mark>" in copied(page('<img alt="a cat">'))


def test_other_documents_are_shown_as_text():
    shown = copied(page("", ("cat",), media_type="application/pdf"))
    assert "A <mark>cat</mark> is here." in shown
    hostile = CachedPage(URL, "<script>", 'x"><script>', "text/plain", 0.0, "<script>cat</script>")
    assert "<script>" not in copied(hostile)


@given(st.text(alphabet=st.sampled_from("<>\"'=/ &;-!abcSCRIPTonerrorhefjav:scipt\n"), max_size=120))
def test_no_markup_runs_scripts(markup):
    read = Read(copied(page(markup, ("a", "b"))))
    assert read.elements.isdisjoint(HARMFUL - {"meta"})
    assert not [name for name in read.attributes if name.startswith("on")]
    assert all(link.startswith(("http://", "https://", "mailto:")) for link in read.links)


def test_the_copy_is_served_in_a_sandbox(client_of):
    client = client_of(FakeEngine(copies={URL: page()}))
    answer = client.get("/cache/copy", params={"url": URL, "q": "cat"})
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert policy == SANDBOX
    assert policy.startswith("sandbox ")
    assert "allow-scripts" not in policy
    assert "allow-same-origin" not in policy
    assert "default-src 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_banner_names_page_and_date(client_of):
    client = client_of(FakeEngine(copies={URL: page()}))
    answer = client.get("/cache", params={"url": URL, "q": "cat"})
    assert "as it was on 1 May 2024 at 10:00 UTC" in answer.text
    assert "<mark>cat</mark>" in answer.text
    assert f'<a href="{URL}" rel="noopener nofollow">Open the current page</a>' in answer.text
    assert 'src="/cache/copy?url=https%3A%2F%2Fexample.org%2Fcats%2Findex.html&amp;q=cat"' in answer.text
    assert "frame-src 'self'" in answer.headers["content-security-policy"]
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "alert(1)" not in answer.text
    german = client.get("/cache", params={"url": URL, "q": "cat", "ui": "de"}).text
    assert "am 1. Mai 2024 um 10:00 UTC" in german


def test_the_banner_names_only_words_that_the_copy_marks(client_of):
    html = "<title>Great cats</title><p>Cats &amp; <mark>dogs</mark>.</p><script>great</script>"
    words = ("Great", "great", "Cats", "cats")
    assert marked_words(page(html, words)) == {"Cats"}
    assert marked_words(page("", ("great", "cat"), media_type="application/rss+xml")) == {"cat"}
    client = client_of(FakeEngine(copies={URL: page(html, words)}))
    banner = client.get("/cache", params={"url": URL, "q": "great cats"}).text
    assert "<mark>Cats</mark>" in banner
    assert "reat</mark>" not in banner
    client = client_of(FakeEngine(copies={URL: page("", ("great",))}))
    assert "Highlighted" not in client.get("/cache", params={"url": URL, "q": "great"}).text


@pytest.mark.parametrize("address", ["/cache", "/cache/copy"])
def test_missing_copies_are_reported(client_of, address):
    client = client_of(FakeEngine())
    answer = client.get(address, params={"url": URL, "q": "cat"})
    assert answer.status_code == 404
    assert "There is no cached version of this page" in answer.text
    assert client.get(address).status_code == 422


def test_a_query_that_cannot_be_read_marks_nothing(client_of):
    client = client_of(FakeEngine(copies={URL: page()}))
    assert client.get("/cache", params={"url": URL, "q": '"cat'}).status_code == 200
