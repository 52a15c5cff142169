from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.extract import document
from gossamer.extract.document import extract
from gossamer.extract.html.scan import MOST_TEXT
from gossamer.model import FetchResult
from gossamer.web.url import canonical

URL = canonical("http://cats.example/big/jaguar.html")


def answer(body, content_type="text/html", **headers):
    fields = (
        ("Content-Type", content_type),
        *((name.replace("_", "-"), value) for name, value in headers.items()),
    )
    return FetchResult(URL, 5.0, status=200, headers=fields, body=body)


def test_html():
    page = extract(answer("<title>Kaffé</title><p>søt".encode("latin-1"), "text/html; charset=iso-8859-1"))
    assert (page.title, page.text, page.media_type, page.fetched_at) == ("Kaffé", "søt", "text/html", 5.0)


XHTML = b"""<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Cats</title><script src="a.js"/><style/></head>
<body><p>They sleep.</p><p><a href="dogs.html">Dogs</a></p></body></html>"""


@pytest.mark.parametrize("content_type", ["application/xhtml+xml", "application/xml", "text/xml", ""])
def test_xhtml_is_read_as_xml(content_type):
    page = extract(answer(XHTML, content_type))
    assert (page.title, page.text, page.media_type) == ("Cats", "They sleep.\nDogs", "application/xhtml+xml")
    assert [link.target.path for link in page.links] == ["/big/dogs.html"]


def test_html_is_read_as_in_browsers():
    page = extract(answer(XHTML, "text/html"))
    assert (page.title, page.text, page.media_type) == ("Cats", "", "text/html")


def test_plain_and_markdown():
    assert extract(answer(b"One\nTwo", "text/plain")).title == "One"
    assert extract(answer(b"# One", "text/markdown")).media_type == "text/markdown"


@pytest.mark.parametrize("reason", ["empty", "truncated", "broken-docx", "encrypted-docx", "no-text-in-pdf"])
def test_reasons_are_told(reason):
    told = (Path(__file__).parents[2] / "docs" / "documents.md").read_text(encoding="utf-8")
    assert f"\n| `{reason}`" in told


@pytest.mark.parametrize(
    ("body", "content_type", "problem"),
    [
        (b"", "text/html", "empty"),
        (b" \n", "", "empty"),
        (b"\x89PNG\r\n\x1a\n", "image/png", "media-type image/png"),
        (b"{}", "application/json", "media-type application/json"),
        (b"%PDF-1.4", "application/pdf", "broken-pdf"),
        (b"PK\x03\x04", "", "media-type application/zip"),
    ],
)
def test_problems(body, content_type, problem):
    page = extract(answer(body, content_type))
    assert (page.problem, page.url, page.fetched_at) == (problem, URL, 5.0)


def test_headers_apply_to_documents_without_a_head():
    page = extract(answer(b"text", "text/plain", X_Robots_Tag="noindex, nofollow", Content_Language="da, en"))
    assert (page.noindex, page.nofollow, page.language) == (True, True, "da")


def test_headers_and_head_are_joined():
    told = answer(b"<p>text", X_Robots_Tag="mybot: noindex, otherbot: nofollow")
    assert (extract(told, "MyBot").noindex, extract(told, "MyBot").nofollow) == (True, False)
    assert not extract(told).noindex
    page = extract(answer(b"<html lang=en><a href=x>X</a>", X_Robots_Tag="nofollow", Content_Language="da"))
    assert (page.noindex, page.nofollow, page.language) == (False, True, "en")
    assert page.links[0].nofollow


def test_the_link_header_applies_to_documents_without_a_head():
    told = answer(b"text", "text/plain", Link="</t>; rel=canonical, </de>; rel=alternate; hreflang=de")
    page = extract(told)
    assert page.canonical.path == "/t"
    assert [(tag, url.path) for tag, url in page.alternates] == [("de", "/de")]
    page = extract(answer(b"<link rel=canonical href=/head>", Link="</t>; rel=canonical"))
    assert page.canonical.path == "/head"


def test_pages_are_recognised_by_what_they_say():
    one = extract(answer(b"<title>Cats</title><nav>Menu</nav><p>Cats sleep, and cats eat."))
    two = extract(answer(b"<html><title>CATS</title><div>cats sleep and cats eat</div><nav>Other</nav>"))
    other = extract(answer(b"<title>Cats</title><p>Dogs sleep."))
    plain = extract(answer(b"Cats\n\nCats sleep", "text/plain"))
    assert one.digest == two.digest != other.digest
    assert one.sketch == two.sketch
    assert (one.words, plain.words) == (6, 4)
    assert extract(answer(b"{}", "application/json")).words == 0


