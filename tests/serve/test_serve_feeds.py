"""Results as RSS, Atom and CSV: well-formed for any page, and without spreadsheet formulas."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree

import pytest
from fake_engine import FakeEngine, hit, hits
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.model import SearchOptions
from gossamer.serve.api.feeds import COLUMNS, harmless

NAMES = {"os": "http://a9.com/-/spec/opensearch/1.1/", "atom": "http://www.w3.org/2005/Atom"}
EVIL = "]]><script>alert(1)</script>&\x00\x1b\ufffe\"'"


@pytest.fixture(scope="module")
def asked(client_of):
    """An engine and a client of it, made once: that takes longer than to ask."""
    engine = FakeEngine()
    return engine, client_of(engine)


def read(answer):
    return ElementTree.fromstring(answer.content)


def test_rss(client_of):
    found = hit("https://example.org/?a=1&b=2", "Cats & dogs", "Some <b>words</b>.", published=1714557600.0)
    answer = client_of(FakeEngine([found])).get("/search.rss?q=cat&k=5")
    assert answer.headers["content-type"] == "application/rss+xml; charset=utf-8"
    (item,) = read(answer).findall("channel/item")
    assert item.findtext("title") == "Cats & dogs"
    assert item.findtext("link") == item.findtext("guid") == "https://example.org/?a=1&b=2"
    assert item.findtext("description") == "Some <b>words</b>."
    assert item.findtext("pubDate") == "Wed, 01 May 2024 10:00:00 GMT"


def test_atom(client_of):
    found = hit(title="Cats & dogs", published=1714557600.0, fetched_at=1714600000.0)
    feed = read(client_of(FakeEngine([found])).get("/search.atom?q=cat"))
    (entry,) = feed.findall("atom:entry", NAMES)
    assert entry.findtext("atom:id", namespaces=NAMES) == "https://example.org/"
    assert entry.findtext("atom:updated", namespaces=NAMES) == "2024-05-01T10:00:00+00:00"
    assert feed.findtext("atom:updated", namespaces=NAMES) == "2024-05-01T10:00:00+00:00"
    assert entry.find("atom:link", NAMES).get("href") == "https://example.org/"


@pytest.mark.parametrize(("kind", "inside"), [("rss", "channel/"), ("atom", "")])
def test_feeds_say_how_many_results_there_are(client_of, kind, inside):
    engine = FakeEngine(hits(30))
    answer = client_of(engine).get(f"/search.{kind}", params={"q": 'cat "a&b"', "k": 5, "offset": 10})
    feed = read(answer)
    told = {
        name: feed.findtext(f"{inside}os:{name}", namespaces=NAMES) for name in ("totalResults", "startIndex")
    }
    assert told == {"totalResults": "30", "startIndex": "11"}
    assert feed.find(f"{inside}os:Query", NAMES).get("searchTerms") == 'cat "a&b"'
    assert (engine.typed, engine.asked) == (['cat "a&b"'], [SearchOptions(5, 10, correct=False)])
    search = [link for link in feed.iter(f"{{{NAMES['atom']}}}link") if link.get("rel") == "search"]
    assert search[0].get("href") == "http://testserver/opensearch.xml"


@pytest.mark.parametrize("kind", ["rss", "atom"])
def test_hostile_pages_stay_text_in_feeds(client_of, kind):
    for found in (hit("javascript:alert(1)", EVIL, EVIL), hit("https://example.org/" + EVIL, EVIL, EVIL)):
        answer = client_of(FakeEngine([found])).get(
            f"/search.{kind}", params={"q": "cat " + EVIL.replace('"', "")}
        )
        tree = read(answer)
        assert not list(tree.iter("script"))
        links = [one.get("href") or one.text for one in tree.iter() if one.tag.endswith("link")]
        assert not [link for link in links if link and link.startswith("javascript:")]


@settings(max_examples=40)
@given(st.text(max_size=40), st.text(max_size=40), st.floats(-1e13, 1e13))
def test_any_text_makes_a_feed(asked, title, text, moment):
    engine, client = asked
    engine.hits = [hit("https://example.org/", title, text, published=moment)]
    for kind in ("rss", "atom"):
        assert len(list(read(client.get(f"/search.{kind}?q=cat")).iter())) > 5
    rows = list(csv.reader(io.StringIO(client.get("/search.csv?q=cat").text)))
    assert len(rows) == 2
    assert len(rows[1]) == len(COLUMNS)


def test_csv(client_of):
    found = [
        hit(title='=HYPERLINK("http://evil.example")', text="two\nlines, a comma", published=1714557600.0)
    ]
    answer = client_of(FakeEngine(found)).get("/search.csv?q=cat")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="results.csv"'
    (row,) = csv.DictReader(io.StringIO(answer.text))
    assert row["title"] == '\'=HYPERLINK("http://evil.example")'
    assert row["snippet"] == "two lines, a comma"
    assert row["published"] == "2024-05-01T10:00:00+00:00"


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", "\x00=1"])
def test_no_cell_is_a_formula(text):
    assert harmless(text).startswith("'")


def test_newest_first_reaches_the_engine(client_of):
    engine = FakeEngine(hits(3))
    client_of(engine).get("/search.rss?q=cat&newest=true")
    assert engine.asked[0].newest_first


@pytest.mark.parametrize("kind", ["rss", "atom", "csv"])
def test_feeds_do_not_correct_the_spelling(client_of, kind):
    engine = FakeEngine()
    client_of(engine).get(f"/search.{kind}?q=cat")
    assert not engine.asked[0].correct


@pytest.mark.parametrize("kind", ["rss", "atom"])
@pytest.mark.parametrize(("asked", "order"), [("", ""), ("&newest=true", "&newest=true")])
def test_the_page_of_a_feed_has_its_order(client_of, kind, asked, order):
    feed = read(client_of(FakeEngine()).get(f"/search.{kind}?q=cat{asked}"))
    links = [one.get("href") or one.text for one in feed.iter() if one.tag.endswith("link")]
    assert f"http://testserver/search?q=cat{order}" in links


@pytest.mark.parametrize("kind", ["rss", "atom", "csv"])
def test_errors_of_feeds_are_json(client_of, kind):
    answer = client_of(FakeEngine()).get(f"/search.{kind}", params={"q": '"'})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_query")
    assert client_of(FakeEngine()).get(f"/search.{kind}").status_code == 422
    failed = client_of(FakeEngine(failure=RuntimeError("secret"))).get(f"/search.{kind}?q=cat")
    assert failed.status_code == 500
    assert "secret" not in failed.text
