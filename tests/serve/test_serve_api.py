"""The JSON API: responses and stable errors."""

from __future__ import annotations

from dataclasses import fields

import pytest
from fake_engine import FakeEngine, hit, hits
from promised import ErrorAnswer, SearchAnswer

from gossamer.cli.search import OFFERED
from gossamer.model import Cluster, SearchOptions
from gossamer.model.search import OPTIONS
from gossamer.serve.request import IN_ADDRESSES, PAGE, SEARCH, mistake


def test_search_answers_as_promised(client_of):
    engine = FakeEngine(
        [hit(marks=[(0, 4)], published=1714557600.0)],
        said={
            "did_you_mean": "dog",
            "notes": ("a note",),
            "clusters": (Cluster("big cats", 3, ("Lion",)),),
        },
    )
    answer = client_of(engine).get("/api/search?q=cat").json()
    promised = SearchAnswer.model_validate(answer)
    assert promised.query == "cat"
    assert promised.total == 1
    assert promised.hits[0].url == "https://example.org/"
    assert promised.hits[0].highlights == [(0, 4)]
    assert promised.did_you_mean == "dog"
    assert promised.notes == ["a note"]
    assert [one.model_dump() for one in promised.clusters] == [
        {"label": "big cats", "count": 3, "titles": ["Lion"]}
    ]


def test_every_parameter_reaches_the_engine(client_of):
    engine = FakeEngine(hits(50))
    client = client_of(engine)
    answer = client.get("/api/search?q=cat&k=5&offset=20&scheme=bm25f&algorithm=maxscore&explain=true")
    wanted = SearchOptions(5, 20, "bm25f", "maxscore", explain=True)
    assert (engine.typed, engine.asked) == (["cat"], [wanted])
    client.get("/api/search?q=cat&newest=true&facets=true")
    assert engine.asked[-1] == SearchOptions(newest_first=True, facets=True)
    client.get("/api/search?q=cat&rank=hubs&topic=cats")
    assert engine.asked[-1] == SearchOptions(rank="hubs", topic="cats")
    client.get("/api/search?q=cat&correct=false")
    assert engine.asked[-1] == SearchOptions(correct=False)
    client.get("/api/search?q=cat&clusters=true&cluster=Big+cats")
    assert engine.asked[-1] == SearchOptions(clusters=True, cluster="Big cats")
    promised = SearchAnswer.model_validate(answer.json())
    assert [found.rank for found in promised.hits] == [21, 22, 23, 24, 25]
    assert promised.hits[0].explanation is not None


def test_offsets_end_at_a_thousand(client_of):
    client = client_of(FakeEngine(hits(1200)))
    assert [found["rank"] for found in client.get("/api/search?q=cat&k=100&offset=998").json()["hits"]] == [
        999,
        1000,
    ]
    assert client.get("/api/search?q=cat&offset=1000").status_code == 422


@pytest.mark.parametrize(
    "wrong", ["k=0", "k=101", "k=x", "offset=-1", "explain=maybe", "clusters=2", "scheme=magic"]
)
def test_wrong_parameters_are_named(client_of, wrong):
    answer = client_of(FakeEngine(hits(3))).get(f"/api/search?q=cat&{wrong}")
    assert answer.status_code == 422
    error = ErrorAnswer.model_validate(answer.json()).error
    assert error.code == "bad_parameter"
    assert wrong.partition("=")[0] in error.message
    assert "position" not in answer.json()["error"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("k=0", "k must be a whole number from 1 to 100"),
        ("k=101", "k must be a whole number from 1 to 100"),
        ("k=2.5", "k must be a whole number from 1 to 100"),
        ("offset=1000", "offset must be a whole number from 0 to 999"),
        ("explain=maybe", "explain must be true or false"),
        ("correct=maybe", "correct must be true or false"),
    ],
)
def test_parameter_errors_have_our_own_messages(client_of, wrong, said):
    answer = client_of(FakeEngine(hits(3))).get(f"/api/search?q=cat&{wrong}")
    assert answer.json()["error"]["message"] == said