def test_other_encodings_reach_links_and_titles():
    body = "<meta charset=windows-1251><title>Кошки</title><a href='/кот'>Кот</a>".encode("cp1251")
    page = extract(answer(body))
    assert (page.title, page.links[0].anchor) == ("Кошки", "Кот")
    assert page.links[0].target.path == "/%D0%BA%D0%BE%D1%82"


@pytest.mark.parametrize("content_type", ["text/plain", "text/html"])
@pytest.mark.parametrize("divider", [" ", "\n", "<br>", ""])
def test_the_beginning_of_a_long_text_is_kept(content_type, divider):
    body = f"catfood{divider}".encode() * (MOST_TEXT // 4)
    page = extract(answer(body + b"<a href=/last>last</a>", content_type))
    assert MOST_TEXT - 11 < len(page.text) <= MOST_TEXT
    assert not divider or page.text.endswith("catfood") or content_type == "text/plain"
    assert content_type == "text/plain" or page.links[0].anchor == "last"


def test_a_page_under_the_name_of_a_pdf_is_read():
    page = extract(answer(b"<!doctype html><title>Sorry</title><p>It has moved.", "application/pdf"))
    assert (page.title, page.text, page.media_type, page.problem) == (
        "Sorry",
        "It has moved.",
        "text/html",
        "",
    )


def test_nul_bytes_of_html_are_not_seen():
    page = extract(answer(b"<title>C\0ats</title><h1>Big\0 cats</h1><p>They <a href=/a>sl\0eep</a>."))
    assert (page.title, page.text, page.links[0].anchor) == ("Cats", "Big cats\nThey sleep.", "sleep")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("content_type", ["text/html", "text/html; charset=utf-8", "text/plain"])
def test_wide_text_without_a_mark(codec, content_type):
    page = extract(answer("<p>Кошки спят.".encode(codec), content_type))
    assert page.text.removeprefix("<p>") == "Кошки спят."


@pytest.mark.parametrize(
    ("error", "problem"),
    [(ValueError("x"), "extraction-error ValueError"), (MemoryError(), "extraction-memory")],
)
def test_an_exception_in_a_library_affects_one_page(monkeypatch, error, problem):
    def trip(*_):
        raise error

    monkeypatch.setattr(document, "read_html", trip)
    assert extract(answer(b"<p>x")).problem == problem


TYPES = st.sampled_from(
    ["", "text/html", "text/plain", "application/pdf", "text/xml", "text/html; charset=utf-16"]
)
ODDITIES = """
<html> <main> <title> <svg> <math> <frameset> <select> <template> <plaintext> <h1> <table> </p> <!-- -->
<base href='http://[x'>
<meta http-equiv=refresh content='0;url=%'>
<meta charset=big5>
<link rel=canonical href='//'>
<a href='http://a:b/'>
<p style='font-size:0'>
<article role=main>
<time datetime=9999-12-31T23:59-23:59>
<img alt>
&#xD800; &#0; word
"""
PIECES = [*ODDITIES.splitlines(), *ODDITIES.split(), "\x00", " "]
MARKUP = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(
    st.binary(max_size=300) | MARKUP.map(str.encode) | MARKUP.map(lambda text: text.encode("utf-16")), TYPES
)
@settings(max_examples=200)
def test_any_bytes_give_a_page(body, content_type):
    page = extract(answer(body, content_type))
    assert page.url == URL
    assert not page.problem.startswith("extraction"), page.problem
    page.text.encode()
    page.title.encode()


@given(st.binary(max_size=200))
@settings(max_examples=60)
def test_any_bytes_behind_the_mark_of_a_pdf(body):
    page = extract(answer(b"%PDF-1.4\n" + body, ""))
    assert page.problem in {"broken-pdf", "encrypted-pdf", "no-text-in-pdf", ""}


def test_the_language_is_that_of_the_text():
    german = b"Das Schiff fuhr durch die Nacht, als der Wind kam, und niemand wusste, wo die Insel lag."
    assert extract(answer(b"<html lang=en><p>" + german)).language == "de"
    assert extract(answer(b"<p>" + german)).language == "de"
    assert extract(answer(german, "text/plain", Content_Language="en")).language == "de"
    assert extract(answer(b"<html lang=en><p>Impressum")).language == "en"
