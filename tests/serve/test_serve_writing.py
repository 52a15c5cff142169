"""Fast paths of rendering return the same as the plain ways."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote, urlencode, urlsplit

import pytest
from fake_engine import FakeEngine, hits
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape
from starlette.datastructures import MutableHeaders
from starlette.requests import Request

from gossamer.serve import rendering as address
from gossamer.serve.middleware import HEADERS, protect
from gossamer.serve.rendering import Templates, crumbs, escaped
from gossamer.serve.request import PageRequest

CHANGES = {
    "page": st.integers(1, 9),
    "cluster": st.text(max_size=4),
    "correct": st.booleans(),
    "explain": st.booleans(),
    "everything": st.booleans(),
    "newest": st.booleans(),
    "topic": st.text(max_size=4),
}


@given(st.text(st.sampled_from("ab<>&\"'é\0"), max_size=12))
def test_a_text_is_escaped_as_markupsafe_does_it(text):
    assert escaped(text) == str(escape(text))
    assert escaped(Markup(text)) == text


@given(
    st.text(st.sampled_from("a &é"), max_size=4), st.fixed_dictionaries({}, optional=CHANGES), st.booleans()
)
def test_an_address_with_a_change_is_that_of_the_changed_search(query, changes, newest):
    asked = PageRequest(
        "/find", query, 3, newest=newest, cluster="cats", explain=True, ui="de", prefer=("a.org",)
    )
    assert asked.here(**changes) == replace(asked, **{"page": 1, **changes}).address


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test",
        "https://a.test:8080/",
        "http://a.test//b///c/d/~e/f-g_h.html",
        "http://a.test/" + "long" * 20,
        "https://a.test/a%20b",
        "http://user@a.test/",
        "http://a.test/b?c=d",
        "http://a.test/b#c",
    ],
)
def test_a_plain_address_is_shown_as_if_it_had_been_taken_apart(monkeypatch, url):
    quick = crumbs(url)
    monkeypatch.setattr(address, "_PLAIN", address.re.compile("(?!)"))
    assert crumbs(url) == quick
    assert quick[0] == urlsplit(url).netloc.rpartition("@")[2]


@pytest.mark.parametrize("query", ["cat", '"><script>"', "\0 {x}", "<b>", "%s"])
def test_the_gaps_of_what_is_written_once_take_any_query(client_of, query):
    page = client_of(FakeEngine(hits(1))).get(f"/search?q={quote(query)}").text
    said = str(escape(query))
    assert f"<title>{said} · Gossamer</title>" in page
    assert page.count(f'name="q" type="search" value="{said}"') == 1
    assert f'href="/search?{escape(urlencode({"q": query}))}&amp;ui=de"' in page
    assert f'href="/api/search?q={quote(query, "")}"' in page
    assert page.count("<main") == page.count("</html>") == 1


def test_pages_in_turn_are_each_in_the_language_of_their_own(client_of):
    client = client_of(FakeEngine(hits(1)))
    german, english = client.get("/search?q=cat&ui=de").text, client.get("/search?q=cat").text
    assert '<html lang="de">' in german
    assert 'name="ui" value="de"' in german
    assert '<html lang="en">' in english
    assert 'name="ui"' not in english


def test_the_languages_of_a_page_lead_to_it():
    request = Request(
        {"type": "http", "path": "/search", "query_string": b"q=%00%3Cb%3E", "headers": [], "root_path": ""}
    )
    page = Templates().answer(request, "you.html", query="", topics=(), countries=())
    assert b"/search?q=%00%3Cb%3E&amp;ui=de" in page.body
    assert b"\0" not in page.body


def test_headers_that_are_there_stay_as_they_are():
    headers = MutableHeaders({"Referrer-Policy": "origin"})
    protect(headers)
    protect(headers)
    assert headers["referrer-policy"] == "origin"
    assert len(headers.raw) == len(HEADERS)
    assert all(name in headers for name in HEADERS)
