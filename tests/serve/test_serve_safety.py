"""Hostile pages, hostile visitors, failing engines: nothing runs and nothing leaks."""

from __future__ import annotations

import logging
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fake_engine import FakeEngine, hit, hits
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.model import BadFile, Cluster, DamagedFile, Facet, InstantAnswer, Sitelink

EVIL = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>"
ADDRESSES = ["/", "/search?q=cat", "/search?q=%22", "/nowhere", "/static/style.css", "/static/nothing"]
ADDRESSES += [
    "/api/search?q=cat",
    "/api/search",
    "/api/status",
    "/healthz",
    "/openapi.json",
    "/opensearch.xml",
    "/robots.txt",
    "/metrics",
    "/suggest?q=cat",
    "/api/suggest?q=cat",
    "/api/page?url=nowhere.test",
    "/search.rss?q=cat",
    "/search.csv?q=cat",
    "/cache?url=https://example.org/",
]


class Elements(HTMLParser):
    """What a browser would make of a page: its elements and links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.scripts: list[str | None] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.links += [value for name, value in attrs if name == "href"]
        if tag == "script":
            self.scripts.append(dict(attrs).get("src"))


def assert_harmless(page: str) -> None:
    elements = Elements(page)
    assert elements.scripts == ["/static/suggest.js", "/static/you.js"]
    assert elements.names.isdisjoint({"img", "iframe", "object", "base", "style"})
    assert not [name for name in elements.attributes if name.startswith("on") or name == "style"]
    assert all(link.startswith(("/", "#", "http://", "https://")) for link in elements.links)


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_answer_is_protected(client_of, address):
    headers = client_of(FakeEngine(hits(3))).get(address).headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; "
        "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_hostile_titles_snippets_and_notes_are_text(client_of):
    found = hit("https://example.org/" + EVIL, EVIL, EVIL, [(3, 10)], language=EVIL, media_type=EVIL)
    said = {
        "did_you_mean": EVIL,
        "notes": (EVIL,),
        "searched": EVIL,
        "searched_because": EVIL,
        "clusters": (Cluster(EVIL, 3),),
        "answers": (InstantAnswer(EVIL, EVIL, EVIL, EVIL, "javascript:alert(1)"),),
        "related": (EVIL,),
        "sitelinks": (Sitelink(EVIL, "javascript:alert(1)"), Sitelink(EVIL, "https://example.org/" + EVIL)),
        "facets": (Facet("site", EVIL, 2), Facet("language", EVIL, 2), Facet("topic", EVIL, 0)),
    }
    engine = FakeEngine([found], said=said)
    page = client_of(engine).get("/search", params={"q": "cat"}).text
    assert_harmless(page)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//example.org/",
        "",
    ],
)
def test_only_web_addresses_become_links(client_of, url):
    page = client_of(FakeEngine([hit(url, "The title")])).get("/search?q=cat").text
    assert "<h2>The title</h2>" in page
    assert_harmless(page)


def test_a_hostile_query_is_text_everywhere(client_of):
    for engine in (FakeEngine(hits(25)), FakeEngine(), FakeEngine(failure=RuntimeError(EVIL))):
        for query in (EVIL, '"' + EVIL):
            assert_harmless(client_of(engine).get("/search", params={"q": query}).text)


@pytest.fixture(scope="module")
def asked(client_of):
    """An engine and a client of it, made once: that takes longer than to ask."""
    engine = FakeEngine()
    return engine, client_of(engine)


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_text_at_all_is_harmless(asked, title, text, query):
    engine, client = asked
    encoded = [word.encode("utf-8", "replace").decode() for word in (title, text, query)]
    engine.hits = [hit("https://example.org/" + encoded[0], encoded[0], encoded[1])]
    answer = client.get("/search", params={"q": encoded[2]})
    assert answer.status_code in {200, 400}
    assert_harmless(answer.text)


def test_a_malformed_query_is_shown_with_a_caret(client_of):
    answer = client_of(FakeEngine()).get("/search", params={"q": 'cat "dog'})
    assert answer.status_code == 400
    assert (
        '<code>cat <span class="at">&#34;<span class="caret" aria-hidden="true">^</span></span>dog</code>'
        in answer.text
    )
    assert "this quotation mark is never closed" in answer.text
    assert 'value="cat &#34;dog"' in answer.text  # to be mended, not typed again
    assert 'Did you mean <a href="/search?q=cat%20%22dog%22"><bdi>cat &#34;dog&#34;</bdi></a>?' in answer.text
    assert "Did you mean" not in client_of(FakeEngine()).get("/search", params={"q": "site:"}).text


def test_an_endless_query_is_not_shown_whole(client_of):
    answer = client_of(FakeEngine()).get("/search", params={"q": "a" * 30_000})
    assert answer.status_code == 400
    assert "<code>…aaa" in answer.text
    assert "longer than 2,000 characters" in answer.text


FAILING = [
    "/search?q=cat",
    "/cache?url=https://example.org/",
    "/cache/copy?url=https://example.org/",
    "/api/search?q=cat",
    "/api/suggest?q=cat",
    "/suggest?q=cat",
    "/api/page?url=example.org",
    "/api/similar?url=example.org",
    "/api/links?url=example.org",
    "/api/status",
    "/search.rss?q=cat",
    "/search.atom?q=cat",
    "/search.csv?q=cat",
]


@pytest.mark.parametrize("address", FAILING)
def test_bugs_are_not_described_to_visitors(client_of, address):
    answer = client_of(FakeEngine(failure=RuntimeError("secret"))).get(address)
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert "a fault of this server" in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_all_endpoints_that_may_fail_are_tested(client_of):
    told = set(client_of(FakeEngine()).get("/openapi.json").json()["paths"])
    assert {address.partition("?")[0] for address in FAILING} >= told - {"/healthz", "/metrics"}


@pytest.mark.parametrize("address", FAILING)
def test_an_error_of_the_collection_names_files_only_in_the_log(client_of, caplog, address):
    engine = FakeEngine(failure=DamagedFile(Path("index/0001.seg"), "wrong checksum"))
    with caplog.at_level(logging.ERROR):
        answer = client_of(engine).get(address)
    assert answer.status_code == 500
    if "json" in answer.headers["content-type"]:
        assert answer.json()["error"]["code"] == "engine_error"
    assert "0001.seg" not in answer.text
    assert "wrong checksum" in caplog.text


def test_errors_in_files_of_the_owner_are_hidden_from_visitors(client_of, caplog):
    engine = FakeEngine(failure=BadFile("/srv/cats/synonyms.txt, line 3: no arrow"))
    for address in ("/api/search?q=cat", "/search?q=cat", "/search.rss?q=cat"):
        answer = client_of(engine).get(address)
        assert answer.status_code == 500
        assert "/srv" not in answer.text
        assert "synonyms" not in answer.text
    assert "/srv/cats/synonyms.txt" in caplog.text


def test_static_files_do_not_lead_outside(client_of):
    client = client_of(FakeEngine())
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static/"):
        assert client.get(path).status_code == 404
