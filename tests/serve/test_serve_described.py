"""/openapi.json keeps its word: every answer has the form that it promises, whatever is asked."""

from __future__ import annotations

import json
import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer import Engine
from gossamer.serve import examples
from gossamer.serve.schema import LinksAnswer, PageAnswer, SearchAnswer, SuggestAnswer

LONG_RUN = 100  # requests to each endpoint
URLS = [
    "http://cats.test/1",
    "cats.test/2",
    "http://nowhere.test/",
    "http://",
    "",
    "\x00",
    "http://[::1",
    "x" * 3000,
]
TEXTS = [
    "cat",
    "lion tiger",
    '"',
    "site:cats.test",
    "related:http://cats.test/1",
    "-cat",
    "京都",
    "a" * 2001,
    "\x00",
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("described")
    words = ["lion", "tiger", "lynx", "wild", "large", "cat"]
    chosen = random.Random(1)
    rows = [
        {
            "url": f"http://cats.test/{number}",
            "title": f"The {words[number % 3]} number {number}",
            "text": " ".join(chosen.choices(words, k=40)),
        }
        for number in range(1, 21)
    ]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    quiet = {"extract": {"workers": 0}, "quality": {"near_duplicates": 1.0}}
    with Engine.open(folder / "c", create=True, settings=quiet) as engine:
        engine.import_files(folder / "corpus.jsonl")
        engine.rank()
        engine.suggest("wait")
        yield engine


@pytest.fixture(scope="module")
def client(engine, client_of):
    return client_of(engine)


@pytest.fixture(scope="module")
def described(client):
    return client.get("/openapi.json").json()


def test_every_endpoint_and_error_has_an_example(described):
    for path, methods in described["paths"].items():
        for status, answer in methods["get"]["responses"].items():
            (content,) = answer["content"].values()
            assert content.get("example") is not None or content.get("examples"), (path, status)


def test_examples_keep_the_promise():
    for promise, example in (
        (SearchAnswer, examples.SEARCH),
        (SearchAnswer, examples.SIMILAR),
        (SuggestAnswer, examples.SUGGEST),
        (PageAnswer, examples.PAGE),
        (LinksAnswer, examples.LINKS),
    ):
        promise.model_validate(example)


VALUES = st.one_of(
    st.sampled_from(TEXTS), st.sampled_from(URLS), st.integers(-5, 2000).map(str), st.text(max_size=20)
)


@settings(max_examples=60)
@given(st.data())
def test_whatever_is_asked_is_answered_as_promised(client, described, data):
    path = data.draw(st.sampled_from(sorted(described["paths"])))
    promised = described["paths"][path]["get"]
    names = [one["name"] for one in promised.get("parameters", [])]
    asked = data.draw(st.dictionaries(st.sampled_from([*names, "odd"]), VALUES, max_size=4))
    plain = {name: value.encode("utf-8", "replace").decode() for name, value in asked.items()}
    answer = client.get(path, params=plain)
    told = promised["responses"][str(answer.status_code)]["content"]
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind in told
    assert answer.status_code < 500
    if kind == "application/json" and answer.status_code == 200:
        required = described["components"]["schemas"]
        name = told[kind].get("schema", {}).get("$ref", "").rpartition("/")[2]
        assert set(required.get(name, {}).get("required", [])) <= set(answer.json())


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_schemathesis_finds_nothing(client):
    """A tool made for it asks everything that the description allows, and much that it does not."""
    schemathesis = pytest.importorskip("schemathesis")
    schema = schemathesis.openapi.from_asgi("/openapi.json", client.app)
    # That a query can be read is more than a schema can say: what has the right form may still be refused.
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    assert len(list(schema.get_all_operations())) == len(client.get("/openapi.json").json()["paths"])
    modes = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
    for operation, mode in product(schema.get_all_operations(), modes):
        if mode is modes[1] and not list(operation.ok().iter_parameters()):
            continue  # nothing can be wrong where nothing is asked

        @settings(max_examples=LONG_RUN)
        @given(case=operation.ok().as_strategy(generation_mode=mode))
        def asks(case):
            case.call_and_validate(excluded_checks=[positive_data_acceptance])

        asks()
