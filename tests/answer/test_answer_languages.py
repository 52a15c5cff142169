"""Pages in the language of the query come first, and the others are still found."""

from __future__ import annotations

import pytest

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page

GERMAN = "Die Geschichte von Jaguar und Katze im Wald: das Tier schläft am Tag und jagt in der Nacht am Fluss"
ENGLISH = (
    "The history of jaguar and cat in the forest: the animal sleeps by day and hunts at night by the river"
)


def web():
    routes = {}
    for n in range(12):
        text, language = ((GERMAN, "de"), (ENGLISH, "en"))[n % 2]
        routes[f"/{n}"] = page(f"Jaguar {n}", f"{text} {n}", [f"/{n + 1}"], language if n < 8 else "en")
    return ScriptedWeb({host: ScriptedHost(routes) for host in ("a.test", "b.test", "c.test")})


@pytest.fixture(scope="module", params=[1, 3])
def engine(request, tmp_path_factory):
    settings = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
    folder = tmp_path_factory.mktemp("languages")
    with Engine.open(folder, create=True, partitions=request.param, settings=settings) as engine:
        engine.crawl([f"http://{host}.test/0" for host in "abc"], transport=ScriptedTransport(web()))
        yield engine


def languages(answer):
    return [hit.language for hit in answer.hits]


def test_wrong_declarations_are_overruled(engine):
    found = engine.search("Jaguar", k=100)
    assert {hit.url.rpartition("/")[2] for hit in found.hits if hit.language == "de"} >= {"0", "8", "10"}


def test_the_person_decides_where_words_do_not(engine):
    assert engine.search("jaguar", k=100).language == ""
    for preferred in ("de", "en"):
        found = engine.search("jaguar", k=100, languages=[preferred], explain=True)
        assert languages(found)[0] == found.language == preferred
        assert set(languages(found)) == {"de", "en"}
        last = found.hits[-1].explanation
        assert last is not None
        assert last.language < 1.0


def test_other_schemes_are_their_formulas(engine):
    assert engine.search("jaguar", scheme="bm25", languages=["de"]).language == ""
