"""The API for suggestions, pages, similar pages and links."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from fake_engine import FakeEngine, hits
from promised import LinksAnswer, PageAnswer, SearchAnswer, SuggestAnswer

from gossamer.model import NotRanked, SearchOptions
from gossamer.owner.query_log import QueryLog
from gossamer.serve.searchable import QueryCounting

URL = "https://example.org/1"


def test_suggestions(client_of):
    client = client_of(FakeEngine())
    answer = client.get("/api/suggest?q=cat&k=2")
    assert SuggestAnswer.model_validate(answer.json()).suggestions == ["cat 1", "cat 2"]
    assert len(client.get("/api/suggest?q=cat").json()["suggestions"]) == 8
    assert client.get("/api/suggest").json() == {"query": "", "suggestions": []}
    assert answer.headers["cache-control"] == "private, max-age=60"


def test_suggestions_as_browsers_want_them(client_of):
    answer = client_of(FakeEngine()).get("/suggest?q=cat&k=2")
    assert answer.headers["content-type"] == "application/x-suggestions+json"
    assert answer.json() == ["cat", ["cat 1", "cat 2"]]
    described = client_of(FakeEngine()).get("/opensearch.xml").text
    assert 'template="http://testserver/suggest?q={searchTerms}"' in described


def test_nobody_waits_for_suggestions(client_of):
    engine = FakeEngine()
    waited = []
    engine.suggest = lambda text, k, wait=True: waited.append(wait) or []
    client_of(engine).get("/api/suggest?q=cat")
    client_of(engine).get("/suggest?q=cat")
    assert waited == [False, False]


def test_a_page(client_of):
    client = client_of(FakeEngine(hits(1)))
    page = PageAnswer.model_validate(client.get(f"/api/page?url={URL}").json())
    assert (page.url, page.text, page.in_degree) == (URL, "Some words.", None)
    assert client.get(f"/api/page?url={URL}&text=false").json()["text"] == ""


def test_similar_pages(client_of):
    found = client_of(FakeEngine(hits(5))).get(f"/api/similar?url={URL}&k=2")
    assert len(SearchAnswer.model_validate(found.json()).hits) == 2


def test_similar_pages_are_paged(client_of):
    client = client_of(FakeEngine(hits(5)))
    first = SearchAnswer.model_validate(client.get(f"/api/similar?url={URL}&k=2").json())
    assert first.previous is None
    second = SearchAnswer.model_validate(client.get(first.next).json())
    assert [hit.url for hit in second.hits] == ["https://example.org/3", "https://example.org/4"]
    third = SearchAnswer.model_validate(client.get(second.next).json())
    assert (len(third.hits), third.next) == (1, None)


@pytest.mark.parametrize("path", ["/api/search?q=x", f"/api/similar?url={URL}"])
def test_offsets_beyond_the_end_link_to_the_last_results(client_of, path):
    client = client_of(FakeEngine(hits(5)))
    previous = client.get(f"{path}&k=2&offset=900").json()["previous"]
    assert previous.endswith("offset=4")
    assert client.get(previous).json()["previous"].endswith("offset=2")


def test_links_are_paged(client_of):
    client = client_of(FakeEngine(hits(5)))
    first = LinksAnswer.model_validate(client.get(f"/api/links?url={URL}&k=2").json())
    assert [link.url for link in first.in_links] == ["https://example.org/1", "https://example.org/2"]
    assert first.previous is None
    second = client.get(first.next).json()
    assert [link["url"] for link in second["in_links"]] == ["https://example.org/3", "https://example.org/4"]
    assert client.get(second["next"]).json()["next"] is None
    assert client.get(second["previous"]).json() == first.model_dump(mode="json")


def test_unknown_pages_are_not_found(client_of):
    engine = FakeEngine(hits(2))
    found = engine.links(URL)
    known, unknown = found.in_links
    unknown = replace(unknown, page=replace(unknown.page, url="", fingerprint=0xE2F2370ED7E93B83))
    engine.links = lambda *asked: replace(found, in_links=[known, unknown], page=unknown.page)
    answer = LinksAnswer.model_validate(client_of(engine).get(f"/api/links?url={URL}").json())
    assert [link.url for link in answer.in_links] == [URL, None]
    assert [link.fingerprint for link in answer.in_links] == ["0000000000000007", "e2f2370ed7e93b83"]
    assert answer.url == URL, "the page that was asked for is known by what was typed"


def test_nofollow_links_are_paged(client_of):
    client = client_of(FakeEngine(hits(8), unvouched=6))
    seen, address = [], f"/api/links?url={URL}&k=2"
    while address:
        found = LinksAnswer.model_validate(client.get(address).json())
        assert (found.in_degree, found.unvouched_in_degree, found.unvouched_out_degree) == (2, 0, 6)
        seen += [link.url for link in found.unvouched_out]
        address = found.next
    assert seen == [f"https://example.org/{place}" for place in range(1, 7)]


def test_results_are_paged(client_of):
    client = client_of(FakeEngine(hits(25)))
    seen, address = [], "/api/search?q=caf%C3%A9+%26&k=10"
    while address:
        found = client.get(address).json()
        seen += [hit["rank"] for hit in found["hits"]]
        assert found["query"] == "café &"
        address = found["next"]
    assert seen == list(range(1, 26))
    assert client.get(found["previous"]).json()["offset"] == 10


def test_links_to_next_results_end_at_a_thousand(client_of):
    client = client_of(FakeEngine(hits(1500)))
    assert client.get("/api/search?q=cat&k=100&offset=900").json()["next"] is None
    assert client.get("/api/search?q=cat&k=100&offset=899").json()["next"].endswith("offset=999")


@pytest.mark.parametrize("name", ["page", "similar", "links"])
def test_errors(client_of, name):
    client = client_of(FakeEngine(hits(1)))
    for asked, status, code in (
        ("url=http://nowhere.test/", 404, "unknown_page"),
        ("url=http://", 400, "bad_request"),
        ("k=3", 422, "bad_parameter"),
    ):
        answer = client.get(f"/api/{name}?{asked}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    unranked = client_of(FakeEngine(hits(1), failure=NotRanked())).get(f"/api/{name}?url={URL}")
    assert (unranked.status_code, unranked.json()["error"]["code"]) == (409, "not_ranked")


def test_links_to_others_begin_with_the_root_of_the_application(client_of):
    client = client_of(FakeEngine(hits(30)), root="/cats")
    assert client.get("/cats/api/search?q=cat").json()["next"] == "/cats/api/search?q=cat&offset=10"
    assert client.get("/cats/api/nothing").json()["error"]["code"] == "not_found"


def test_queries_are_logged_if_the_setting_allows(tmp_path, client_of):
    log = QueryLog(tmp_path, 1)
    client = client_of(QueryCounting(FakeEngine(hits(30)), log))
    client.get("/search?q=Cat")
    client.get("/search?q=cat&page=2")
    for look in ("explain=true", "newest=true", "cluster=Cats", "everything=true"):
        client.get(f"/search?q=cat&{look}")
    client.get("/api/search?q=cat")
    client.get("/api/search?q=%22")
    client.get("/api/status")
    asked, empty = log.counts()
    assert (dict(asked), dict(empty)) == ({"cat": 2}, {})
    assert json.loads(log.path.read_text().splitlines()[0]) == ["cat", 1, 0]  # nothing else is kept


def test_queries_without_results_are_logged(tmp_path):
    log = QueryLog(tmp_path, 1)
    QueryCounting(FakeEngine(), log).search("zebra", options=SearchOptions())
    engine = FakeEngine(hits(1), said={"searched": "zebra"})
    QueryCounting(engine, log).search("zebar", options=SearchOptions())
    assert log.counts()[1] == {"zebra": 1, "zebar": 1}