def test_every_parameter_with_a_limit_has_its_words():
    for parameters in (SEARCH, PAGE):
        kinds = {name: one.annotation for name, one in parameters.model_fields.items()}
        assert {int, bool} <= set(kinds.values())
        for name, kind in kinds.items():
            if kind in (int, bool):
                assert mistake(name, "odd").startswith(f"{name} must be "), name
    assert mistake("scheme", "odd") == "scheme cannot be read"


def test_every_option_of_a_search_is_offered():
    assert set(SEARCH.model_fields) == {"q", "k", "offset", *IN_ADDRESSES}
    assert {name for name, offered in OPTIONS.items() if offered["command"]} == set(OFFERED.values())
    assert {one.name for one in fields(SearchOptions)} == {"k", "offset", "snippets", *OPTIONS}


@pytest.mark.parametrize(
    "address",
    [
        "/healthz",
        "/metrics",
        "/api/status",
        "/api/search?q=cat",
        "/api/suggest?q=cat",
        "/api/page?url=https://example.org/1",
        "/api/similar?url=https://example.org/1",
        "/api/links?url=https://example.org/1",
        "/suggest?q=cat",
        "/search.rss?q=cat",
        "/search.atom?q=cat",
        "/search.csv?q=cat",
        "/openapi.json",
    ],
)
def test_head_is_answered_like_get(client_of, address):
    client = client_of(FakeEngine(hits(3)))
    asked, headed = client.get(address), client.head(address)
    assert headed.status_code == 200
    assert headed.headers["content-type"] == asked.headers["content-type"]
    assert client.head("/api/search").status_code == 422


def test_a_query_is_needed(client_of):
    answer = client_of(FakeEngine()).get("/api/search")
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == "q is missing"


def test_a_malformed_query_knows_its_position(client_of):
    answer = client_of(FakeEngine()).get("/api/search", params={"q": 'cat "dog'})
    assert answer.status_code == 400
    assert answer.json() == {
        "error": {
            "code": "bad_query",
            "message": "cannot read the query at character 5: this quotation mark is never closed",
            "position": 4,
        }
    }


def test_a_query_may_have_two_thousand_characters(client_of):
    client = client_of(FakeEngine())
    assert client.get("/api/search", params={"q": "a" * 2000}).status_code == 200
    answer = client.get("/api/search", params={"q": "a" * 2001})
    assert answer.status_code == 400
    assert answer.json()["error"]["position"] == 2000


def test_status_and_health(client_of):
    client = client_of(FakeEngine(documents=12))
    assert client.get("/api/status").json()["documents"] == 12
    assert client.get("/healthz").json() == {"status": "ok"}


def test_health_does_not_ask_the_engine(client_of):
    engine = FakeEngine()
    client_of(engine).get("/healthz")
    assert engine.counted == 0


def test_unknown_addresses_and_methods_are_json_below_api(client_of):
    client = client_of(FakeEngine())
    missing = client.get("/api/nothing")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    posted = client.post("/api/search")
    assert (posted.status_code, posted.json()["error"]["code"]) == (405, "method_not_allowed")
    assert posted.headers["allow"] == "GET, HEAD"


def test_openapi_describes_the_api_and_its_errors(client_of):
    client = client_of(FakeEngine())
    described = client.get("/openapi.json").json()
    assert set(described["paths"]) == {
        "/api/links",
        "/api/page",
        "/api/search",
        "/api/similar",
        "/api/status",
        "/api/suggest",
        "/healthz",
        "/metrics",
        "/search.atom",
        "/search.csv",
        "/search.rss",
        "/suggest",
    }
    search = described["paths"]["/api/search"]["get"]
    assert {one["name"] for one in search["parameters"]} == {
        "q",
        "k",
        "offset",
        "scheme",
        "algorithm",
        "explain",
        "everything",
        "correct",
        "newest",
        "facets",
        "languages",
        "rank",
        "topic",
        "clusters",
        "cluster",
        "country",
        "context",
        "prefer",
        "prefer_topic",
    }
    assert "HTTPValidationError" not in str(search)
    assert client.get("/docs").status_code == 404
    assert client.get("/redoc").status_code == 404
