"""The pages: start page, results, paging, no results."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html import unescape

import pytest
from fake_engine import FakeEngine, hit, hits

from gossamer.model import Cluster
from gossamer.web import robots
from gossamer.web.url import canonical


@pytest.fixture
def page_of(client_of):
    """The text of a page over an engine."""
    return lambda engine, address: client_of(engine).get(address).text


def test_start_page_has_a_labelled_box_and_the_number_of_pages(page_of):
    page = page_of(FakeEngine(documents=184302), "/")
    assert '<label class="unseen" for="q">' in page
    assert 'action="/search"' in page
    assert "184,302 pages to search" in page
    assert "1 page to search" in page_of(FakeEngine(documents=1), "/")


def test_start_page_of_an_empty_collection_says_what_to_do(page_of):
    assert "gossamer crawl URL" in page_of(FakeEngine(documents=0), "/")


def test_the_only_scripts_are_files_of_ours(page_of):
    for address in ("/", "/search?q=cat", "/search?q=%22", "/nowhere"):
        page = page_of(FakeEngine(hits(3)), address)
        assert re.findall("<script.*?</script>", page) == [
            f'<script src="/static/{name}.js" defer></script>' for name in ("suggest", "you")
        ]
        assert " style=" not in page


def test_a_result_shows_title_address_snippet_date_and_language(page_of):
    found = hit(
        "https://example.org/guide/caf%C3%A9", "Über Kaffee", "Guter Kaffee.", [(6, 12)],
        language="de", published=1714557600.0, media_type="application/pdf",
    )  # fmt: skip
    page = page_of(FakeEngine([found]), "/search?q=kaffee")
    assert '<a href="https://example.org/guide/caf%C3%A9" rel="noopener nofollow">Über Kaffee</a>' in page
    assert '<bdi class="host">example.org</bdi>' in page
    assert "<bdi>café</bdi>" in page
    assert "Guter <mark>Kaffee</mark>." in page
    assert '<time datetime="2024-05-01">1 May 2024</time>' in page
    assert '<bdi class="tag">Deutsch</bdi>' in page
    assert ">PDF</bdi>" in page
    assert '<article dir="auto" lang="de">' in page
    assert "1 result" in page
    assert "3.2 ms" in page


def test_unknown_properties_are_not_shown(page_of):
    page = page_of(FakeEngine([hit(text="", language="en")]), "/search?q=cat")
    assert "<time" not in page
    assert 'class="tag"' not in page
    assert 'class="snippet"' not in page


def test_right_to_left_results(page_of):
    found = hit("https://example.org/", "حرير", "HTML هي لغة", language="ar")
    page = page_of(FakeEngine([found]), "/search?q=x")
    assert '<article dir="rtl" lang="ar">' in page
    assert '<p class="snippet" dir="rtl">' in page


def test_an_empty_query_leads_to_the_start_page(client_of):
    answer = client_of(FakeEngine()).get("/search?q=+", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"


def test_paging_forth_and_back(client_of):
    engine = FakeEngine(hits(25))
    client = client_of(engine)
    first, second, third = (client.get(f"/search?q=a%26b&page={number}").text for number in (1, 2, 3))
    assert 'rel="next" href="/search?q=a%26b&amp;page=2"' in first
    assert 'rel="prev"' not in first
    assert 'rel="prev" href="/search?q=a%26b"' in second
    assert "Results 11–20 of 25" in second
    assert '<ol class="hits" start="11" id="results">' in second
    assert 'rel="next"' not in third
    assert "Title 25" in third
    assert [(asked.k, asked.offset) for asked in engine.asked] == [(10, 0), (10, 10), (10, 20)]


def test_one_page_of_results_has_no_paging(page_of):
    assert 'class="paging"' not in page_of(FakeEngine(hits(10)), "/search?q=cat")


def test_a_page_behind_the_last_leads_back(page_of):
    page = page_of(FakeEngine(hits(12)), "/search?q=cat&page=7")
    assert "These results have no page 7" in page
    assert 'href="/search?q=cat&amp;page=2"' in page


def test_paging_ends_at_a_thousand_results(client_of):
    client = client_of(FakeEngine(hits(1100)))
    last = client.get("/search?q=cat&page=100")
    assert last.status_code == 200
    assert 'rel="next"' not in last.text
    assert "Only the first 1,000 results" in last.text


@pytest.mark.parametrize("number", ["0", "-1", "101", "x", "1e9", ""])
def test_a_page_that_is_no_number_is_refused_kindly(client_of, number):
    answer = client_of(FakeEngine(hits(3))).get(f"/search?q=cat&page={number}")
    assert answer.status_code == 422
    assert answer.headers["content-type"].startswith("text/html")
    assert "This request failed" in answer.text
    assert "page must be a whole number from 1 to 100" in answer.text


def test_did_you_mean_is_a_link_and_notes_are_said(page_of):
    engine = FakeEngine(hits(1), said={"did_you_mean": "cats & dogs", "notes": ("ignored: <&>",)})
    page = page_of(engine, "/search?q=cst")
    assert 'Did you mean <a href="/search?q=cats%20%26%20dogs"><bdi>cats &amp; dogs</bdi></a>?' in page
    assert "ignored: &lt;&amp;&gt;" in page


def test_nothing_found_offers_easier_queries(page_of):
    page = page_of(FakeEngine(), "/search?q=%22blue+cat%22+-dog+site:example.org")
    assert "No results for" in page
    assert 'href="/search?q=blue%20cat%20-dog%20site%3Aexample.org"' in page
    assert 'href="/search?q=%22blue%20cat%22%20-dog"' in page
    assert 'href="/search?q=%22blue%20cat%22%20site%3Aexample.org"' in page
    assert "Check the spelling" in page
    assert "fewer words" not in page


@pytest.mark.parametrize(
    ("media_type", "kind"),
    [("application/rss+xml", "RSS"), ("application/atom+xml", "Atom"), ("text/markdown", "Markdown")],
)
def test_other_documents_show_their_type(page_of, media_type, kind):
    page = page_of(FakeEngine([hit(media_type=media_type)]), "/search?q=cat")
    assert f'<bdi class="tag" lang="en">{kind}</bdi>' in page


def test_one_can_skip_to_the_results_where_there_are_any(page_of):
    page = page_of(FakeEngine(hits(3)), "/search?q=cat")
    assert '<a class="skip" href="#results">' in page
    assert page.count('id="results"') == 1
    assert '<a class="skip" href="#main">' in page_of(FakeEngine(), "/search?q=cat")
    assert '<a class="skip" href="#main">' in page_of(FakeEngine(), "/")


def test_results_link_to_themselves_as_json(client_of):
    client = client_of(FakeEngine(hits(25)))
    page = client.get("/search?q=cat&page=2").text
    assert 'href="/api/search?q=cat&amp;offset=10"' in page
    assert client.get("/api/search?q=cat&offset=10").json()["hits"][0]["rank"] == 11


def test_the_results_as_json_are_those_of_the_page(client_of):
    engine = FakeEngine(hits(25), said={"clusters": (Cluster("big cats", 3),)})
    client = client_of(engine)
    asked = {
        "q": "cat & dog",
        "page": 2,
        "everything": "true",
        "newest": "true",
        "explain": "true",
        "correct": "false",
        "cluster": "big cats",
        "topic": "animals",
        "ui": "de",
        "country": "dk",
        "languages": "da,de",
        "context": ["lions", "tigers"],
        "prefer": ["a.org", "b.org"],
        "prefer_topic": "zoos",
    }
    page = client.get("/search", params=asked).text
    address = unescape(re.search(r'href="(/api/search[^"]*)"', page)[1])
    assert "ui=" not in address
    assert client.get(address).status_code == 200
    of_the_page, of_the_api = engine.asked
    assert of_the_api == replace(of_the_page, clusters=False, facets=False)


def test_opensearch_describes_page_and_api(client_of):
    answer = client_of(FakeEngine()).get("/opensearch.xml")
    assert answer.headers["content-type"].startswith("application/opensearchdescription+xml")
    space = "{http://a9.com/-/spec/opensearch/1.1/}"
    urls = {url.get("type"): url.get("template") for url in ET.fromstring(answer.text).iter(f"{space}Url")}
    assert urls["text/html"] == "http://testserver/search?q={searchTerms}"
    assert urls["application/json"] == "http://testserver/api/search?q={searchTerms}"


def test_static_files_are_there(client_of):
    client = client_of(FakeEngine())
    assert client.get("/static/style.css").headers["content-type"].startswith("text/css")
    for name in ("logo.svg", "favicon.svg"):
        ET.fromstring(client.get(f"/static/{name}").text)


def test_head_is_answered(client_of):
    for address in ("/", "/search?q=cat", "/robots.txt", "/opensearch.xml", "/static/style.css"):
        assert client_of(FakeEngine()).head(address).status_code == 200


def test_other_crawlers_may_see_the_start_page_only(client_of):
    answer = client_of(FakeEngine()).get("/robots.txt")
    assert answer.headers["content-type"].startswith("text/plain")
    rules = robots.parse(answer.content)
    paths = ("/", "/search?q=x", "/api/status")
    allowed = {path: rules.allows(canonical(f"http://search.test{path}"), "anybot") for path in paths}
    assert allowed == {"/": True, "/search?q=x": False, "/api/status": False}


def test_endless_titles_are_cut_between_words(page_of):
    page = page_of(FakeEngine([hit(title="silk and spiders " * 100)]), "/search?q=x")
    title = re.search(r'noopener nofollow">(.*?)</a>', page)[1]
    assert title.endswith(("silk…", "and…", "spiders…"))
    assert 100 < len(title) <= 120


@pytest.mark.parametrize("address", ["/nowhere", "/static/nothing.css", "/static/%2e%2e/%2e%2e/x"])
def test_every_problem_leads_to_the_start_page(page_of, address):
    page = page_of(FakeEngine(), address)
    assert '<a href="/">Go to the home page</a>' in page
    assert 'href="/static/style.css"' in page


def test_below_another_path_every_address_follows(client_of):
    from starlette.applications import Starlette
    from starlette.routing import Mount

    client = client_of(FakeEngine(hits(25)))
    client.app = Starlette(routes=[Mount("/find", client.app)])
    client._transport.app = client.app
    page = client.get("/find/search?q=cat").text
    assert 'action="/find/search"' in page
    assert 'href="/find/search?q=cat&amp;page=2"' in page
    assert client.get("/find/static/style.css").status_code == 200
    assert '<a href="/find/">Go to the home page</a>' in client.get("/find/static/nothing").text
    assert "Disallow: /find/search\n" in client.get("/find/robots.txt").text
    assert client.get("/find/api/search").json()["error"]["code"] == "bad_parameter"
    assert client.get("/find/search", follow_redirects=False).headers["location"] == "/find/"
    feed, described = client.get("/find/search.rss?q=cat").text, client.get("/find/opensearch.xml").text
    assert "/find/search?q=cat</link>" in feed
    assert described.count('template="') == described.count("/find/", described.index("<Url")) > 3


def test_a_page_that_nobody_fetched_is_marked(page_of):
    assert "not fetched yet" in page_of(FakeEngine([hit(unfetched=True)]), "/search?q=cat")
    assert "not fetched yet" not in page_of(FakeEngine([hit()]), "/search?q=cat")


def test_folded_results_can_be_shown(page_of):
    similar = ("https://example.org/copy?a=1&b=2", "javascript:alert(1)")
    page = page_of(FakeEngine([hit(similar=similar)]), "/search?q=cat")
    assert "<summary>2 similar pages</summary>" in page
    assert '<a href="https://example.org/copy?a=1&amp;b=2" rel="noopener nofollow">' in page
    assert 'href="javascript' not in page


def test_more_of_a_host_is_a_search_in_it(page_of):
    page = page_of(FakeEngine([hit("https://example.org:8443/x", more_from_host=3)]), "/search?q=cat")
    assert "/search?q=cat%20site%3Aexample.org%3A8443" in page
    assert "3 more results from" in page


def test_pages_count_what_is_listed(page_of):
    engine = FakeEngine(hits(10), total=21, said={"folded": 1})
    assert "Page 1 of 2" in page_of(engine, "/search?q=cat&everything=true")
    assert engine.asked[-1].everything
    assert "everything=true" in page_of(engine, "/search?q=cat&everything=true")
