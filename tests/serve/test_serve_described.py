"""/openapi.json describes every response correctly, for any request."""

from __future__ import annotations

import random
from itertools import product

import pytest
import schemathesis
from hypothesis import given, settings
from hypothesis import strategies as st
from promised import ErrorAnswer, LinksAnswer, PageAnswer, SearchAnswer, SuggestAnswer
from pydantic.json_schema import models_json_schema
from schemathesis.specs.openapi.checks import positive_data_acceptance

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html, text
from gossamer.serve.api.openapi import DESCRIBED

SHORT_RUN, LONG_RUN = 15, 400  # requests to each endpoint that chance decides
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


def small_web():
    """Two hosts in two languages that link to each other; a copy, dates, pages that only links speak of."""
    words, chosen = ["lion", "tiger", "lynx", "wild", "large", "cat"], random.Random(1)
    pages = {}
    for number in range(1, 21):
        links = "".join(
            f'<a href="/{chosen.randrange(1, 24)}">the {chosen.choice(words)}</a> ' for _ in range(3)
        )
        said = " ".join(chosen.choices(words, k=40))
        head = f"<title>The {words[number % 3]} number {number}</title>"
        day = f'<meta property="article:published_time" content="20{number:02}-03-04">'
        pages[f"/{number}"] = html(f"{head}{day}<p>{said}</p>{links}")
    pages["/copy"] = pages["/1"]
    german = html(
        "<title>Der Luchs</title><p>Der Luchs ist eine Katze und lebt im Wald.</p><a href='http://cats.test/1'>cat"
    )
    hosts = {
        "cats.test": ScriptedHost(pages),
        "katzen.test": ScriptedHost({"/": german, "/a.txt": text("lion")}),
    }
    seeds = [
        *(f"http://cats.test{path}" for path in pages),
        "http://katzen.test/",
        "http://katzen.test/a.txt",
    ]
    return ScriptedWeb(hosts), seeds


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    web, seeds = small_web()
    quiet = {"extract": {"workers": 0}, "frontier": {"delay": 0.0}, "crawl": {"depth": 0}}
    folder = tmp_path_factory.mktemp("described") / "c"
    with Engine.open(folder, create=True, partitions=2, settings=quiet) as engine:
        engine.crawl(seeds, transport=ScriptedTransport(web))
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


PROMISES = {
    "/api/search": SearchAnswer,
    "/api/similar": SearchAnswer,
    "/api/suggest": SuggestAnswer,
    "/api/page": PageAnswer,
    "/api/links": LinksAnswer,
}


def test_the_schemas_match_the_response_types(described):
    _, schemas = models_json_schema(
        [(promise, "validation") for promise in {ErrorAnswer, *PROMISES.values()}],
        ref_template="#/components/schemas/{model}",
    )
    for schema in schemas["$defs"].values():
        for own in schema["properties"].values():
            if own.get("default", "") is None:  # the description leaves out what stands for nothing
                del own["default"]
    assert described["components"]["schemas"] == schemas["$defs"]
    for path, promise in PROMISES.items():
        (content,) = described["paths"][path]["get"]["responses"]["200"]["content"].values()
        assert content["schema"] == {"$ref": f"#/components/schemas/{promise.__name__}"}


def test_examples_match_the_schemas():
    for path, promise in PROMISES.items():
        promise.model_validate(DESCRIBED["answers"][path]["content"]["application/json"]["example"])
    for error in DESCRIBED["errors"].values():
        for example in error["content"]["application/json"]["examples"].values():
            ErrorAnswer.model_validate(example["value"])


VALUES = st.one_of(
    st.sampled_from(TEXTS), st.sampled_from(URLS), st.integers(-5, 2000).map(str), st.text(max_size=20)
)


@settings(max_examples=60)
@given(st.data())
def test_random_requests_get_documented_responses(client, described, data):
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


# A tool made for it asks everything that the description allows, and much that it does not; what chance
# brings is the same in every run.


@pytest.fixture(scope="module")
def described_api(client):
    return schemathesis.openapi.from_asgi("/openapi.json", client.app)


def ask_everything(schema, times):
    modes = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
    for operation, mode in product(schema.get_all_operations(), modes):
        if mode is modes[1] and not list(operation.ok().iter_parameters()):
            continue  # nothing can be wrong where nothing is asked

        @settings(max_examples=times)
        @given(case=operation.ok().as_strategy(generation_mode=mode))
        def asks(case):
            # That a query can be read is more than a schema can say: what has the right form may be refused.
            case.call_and_validate(excluded_checks=[positive_data_acceptance])

        asks()


def test_the_tool_knows_every_endpoint(described_api, described):
    assert len(list(described_api.get_all_operations())) == len(described["paths"]) >= 12


@pytest.mark.filterwarnings("ignore")
def test_schemathesis_finds_nothing(described_api):
    ask_everything(described_api, SHORT_RUN)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_schemathesis_finds_nothing_in_a_long_run(described_api):
    ask_everything(described_api, LONG_RUN)
